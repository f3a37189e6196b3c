package main

import (
	"math/rand/v2"

	"leadline/drift"
)

// clustered answers come in conversations of so many on average, and within one 70 % of the
// answers have the score of the first.
type clustered struct {
	rng  *rand.Rand
	from *source
	size int
	long float64
	told bool // the log says which conversation an answer is of
}

// likeFirst is the share of a conversation's further answers that have the first one's score.
const likeFirst = 0.7

func (c *clustered) run(int) window {
	var xs []float64
	var sums drift.Clusters
	for _, talk := range c.conversations() {
		xs = append(xs, talk...)
		sums = withTalk(sums, talk)
	}
	w := plain(xs)
	if c.told {
		w.rows[0].Clusters = &sums
	}
	return w
}

func withTalk(c drift.Clusters, scores []float64) drift.Clusters {
	sum := 0.0
	for _, x := range scores {
		sum += x
	}
	return c.Add(len(scores), sum)
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
