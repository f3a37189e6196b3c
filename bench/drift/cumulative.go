package main

import "math"

// pageHinkley is Page's test with a running mean and a forgetting factor, after Hinkley
// (1971), at the settings of common stream libraries: δ = 0.005, α = 0.9999. Its sum starts
// at 0 after the reference. A loss is 1 − x, so that falls are seen.
type pageHinkley struct {
	n, mean, sum float64
}

const (
	pageAllowance = 0.005
	pageForget    = 1 - 0.0001
	pageShortest  = 30
)

func (p *pageHinkley) learn(reference [][]float64) {
	for _, xs := range reference {
		p.next(xs)
	}
	p.sum = 0
}

func (p *pageHinkley) next(xs []float64) float64 {
	top := 0.0
	for _, x := range xs {
		top = math.Max(top, p.add(1-x))
	}
	return top
}

// add returns the sum after one more loss, 0 while there are too few to alarm.
func (p *pageHinkley) add(loss float64) float64 {
	p.n++
	p.mean += (loss - p.mean) / p.n
	p.sum = math.Max(0, pageForget*p.sum+loss-p.mean-pageAllowance)
	if p.n+1 < pageShortest {
		return 0
	}
	return p.sum
}

// cusum is Page's one-sided sum (1954) with mean and standard deviation taken from the
// reference.
type cusum struct {
	allowance    float64 // in score units, or in standard deviations
	standardized bool
	base         moments
	sum          float64
}

func (c *cusum) learn(reference [][]float64) { c.base = momentsOf(reference...) }

func (c *cusum) next(xs []float64) float64 {
	unit := 1.0
	if c.standardized {
		unit = math.Max(c.base.sd(), 0.01)
	}
	top := 0.0
	for _, x := range xs {
		c.sum = math.Max(0, c.sum+(c.base.mean-x)/unit-c.allowance)
		top = math.Max(top, c.sum)
	}
	return top
}

// glr is the generalized likelihood ratio for a fall of a normal mean at an unknown time
// with the mean before unknown too, over all run boundaries: Siegmund and Venkatraman
// (1995), what FOCuS computes fast. The variance is that of all scores so far.
type glr struct {
	all      moments
	n, total []float64 // cumulative, after each run
}

func (g *glr) learn(reference [][]float64) {
	g.all = momentsOf(reference...)
	g.n, g.total = []float64{g.all.n}, []float64{g.all.n * g.all.mean}
}

func (g *glr) next(xs []float64) float64 {
	last := len(g.n) - 1
	run := momentsOf(xs)
	g.all = g.all.merge(run)
	g.n = append(g.n, g.n[last]+run.n)
	g.total = append(g.total, g.total[last]+run.n*run.mean)
	last++
	top := 0.0
	for s := range last {
		m, n := g.n[s], g.n[last]-g.n[s]
		if m == 0 || n == 0 {
			continue
		}
		fall := g.total[s]/m - (g.total[last]-g.total[s])/n
		if fall > 0 {
			top = math.Max(top, fall*fall*m*n/(m+n))
		}
	}
	return top / (2 * math.Max(g.all.variance(), 1e-4))
}
