package main

import "math"

// moments are count, mean and sum of squared distances from the mean.
type moments struct{ n, mean, m2 float64 }

func momentsOf(groups ...[]float64) moments {
	var m moments
	for _, xs := range groups {
		for _, x := range xs {
			m.n++
			d := x - m.mean
			m.mean += d / m.n
			m.m2 += d * (x - m.mean)
		}
	}
	return m
}

// merge returns the moments of the scores of both.
func (m moments) merge(o moments) moments {
	if m.n+o.n == 0 {
		return m
	}
	n, d := m.n+o.n, o.mean-m.mean
	return moments{n, m.mean + d*o.n/n, m.m2 + o.m2 + d*d*m.n*o.n/n}
}

func (m moments) variance() float64 { return m.m2 / math.Max(m.n, 1) }
func (m moments) sd() float64       { return math.Sqrt(m.variance()) }
func (m moments) unbiased() float64 { return m.m2 / math.Max(m.n-1, 1) }

// se is the standard error of the mean.
func (m moments) se() float64 { return math.Sqrt(m.unbiased() / math.Max(m.n, 1)) }

// counts is how often each grid point was seen.
type counts struct {
	at    [steps + 1]float64
	total float64
}

func countsOf(groups ...[]float64) counts {
	var c counts
	for _, xs := range groups {
		for _, x := range xs {
			c.at[gridOf(x)]++
			c.total++
		}
	}
	return c
}

// distance is the largest difference of the two distribution functions.
func (c counts) distance(o counts) float64 {
	a, b, top := 0.0, 0.0, 0.0
	for i := range c.at {
		a += c.at[i] / c.total
		b += o.at[i] / o.total
		top = math.Max(top, math.Abs(a-b))
	}
	return top
}

// lnKolmogorov is ln P(K ≥ x) of the Kolmogorov distribution.
func lnKolmogorov(x float64) float64 {
	if x < 0.3 {
		return 0
	}
	sum := 0.0
	for j := 1; j <= 20; j++ {
		sign := 1 - 2*float64((j+1)%2)
		sum += sign * math.Exp(-2*float64(j*j-1)*x*x)
	}
	return math.Min(0, math.Log(2*sum)-2*x*x)
}

// lnEqualSizes is ln P(D ≥ d/n) for two samples of n distinct values each, by reflection
// of paths (Gnedenko and Korolyuk, 1951).
func lnEqualSizes(n, d int) float64 {
	if d <= 0 {
		return 0
	}
	all := lnChoose(2*n, n)
	sum := 0.0
	for j := 1; j*d <= n; j++ {
		sign := 1 - 2*float64((j+1)%2)
		sum += 2 * sign * math.Exp(lnChoose(2*n, n-j*d)-all)
	}
	return math.Min(0, math.Log(sum))
}

func lnChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// lnTwoSided is ln P(|T| ≥ t) of Student's distribution.
func lnTwoSided(t, freedom float64) float64 {
	x := freedom / (freedom + t*t)
	return lnIncompleteBeta(freedom/2, 0.5, x)
}

// lnIncompleteBeta is the logarithm of the regularized incomplete beta function, by its
// continued fraction (Abramowitz and Stegun 26.5.8), evaluated from its tail.
func lnIncompleteBeta(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return math.Inf(-1)
	case x >= 1:
		return 0
	case x > (a+1)/(a+b+2):
		return math.Log(-math.Expm1(lnIncompleteBeta(b, a, 1-x)))
	}
	f := 1.0
	for m := 200; m > 0; m-- {
		k := float64(m / 2)
		term := k * (b - k) * x / ((a + 2*k - 1) * (a + 2*k))
		if m%2 == 1 {
			term = -(a + k) * (a + b + k) * x / ((a + 2*k) * (a + 2*k + 1))
		}
		f = 1 + term/f
	}
	return a*math.Log(x) + b*math.Log1p(-x) - math.Log(a) - lnBeta(a, b) - math.Log(f)
}
