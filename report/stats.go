package report

import (
	"math"
	"slices"

	"leadline/drift"
	"leadline/scorer"
)

// enough is how many scores a mean must rest on before it is compared with another.
const enough = 20

// sum is a mean of the traffic with what its standard error needs: each score weighs as
// many answers as it stands for (Hájek). Sums merge exactly.
type sum struct {
	n      int
	weight float64 // answers that the scores stand for
	mean   float64 // of them
	zeros  float64 // how many of them are at 0
	// With w the weight of a score x: Σ w²x², Σ w²x and Σ w².
	squares, products, weights float64
}

func sumOf(r *drift.Row) sum {
	if r.N == 0 {
		return sum{}
	}
	l, n, nonZero := r.Traffic(), float64(r.N), float64(r.N-r.Zeros)
	w := r.Answers() / n
	return sum{
		n: r.N, weight: r.Answers(), mean: l.Mean, zeros: l.Zeros * r.Answers(),
		squares:  w * w * (r.M2 + nonZero*r.Mean*r.Mean),
		products: w * w * nonZero * r.Mean,
		weights:  w * w * n,
	}
}

func (a sum) add(b sum) sum {
	if a.n == 0 {
		return b
	}
	if b.n == 0 {
		return a
	}
	part := b.weight / (a.weight + b.weight)
	return sum{
		n:        a.n + b.n,
		weight:   a.weight + b.weight,
		mean:     a.mean + (b.mean-a.mean)*part,
		zeros:    a.zeros + b.zeros,
		squares:  a.squares + b.squares,
		products: a.products + b.products,
		weights:  a.weights + b.weights,
	}
}

// value adds one score that stands for itself.
func (a sum) value(x float64) sum {
	return a.add(sum{n: 1, weight: 1, mean: x, zeros: float64(btoi(x <= 0)), squares: x * x, products: x, weights: 1})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// spread is Σ w²(x − mean)².
func (a sum) spread() float64 {
	return max(a.squares-2*a.mean*a.products+a.mean*a.mean*a.weights, 0)
}

// se is the standard error of the mean: the linear approximation for a ratio of two sums
// (Särndal, Swensson and Wretman 1992, 5.7), in which the shares of the cells are estimates
// too. One squared point of mean weight is added to the sum of squares, as if one more
// answer had been off by the whole scale: twenty perfect scores do not prove a perfect
// system.
func (a sum) se(designEffect float64) float64 {
	one := a.weight / float64(a.n)
	return math.Sqrt((a.spread()+one*one)*max(designEffect, 1)) / a.weight
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
		Zeros: a.zeros / a.weight,
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
