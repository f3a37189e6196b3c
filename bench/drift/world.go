package main

import (
	"math/rand/v2"

	"leadline/config"
	"leadline/drift"
)

// world is the traffic of one service, made run by run.
type world interface {
	// run returns what run i saw. Runs are asked for in order, once each, the reference
	// first; i is 0 for the first run after it.
	run(i int) window
}

// single is a service of one series: scores of one metric, all in one cell.
type single struct {
	rng  *rand.Rand
	size func(i int) int
	from func(i int) *source
}

func (s *single) run(i int) window {
	return plain(s.from(i).drawN(s.rng, s.size(i)))
}

// steady returns single's size or source for traffic that is always the same.
func steady[T any](x T) func(int) T { return func(int) T { return x } }

// told is an episode and the run in which it opened, counted from the end of the reference.
type told struct {
	run int
	drift.Episode
}

// follow watches a world and returns what was told; unless all is set, up to the first
// page.
func follow(w world, cfg config.Drift, reference, runs int, all bool) ([]told, *monitor) {
	m := newMonitor(cfg)
	return m.follow(w, reference, runs, all), m
}

func (m *monitor) follow(w world, reference, runs int, all bool) []told {
	for i := range reference {
		m.learn(w.run(i - reference))
	}
	var out []told
	for i := range runs {
		for _, e := range m.next(w.run(i)) {
			out = append(out, told{i, e})
		}
		if len(out) > 0 && !all {
			break
		}
	}
	return out
}

// chunks cuts n reference scores into runs of a size; the first takes the rest.
func chunks(n, size int) []int {
	if n == 0 {
		return nil
	}
	out := []int{}
	if rest := n % size; rest > 0 {
		out = append(out, rest)
	}
	for range n / size {
		out = append(out, size)
	}
	return out
}
