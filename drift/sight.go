package drift

import "math"

// Sight is what a series' baseline can see, and how soon.
type Sight struct {
	Baseline int     `json:"baseline"` // samples
	PerRun   float64 `json:"per_run"`  // samples in a run, on average
	PerDay   float64 `json:"per_day"`  // samples in a day, on average; 0 when not known yet
	// Variance, Skew and Kurtosis (excess, both of the loss) are those of the scores within
	// their cells.
	Variance float64 `json:"variance"`
	Skew     float64 `json:"skew"`
	Kurtosis float64 `json:"kurtosis"`
	Design   float64 `json:"design_effect"`
	LnNeeded float64 `json:"ln_needed"` // evidence that one boundary needs to alarm
}

// Floor is the smallest fall that the baseline can show however long one waits: where the
// evidence for one boundary can reach what is needed. Infinite without a baseline.
func (s Sight) Floor(tolerance float64) float64 {
	if s.Baseline == 0 {
		return math.Inf(1)
	}
	return tolerance + math.Sqrt(2*s.LnNeeded*s.Design*s.Variance/float64(s.Baseline))
}

// Needs is the number of baseline samples from which a fall can be seen; infinite when it
// is within the tolerance.
func (s Sight) Needs(fall, tolerance float64) float64 {
	if fall <= tolerance {
		return math.Inf(1)
	}
	u := fall - tolerance
	return 2 * s.LnNeeded * s.Design * s.Variance / (u * u)
}

const (
	// soonerBy is how much less evidence an alarm needs than one boundary has to bring, in
	// nats: boundaries near the change add theirs, and luck helps.
	soonerBy = 1.5
	// longest is for how many baselines a fall is waited for.
	longest = 20
)

// Delay is about how many samples come between a fall and its alarm, and infinite when the
// baseline cannot see it. It is where the mixture of docs/statistics.md reaches what is
// needed, and the half of a run that decisions wait for. It knows the fall of the mean
// only: a fall that spares the zeros, or is nothing but zeros, is found sooner.
func (s Sight) Delay(fall, tolerance float64) float64 {
	m := float64(s.Baseline)
	if s.Floor(tolerance) > fall {
		return math.Inf(1)
	}
	c := contrast{fall: fall, variance: s.Variance, skew: s.Skew, kurtosis: s.Kurtosis}
	found := func(n float64) bool {
		c.size = m * n / (m + n)
		return lnFall(c, s.Design, tolerance) >= s.LnNeeded-soonerBy
	}
	low, high := 0.0, longest*m
	if !found(high) {
		return math.Inf(1)
	}
	for high-low > 0.5 {
		if mid := (low + high) / 2; found(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return max(high+s.PerRun/2, s.PerRun)
}

// sight describes the baseline of a strip.
func (s *strip) sight(pre []Moments, design, lnNeeded float64) Sight {
	out := Sight{Design: design, LnNeeded: lnNeeded}
	cells := make([]sums, len(pre))
	for g, c := range pre {
		if c.N >= minCell {
			cells[g] = c.all()
			out.Baseline += c.N
		}
	}
	if out.Baseline == 0 {
		return out
	}
	p := pool(cells)
	var c contrast
	c.shape(p.m2, p.m3, p.m4, float64(out.Baseline))
	out.Variance, out.Skew, out.Kurtosis = c.variance, c.skew, c.kurtosis
	return out
}

// outlook is the sight of the runs before one, and the pace at which scores came in.
func (s *strip) outlook(pre []Moments, before int, design, lnNeeded float64) Sight {
	out := s.sight(pre, design, lnNeeded)
	n := float64(total(pre).N)
	if before == 0 {
		return out
	}
	out.PerRun = n / float64(before)
	if before > 1 {
		every := s.due[before-1].Sub(s.due[0]).Hours() / 24 / float64(before-1)
		if every > 0 {
			out.PerDay = out.PerRun / every
		}
	}
	return out
}
