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
	var out []boundary
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
	out := make([]candidate, len(at))
	pre := s.baselines(at)
	post := make([]Moments, s.cells())
	length := s.scanLengths(at)
	to := len(s.rows)
	for k, b := range at {
		for ; to > b.at; to-- {
			mergeCells(post, s.rows[to-1])
		}
		c := candidate{boundary: b, design: s.designEffect(b.at, pre[k])}
		c.lnMass = math.Log(s.massOf(b))
		c.verdict = compare(sides{pre[k], post, c.design, length.next(b.at)}, tolerance)
		out[k] = c
	}
	return out
}

// baselines returns the rows before each of the given boundaries, merged.
func (s *strip) baselines(at []boundary) [][]Moments {
	out := make([][]Moments, len(at))
	sum := make([]Moments, s.cells())
	from := 0
	for k, b := range slices.Backward(at) {
		for ; from < b.at; from++ {
			mergeCells(sum, s.rows[from])
		}
		out[k] = slices.Clone(sum)
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
