package drift_test

import (
	"encoding/json"
	"testing"
	"time"

	"leadline/drift"
	"leadline/scorer"
)

func TestEpisodeEndsWhenScoresAreBackAndItsRowsAreInNeitherSide(t *testing.T) {
	w := fall(1)
	w.broken = func(run, _ int) float64 {
		if run >= fallsAt && run < fallsAt+20 {
			return 0.4
		}
		return 0
	}
	w.runs = 80
	_, r := w.play(w.history(0, fallsAt), fallsAt)
	e := one(t, r)
	back := w.due(fallsAt + 20)
	if e.Resolved.Before(back) || e.Resolved.After(back.Add(5*24*time.Hour)) {
		t.Errorf("resolved %v, want within five runs of %v", e.Resolved, back)
	}
	s := state(t, r, scorer.Faithfulness)
	if s.Baseline.Mean < 0.865 || s.Status != "ok" {
		t.Errorf("baseline %.3f and %s, want the level before and ok", s.Baseline.Mean, s.Status)
	}
	scored := 0
	for _, st := range r.States {
		if st.Series.Metric == scorer.AnswerRelevancy {
			scored = st.Baseline.N
		}
	}
	if down := scored - s.Baseline.N; down < 18*45 || down > 26*75 {
		t.Errorf("%d scores of the episode are out of the baseline, want those of about 20 runs", down)
	}
}

func TestEpisodeThatGoesOnIsNotResolved(t *testing.T) {
	for seed := range uint64(3) {
		w := fall(seed)
		w.runs = 75
		_, r := w.play(w.history(0, 36), 36)
		if e := one(t, r); !e.Resolved.IsZero() {
			t.Errorf("seed %d: resolved %v while scores were down", seed, e.Resolved)
		}
	}
}

// The view of an episode looks at other boundaries than the scan that alarmed, and may
// find less.
func TestReachedEvidenceIsThatOfTheAlarmOrMore(t *testing.T) {
	short := 0
	for _, seed := range []uint64{23, 28} {
		w := fall(seed)
		w.broken = func(run, _ int) float64 {
			if run >= fallsAt {
				return 0.1
			}
			return 0
		}
		h := w.history(0, fallsAt)
		last := 0.0
		for run := fallsAt; run < 60; run++ {
			rows, tally := w.run(run)
			h.Rows, h.Tallies = append(h.Rows, rows...), append(h.Tallies, tally)
			h.Episodes = drift.Evaluate(h, defaults()).Episodes
			for _, e := range h.Episodes {
				f := e.Finding
				if f.LnReached < f.LnNeeded || f.Reached() < last {
					t.Fatalf("seed %d run %d: reached %.2f, before %.2f, needed %.2f", seed, run, f.LnReached, last, f.LnNeeded)
				}
				if last == 0 && f.LnEvidence < f.LnNeeded {
					short++
				}
				last = f.Reached()
			}
		}
	}
	if short != 2 {
		t.Errorf("%d first views show less than was needed, want 2: this history shows nothing", short)
	}
}

func TestReachedEvidenceOfOlderFindingsIsWhatIsKnown(t *testing.T) {
	for stored, want := range map[string]float64{
		`{"ln_evidence":6.5,"ln_needed":4.5}`: 6.5,
		`{"ln_evidence":3.5,"ln_needed":4.5}`: 4.5, // it alarmed
	} {
		var f drift.Finding
		if err := json.Unmarshal([]byte(stored), &f); err != nil || f.Reached() != want {
			t.Errorf("%s reached %g (%v), want %g", stored, f.Reached(), err, want)
		}
	}
}

func TestAcceptanceEndsTheEpisodeAndMakesItTheBaseline(t *testing.T) {
	w := fall(3)
	h, r := w.play(w.history(0, 36), 36)
	e := one(t, r)
	h.Acceptances = []drift.Acceptance{{Series: e.Series, From: w.due(fallsAt - 1), At: w.due(39), By: "ops"}}
	w.runs = 60
	_, r = w.play(h, 40)
	if e := one(t, r); !e.Resolved.Equal(w.due(40)) {
		t.Errorf("resolved %v, want %v", e.Resolved, w.due(40))
	}
	if s := state(t, r, scorer.Faithfulness); s.Status != "ok" || s.Baseline.Mean > 0.75 {
		t.Errorf("%s with a baseline of %.3f, want ok at the new level", s.Status, s.Baseline.Mean)
	}
}

// What one department lost must not become the norm of all, nor be told twice.
func TestOpenFallOfASegmentIsNotInThePooledSeries(t *testing.T) {
	w := newWorld(8)
	w.langs = []string{"en"}
	w.runs = 60
	w.broken = func(run, dept int) float64 {
		if run >= 30 && dept == 5 {
			return 0.7
		}
		return 0
	}
	_, r := w.play(w.history(0, 30), 30)
	part := r.Episodes[0]
	for _, e := range r.Episodes {
		if e.Series.Segment() == "department=facility" {
			part = e
		}
	}
	if part.Series.Segment() != "department=facility" {
		t.Fatalf("found %s, want department=facility", part.Series.Segment())
	}
	for _, s := range r.States {
		if s.Series.Metric == scorer.Faithfulness && s.Series.Dim == "" && s.Status == "ok" && s.Baseline.Mean < 0.8 {
			t.Errorf("the pooled baseline is %.3f with the fall of one department in it", s.Baseline.Mean)
		}
	}
}

func TestHeadlineNamesTheSegmentOnlyWhenTheFallIsItsOwn(t *testing.T) {
	f := func(dim, value string, ln, drop float64, n int) drift.Finding {
		return drift.Finding{Series: drift.Series{Metric: scorer.Faithfulness, Dim: dim, Value: value}, LnEvidence: ln, Drop: drop,
			Before: drift.Level{N: 10 * n}, After: drift.Level{N: n}}
	}
	share := drift.Finding{Series: drift.Series{Metric: drift.ShareRefusal}, LnEvidence: 99}
	cases := []struct {
		name string
		fs   []drift.Finding
		want string
	}{
		{"its own", []drift.Finding{f("", "", 20, 0.05, 600), f("department", "hr", 15, 0.3, 100), f("language", "ja", 16, 0.05, 300)}, "department=hr"},
		{"everywhere", []drift.Finding{f("", "", 20, 0.1, 600), f("department", "hr", 25, 0.12, 100)}, "all"},
		{"nearly all of the traffic", []drift.Finding{f("", "", 20, 0.1, 600), f("language", "ja", 22, 0.1, 500)}, "all"},
		{"no pooled fall", []drift.Finding{f("department", "it", 9, 0.3, 50), f("department", "hr", 12, 0.3, 50)}, "department=hr"},
		{"a share beside", []drift.Finding{share, f("department", "it", 9, 0.3, 50)}, "department=it"},
	}
	for _, c := range cases {
		if got := drift.Headline(c.fs).Series.Segment(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := drift.Headline(nil); got.Series != (drift.Series{}) {
		t.Errorf("headline of nothing is %+v", got)
	}
}
