package drift

// Add returns the moments with one more score. A score at or below 0 is a zero.
func (m Moments) Add(x float64) Moments {
	if x <= 0 {
		return m.Merge(Moments{N: 1, Zeros: 1})
	}
	return m.Merge(Moments{N: 1, Mean: x})
}

// Merge returns the moments of the scores of both.
func (m Moments) Merge(o Moments) Moments {
	s := m.nonZero()
	s.merge(o.nonZero())
	return Moments{N: m.N + o.N, Zeros: m.Zeros + o.Zeros, Mean: s.mean, M2: s.m2, M3: s.m3, M4: s.m4}
}

// Level returns count, mean and share of zeros of all scores; the zero Level without any.
func (m Moments) Level() Level {
	if m.N == 0 {
		return Level{}
	}
	return Level{N: m.N, Mean: m.all().mean, Zeros: float64(m.Zeros) / float64(m.N)}
}

func (m Moments) nonZero() sums {
	return sums{n: float64(m.N - m.Zeros), mean: m.Mean, m2: m.M2, m3: m.M3, m4: m.M4}
}

func (m Moments) all() sums {
	s := m.nonZero()
	s.merge(sums{n: float64(m.Zeros)})
	return s
}

// sums are count, mean and sums of the second to fourth power of the distance from it.
type sums struct {
	n, mean, m2, m3, m4 float64
}

// merge is the pairwise update of Chan, Golub and LeVeque (1979), for higher powers
// Pébay (2008).
func (a *sums) merge(b sums) {
	if b.n == 0 {
		return
	}
	if a.n == 0 {
		*a = b
		return
	}
	n := a.n + b.n
	d := (b.mean - a.mean) / n
	ab := a.n * b.n
	a.m4 += b.m4 + d*d*d*d*n*ab*(a.n*a.n-ab+b.n*b.n) +
		6*d*d*(a.n*a.n*b.m2+b.n*b.n*a.m2) + 4*d*(a.n*b.m3-b.n*a.m3)
	a.m3 += b.m3 + d*d*d*n*ab*(a.n-b.n) + 3*d*(a.n*b.m2-b.n*a.m2)
	a.m2 += b.m2 + d*d*n*ab
	a.mean += d * b.n
	a.n = n
}
