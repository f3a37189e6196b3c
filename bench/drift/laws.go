package main

import "math"

// faithfulness is law F: 5 % zeros, 75 % ones, and a of k statements supported.
func faithfulness() law { return hurdle(0.05, 0.20, partials(4, 2)) }

// relevancy is law R: 4 % zeros, else a truncated normal around 0.80.
func relevancy() law { return nearNormal(0.04, 0.80, 0.09) }

// broken is the law of answers whose contexts are missing: 40 % zeros, 60 % poor partials.
func broken() law { return hurdle(0.40, 0.60, partials(2, 2.5)) }

// hurdle returns zeros, partials and for the rest ones.
func hurdle(zeros, share float64, partial law) law {
	return blend(part{zeros, point(0)}, part{share, partial}, part{1 - zeros - share, point(1)})
}

// nearNormal returns zeros, and else a truncated normal of a given mean.
func nearNormal(zeros, mean, sd float64) law {
	return blend(part{zeros, point(0)}, part{1 - zeros, normal(mean, sd)})
}

// binary returns a law of zeros and ones.
func binary(mean float64) law { return blend(part{1 - mean, point(0)}, part{mean, point(1)}) }

// partials is the law of a/k, rounded to the grid: k statements, of which a are supported,
// beta-binomial given that at least one is and one is not.
func partials(alpha, beta float64) law {
	sizes := []int{2, 3, 4, 5, 6, 8}
	shares := []float64{0.10, 0.20, 0.20, 0.20, 0.15, 0.15}
	var l law
	for i, k := range sizes {
		inside := 0.0
		for a := 1; a < k; a++ {
			inside += betaBinomial(a, k, alpha, beta)
		}
		for a := 1; a < k; a++ {
			l[gridOf(float64(a)/float64(k))] += shares[i] * betaBinomial(a, k, alpha, beta) / inside
		}
	}
	return l
}

func betaBinomial(a, k int, alpha, beta float64) float64 {
	x, n := float64(a), float64(k)
	return math.Exp(lnBeta(x+alpha, n-x+beta) - lnBeta(alpha, beta) - lnBeta(x+1, n-x+1) - math.Log(n+1))
}

func lnBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// symmetric is the law with density proportional to x(1−x) on the grid.
func symmetric() law {
	var l law
	total := 0.0
	for i := range l {
		x := float64(i) / steps
		l[i] = x * (1 - x)
		total += l[i]
	}
	for i := range l {
		l[i] /= total
	}
	return l
}

// named is a law with a name.
type named struct {
	name string
	law  law
}

// nearPerfect returns ones, and for the rest answers of which a half or two thirds hold.
func nearPerfect(ones float64) law {
	return blend(part{ones, point(1)}, part{(1 - ones) * 2 / 3, point(0.67)}, part{(1 - ones) / 3, point(0.5)})
}

// healthyLaws returns the laws on which no alarm may cost more than the budget: F and R, six
// others, and nearly perfect ones.
func healthyLaws() []named {
	return []named{
		{"F", faithfulness()},
		{"R", relevancy()},
		{"92 % ones", hurdle(0.02, 0.06, partials(4, 2))},
		{"binary .9", binary(0.9)},
		{"binary .7", binary(0.7)},
		{"normal sd .05", nearNormal(0, 0.80, 0.05)},
		{"beta(2,2)", symmetric()},
		{"30 % zeros", hurdle(0.30, 0.30, partials(4, 2))},
		{"97 % ones", nearPerfect(0.97)},
		{"99 % ones", nearPerfect(0.99)},
		{"binary .97", binary(0.97)},
		{"binary .99", binary(0.99)},
	}
}
