package main

import (
	"math"
	"slices"
)

// adwin is ADWIN2 of Bifet and Gavaldà (SIAM 2007): a window in buckets of exponentially
// growing size, cut where the means of its two parts differ. Every 32 scores all cuts are
// tried. Its statistic is −ln of the smallest δ at which some cut alarms, so that the
// published default of 0.002 is a limit of 6.2.
type adwin struct {
	rows [][]bucket // rows[r] holds buckets of 2^r scores, oldest first
	all  bucket
	size float64
	seen int
	// bothSides also alarms on rises, as published; it takes a window of unit scale.
	bothSides bool
}

// bucket is a sum of scores and the sum of squared distances from their mean.
type bucket struct{ total, spread float64 }

const (
	adwinClock   = 32
	adwinBuckets = 5
	adwinGrace   = 10
	adwinShort   = 5
)

func (a *adwin) learn(reference [][]float64) {
	for _, xs := range reference {
		a.next(xs)
	}
}

func (a *adwin) next(xs []float64) float64 {
	top := math.Inf(-1)
	for _, x := range xs {
		a.insert(x)
		if a.seen++; a.seen%adwinClock == 0 && a.size > adwinGrace {
			top = math.Max(top, a.lnEvidence())
		}
	}
	return top
}

func (a *adwin) insert(x float64) {
	a.all = joined(a.all, a.size, bucket{total: x}, 1)
	a.size++
	carry := bucket{total: x}
	for r := 0; ; r++ {
		if r == len(a.rows) {
			a.rows = append(a.rows, nil)
		}
		a.rows[r] = append(a.rows[r], carry)
		if len(a.rows[r]) <= adwinBuckets {
			return
		}
		size := math.Ldexp(1, r)
		carry = joined(a.rows[r][0], size, a.rows[r][1], size)
		a.rows[r] = append(a.rows[r][:0], a.rows[r][2:]...)
	}
}

func joined(a bucket, m float64, b bucket, n float64) bucket {
	if m == 0 {
		return b
	}
	d := a.total/m - b.total/n
	return bucket{a.total + b.total, a.spread + b.spread + m*n/(m+n)*d*d}
}

// lnEvidence returns the largest −ln δ over all cuts between buckets.
func (a *adwin) lnEvidence() float64 {
	top := math.Inf(-1)
	n0, u0 := 0.0, 0.0
	for r, row := range slices.Backward(a.rows) {
		for _, b := range row {
			n0 += math.Ldexp(1, r)
			u0 += b.total
			if n1 := a.size - n0; n0 >= adwinShort && n1 >= adwinShort {
				top = math.Max(top, a.cut(n0, n1, u0/n0-(a.all.total-u0)/n1))
			}
		}
	}
	return top
}

// cut solves |fall| = sqrt(2 h v d) + 2/3 h d for d = ln(2 ln n / δ), with h the sum of the
// reciprocal sizes and v the variance of the window.
func (a *adwin) cut(n0, n1, fall float64) float64 {
	if a.bothSides {
		fall = math.Abs(fall)
	}
	if fall <= 0 {
		return math.Inf(-1)
	}
	h := 1/(n0-adwinShort+1) + 1/(n1-adwinShort+1)
	b := math.Sqrt(2 * h * a.all.spread / a.size)
	root := (math.Sqrt(b*b+8*h*fall/3) - b) / (4 * h / 3)
	return root*root - math.Log(2*math.Log(a.size))
}
