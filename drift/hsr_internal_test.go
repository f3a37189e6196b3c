package drift

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// An e-value is 1 on average while nothing changes: for a normal fall of known variance by
// integration, for Poisson zeros by the binomial law of their split.
func TestEvidenceIsOneOnAverageWithoutChange(t *testing.T) {
	const size, step = 40.0, 0.001
	sd := 1 / math.Sqrt(size)
	mean := 0.0
	for x := -12 * sd; x <= 12*sd; x += step * sd {
		density := math.Exp(-x*x/2/sd/sd) / math.Sqrt(2*math.Pi)
		mean += density * step * math.Exp(lnFall(contrast{size: size, fall: x, variance: 1}, 1, 0))
	}
	if math.Abs(mean-1) > 1e-3 {
		t.Errorf("a fall: %.6f on average", mean)
	}
	const m, n, total = 300.0, 50.0, 23
	mean = 0
	for z := range total + 1 {
		mean += binomial(total, z, n/(m+n)) * math.Exp(lnMoreZeros([]zeroCell{{m, n, total - float64(z), float64(z)}}, 1, 0))
	}
	if math.Abs(mean-1) > 1e-9 {
		t.Errorf("more zeros: %.9f on average", mean)
	}
}

func binomial(n, k int, p float64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
}

// contrastOne compares two sides of one cell.
func contrastOne(pre, post sums) contrast {
	var before [1]shape
	shapes(before[:], []sums{pre})
	return contrastOf(before[:], []sums{post})
}

func TestEvidenceOfAFallDoesNotDependOnTheLevel(t *testing.T) {
	shift := func(by float64) float64 {
		pre, post := sums{n: 200, mean: 0.5 + by, m2: 8, m3: -0.4, m4: 1}, sums{n: 30, mean: 0.4 + by, m2: 1}
		return lnFall(contrastOne(pre, post), 1, 0)
	}
	if a, b := shift(0), shift(0.3); math.Abs(a-b) > 1e-9 {
		t.Errorf("%v at one level, %v at another", a, b)
	}
}

// However much comes after, a baseline of m samples carries at most m u²/2.
func TestEvidenceIsLimitedByTheBaseline(t *testing.T) {
	pre := sums{n: 100, mean: 0.8, m2: 6}
	for _, fall := range []float64{0.02, 0.05, 0.1, 0.2} {
		c := contrastOne(pre, sums{n: 1e9, mean: 0.8 - fall, m2: 6e7})
		u := fall / math.Sqrt(c.variance)
		if got := lnFall(c, 1, 0); got > 100*u*u/2+1e-3 {
			t.Errorf("fall %v: ln E %.3f, limit %.3f", fall, got, 100*u*u/2)
		}
	}
}

func TestNoZerosAtAllAreNoEvidenceAtAll(t *testing.T) {
	v := compare(sides{pre: []Moments{momentsOf(repeat(0.8, 200))}, post: []Moments{momentsOf(repeat(0.7, 20))}, design: 1.3}, 0.01)
	if v.lnZeros != 0 {
		t.Errorf("ln E of zeros is %v, want exactly 0", v.lnZeros)
	}
}

func TestToleranceTakesSmallFallsOutOfTheEvidence(t *testing.T) {
	s := sides{pre: []Moments{momentsOf(spread(0.80, 2000))}, post: []Moments{momentsOf(spread(0.785, 2000))}, design: 1}
	if got := compare(s, 0.02).lnMean; got >= 0 {
		t.Errorf("a fall of 0.015 within 0.02: ln E %.2f, want below 0", got)
	}
	if got := compare(s, 0).lnMean; got <= 0 {
		t.Errorf("a fall of 0.015 of which none is tolerated: ln E %.2f, want above 0", got)
	}
}

// Half the traffic moves to a cell whose answers were always worse.
func TestMixShiftIsNoFall(t *testing.T) {
	good, bad := spread(0.9, 400), spread(0.6, 400)
	s := sides{pre: []Moments{momentsOf(good), momentsOf(bad[:100])}, post: []Moments{momentsOf(good[:100]), momentsOf(bad)}, design: 1}
	if v := compare(s, 0); math.Abs(v.all.fall) > 0.01 || v.ln > 0 {
		t.Errorf("fall %.3f with ln E %.2f, want none", v.all.fall, v.ln)
	}
}

