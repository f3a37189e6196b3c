package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// steps is the number of steps of the score grid between 0 and 1.
const steps = 100

// law is a distribution of scores on the grid 0, 0.01, …, 1: the probability of each
// point. It is fully known, so that its moments and divergences are exact.
type law [steps + 1]float64

// point returns the law of a score that is always x.
func point(x float64) law {
	var l law
	l[gridOf(x)] = 1
	return l
}

// gridOf returns the index of the grid point nearest to x, halves rounded up.
func gridOf(x float64) int { return int(math.Floor(x*steps + 0.5)) }

// part is a law and its share in a mixture.
type part struct {
	share float64
	of    law
}

// blend returns the mixture of laws whose shares sum to 1.
func blend(parts ...part) law {
	var l law
	for _, p := range parts {
		for i, x := range p.of {
			l[i] += p.share * x
		}
	}
	return l
}

// normal returns a law with probabilities proportional to the normal density on the grid
// points from 0.30 to 0.98, its location moved so that the mean of the law is as given.
func normal(mean, sd float64) law {
	const low, high = 30, 98
	low0, high0 := mean-1, mean+1
	var l law
	for range 80 {
		at := (low0 + high0) / 2
		l = law{}
		total := 0.0
		for i := low; i <= high; i++ {
			z := (float64(i)/steps - at) / sd
			l[i] = math.Exp(-z * z / 2)
			total += l[i]
		}
		for i := range l {
			l[i] /= total
		}
		if l.mean() < mean {
			low0 = at
		} else {
			high0 = at
		}
	}
	return l
}

func (l law) mean() float64 {
	sum := 0.0
	for i, p := range l {
		sum += p * float64(i) / steps
	}
	return sum
}

// divergence returns the Kullback-Leibler divergence of l from what was before, in nats
// per score: the most evidence for the change that a score carries on average.
func (l law) divergence(before law) float64 {
	sum := 0.0
	for i, q := range l {
		if q > 0 {
			sum += q * math.Log(q/before[i])
		}
	}
	return sum
}

// meanDivergence returns the smallest divergence of l from any law on [0, 1] whose mean is
// at least the given one: the most evidence per score for a fall of the mean that needs no
// other assumption (Honda and Takemura, 2010). It searches the concave dual by thirds.
func (l law) meanDivergence(mean float64) float64 {
	gain := func(bet float64) float64 {
		sum := 0.0
		for i, q := range l {
			if q > 0 {
				sum += q * math.Log(math.Max(1+bet*(mean-float64(i)/steps), 1e-300))
			}
		}
		return sum
	}
	a, b := 0.0, 1/(1-mean)
	for range 200 {
		if x, y := a+(b-a)/3, b-(b-a)/3; gain(x) < gain(y) {
			a = x
		} else {
			b = y
		}
	}
	return gain((a + b) / 2)
}

// source draws scores from a law.
type source [steps + 1]float64

// source returns the law's distribution function, for drawing.
func (l law) source() *source {
	var s source
	sum := 0.0
	for i, p := range l {
		sum += p
		s[i] = sum
	}
	last := steps
	for l[last] == 0 {
		last--
	}
	for i := last; i <= steps; i++ {
		s[i] = 1 // not 1 − 1e-16
	}
	return &s
}

// draw uses up one number of the generator.
func (s *source) draw(rng *rand.Rand) float64 {
	u := rng.Float64()
	i, _ := slices.BinarySearchFunc(s[:], u, func(p, u float64) int {
		if p <= u {
			return -1
		}
		return 1
	})
	return float64(i) / steps
}

// drawN draws n scores.
func (s *source) drawN(rng *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = s.draw(rng)
	}
	return xs
}
