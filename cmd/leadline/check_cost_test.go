package main

import (
	"testing"

	"leadline/config"
	"leadline/scorer"
)

// What the budget left out took nothing, and must not make a sample look cheap.
func TestTheCostOfASampleIsOfThoseThatWereScored(t *testing.T) {
	cfg := config.Default()
	cfg.Sample.SecondLook = 0
	items := scorer.Usage{PromptTokens: int64(100 * len(scorer.Controls()))}
	run := func(samples, over int, tokens int64) scorer.Run {
		return scorer.Run{Samples: samples, OverBudget: over, Usage: scorer.Usage{PromptTokens: tokens}}
	}
	for name, c := range map[string]struct {
		runs     []scorer.Run
		observed bool
		want     int64 // tokens of a sample
	}{
		"no run":                      {nil, false, 100},
		"all was left out":            {[]scorer.Run{run(8, 8, 0), run(8, 8, 0)}, false, 100},
		"some was":                    {[]scorer.Run{run(8, 8, 0), run(8, 4, 1200)}, true, 300},
		"all of it taken from memory": {[]scorer.Run{run(8, 0, 0)}, false, 100},
	} {
		all, observed := newAllIn(cfg, items, costOf(c.runs), 4)
		controls := int64(scorer.ControlShare*float64(cfg.Sample.PerRun*int(c.want)) + 0.5)
		if observed != c.observed || all.sample.Tokens != c.want || max(all.controls.Tokens-controls, controls-all.controls.Tokens) > 1 {
			t.Errorf("%s: observed %t, %d tokens, controls %d; want %t, %d, %d", name, observed, all.sample.Tokens, all.controls.Tokens, c.observed, c.want, controls)
		}
	}
}
