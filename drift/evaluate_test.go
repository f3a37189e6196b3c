package drift_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Twelve weeks with a harmless and a bad release, a shift of the mix, an evening without
// traffic, an outdated document and a department whose documents are lost.
func TestDemoEndsWithExactlyWhatHappened(t *testing.T) {
	for seed := range uint64(2) {
		w := demo(seed + 1)
		_, r := w.play(w.history(0, 10), 10)
		day := func(at time.Time) int { return int(at.Sub(w.start) / (24 * time.Hour)) }
		for _, e := range r.Episodes {
			switch e.Kind {
			case drift.KindRegression:
				if e.Value != "v3" || day(e.From) != 29 || day(e.Resolved) != 34 {
					t.Errorf("seed %d: regression of %s with %s from day %d to %d, want v3 from 29 to 34",
						seed, e.Series.Segment(), e.Value, day(e.From), day(e.Resolved))
				}
			case drift.KindSilent:
				if day(e.From) < 69 || !e.Resolved.IsZero() || e.Series.Metric != scorer.Faithfulness {
					t.Errorf("seed %d: silent fall of %s %s from day %d to %v", seed, e.Series.Metric, e.Series.Segment(), day(e.From), e.Resolved)
				}
			default:
				t.Errorf("seed %d: %s of %s", seed, e.Kind, e.Series.Segment())
			}
		}
		head := drift.Headline(r.Findings)
		if head.Kind != drift.KindSilent || head.Series.Metric != scorer.Faithfulness || head.Series.Segment() != "department=hr" {
			t.Errorf("seed %d: headline is %s of %s %s", seed, head.Kind, head.Series.Metric, head.Series.Segment())
		}
		if c := head.Evidence.Corpus; !slices.Contains(c.Gone, "hr-0") || c.Vanished < 0.9 || c.Overlap > 0.1 || c.Usual < 0.7 {
			t.Errorf("seed %d: corpus evidence is %+v, want the documents of hr gone", seed, c)
		}
		if len(r.Notes) != 1 || r.Notes[0].Document != "it-0" || r.Notes[0].Edition != "1" || r.Notes[0].Newest != "2" || r.Notes[0].Until.IsZero() {
			t.Errorf("seed %d: notes are %+v, want one of it-0, ended", seed, r.Notes)
		}
	}
}

func TestSameHistoryInAnyOrderOrTwiceGivesTheSameBits(t *testing.T) {
	w := demo(5)
	w.runs = 31
	h, _ := w.play(w.history(0, 29), 29)
	h.Rows = append(h.Rows, w.history(31, 32).Rows...)
	want := encode(t, drift.Evaluate(h, defaults()))

	mixed := h
	mixed.Rows = append(slices.Clone(h.Rows), h.Rows[:100]...)
	mixed.Tallies = append(slices.Clone(h.Tallies), h.Tallies[5:9]...)
	mixed.Episodes = append(slices.Clone(h.Episodes), h.Episodes...)
	shuffle(mixed.Rows)
	shuffle(mixed.Tallies)
	shuffle(mixed.Episodes)
	if diff := cmp.Diff(want, encode(t, drift.Evaluate(mixed, defaults()))); diff != "" {
		t.Error(diff)
	}
}

func TestDecidingTwiceChangesNothing(t *testing.T) {
	for _, runs := range []int{31, 33, 34, 78} {
		w := demo(2)
		w.runs = runs
		h, first := w.play(w.history(0, runs-6), runs-6)
		if diff := cmp.Diff(encode(t, first.Episodes), encode(t, drift.Evaluate(h, defaults()).Episodes)); diff != "" {
			t.Errorf("after run %d: %s", runs, diff)
		}
	}
}

func shuffle[T any](xs []T) {
	rng := rand.New(rand.NewPCG(3, 3))
	rng.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
}

// encode fails where a number is not finite.
func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLastingMixShiftIsNeitherFindingNorNote(t *testing.T) {
	for seed := range uint64(2) {
		w := newWorld(seed)
		w.share = func(run, dept int) float64 {
			if run >= 30 {
				return float64(1 + dept*dept)
			}
			return float64(1 + (5-dept)*(5-dept))
		}
		h := w.history(0, 30)
		for run := 30; run < 60; run += 6 {
			more := w.history(run, run+6)
			h.Rows, h.Tallies = append(h.Rows, more.Rows...), append(h.Tallies, more.Tallies...)
			if r := drift.Evaluate(h, defaults()); len(r.Episodes) > 0 || len(r.Notes) > 0 {
				t.Errorf("seed %d, run %d: %d episodes, notes %+v", seed, run, len(r.Episodes), r.Notes)
			}
		}
	}
}

