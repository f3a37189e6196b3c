package main

import "math/rand/v2"

// clusterSums are the sums over the conversations c of a row, of n_c answers whose scores
// sum to s_c, from which the variance of a mean of dependent answers follows.
type clusterSums struct {
	SumSq float64 `json:"sum_sq"` // Σ s_c²
	SumN  float64 `json:"sum_n"`  // Σ s_c n_c
	NSq   float64 `json:"n_sq"`   // Σ n_c²
}

// add counts a conversation.
func (c clusterSums) add(scores []float64) clusterSums {
	sum, n := 0.0, float64(len(scores))
	for _, x := range scores {
		sum += x
	}
	return clusterSums{c.SumSq + sum*sum, c.SumN + sum*n, c.NSq + n*n}
}

// clustered answers come in conversations of so many on average, and within one 70 % of the
// answers have the score of the first.
type clustered struct {
	rng  *rand.Rand
	from *source
	size int
	long float64
}

// likeFirst is the share of a conversation's further answers that have the first one's score.
const likeFirst = 0.7

func (c *clustered) run(int) window {
	talks := c.conversations()
	var xs []float64
	var sums clusterSums
	for _, talk := range talks {
		xs = append(xs, talk...)
		sums = sums.add(talk)
	}
	w := plain(xs)
	w.clusters = []clusterSums{sums}
	return w
}

// conversations draws a run's answers, one conversation after the other; the last may be cut.
func (c *clustered) conversations() [][]float64 {
	var out [][]float64
	for i := range c.size {
		last := len(out) - 1
		switch {
		case i == 0 || c.rng.Float64() < 1/c.long:
			out = append(out, []float64{c.from.draw(c.rng)})
		case c.rng.Float64() < likeFirst:
			out[last] = append(out[last], out[last][0])
		default:
			out[last] = append(out[last], c.from.draw(c.rng))
		}
	}
	return out
}
