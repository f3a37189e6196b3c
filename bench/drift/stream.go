package main

import "math/rand/v2"

// The first part of each generator's seed; the second is the number of the replicate,
// counted from 1.
const (
	seedHealthy  = 1001
	seedChange   = 2001 // + index of the scenario
	seedNull     = 3001
	seedWander   = 4001
	seedMix      = 5001
	seedLength   = 6001 // + index of the fall + 1
	seedFleet    = 7001
	seedFleetHit = 7002
	seedHoldOut  = 8001
	seedSilent   = 9001
	seedLabels   = 9101
)

func generator(seed uint64, rep int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(rep)+1))
}

// stream is the scores of one replicate: the reference, taken for healthy, then the runs.
type stream struct {
	reference [][]float64
	runs      [][]float64
}

// shape is how a stream is cut: reference runs, then runs of the same size.
type shape struct {
	reference int // runs
	size      int // scores per run
}

// healthy returns a stream without a change. The reference is drawn first, then the runs
// in order, one number of the generator per score.
func healthy(rng *rand.Rand, from *source, s shape, runs int) stream {
	return stream{drawRuns(rng, from, s.reference, s.size), drawRuns(rng, from, runs, s.size)}
}

func drawRuns(rng *rand.Rand, from *source, runs, size int) [][]float64 {
	out := make([][]float64, runs)
	for i := range out {
		out[i] = from.drawN(rng, size)
	}
	return out
}

// changing returns a stream that changes after the given number of healthy runs.
func changing(rng *rand.Rand, before *source, after []*source, s shape, quiet, follow int) stream {
	out := healthy(rng, before, s, quiet)
	for i := range follow {
		out.runs = append(out.runs, after[min(i, len(after)-1)].drawN(rng, s.size))
	}
	return out
}