func TestNothingGivesNothing(t *testing.T) {
	if diff := cmp.Diff(drift.Result{}, drift.Evaluate(drift.History{}, defaults())); diff != "" {
		t.Error(diff)
	}
}

// plain is a service without segments.
func plain(seed uint64) *world {
	w := newWorld(seed)
	w.depts, w.langs = []string{"a"}, []string{"en"}
	return w
}

func TestTimeWithoutTrafficNeverAlarms(t *testing.T) {
	w := plain(1)
	h := w.history(0, 40)
	before := drift.Evaluate(h, defaults())
	for run := 40; run < 60; run++ {
		h.Tallies = append(h.Tallies, sampler.Tally{Start: w.due(run - 1), Due: w.due(run)})
	}
	r := drift.Evaluate(h, defaults())
	if len(r.Episodes) > 0 {
		t.Errorf("%d episodes", len(r.Episodes))
	}
	for i, s := range r.States {
		if s.Last != (drift.Level{}) || s.LnEvidence != before.States[i].LnEvidence {
			t.Errorf("%s: last %+v, evidence %v, want no scores and %v as before", s.Series.Metric, s.Last, s.LnEvidence, before.States[i].LnEvidence)
		}
	}
}

func TestRunsOfOneSampleAndPerfectScoresAreFine(t *testing.T) {
	var h drift.History
	w := plain(1)
	for run := range 200 {
		h.Rows = append(h.Rows, drift.Row{Start: w.due(run - 1), Due: w.due(run), Metric: scorer.Faithfulness, Judge: "j", Moments: moments(1)})
	}
	r := drift.Evaluate(h, defaults())
	encode(t, r)
	if len(r.Episodes) > 0 || len(r.States) != 1 || r.States[0].Status != "ok" {
		t.Errorf("%d episodes, states %+v", len(r.Episodes), r.States)
	}
}

func TestStatusLearnsThenIsOKAndFindsWhenATenthCanBeSeen(t *testing.T) {
	w := plain(4)
	h := w.history(0, 1)
	r := drift.Evaluate(h, defaults())
	early := state(t, r, scorer.Faithfulness)
	if early.Status != "learning" || !early.Sees10.After(w.due(0)) && !early.Sees10.IsZero() {
		t.Errorf("after one run: %s, sees 0.10 from %v", early.Status, early.Sees10)
	}
	more := w.history(1, 40)
	h.Rows, h.Tallies = append(h.Rows, more.Rows...), append(h.Tallies, more.Tallies...)
	late := state(t, drift.Evaluate(h, defaults()), scorer.Faithfulness)
	if late.Status != "ok" || late.Sees10.IsZero() || late.Sees10.After(w.due(39)) || late.Floor > 0.10 || late.Floor < 0.02 {
		t.Errorf("after forty: %s, sees 0.10 from %v, floor %.3f", late.Status, late.Sees10, late.Floor)
	}
	if late.Band < 0.03 || late.Band > 0.12 {
		t.Errorf("a usual run is within ±%.3f", late.Band) // 1.96 × 0.27/√60, and a little
	}
}

func state(t *testing.T, r drift.Result, m scorer.Metric) drift.State {
	t.Helper()
	for _, s := range r.States {
		if s.Series.Metric == m && s.Series.Dim == "" {
			return s
		}
	}
	t.Fatalf("no state of %s", m)
	return drift.State{}
}

func TestOnlyTheNewestJudgeIsLive(t *testing.T) {
	w := plain(1)
	h := w.history(0, 20)
	for run := 20; run < 24; run++ {
		h.Rows = append(h.Rows, drift.Row{Start: w.due(run - 1), Due: w.due(run), Metric: scorer.Faithfulness, Judge: "j2", Moments: moments(0, 0, 0.1, 0)})
	}
	r := drift.Evaluate(h, defaults())
	if s := state(t, r, scorer.Faithfulness); s.Series.Judge != "j2" || s.Status != "learning" || s.Baseline.N != 16 {
		t.Errorf("faithfulness is %+v, want the sixteen scores of j2", s)
	}
	if len(r.Episodes) > 0 {
		t.Error("another judge's scores were compared with its own")
	}
}
