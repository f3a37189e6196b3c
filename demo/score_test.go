package demo_test

import (
	"math"
	"testing"
	"time"

	"leadline/demo"
	"leadline/scorer"
)

// levels are the means of both metrics over some answers.
type levels struct {
	n                   float64
	faithful, relevancy float64 // sums
}

func (l *levels) add(t *testing.T, s scorer.Score) {
	t.Helper()
	f, r := s.Outcomes[scorer.Faithfulness], s.Outcomes[scorer.AnswerRelevancy]
	if !f.Scored || !r.Scored {
		t.Fatalf("%s has no score: %s %s", s.SampleID, f.Reason, r.Reason)
	}
	l.n++
	l.faithful += f.Value
	l.relevancy += r.Value
}

func (l *levels) means() (faithful, relevancy float64) { return l.faithful / l.n, l.relevancy / l.n }

func TestStandinSeesTheEvents(t *testing.T) {
	s, cfg := newScorer(t)
	events := demo.Events()
	some := windows(t, 1, cfg, func(due time.Time) bool {
		n := int(due.Sub(demo.Span().From) / every)
		eventful := due.After(events.Lost.From) || due.After(events.BadRelease.From) && due.Before(events.BadRelease.To)
		return n%7 == 0 || eventful && n%3 == 0 // odd steps meet each time of day
	})
	scores := scored(t, s, some)
	usual, bad, lost := map[string]*levels{}, map[string]*levels{}, map[string]*levels{}
	for _, w := range some {
		for _, j := range w.samples {
			of := usual
			switch {
			case !j.Time.Before(events.BadRelease.From) && j.Time.Before(events.BadRelease.To):
				of = bad
			case j.truth.Lost:
				of = lost
			}
			for _, key := range []string{"all", j.truth.Department, j.truth.Language} {
				if of[key] == nil {
					of[key] = &levels{}
				}
				of[key].add(t, scores[j.ID])
			}
		}
	}
	before, relevancy := usual["all"].means()
	if before < 0.85 || before > 0.92 || relevancy < 0.3 || relevancy > 0.5 {
		t.Errorf("usual faithfulness is %.3f and relevancy %.3f, want .85 to .92 and .3 to .5", before, relevancy)
	}
	for _, key := range []string{"all", "en", "ja"} {
		was, _ := usual[key].means()
		if now, _ := bad[key].means(); was-now < 0.15 {
			t.Errorf("%s: faithfulness goes from %.3f to %.3f in the bad release, want a fall of .15 at least", key, was, now)
		}
	}
	_, was := usual[events.LostDepartment].means()
	faithful, now := lost["all"].means()
	if faithful > 0.05 || math.Abs(now-was) > 0.06 {
		t.Errorf("lost department: faithfulness %.3f, relevancy %.3f after %.3f; want nearly none, and the same", faithful, now, was)
	}
	good, _ := usual["hr"].means()
	if poor, _ := usual["sales_ops"].means(); good-poor < 0.03 {
		t.Errorf("faithfulness of hr is %.3f and of sales_ops %.3f, want departments of different quality", good, poor)
	}
}

func TestStandinDoesNotSeeTheOutdatedEdition(t *testing.T) {
	s, cfg := newScorer(t)
	cfg.Sample.Rate = 1
	take := intake(t, cfg)
	var now, usual levels
	for _, l := range lines(t) {
		if l.truth.Document != demo.Events().OutdatedDocument {
			continue
		}
		sample, _ := take(l.message)
		score, err := s.Score(t.Context(), sample)
		if err != nil {
			t.Fatal(err)
		}
		if l.truth.Outdated {
			now.add(t, score)
		} else {
			usual.add(t, score)
		}
	}
	after, _ := now.means()
	before, _ := usual.means()
	if now.n < 30 || math.Abs(after-before) > 0.1 {
		t.Errorf("faithfulness of %.0f answers out of the old edition is %.3f, usually %.3f", now.n, after, before)
	}
}
