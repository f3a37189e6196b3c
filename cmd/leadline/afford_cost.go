package main

import (
	"time"

	"leadline/sampler"
	"leadline/scorer"
)

// expectedCost is what the newest runs took, with a margin; while there are none, a usual
// share of the most that these samples may take, each text once.
func (s *scoring) expectedCost() (c cost, err error) {
	runs, err := s.store.Runs(coverageSamples)
	if err != nil {
		return c, err
	}
	var sum scorer.Spend
	seen := map[string]bool{}
	for sample, err := range s.samples(func(pick) bool { return true }) {
		if err != nil {
			return c, err
		}
		if sample.TextHash != "" && seen[sample.TextHash] {
			continue
		}
		seen[sample.TextHash] = true
		one := s.judge.AtMost(sample)
		c.atMost = scorer.Spend{Tokens: max(c.atMost.Tokens, one.Tokens), Dollars: max(c.atMost.Dollars, one.Dollars)}
		sum = sum.Plus(one)
	}
	usual := sum.Times(usualShare * (1 + s.cfg.Sample.SecondLook) / float64(len(s.picks)))
	c.sample = observedOr(observedCost(runs), usual).Times(costMargin)
	return s.withControls(c)
}

// withControls adds what the control items take: a part of what the samples do, or a sum of
// its own in a run that scores more of them.
func (s *scoring) withControls(c cost) (cost, error) {
	items, err := s.controlItems()
	if err != nil {
		return c, err
	}
	plan, last, err := s.controlPlan()
	if err != nil {
		return c, err
	}
	if c.full = s.fullRuns(plan, items, last); c.full == 0 {
		c.sample = c.sample.Times(1 + scorer.ControlShare)
		return c, nil
	}
	if plan.Each > 0 {
		c.controls = c.sample.Times(plan.Each * float64(len(items)*max(plan.Passes, 1)))
		return c, nil
	}
	for _, item := range items {
		c.controls = c.controls.Plus(s.judge.AtMost(sampler.Sample{Record: sampler.Record{Question: item.Question, Answer: item.Answer, Contexts: item.Contexts}}))
	}
	c.controls = c.controls.Times(usualShare * costMargin * float64(max(plan.Passes, 1)))
	return c, nil
}

// fullRuns counts the runs, from this one on, that score all items: the first of a judge, or
// those until a suspicion is no longer recent.
func (s *scoring) fullRuns(plan scorer.ControlPlan, items []scorer.Control, last map[string]time.Time) (n int) {
	for n < recentRuns && len(plan.Pick(items, last, s.window.Due)) == len(items) {
		n++
		plan.Runs++
	}
	return n
}

// observedCost is what a sample, with its second looks, took on average; zero where no run
// tells.
func observedCost(runs []scorer.Run) (sample scorer.Spend) {
	judged := 0
	for _, run := range runs {
		sample = sample.Plus(run.Usage.Spend())
		judged += run.Samples - run.OverBudget
	}
	return sample.Times(1 / float64(max(judged, 1)))
}

// observedOr is what was observed, and what is usual of that which was not: runs of earlier
// versions have no dollars.
func observedOr(observed, usual scorer.Spend) scorer.Spend {
	if observed.Tokens == 0 {
		return usual
	}
	if observed.Dollars == 0 {
		observed.Dollars = usual.Dollars
	}
	return observed
}
