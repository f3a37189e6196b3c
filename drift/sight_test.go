package drift_test

import (
	"math"
	"testing"

	"leadline/drift"
)

// lawF is what 1,300 scores of law F of bench/drift look like, one run of 50 a day.
func lawF() drift.Sight {
	return drift.Sight{Baseline: 1300, PerRun: 50, PerDay: 50, Design: 1.2, LnNeeded: math.Log(10 * 180),
		All: drift.Spread{Share: 1, Variance: 0.0747, Skew: 2, Kurtosis: 3}, NonZero: drift.Spread{Share: 0.95, Variance: 0.0376, Skew: 2.1, Kurtosis: 3.2}}
}

// lawR is the same of law R.
func lawR() drift.Sight {
	s := lawF()
	s.All, s.NonZero = drift.Spread{Share: 1, Variance: 0.0315, Skew: 3.1, Kurtosis: 11}, drift.Spread{Share: 0.96, Variance: 0.0075, Skew: 0.2}
	return s
}

// The delays were measured with the detector itself (docs/statistics.md): of answers that
// fail on law F, of answers that all get a little worse on law R.
func TestDelayIsAboutWhatWasMeasured(t *testing.T) {
	for _, c := range []struct{ fall, tolerance, measured float64 }{
		{0.05, 0, 963}, {0.10, 0, 231}, {0.20, 0, 82}, {0.10, 0.01, 315}, {0.10, 0.019, 421}, {0.05, 0.01, 2481},
	} {
		if _, got := lawF().Delay(c.fall, c.tolerance); !about(got, c.measured) {
			t.Errorf("F: a fall of %g at tolerance %g: about %.0f samples, measured were %.0f", c.fall, c.tolerance, got, c.measured)
		}
	}
	for _, c := range []struct{ fall, tolerance, measured float64 }{
		{0.03, 0, 394}, {0.05, 0, 123}, {0.05, 0.015, 241}, {0.05, 0.022, 387}, {0.10, 0, 51}, {0.10, 0.022, 64},
	} {
		if got, _ := lawR().Delay(c.fall, c.tolerance); !about(got, c.measured) {
			t.Errorf("R: a fall of %g at tolerance %g: about %.0f samples, measured were %.0f", c.fall, c.tolerance, got, c.measured)
		}
	}
	if _, got := lawF().Delay(0.03, 0); !math.IsInf(got, 1) {
		t.Errorf("a fall of 0.03 is below the floor of %.3f, and is promised after %.0f samples", lawF().Floor(0), got)
	}
}

// about is within 40 %: what depends on luck is not known better.
func about(got, want float64) bool { return got > 0.6*want && got < 1.4*want }

func TestDelayGrowsWithToleranceAndShrinksWithTheFall(t *testing.T) {
	for _, s := range []drift.Sight{lawF(), lawR()} {
		last := [2]float64{math.Inf(1), math.Inf(1)}
		for _, fall := range []float64{0.03, 0.05, 0.10, 0.20} {
			least, most := s.Delay(fall, 0)
			tolerant, tolerantMost := s.Delay(fall, 0.01)
			if least > most || least > last[0] || most > last[1] || tolerant < least || tolerantMost < most {
				t.Errorf("a fall of %g takes %.0f to %.0f samples, %.0f to %.0f with a tolerance", fall, least, most, tolerant, tolerantMost)
			}
			last = [2]float64{least, most}
		}
	}
}

func TestSightNeedsWhatItsFloorSays(t *testing.T) {
	for _, tolerance := range []float64{0, 0.01} {
		for _, fall := range []float64{0.03, 0.05, 0.20} {
			s := lawF()
			s.Baseline = int(math.Ceil(s.Needs(fall, tolerance)))
			if got := s.Floor(tolerance); got > fall {
				t.Errorf("with the %d samples that a fall of %g needs, the floor is %g", s.Baseline, fall, got)
			}
			s.Baseline -= 2
			if got := s.Floor(tolerance); got <= fall {
				t.Errorf("a fall of %g is seen with fewer samples (%d) than it needs", fall, s.Baseline)
			}
		}
	}
	if got := lawF().Needs(0.01, 0.01); !math.IsInf(got, 1) {
		t.Errorf("a fall within the tolerance needs %g samples", got)
	}
}

func TestStateTellsTheSameFloorAsItsSight(t *testing.T) {
	st := series{seed: 9, days: 40, perDay: 2, perRun: 25}.state(defaults())
	if got := st.Sight.Floor(0.01); math.Abs(got-st.Floor) > 1e-12 {
		t.Errorf("the floor is %v by the state and %v by its sight", st.Floor, got)
	}
	if st.Sight.PerRun != 25 || math.Abs(st.Sight.PerDay-50) > 1e-9 {
		t.Errorf("%v samples a run and %v a day, want 25 and 50", st.Sight.PerRun, st.Sight.PerDay)
	}
}
