package report

import (
	"math"
	"slices"

	"leadline/drift"
	"leadline/scorer"
)

// enough is how many scores a mean must rest on before it is compared with another.
const enough = 20

// sum is a mean with its sum of squared deviations; sums merge exactly.
type sum struct {
	n, zeros int
	mean, m2 float64
}

func sumOf(m drift.Moments) sum {
	if m.N == 0 {
		return sum{}
	}
	nonZero, zeros := float64(m.N-m.Zeros), float64(m.Zeros)
	mean := nonZero * m.Mean / float64(m.N)
	d := m.Mean - mean
	return sum{m.N, m.Zeros, mean, m.M2 + nonZero*d*d + zeros*mean*mean}
}

func (a sum) add(b sum) sum {
	if a.n == 0 {
		return b
	}
	if b.n == 0 {
		return a
	}
	n, d := float64(a.n+b.n), b.mean-a.mean
	return sum{
		n:     a.n + b.n,
		zeros: a.zeros + b.zeros,
		mean:  a.mean + d*float64(b.n)/n,
		m2:    a.m2 + b.m2 + d*d*float64(a.n)*float64(b.n)/n,
	}
}

func (a sum) value(x float64) sum {
	return a.add(sum{1, btoi(x <= 0), x, 0})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// se is the standard error of the mean. One squared point is added to the sum of squares,
// as if one more answer had been off by the whole scale: twenty perfect scores do not
// prove a perfect system.
func (a sum) se(designEffect float64) float64 {
	n := float64(a.n)
	return math.Sqrt((a.m2 + 1) / n / n * max(designEffect, 1))
}

func (a sum) estimate(designEffect float64) Estimate {
	if a.n == 0 {
		return Estimate{}
	}
	half := 1.96 * a.se(designEffect)
	return Estimate{
		N:     a.n,
		Mean:  a.mean,
		Low:   max(a.mean-half, min(0, a.mean)),
		High:  min(a.mean+half, 1),
		Zeros: float64(a.zeros) / float64(a.n),
	}
}

// difference is a − b with its interval; ok is false when either has too few scores.
func difference(a, b sum, designEffect float64) (d Estimate, ok bool) {
	if a.n < enough || b.n < enough {
		return Estimate{}, false
	}
	half := 1.96 * math.Hypot(a.se(designEffect), b.se(designEffect))
	diff := a.mean - b.mean
	return Estimate{N: a.n, Mean: diff, Low: diff - half, High: diff + half}, true
}

// turned is the estimate of 1 − x: what is bad about a share that is stored as good.
func (e Estimate) turned() Estimate {
	if e.N == 0 {
		return e
	}
	return Estimate{N: e.N, Mean: 1 - e.Mean, Low: 1 - e.High, High: 1 - e.Low, Zeros: e.Zeros}
}

// wilson is the 95 % interval of a share that was p in n tries; n may be an effective number.
func wilson(p, n float64) (low, high float64) {
	const z2 = 1.96 * 1.96
	mid := (p + z2/(2*n)) / (1 + z2/n)
	half := 1.96 * math.Sqrt(p*(1-p)/n+z2/(4*n*n)) / (1 + z2/n)
	return mid - half, mid + half
}

// quantile is the smallest value with at least q of all at or below it.
func quantile(sorted []float64, q float64) float64 {
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

func bins(values []float64) (b [10]int) {
	for _, v := range values {
		b[min(max(int(v*10+1e-9), 0), 9)]++
	}
	return b
}

// scoresOf returns the values of one metric and judge, sorted.
func scoresOf(scores []scorer.Score, m scorer.Metric, judge string) []float64 {
	var values []float64
	for _, s := range scores {
		if o := s.Outcomes[m]; o.Scored && s.Judges[m] == judge {
			values = append(values, o.Value)
		}
	}
	slices.Sort(values)
	return values
}
