package agreement

import "math"

// Case is something with a score and a label that is held for true. The higher the score,
// the more it should be positive: turn a score that falls.
type Case struct {
	Score    float64
	Positive bool
}

// AUROC is the chance that a positive case scores higher than a negative one, ties counting
// half (the Mann-Whitney statistic over the product of both numbers). The interval is that
// of DeLong et al. (1988), normal, for independent cases. Nil unless both kinds occur; where
// they do not overlap, or there is one of a kind, the interval says less than it seems to.
func AUROC(cases []Case) *Estimate {
	var positive, negative []float64
	for _, c := range cases {
		if c.Positive {
			positive = append(positive, c.Score)
		} else {
			negative = append(negative, c.Score)
		}
	}
	if len(positive) == 0 || len(negative) == 0 {
		return nil
	}
	overNegative := make([]float64, len(positive)) // of each positive: the share of negatives below it
	underPositive := make([]float64, len(negative))
	area := 0.0
	for i, p := range positive {
		for j, n := range negative {
			won := wins(p, n)
			overNegative[i] += won / float64(len(negative))
			underPositive[j] += won / float64(len(positive))
		}
		area += overNegative[i] / float64(len(positive))
	}
	se := math.Sqrt(variance(overNegative, area)/float64(len(positive)) + variance(underPositive, area)/float64(len(negative)))
	return &Estimate{Value: area, Low: unit(area - z*se), High: unit(area + z*se)}
}

func wins(a, b float64) float64 {
	switch {
	case a > b:
		return 1
	case a < b:
		return 0
	}
	return 0.5
}

// variance is that of a sample around its mean; 0 of a single value.
func variance(values []float64, mean float64) float64 {
	if len(values) < 2 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum / float64(len(values)-1)
}
