package drift

import (
	"math"
	"slices"
)

// dense is how many of the newest boundaries are looked at one by one.
const dense = 12

// candidate is a boundary between two runs and the evidence that scores fell there.
type candidate struct {
	boundary
	verdict
	design float64
	lnMass float64
}

// boundary is a place that is looked at; it stands for those from oldest up to itself.
// A boundary has the index of the first run after it.
type boundary struct{ oldest, at int }

// boundaries returns the boundaries from first to last that are looked at, newest first:
// the newest one by one, then at distances that grow by 15 % of their age, so that their
// number grows with the logarithm of the history. All rows are kept whatever is looked at.
func boundaries(first, last, single int) []boundary {
	out := make([]boundary, 0, single+32)
	for b := last; b >= first; {
		step := 1
		if age := last - b + 1; age > single {
			step = int(math.Ceil(0.15 * float64(age)))
		}
		out = append(out, boundary{max(b-step+1, 0), b})
		b -= step
	}
	return out
}

// scan weighs the given boundaries, newest first.
func (s *strip) scan(at []boundary, tolerance float64) []candidate {
	return s.scanInto(nil, at, tolerance)
}

// scanInto appends what scan finds.
func (s *strip) scanInto(out []candidate, at []boundary, tolerance float64) []candidate {
	if len(at) == 0 {
		return out
	}
	out = slices.Grow(out, len(at))
	s.post.reset()
	length := s.scanLengths(at)
	to := len(s.rows)
	for _, b := range at {
		s.post.back(s, b.at, to)
		to = b.at
		c := candidate{boundary: b, design: s.design(b.at)}
		c.lnMass = math.Log(s.massOf(b))
		c.verdict = s.baseline(b.at).compare(s.post, length.sides(s, b.at, c.design), tolerance)
		out = append(out, c)
	}
	return out
}

func (s *strip) massOf(b boundary) float64 {
	sum := 0.0
	for _, m := range s.mass[b.oldest : b.at+1] {
		sum += m
	}
	return sum
}

// evidence returns ln M, the mass-weighted sum over all candidates.
func evidence(cs []candidate) float64 {
	ln := make([]float64, len(cs))
	for i, c := range cs {
		ln[i] = c.lnMass + c.ln
	}
	return lnSum(ln...)
}

// likeliest returns the index of the candidate with the largest evidence, -1 without any.
func likeliest(cs []candidate) int {
	best := -1
	for i, c := range cs {
		if best < 0 || c.ln > cs[best].ln {
			best = i
		}
	}
	return best
}
