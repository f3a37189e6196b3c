package drift

import "math"

// Sight is what a series' baseline can see, and how soon.
type Sight struct {
	Baseline int     `json:"baseline"` // samples
	PerRun   float64 `json:"per_run"`  // samples in a run, on average
	PerDay   float64 `json:"per_day"`  // samples in a day, on average; 0 when not known yet
	// Design is the design effect, LnNeeded the evidence that one boundary needs to alarm.
	Design   float64 `json:"design_effect"`
	LnNeeded float64 `json:"ln_needed"`
	All      Spread  `json:"all"`
	NonZero  Spread  `json:"non_zero"`
}

// Spread is how scores scatter within their cells; skew and excess kurtosis are those of
// the loss.
type Spread struct {
	Share    float64 `json:"share"` // of all scores, 0–1
	Variance float64 `json:"variance"`
	Skew     float64 `json:"skew"`
	Kurtosis float64 `json:"kurtosis"`
}

// Floor is the smallest fall that the baseline can show however long one waits: where the
// evidence for one boundary can reach what is needed. Infinite without a baseline.
func (s Sight) Floor(tolerance float64) float64 {
	if s.Baseline == 0 {
		return math.Inf(1)
	}
	return tolerance + math.Sqrt(2*s.LnNeeded*s.Design*s.All.Variance/float64(s.Baseline))
}

// Needs is the number of baseline samples from which a fall can be seen; infinite when it
// is within the tolerance.
func (s Sight) Needs(fall, tolerance float64) float64 {
	if fall <= tolerance {
		return math.Inf(1)
	}
	u := fall - tolerance
	return 2 * s.LnNeeded * s.Design * s.All.Variance / (u * u)
}

const (
	// soonerBy is how much sooner, in nats, a fall that is near what can be seen at all is
	// found: boundaries near the change add their evidence, and luck helps. It is fitted to
	// measured delays.
	soonerBy = 1.5
	// longest is for how many baselines a fall is waited for.
	longest = 20
)

// Delay is about how many samples come between a fall of the mean and its alarm: at least,
// when the scores that are not zero all fall a little, and at most, when some answers
// fail. Infinite is never. It is where the mixture of docs/statistics.md reaches what is
// needed, and the half of a run that decisions wait for.
func (s Sight) Delay(fall, tolerance float64) (least, most float64) {
	failing := func(size float64) float64 { return s.All.lnFall(size, fall, s.Design, tolerance) + soonerBy }
	evenly := func(size float64) float64 { // the zeros are neutral, so that two parts hold it
		return lnMeanShare + s.NonZero.lnFall(size*s.NonZero.Share, fall/s.NonZero.Share, s.Design, tolerance)
	}
	most = math.Inf(1)
	if s.Floor(tolerance) <= fall {
		most = s.reaches(failing)
	}
	if s.NonZero.Share == 0 {
		return most, most
	}
	return min(s.reaches(evenly), most), most
}

func (p Spread) lnFall(size, fall, design, tolerance float64) float64 {
	return lnFall(contrast{size: size, fall: fall, variance: p.Variance, skew: p.Skew, kurtosis: p.Kurtosis}, design, tolerance)
}

// reaches returns the samples after which evidence, which grows with the size of a
// comparison, is enough.
func (s Sight) reaches(evidence func(size float64) float64) float64 {
	m := float64(s.Baseline)
	found := func(n float64) bool { return evidence(m*n/(m+n)) >= s.LnNeeded }
	low, high := 0.0, longest*m
	if m == 0 || !found(high) {
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

// sight is what a baseline can see.
func (b baseline) sight(design, lnNeeded float64) Sight {
	out := Sight{Baseline: int(b.n), Design: design, LnNeeded: lnNeeded}
	if out.Baseline == 0 {
		return out
	}
	out.All, out.NonZero = b.spreadIn(out.Baseline), b.nonZero.spreadIn(out.Baseline)
	return out
}

func (p pooled) spreadIn(baseline int) Spread {
	var c contrast
	c.shape(p.m2, p.m3, p.m4, p.n)
	return Spread{Share: p.n / float64(baseline), Variance: c.variance, Skew: c.skew, Kurtosis: c.kurtosis}
}

// outlook is the sight of the runs before one, and the pace at which scores came in.
func (s *strip) outlook(before int, design, lnNeeded float64) Sight {
	out := s.baseline(before).sight(design, lnNeeded)
	n := float64(total(s.sum(0, before)).N)
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
