package main

import (
	"fmt"
	"math/rand/v2"

	"leadline/sampler"
	"leadline/scorer"
)

// service is a world of two metrics, segments, channels and watched shares.
type service struct {
	rng  *rand.Rand
	size int // answers a run, each scored by both metrics
	// share is the weight of a segment in a run; nil for one segment without a name.
	share []func(i int) float64
	// laws returns what the two metrics of a segment are drawn from in a run.
	laws func(i, segment int) (f, r *source)
	// channels are what the records of a run carry.
	channels func(i int) map[sampler.Channel]string
	// exact gives every segment the same number of answers.
	exact bool
}

// records is how many records are logged for each answer that is scored.
const records = 10

// cellName is the cell of a segment; there is none where there is one segment.
func (s *service) cellName(segment int) sampler.Cell {
	if len(s.share) == 0 {
		return ""
	}
	return sampler.CellOf(map[string]string{"topic": segmentName(segment)})
}

func segmentName(segment int) string { return fmt.Sprintf("t%02d", segment) }

func (s *service) run(i int) window {
	n := s.allot(i)
	w := window{tally: s.tally(i, n)}
	for g, n := range n {
		if n == 0 {
			continue
		}
		f, r := s.laws(i, g)
		w.rows = append(w.rows, rowOf(scorer.Faithfulness, s.cellName(g), f.drawN(s.rng, n)),
			rowOf(scorer.AnswerRelevancy, s.cellName(g), r.drawN(s.rng, n)))
	}
	return w
}

// allot returns how many answers of a run are of each segment.
func (s *service) allot(i int) []int {
	n := make([]int, max(len(s.share), 1))
	if len(n) == 1 || s.exact {
		for g := range n {
			n[g] = s.size / len(n)
		}
		return n
	}
	total := 0.0
	for _, w := range s.share {
		total += w(i)
	}
	for range s.size {
		u, g := s.rng.Float64()*total, 0
		for u -= s.share[0](i); u >= 0 && g+1 < len(n); u -= s.share[g](i) {
			g++
		}
		n[g]++
	}
	return n
}

// tally makes up what a run's records show without a judge: steady shares of empty
// retrievals, refusals, cut and failed answers.
func (s *service) tally(i int, n []int) *sampler.Tally {
	t := &sampler.Tally{Decoded: records * s.size, Cells: map[sampler.Cell]int{}, Channels: map[sampler.Channel]map[string]int{}}
	for g, n := range n {
		t.Cells[s.cellName(g)] = records * n
	}
	if s.channels != nil {
		for ch, value := range s.channels(i) {
			t.Channels[ch] = map[string]int{value: t.Decoded}
		}
	}
	for range t.Decoded {
		switch u := s.rng.Float64(); {
		case u < 0.02:
			t.NoContexts++
		case u < 0.05:
			t.Refusals++
		case u < 0.055:
			t.Truncated++
		case u < 0.06:
			t.Errors++
		}
	}
	return t
}

// weekly is a release every seventh run; nightly is that and a new version of the index
// every night.
func weekly(i int) map[sampler.Channel]string {
	return map[sampler.Channel]string{sampler.ChannelRelease: fmt.Sprintf("v%d", (i+7000)/7)}
}

func nightly(i int) map[sampler.Channel]string {
	c := weekly(i)
	c[sampler.ChannelIndex] = fmt.Sprintf("night %d", i+7000)
	return c
}

// never is one release for ever.
func never(int) map[sampler.Channel]string {
	return map[sampler.Channel]string{sampler.ChannelRelease: "v1"}
}

// laws that never change.
func usualLaws() func(int, int) (f, r *source) {
	f, r := faithfulness().source(), relevancy().source()
	return func(int, int) (*source, *source) { return f, r }
}
