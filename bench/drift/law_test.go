package main

import (
	"math"
	"testing"
)

func (l law) sd() float64 {
	m, sum := l.mean(), 0.0
	for i, p := range l {
		d := float64(i)/steps - m
		sum += p * d * d
	}
	return math.Sqrt(sum)
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %.5g, want %.5g ± %.2g", what, got, want, within)
	}
}

func TestLawsHaveTheirMoments(t *testing.T) {
	near(t, "mean of F", faithfulness().mean(), 0.865, 0.0005)
	near(t, "sd of F", faithfulness().sd(), 0.273, 0.001)
	near(t, "mean of R", relevancy().mean(), 0.768, 0.0005)
	near(t, "sd of R", relevancy().sd(), 0.177, 0.0005)
	for _, n := range healthyLaws() {
		total := 0.0
		for _, p := range n.law {
			total += p
			if p < 0 {
				t.Errorf("%s has a probability of %g", n.name, p)
			}
		}
		near(t, "total of "+n.name, total, 1, 1e-12)
	}
}

// The divergences pin the laws before and after down to the shape of their partials.
func TestScenariosAreAsHardAsStated(t *testing.T) {
	want := map[string]struct{ drop, kl, klInf float64 }{
		"F mix -0.03":     {0.03, 0.00572, 0.00558},
		"F mix -0.05":     {0.05, 0.01521, 0.01488},
		"F mix -0.10":     {0.10, 0.05576, 0.05472},
		"F mix -0.20":     {0.20, 0.19806, 0.19516},
		"F zero 5→12%":    {0.0637, 0.03770, 0.02109},
		"F partial -0.05": {0.05, 0.03900, 0.01801},
		"R shift -0.03":   {0.03, 0.06375, 0.02137},
		"R shift -0.05":   {0.05, 0.17493, 0.07211},
		"R shift -0.10":   {0.10, 0.68431, 0.26921},
		"R zero 4→10%":    {0.048, 0.03354, 0.02508},
	}
	for _, s := range scenarios() {
		w, ok := want[s.name]
		if !ok {
			continue
		}
		near(t, s.name+": drop", s.drop, w.drop, 0.00005)
		near(t, s.name+": KL", s.final.divergence(s.healthy.law), w.kl, 0.00001)
		near(t, s.name+": KL_inf", s.final.meanDivergence(s.healthy.law.mean()), w.klInf, 0.00001)
	}
}

func TestRampsReachTheirFullDropInTime(t *testing.T) {
	for _, s := range scenarios() {
		if s.step {
			continue
		}
		start := s.healthy.law.mean()
		near(t, s.name+": first run", start-s.at(1).mean(), s.drop/map[bool]float64{true: 100, false: 20}[s.cap == 160], 1e-9)
		near(t, s.name+": last run", start-s.at(s.cap).mean(), s.drop, 1e-9)
	}
}

func TestDrawsFollowTheLaw(t *testing.T) {
	for _, n := range healthyLaws() {
		const draws = 100_000
		m := momentsOf(n.law.source().drawN(generator(1, 0), draws))
		near(t, "mean of draws of "+n.name, m.mean, n.law.mean(), 4*n.law.sd()/math.Sqrt(draws))
		near(t, "sd of draws of "+n.name, m.sd(), n.law.sd(), 0.006)
	}
}

func TestMovedLawsMoveByAsMuch(t *testing.T) {
	for _, by := range []float64{-0.2, -0.03, 0, 0.03, 0.085} {
		near(t, "moved F", movedF(by).mean(), 0.865+by, 0.0005)
	}
	for _, by := range []float64{-0.1, 0, 0.05} {
		near(t, "moved R", movedR(by).mean(), 0.768+by, 0.0005)
	}
}
