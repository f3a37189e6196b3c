package drift_test

import (
	"fmt"
	"testing"
	"time"

	"leadline/drift"
	"leadline/sampler"
)

// weekly gives a world a new release every seventh run, offset runs after a Monday.
func weekly(offset int) func(run int) string {
	return func(run int) string { return fmt.Sprintf("v%d", (run+offset)/7) }
}

// With a release a week every fall is near one. Only a fall that begins with it may be
// laid on it.
func TestWeeklyReleasesAreBlamedOnlyForFallsThatBeginWithThem(t *testing.T) {
	kinds := map[bool]map[drift.Kind]int{true: {}, false: {}} // by: begins with a release
	for offset := range 7 {
		for seed := range uint64(3) {
			w := fall(20 + seed)
			w.release = weekly(offset)
			_, r := w.play(w.history(0, fallsAt), fallsAt)
			for _, e := range r.Episodes {
				kinds[(fallsAt+offset)%7 == 0][e.Kind]++
			}
		}
	}
	if n := kinds[false]; n[drift.KindRegression] > 0 || n[drift.KindSilent] < 12 {
		t.Errorf("falls on days without a release are called %v", n)
	}
	if n := kinds[true]; n[drift.KindSilent] > 0 || n[drift.KindRegression] < 2 {
		t.Errorf("falls on days with a release are called %v", n)
	}
}

// badRelease breaks answers from run fallsAt to healed, with v2 until followed and next
// after that.
func badRelease(seed uint64, followed, healed int, next string) *world {
	w := fall(seed)
	w.runs = 70
	w.release = func(run int) string {
		switch {
		case run < fallsAt:
			return "v1"
		case run < followed:
			return "v2"
		}
		return next
	}
	w.broken = func(run, _ int) float64 {
		if run >= fallsAt && run < healed {
			return 0.4
		}
		return 0
	}
	return w
}

func TestNextReleaseAloneEndsNoRegression(t *testing.T) {
	w := badRelease(1, 42, 70, "v3")
	_, r := w.play(w.history(0, fallsAt), fallsAt)
	e := one(t, r)
	if e.Kind != drift.KindRegression || e.Value != "v2" || !e.Resolved.IsZero() {
		t.Fatalf("%s with %q, resolved %v: v3 is as bad, want the regression of v2 still open", e.Kind, e.Value, e.Resolved)
	}
	if f := e.Finding; f.Drop < 0.2 {
		t.Errorf("fell by %.3f: answers of v3 are taken for healthy ones", f.Drop)
	}
}

func TestReleaseThatMendsEndsARegressionByItsScores(t *testing.T) {
	w := badRelease(1, 42, 42, "v3")
	_, r := w.play(w.history(0, fallsAt), fallsAt)
	e := one(t, r)
	if mended := w.due(42); e.Resolved.Before(mended.Add(time.Hour)) || e.Resolved.After(mended.Add(5*24*time.Hour)) {
		t.Errorf("resolved %v, want within five runs of %v, and not by the release alone", e.Resolved, mended)
	}
}

// While a release breaks everything a second series may be found down and dated wrongly. Once
// the release is taken back nothing is left of that, and no older release is blamed for it.
func TestWhatABadReleaseDraggedDownEndsWithIt(t *testing.T) {
	found := 0
	for seed := range uint64(12) {
		w := newWorld(seed)
		w.runs, w.perRun = 60, 90
		w.langs = []string{"en"}
		w.release = func(run int) string {
			switch {
			case run < 15:
				return "v0"
			case run >= fallsAt && run < fallsAt+6:
				return "v2"
			}
			return "v1"
		}
		w.broken = func(run, _ int) float64 {
			if run >= fallsAt && run < fallsAt+6 {
				return 0.3
			}
			return 0
		}
		_, r := w.play(w.history(0, fallsAt), fallsAt)
		for _, e := range r.Episodes {
			found++
			if e.Resolved.IsZero() || e.Kind == drift.KindRegression && e.Value != "v2" {
				t.Errorf("seed %d: %s found %v is %s with %q, resolved %v", seed, e.Series.Segment(), e.Opened, e.Kind, e.Value, e.Resolved)
			}
		}
	}
	if found < 12*3 {
		t.Errorf("only %d episodes", found)
	}
}

// The log goes on naming the old release: that says nothing of one that it never knew.
func TestReleaseThatOnlyAPersonKnowsOfIsNotTakenBackByTheLog(t *testing.T) {
	w := fall(1)
	h, r := w.play(w.history(0, fallsAt), fallsAt)
	if e := one(t, r); e.Kind != drift.KindSilent {
		t.Fatalf("it is %s", e.Kind)
	}
	h.Episodes = r.Episodes
	h.Marks = []drift.Mark{{Channel: sampler.ChannelRelease, Value: "v9", At: w.due(fallsAt - 1).Add(3 * time.Hour), Source: "cli"}}
	e := one(t, drift.Evaluate(h, defaults()))
	if e.Kind != drift.KindRegression || e.Value != "v9" || !e.Resolved.IsZero() {
		t.Errorf("after v9 was told: %s with %q, resolved %v; scores are still down", e.Kind, e.Value, e.Resolved)
	}
}

// Much evidence must not make the date of a fall worse.
func TestLargeFallKeepsItsDate(t *testing.T) {
	w := fall(2)
	w.runs = 110
	w.broken = func(run, _ int) float64 {
		if run >= fallsAt {
			return 1
		}
		return 0
	}
	_, r := w.play(w.history(0, fallsAt), fallsAt)
	if e := one(t, r); e.From.After(w.due(fallsAt)) || e.From.Before(w.due(fallsAt-1)) || e.Finding.LnEvidence < 400 {
		t.Errorf("dated %v with ln evidence %.0f, want %v or a run before", e.From, e.Finding.LnEvidence, w.due(fallsAt))
	}
}
