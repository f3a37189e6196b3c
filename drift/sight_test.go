package drift_test

import (
	"math"
	"testing"

	"leadline/drift"
)

// lawF is what 1,300 scores of law F of bench/drift look like, one run of 50 a day.
func lawF() drift.Sight {
	return drift.Sight{Baseline: 1300, PerRun: 50, PerDay: 50, Variance: 0.0747, Skew: 2, Kurtosis: 3, Design: 1.2, LnNeeded: math.Log(10 * 180)}
}

// The delays were measured with the detector itself (docs/statistics.md).
func TestDelayIsAboutWhatWasMeasured(t *testing.T) {
	for _, c := range []struct{ fall, tolerance, measured float64 }{
		{0.05, 0, 963}, {0.10, 0, 231}, {0.20, 0, 82}, {0.10, 0.01, 315}, {0.10, 0.019, 421}, {0.05, 0.01, 2481},
	} {
		if got := lawF().Delay(c.fall, c.tolerance); got < 0.7*c.measured || got > 1.3*c.measured {
			t.Errorf("a fall of %g at tolerance %g: about %.0f samples, measured were %.0f", c.fall, c.tolerance, got, c.measured)
		}
	}
	if got := lawF().Delay(0.03, 0); !math.IsInf(got, 1) {
		t.Errorf("a fall of 0.03 is below the floor of %.3f, and is promised after %.0f samples", lawF().Floor(0), got)
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