func TestCellWithoutBaselineIsOnNeitherSide(t *testing.T) {
	old := spread(0.9, 400)
	s := sides{pre: []Moments{momentsOf(old), momentsOf(old[:minCell-1])}, post: []Moments{momentsOf(old[:50]), momentsOf(repeat(0, 50))}, design: 1}
	if v := compare(s, 0); v.n != 50 || v.m != 400 || v.rise != 0 {
		t.Errorf("compared %d with %d, zeros up by %v; want 50 with 400 and 0", v.n, v.m, v.rise)
	}
}

func TestScoresThatAreAllOneStayFinite(t *testing.T) {
	ones := sides{pre: []Moments{momentsOf(repeat(1, 500))}, post: []Moments{momentsOf(repeat(1, 50))}, design: 1}
	zeros := sides{pre: []Moments{momentsOf(repeat(0, 500))}, post: []Moments{momentsOf(repeat(0, 50))}, design: 1}
	dive := sides{pre: []Moments{momentsOf(repeat(1, 500))}, post: []Moments{momentsOf(repeat(0, 500))}, design: 1}
	for name, s := range map[string]sides{"ones": ones, "zeros": zeros, "from one to zero": dive} {
		if v := compare(s, 0.01); math.IsNaN(v.ln) || math.IsInf(v.ln, 0) {
			t.Errorf("%s: ln E %v", name, v.ln)
		}
	}
	if v := compare(ones, 0.01); v.ln > 0 {
		t.Errorf("nothing changed, and ln E is %v", v.ln)
	}
}

func repeat(x float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = x
	}
	return out
}

// spread returns n scores around a mean.
func spread(mean float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = mean + 0.1*float64(i%3-1)
	}
	return out
}

// stream feeds runs of one cell to a strip and returns the run, counted from the change,
// in which M reaches 10; −1 when it never does. It looks after every so many runs.
func stream(score func(run int) float64, perRun, runs, change, every int, design bool) int {
	s := &strip{minimum: 100}
	for run := range runs {
		var m Moments
		for range perRun {
			m = m.Add(score(run))
		}
		s.add(time.Time{}, 1.0/180, []Moments{m})
		if run < change || run%every != 0 {
			continue
		}
		cs := s.scan(boundaries(s.first(), run, dense), 0)
		if !design {
			for i, c := range cs {
				cs[i].verdict = compare(sides{pre: s.sum(0, c.at), post: s.sum(c.at, run+1), design: 1}, 0)
			}
		}
		if len(cs) > 0 && evidence(cs) >= math.Log(10) {
			return run - change
		}
	}
	return -1
}

// The design effect may not see the change: computed from all runs it hides a fall of
// 0.10 for four times as long.
func TestDesignEffectCostsLittleDelay(t *testing.T) {
	with, without := 0, 0
	for seed := range uint64(25) {
		for _, design := range []bool{true, false} {
			rng := rand.New(rand.NewPCG(4001, seed))
			d := stream(func(run int) float64 { return lawF(rng, run >= 26, 0.17) }, 50, 46, 26, 1, design)
			if d < 0 {
				d = 20
			}
			if design {
				with += d + 1
			} else {
				without += d + 1
			}
		}
	}
	if ratio := float64(with) / float64(without); ratio > 1.15 {
		t.Errorf("delay with the design effect is %.2f of that without, want at most 1.15", ratio)
	}
}

// lawF is 5 % zeros, 75 % ones, 20 % in between; once changed, a share of the answers is
// broken: 40 % zeros and poor partials.
func lawF(rng *rand.Rand, changed bool, broken float64) float64 {
	if changed && rng.Float64() < broken {
		if rng.Float64() < 0.4 {
			return 0
		}
		return 0.25 + 0.25*rng.Float64()
	}
	switch u := rng.Float64(); {
	case u < 0.05:
		return 0
	case u < 0.80:
		return 1
	}
	return 0.5 + 0.4*rng.Float64()
}

// The law of near-perfect scores in small runs is the one that breaks the budget without
// the pseudo-observations: 26 of 100 streams then, 10 are promised.
func TestFalseAlarmsStayWithinTheBudget(t *testing.T) {
	const streams, runs = 60, 120 // two thirds of a period
	alarms := 0
	for seed := range uint64(streams) {
		rng := rand.New(rand.NewPCG(1001, seed))
		nearPerfect := func(int) float64 {
			if rng.Float64() < 0.97 {
				return 1
			}
			return rng.Float64()
		}
		if stream(nearPerfect, 6, runs, 20, 3, true) >= 0 {
			alarms++
		}
	}
	const limit = streams*0.10 + 4*2.3 // four standard errors
	if float64(alarms) > limit {
		t.Errorf("%d of %d healthy streams alarmed, want at most %.0f", alarms, streams, limit)
	}
}
