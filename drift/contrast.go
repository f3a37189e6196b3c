package drift

import "math"

// Six pseudo-observations 0.4 below the mean join every baseline: without them scores
// that are nearly all the same alarm far too often.
const (
	pseudoCount = 6
	pseudoFall  = 0.4
	minVariance = 4e-4
	// cellShrink is how many samples of the average cell join a cell's own moments.
	cellShrink = 20
)

// contrast is the fall of a mean from one side to the other with the query mix held
// constant: each cell is compared with itself, and the cells add up by the precision of
// their comparison, mn/(m+n). With one cell it is the plain two-sample contrast.
type contrast struct {
	size float64 // Σ mn/(m+n), the precision in samples
	fall float64
	// variance, skew and kurtosis (excess, both of the loss) are those before the change,
	// cells weighted as in fall; what is added for pseudo-observations included.
	variance, skew, kurtosis float64
}

// pooled holds the central moments of the cells of one side together, each about its own mean.
type pooled struct {
	n, m2, m3, m4 float64
	// freedom is the share of n that is left after a mean was fitted to each cell.
	freedom float64
}

func pool(cells []sums) pooled {
	p := pooled{freedom: 1}
	used := 0
	var n, m2, m3, m4 float64
	for _, c := range cells {
		if c.n == 0 {
			continue
		}
		used++
		n, m2, m3, m4 = n+c.n, m2+c.m2, m3+c.m3, m4+c.m4
	}
	if n == 0 {
		return p
	}
	free := max(n-float64(used)+1, 1)
	return pooled{n: n, m2: m2 / free, m3: m3 / free, m4: m4 / free, freedom: free / n}
}

// cell returns the central moments of a cell, drawn towards those of all.
func (p pooled) cell(c sums) (m2, m3, m4 float64) {
	w := p.freedom*c.n + cellShrink
	return (c.m2 + cellShrink*p.m2) / w, (c.m3 + cellShrink*p.m3) / w, (c.m4 + cellShrink*p.m4) / w
}

// shape is what a contrast needs of a cell before the change: count, mean, and central
// moments drawn towards those of all cells.
type shape struct{ n, mean, m2, m3, m4 float64 }

// shapes fills in the shapes of the cells of one side, and returns their moments together.
func shapes(into []shape, cells []sums) pooled {
	p := pool(cells)
	for g, c := range cells {
		if c.n > 0 {
			m2, m3, m4 := p.cell(c)
			into[g] = shape{c.n, c.mean, m2, m3, m4}
		}
	}
	return p
}

// contrastOf compares two sides, cell by cell in the same order. Its size is 0 when no
// cell has samples on both.
func contrastOf(pre []shape, post []sums) contrast {
	var c contrast
	var m2, m3, m4, lost, n float64
	for g := range pre {
		a, b := &pre[g], &post[g]
		if a.n == 0 || b.n == 0 {
			continue
		}
		w := a.n * b.n / (a.n + b.n)
		c.size += w
		c.fall += w * (a.mean - b.mean)
		m2, m3, m4 = m2+w*a.m2, m3+w*a.m3, m4+w*a.m4
		lost += b.n * b.n / (a.n + b.n)
		n += b.n
	}
	if c.size == 0 {
		return contrast{}
	}
	c.fall /= c.size
	c.shape(m2/c.size, m3/c.size, m4/c.size, n*c.size/lost)
	return c
}

// spread is the variance of the fall of all scores for independent samples.
func (s sides) spread() float64 {
	before := newBaseline(s.pre)
	post := make([]sums, len(s.post))
	for g, m := range s.post {
		if before.all[g].n > 0 {
			post[g] = m.all()
		}
	}
	after := pool(post)
	size, spread := 0.0, 0.0
	for g, a := range before.all {
		b := post[g]
		if a.n == 0 || b.n == 0 {
			continue
		}
		w := a.n * b.n / (a.n + b.n)
		size += w
		spread += w * w * (a.m2/a.n + max(a.m2, after.m2)/b.n)
	}
	if size == 0 {
		return 0
	}
	return spread / (size * size)
}

// shape sets variance, skew and kurtosis from central moments of a baseline of m samples.
func (c *contrast) shape(m2, m3, m4, m float64) {
	const q = pseudoFall * pseudoFall
	add := pseudoCount / (m + pseudoCount)
	m2 += add * q
	m3 -= add * q * pseudoFall
	m4 += add * q * q
	c.variance = max(m2, minVariance)
	c.skew = min(max(-m3/(c.variance*math.Sqrt(c.variance)), 0), 5)
	c.kurtosis = min(max(m4/(c.variance*c.variance)-3, 0), 20)
}
