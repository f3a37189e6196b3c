package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// recentRuns is for how many runs a move that was found asks for more items.
const recentRuns = 2

// controls scores the control items of a run: a part of them, or more of them on suspicion.
// What the samples show is looked at first, so that a fall is told with a verdict on the judge.
func (s *scoring) controls(ctx context.Context) ([]scorer.ControlScore, error) {
	items, err := s.controlItems()
	if err != nil {
		return nil, err
	}
	plan, last, err := s.controlPlan()
	if err != nil {
		return nil, err
	}
	due := s.window.Due
	picked := plan.Pick(items, last, due)
	out, err := s.judge.Pairs(ctx, scorer.ControlPairs(), due)
	if err != nil {
		return nil, err
	}
	for pass := range max(plan.Passes, 1) {
		look := ctx
		if pass > 0 { // what was asked in this window is remembered, and this is to be another look
			look = scorer.Anew(ctx, fmt.Sprintf("controls %s, pass %d", due.UTC(), pass))
		}
		scored, err := s.judge.Controls(look, picked, due)
		if err != nil {
			return out, err
		}
		for i := range scored {
			scored[i].Pass = pass
		}
		out = append(out, scored...)
	}
	return out, nil
}

// controlItems are the frozen set and the user's own.
func (r *runner) controlItems() ([]scorer.Control, error) {
	own, err := r.store.Controls()
	return append(scorer.Controls(), own...), err
}

// controlPlan says how many items to score, and when each was scored last by this judge.
func (s *scoring) controlPlan() (plan scorer.ControlPlan, last map[string]time.Time, err error) {
	h, _, err := s.store.History()
	if err != nil {
		return plan, nil, err
	}
	var scores []scorer.Score
	err = s.store.EachKept(s.window.Due, func(score scorer.Score) error {
		scores = append(scores, score)
		return nil
	})
	if err != nil {
		return plan, nil, err
	}
	last, runs := controlTimes(h.Controls, s.judge.IDs())
	newest, err := s.store.Runs(scorer.ControlRuns)
	if err != nil {
		return plan, nil, err
	}
	plan.Samples, plan.Runs = len(scores), len(runs)
	plan.Each, plan.Recent = controlPrice(newest), recentControls(newest, runs)
	tentative, err := s.historyOf(s.window, scores)
	if err != nil {
		return plan, nil, err
	}
	result := drift.Evaluate(tentative, s.cfg.Drift)
	plan.Passes = result.ControlPasses(recentOf(h.Runs()))
	return plan, last, nil
}

// controlTimes are when each item was scored last by exactly these judges, and in which runs.
func controlTimes(controls []scorer.ControlScore, ids map[scorer.Metric]scorer.JudgeID) (last map[string]time.Time, runs map[time.Time]bool) {
	last, runs = map[string]time.Time{}, map[time.Time]bool{}
	for _, c := range controls {
		if c.Expected == scorer.ExpectPair || c.Judges[scorer.Faithfulness] != ids[scorer.Faithfulness].Key() {
			continue
		}
		runs[c.Window.UTC()] = true
		if c.Window.After(last[c.Item]) {
			last[c.Item] = c.Window
		}
	}
	return last, runs
}

// recentOf is the oldest run that still counts as recent.
func recentOf(runs []time.Time) time.Time {
	if len(runs) == 0 {
		return time.Time{}
	}
	return runs[max(len(runs)-recentRuns+1, 0)]
}

// recentControls sums up the newest runs of a judge, without those in which it was new.
func recentControls(newest []scorer.Run, of map[time.Time]bool) (r scorer.ControlsRecent) {
	known := slices.SortedFunc(maps.Keys(of), time.Time.Compare)
	if len(known) <= scorer.ControlsFirst {
		return r
	}
	begin := known[scorer.ControlsFirst-1]
	for _, run := range newest {
		if run.Window.After(begin) {
			r.Runs, r.Samples, r.Items = r.Runs+1, r.Samples+run.Samples-run.OverBudget, r.Items+run.ControlItems
		}
	}
	return r
}

// controlPrice is what a control item takes, in samples, by the tokens of the newest runs; 0
// while that is not known.
func controlPrice(runs []scorer.Run) float64 {
	samples, items, cost := 0, 0, [2]int64{}
	for _, run := range runs {
		// What was scored before is taken from the memo, and would make a sample look cheap.
		if run.ControlItems > 0 && run.Usage.MemoHits == 0 {
			samples, items = samples+run.Samples-run.OverBudget, items+run.ControlItems
			cost[0], cost[1] = cost[0]+run.Usage.Spend().Tokens, cost[1]+run.Controls.Spend().Tokens
		}
	}
	if samples == 0 || items == 0 || cost[0] == 0 {
		return 0
	}
	return float64(cost[1]) / float64(items) / (float64(cost[0]) / float64(samples))
}

// historyOf is the history with the scores of a window that are not stored yet.
func (r *runner) historyOf(w sampler.Window, scores []scorer.Score) (drift.History, error) {
	h, _, err := r.store.History()
	if err != nil {
		return h, err
	}
	tally, _, err := r.store.WindowFacts(w.Due)
	if err != nil {
		return h, err
	}
	h.Rows = append(slices.Clip(h.Rows), drift.Rows(w, scores)...)
	if tally.Decoded > 0 {
		h.Tallies = append(slices.Clip(h.Tallies), tally)
	}
	return h, nil
}
