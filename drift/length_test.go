package drift_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// answersOf is a run of scores whose answers have from 3 to 8 statements, or those of
// release v2 from 1 to 3, all with the same support in each.
func answersOf(rng *rand.Rand, n int, release func(k int) string) []scorer.Score {
	scores := make([]scorer.Score, n)
	for k := range scores {
		low, high := 3, 8
		if release(k) == "v2" {
			low, high = 1, 3
		}
		statements, supported := make([]scorer.Statement, low+rng.IntN(high-low+1)), 0.0
		for i := range statements {
			if rng.Float64() < 0.865 {
				statements[i].Verdict = 1
				supported++
			}
		}
		scores[k] = score(strconv.Itoa(1000+k), release(k), "", supported/float64(len(statements)))
		scores[k].Statements = statements
	}
	return scores
}

// shorter is a history in which a release makes answers shorter, and nothing else. It
// comes in the middle of a run.
func shorter(seed uint64) drift.History {
	w := newWorld(seed)
	var h drift.History
	for run := range 40 {
		release := func(k int) string {
			if run > 30 || run == 30 && k >= 20 {
				return "v2"
			}
			return "v1"
		}
		window := sampler.Window{Start: w.due(run - 1), Due: w.due(run)}
		scores := answersOf(w.rng, 60, release)
		h.Rows = append(h.Rows, drift.Rows(window, scores)...)
		t := sampler.Tally{Start: window.Start, Due: window.Due, Decoded: 600, Cells: map[sampler.Cell]int{"": 600},
			Channels: map[sampler.Channel]map[string]int{sampler.ChannelRelease: {}}}
		for _, s := range scores {
			t.Channels[sampler.ChannelRelease][s.Channels[sampler.ChannelRelease]] += 10
		}
		h.Tallies = append(h.Tallies, t)
	}
	return h
}

func TestAReleaseThatShortensAnswersIsNoRegression(t *testing.T) {
	cfg := defaults()
	cfg.Tolerance = 0
	for seed := range uint64(5) {
		h := shorter(seed)
		cfg.LengthStrata = false
		plain := drift.Evaluate(h, cfg)
		if len(plain.Findings) != 1 {
			t.Fatalf("%d findings with lengths not told apart, want the false one that this is about", len(plain.Findings))
		}
		l := plain.Findings[0].Evidence.Length
		if l.Verdict == drift.LengthSame || l.Verdict == "" || l.Before < 5 || l.After > 2.5 {
			t.Errorf("the evidence does not show that answers are shorter: %+v", l)
		}
		cfg.LengthStrata = true
		if got := drift.Evaluate(h, cfg).Findings; len(got) != 0 {
			t.Errorf("seed %d: %s of %.3f to %.3f, want nothing", seed, got[0].Kind, got[0].Before.Mean, got[0].After.Mean)
		}
	}
}

func TestLengthsDoNotDependOnTheOrderOfRows(t *testing.T) {
	h := shorter(1)
	for i := range h.Rows[:len(h.Rows)/3] { // rows of an older version have no lengths
		h.Rows[i].Lengths, h.Rows[i].ReleaseLengths = nil, nil
	}
	cfg := defaults()
	cfg.LengthStrata = true
	want := drift.Evaluate(h, cfg)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(h.Rows), func(i, j int) { h.Rows[i], h.Rows[j] = h.Rows[j], h.Rows[i] })
	h.Rows = append(h.Rows, h.Rows...)
	if diff := cmp.Diff(want, drift.Evaluate(h, cfg)); diff != "" {
		t.Error(diff)
	}
}
