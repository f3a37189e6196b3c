package agreement

import (
	"math/rand/v2"
	"slices"
)

const (
	replicates = 2000
	// fewest is how many replicates must have a value for an interval.
	fewest = replicates / 2
)

// Bootstrap is the percentile interval (Efron 1979) of a figure over strata of samples. A
// sample stays whole, since what is in it hangs together; each stratum keeps its size, as
// the drawing did. The same input gives the same interval. Replicates in which the figure
// is not known (nil) are left out; nil when these are half or more, or the figure itself
// is not known.
func Bootstrap[T any](strata [][]T, figure func([]T) *float64) *Estimate {
	whole := figure(slices.Concat(strata...))
	if whole == nil {
		return nil
	}
	random := rand.New(rand.NewPCG(1, 2))
	var values []float64
	var drawn []T
	for range replicates {
		drawn = drawn[:0]
		for _, stratum := range strata {
			for range stratum {
				drawn = append(drawn, stratum[random.IntN(len(stratum))])
			}
		}
		if v := figure(drawn); v != nil {
			values = append(values, *v)
		}
	}
	if len(values) <= fewest {
		return nil
	}
	slices.Sort(values)
	return &Estimate{Value: *whole, Low: quantile(values, 0.025), High: quantile(values, 0.975)}
}

// quantile interpolates between the sorted values (type 7 of Hyndman and Fan).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
