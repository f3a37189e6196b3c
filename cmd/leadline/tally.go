package main

import (
	"leadline/sampler"
	"leadline/scorer"
	"leadline/store"
)

// tally sums up what a window's scoring gave, one score after the other.
type tally struct {
	run    scorer.Run
	twice  []scorer.Score // those with a second look
	values map[scorer.Metric][]float64
}

func newTally(w sampler.Window) *tally {
	return &tally{values: map[scorer.Metric][]float64{},
		run: scorer.Run{Window: w.Due, Scored: map[scorer.Metric]int{}, Unscorable: map[scorer.Metric]map[scorer.Reason]int{}}}
}

func (t *tally) add(s scorer.Score) error {
	t.run.Samples++
	t.run.Usage.Add(s.Usage)
	if s.Second != nil {
		t.run.Usage.Add(s.Second.Usage)
		t.twice = append(t.twice, s)
	}
	for metric, o := range s.Outcomes {
		if o.Scored {
			t.run.Scored[metric]++
			t.values[metric] = append(t.values[metric], o.Value)
			continue
		}
		if t.run.Unscorable[metric] == nil {
			t.run.Unscorable[metric] = map[scorer.Reason]int{}
		}
		t.run.Unscorable[metric][o.Reason]++
	}
	return nil
}

// close adds what is not a score.
func (t *tally) close(in store.Scored) scorer.Run {
	t.run.OverBudget = len(in.OverBudget)
	t.run.Agreement = scorer.Agreements(t.twice)
	for _, c := range in.Controls {
		t.run.Controls.Add(c.Usage)
		if c.Expected != scorer.ExpectPair {
			t.run.ControlItems++
		}
	}
	return t.run
}
