package demo_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/alert"
	"leadline/config"
	"leadline/demo"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Each seed takes a quarter of a minute, so they are run by hand after a change of the world or
// of the detector: go test ./demo -run Weeks -seeds 20 -timeout 1h -v.
var seeds = flag.Uint64("seeds", 0, "judge the twelve weeks of the seeds from 1 to this one")

// wrongAllowed is how many of 20 seeds may end otherwise: chance has a share in it.
const wrongAllowed = 2

func TestTwelveWeeksEndWithTheRightIncidents(t *testing.T) {
	if *seeds == 0 {
		t.Skip("-seeds 20 judges the twelve weeks of seeds 1 to 20")
	}
	j := newJury(t)
	wrong := 0
	for seed := uint64(1); seed <= *seeds; seed++ {
		end := j.judge(t, seed)
		problems := end.problems()
		t.Logf("seed %d: %s", seed, end)
		if len(problems) > 0 {
			wrong++
			t.Logf("seed %d is wrong: %s", seed, strings.Join(problems, "; "))
		}
	}
	if wrong*20 > wrongAllowed*int(*seeds) {
		t.Errorf("%d of %d seeds end with other incidents", wrong, *seeds)
	}
}

// jury scores and decides as the daemon does, without its broker and its store.
type jury struct {
	scorer   *scorer.Scorer
	settings config.Config
	controls []scorer.ControlScore
}

func newJury(t *testing.T) *jury {
	t.Helper()
	s, cfg := newScorer(t)
	controls, err := s.Controls(t.Context(), scorer.Controls(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return &jury{scorer: s, settings: cfg, controls: controls}
}

// ending is what stands after the twelve weeks.
type ending struct {
	runs      []window
	incidents []alert.Incident
	notes     []drift.Note
}

func (j *jury) judge(t *testing.T, seed uint64) ending {
	t.Helper()
	all := windows(t, seed, j.settings, func(time.Time) bool { return true })
	scores := scored(t, j.scorer, all)
	var h drift.History
	var logged []sampler.Tally
	end := ending{runs: all}
	for _, w := range all {
		var run []scorer.Score
		for _, s := range w.samples {
			run = append(run, scores[s.ID])
		}
		h.Rows = append(h.Rows, drift.Rows(w.Window, run)...)
		if w.tally.Decoded > 0 {
			logged = append(logged, w.tally)
			// Documents decide nothing but the notes, and counting them takes most of the time.
			w.tally.Docs, w.tally.DocDates, w.tally.DocCells = nil, nil, nil
			h.Tallies = append(h.Tallies, w.tally)
		}
		for _, c := range j.controls {
			c.Window = w.Due
			h.Controls = append(h.Controls, c)
		}
		result := drift.Evaluate(h, j.settings.Drift)
		h.Episodes = result.Episodes
		end.incidents, _ = alert.Step(end.incidents, alert.Input{Run: w.Due, Service: "helpdesk", Environment: "production",
			Every: every, Episodes: result.Episodes})
	}
	h.Tallies = logged
	end.notes = drift.Evaluate(h, j.settings.Drift).Notes
	return end
}

// samples counts those of the runs from one time to another.
func (e ending) samples(from, to time.Time) int {
	n := 0
	for _, w := range e.runs {
		if w.Due.After(from) && !w.Due.After(to) {
			n += len(w.samples)
		}
	}
	return n
}

func headline(i alert.Incident) drift.Finding {
	var fs []drift.Finding
	for _, a := range i.Alerts {
		fs = append(fs, a.Finding)
	}
	return drift.Headline(fs)
}

// problems says what differs from the calendar.
func (e ending) problems() []string {
	var out []string
	events := demo.Events()
	kinds := map[drift.Kind]int{}
	for _, i := range e.incidents {
		kinds[i.Kind]++
		f := headline(i)
		switch i.Kind {
		case drift.KindSilent:
			if f.Series.Metric != scorer.Faithfulness || f.Series.Segment() != "department="+events.LostDepartment {
				out = append(out, fmt.Sprintf("silent names %s %s", f.Series.Metric, f.Series.Segment()))
			}
			if i.Opened.Before(events.Lost.From) || !i.Open() || e.samples(events.Lost.From, i.Opened) > 300 {
				out = append(out, fmt.Sprintf("silent from %s to %s", i.Opened, i.Resolved))
			}
		case drift.KindRegression:
			if i.Open() || i.Resolved.Before(events.BadRelease.To) || i.Opened.Before(events.BadRelease.From) || i.Opened.After(events.BadRelease.To) {
				out = append(out, fmt.Sprintf("regression from %s to %s", i.Opened, i.Resolved))
			}
		default:
			out = append(out, "incident "+string(i.Kind))
		}
	}
	if kinds[drift.KindSilent] != 1 || kinds[drift.KindRegression] != 1 {
		out = append(out, fmt.Sprintf("incidents %v", kinds))
	}
	if len(e.notes) != 1 || e.notes[0].Kind != "corpus" || e.notes[0].Document != events.OutdatedDocument {
		out = append(out, fmt.Sprintf("notes %+v", e.notes))
	}
	return out
}

// changeOf returns when that happened which an incident is about.
func changeOf(i alert.Incident) time.Time {
	if i.Kind == drift.KindRegression {
		return demo.Events().BadRelease.From
	}
	return demo.Events().Lost.From
}

// String is one line per incident and note.
func (e ending) String() string {
	var b strings.Builder
	for _, i := range e.incidents {
		f := headline(i)
		fmt.Fprintf(&b, "\n  %s %s %s, %d series, opened %s after %d samples", i.Kind, f.Series.Metric, f.Series.Segment(),
			len(i.Alerts), i.Opened.Format("01-02 15h"), e.samples(changeOf(i), i.Opened))
		if !i.Open() {
			fmt.Fprintf(&b, ", resolved %s", i.Resolved.Format("01-02 15h"))
		}
	}
	for _, n := range e.notes {
		fmt.Fprintf(&b, "\n  note %s %s%s %s", n.Kind, n.Document, n.Segment, n.At.Format("01-02 15h"))
	}
	return b.String()
}
