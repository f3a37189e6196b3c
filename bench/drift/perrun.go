package main

import (
	"math"
	"math/rand/v2"
)

// meanRule alarms when the mean of a run is more than a fixed amount below the reference.
type meanRule struct{ base moments }

func (r *meanRule) learn(reference [][]float64) { r.base = momentsOf(reference...) }

func (r *meanRule) next(xs []float64) float64 {
	if len(xs) == 0 {
		return math.Inf(-1)
	}
	return r.base.mean - momentsOf(xs).mean
}

// chunkRule is the threshold that NannyML sets by default: three standard deviations of
// the means of the reference's chunks, here its runs, below their mean.
type chunkRule struct{ chunks moments }

func (r *chunkRule) learn(reference [][]float64) {
	means := make([]float64, len(reference))
	for i, xs := range reference {
		means[i] = momentsOf(xs).mean
	}
	r.chunks = momentsOf(means)
}

func (r *chunkRule) next(xs []float64) float64 {
	if len(xs) == 0 {
		return math.Inf(-1)
	}
	return (r.chunks.mean - momentsOf(xs).mean) / math.Max(r.chunks.sd(), 1e-4)
}

// welch is Welch's two-sided t test of a run against the reference, of which only falls
// count. Its statistic is −ln p.
type welch struct{ base moments }

func (w *welch) learn(reference [][]float64) { w.base = momentsOf(reference...) }

func (w *welch) next(xs []float64) float64 {
	run := momentsOf(xs)
	if run.n < 2 || run.mean >= w.base.mean {
		return 0
	}
	a, b := w.base.unbiased()/w.base.n, run.unbiased()/run.n
	if a+b == 0 {
		return 0
	}
	t := (w.base.mean - run.mean) / math.Sqrt(a+b)
	freedom := (a + b) * (a + b) / (a*a/(w.base.n-1) + b*b/(run.n-1))
	return -lnTwoSided(t, freedom)
}

// ksTest is the Kolmogorov-Smirnov test of a run against the reference with the asymptotic
// distribution. Its statistic is −ln p.
type ksTest struct{ base counts }

func (k *ksTest) learn(reference [][]float64) { k.base = countsOf(reference...) }

func (k *ksTest) next(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	run := countsOf(xs)
	m, n := k.base.total, run.total
	return -lnKolmogorov(math.Sqrt(m*n/(m+n)) * k.base.distance(run))
}

// kswin is KSWIN of Raab, Heusinger and Schleif (2020): in a window of the last 100 scores
// the newest 30 against 30 drawn from the others, after each score. Differences of 0.1 or
// less never alarm. Its statistic is −ln p, p exact.
type kswin struct {
	window []uint8 // grid points, the newest last
	rng    *rand.Rand
	lnP    [kswinRecent + 1]float64 // by the distance in thirtieths
}

const (
	kswinSize   = 100
	kswinRecent = 30
)

func newKSWIN() *kswin {
	k := &kswin{rng: rand.New(rand.NewPCG(1, 1))}
	for d := range k.lnP {
		k.lnP[d] = lnEqualSizes(kswinRecent, d)
	}
	return k
}

func (k *kswin) learn(reference [][]float64) {
	for _, xs := range reference {
		k.next(xs)
	}
}

func (k *kswin) next(xs []float64) float64 {
	top := 0.0
	for _, x := range xs {
		k.window = append(k.window, uint8(gridOf(x)))
		if len(k.window) > kswinSize {
			k.window = k.window[1:]
		}
		if len(k.window) == kswinSize {
			top = math.Max(top, k.compare())
		}
	}
	return top
}

func (k *kswin) compare() float64 {
	const older = kswinSize - kswinRecent
	var pick [older]uint8
	copy(pick[:], k.window)
	var surplus [steps + 1]int   // of older over newest scores at each grid point
	for i := range kswinRecent { // the first steps of a shuffle draw without replacement
		j := i + k.rng.IntN(older-i)
		pick[i], pick[j] = pick[j], pick[i]
		surplus[pick[i]]++
	}
	for _, x := range k.window[older:] {
		surplus[x]--
	}
	sum, top := 0, 0
	for _, n := range surplus {
		sum += n
		top = max(top, sum, -sum)
	}
	if 10*top <= kswinRecent {
		return 0
	}
	return -k.lnP[top]
}
