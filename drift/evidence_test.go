package drift_test

import (
	"fmt"
	"math"
	"testing"

	"leadline/drift"
	"leadline/scorer"
)

// controls are 24 items, a third of them zeros, scored in every run; after the fall the
// judge is stricter by the given amount on those above zero.
func controls(w *world, runs int, stricter float64) []scorer.ControlScore {
	var out []scorer.ControlScore
	for run := range runs {
		for item := range 24 {
			x := 0.0
			if item%3 > 0 {
				x = 0.8 + 0.01*float64((item+run)%3)
				if run >= fallsAt {
					x -= stricter
				}
			}
			out = append(out, scorer.ControlScore{Item: fmt.Sprint("c", item), Window: w.due(run),
				Judges:   map[scorer.Metric]string{scorer.Faithfulness: "j1"},
				Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: x}}})
		}
	}
	return out
}

func TestControlsTellWhetherTheJudgeMoved(t *testing.T) {
	for _, c := range []struct {
		name     string
		runs     int
		stricter float64
		want     string
	}{{"same", 36, 0, "cleared"}, {"stricter", 36, 0.25, "moved"}, {"no controls", 0, 0, "cannot_be_excluded"}} {
		w := fall(1)
		h := w.history(0, 36)
		h.Controls = controls(w, c.runs, c.stricter)
		j := one(t, drift.Evaluate(h, defaults())).Finding.Evidence.Judge
		if j.Verdict != c.want {
			t.Errorf("%s: %s, want %s (%+v)", c.name, j.Verdict, c.want, j)
		}
		if c.runs > 0 && (j.Items != 24 || math.Abs(j.Shift+0.95*c.stricter) > 0.03) { // 95 % of the traffic is above zero
			t.Errorf("%s: %d items shifted by %.3f, want 24 by about %.3f", c.name, j.Items, j.Shift, -0.95*c.stricter)
		}
	}
}

// Half of the fall of the raw mean comes from a mix that moves to a weak department.
func TestMixIsSplitFromTheFallWithin(t *testing.T) {
	w := newWorld(9)
	w.langs, w.depts = []string{"en"}, []string{"good", "poor"}
	w.broken = func(run, dept int) float64 {
		b := 0.4 * float64(dept)
		if run >= fallsAt {
			b += 0.25
		}
		return b
	}
	w.share = func(run, dept int) float64 {
		if run >= fallsAt && dept == 0 {
			return 0.25
		}
		return 1
	}
	r := drift.Evaluate(w.history(0, 40), defaults())
	f := drift.Headline(r.Findings)
	m := f.Evidence.Mix
	// Within: 0.25 × 0.661 = 0.165. Mix: 0.3 of the share × (0.45 × 0.661 apart) = 0.089.
	if f.Series.Segment() != "all" || math.Abs(m.Within-0.165) > 3*m.SE || math.Abs(m.Explains-0.089) > 0.02 {
		t.Errorf("%s: within %.3f ± %.3f, mix %.3f; want all, 0.165 and 0.089", f.Series.Segment(), m.Within, m.SE, m.Explains)
	}
	if math.Abs(f.Drop-0.165) > 0.04 {
		t.Errorf("fell by %.3f with the mix held constant, want about 0.165", f.Drop)
	}
	if m.Worst == "" || m.WorstN == 0 {
		t.Errorf("no worst segment: %+v", m)
	}
}
