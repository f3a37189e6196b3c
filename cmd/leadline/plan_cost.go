package main

import (
	"errors"
	"slices"

	"leadline/config"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/server"
)

// costOf sums up what runs took, and the samples that they took it for: not those that the
// budget left out.
func costOf(runs []scorer.Run) server.CostStatus {
	var c server.CostStatus
	for _, r := range runs {
		c.Runs++
		c.Samples += r.Samples - r.OverBudget
		c.Usage.Add(r.Usage)
		c.Controls.Add(r.Controls)
	}
	return c
}

// prices are per million tokens; both zero: not known.
type prices struct {
	prompt, completion float64
	billed             bool // what runs were billed comes first
}

func (p prices) check() error {
	if p.prompt < 0 || p.completion < 0 {
		return exitError{exitUsage, errors.New("--prompt-price and --completion-price: must not be below 0")}
	}
	return nil
}

// pricesOf are the prices of the configuration, or of the list; both zero where there are none.
func pricesOf(cfg config.Judge) prices {
	p, _ := cfg.ChatPrice()
	if cfg.ServiceTier == config.Flex && !cfg.FlexFallback && slices.Contains(p.Half, config.Flex) {
		p.Prompt, p.Completion = p.Prompt/2, p.Completion/2
	}
	return prices{prompt: p.Prompt, completion: p.Completion, billed: true}
}

// of is what usage cost: as it was billed where that is known and no other price was asked for.
func (p prices) of(u scorer.Usage) float64 {
	if p.billed && u.Dollars > 0 {
		return u.Dollars
	}
	return (float64(u.PromptTokens)*p.prompt + float64(u.CompletionTokens)*p.completion) / 1e6
}

// amount is what something takes from the judge. Tokens are prompt, completion and
// embedding tokens together; Price is 0 where none was given.
type amount struct {
	Requests float64 `json:"requests"`
	Tokens   float64 `json:"tokens"`
	Price    float64 `json:"price,omitempty"`
}

func (a amount) times(n float64) amount { return amount{a.Requests * n, a.Tokens * n, a.Price * n} }
func (a amount) plus(b amount) amount {
	return amount{a.Requests + b.Requests, a.Tokens + b.Tokens, a.Price + b.Price}
}

func (p prices) amount(u scorer.Usage) amount {
	return amount{float64(u.ChatRequests + u.EmbeddingRequests), float64(u.Spend().Tokens), p.of(u)}
}

// costPlan is what the judge takes.
type costPlan struct {
	Observed bool   `json:"observed"` // else typical
	Dollars  bool   `json:"dollars"`  // what prices are in; else any currency
	Sample   amount `json:"per_sample"`
	Controls amount `json:"controls_per_run"`
	// Day is at the samples that runs had, AtMost at sample.per_run of them.
	Day    amount `json:"per_day"`
	AtMost amount `json:"per_day_at_most"`
}

// promptTokens are those of the instructions and examples of statements and verdicts, and of
// the question (docs/scoring.md, Versions of the prompts).
var promptTokens = map[string][2]int64{"v1": {488 + 695, 394}, "v2": {947 + 823, 681}, "v2-long": {1159 + 1306, 1237}}

// typicalUsage is what a sample takes with the configured prompts and texts of usual size: those
// that docs/statistics.md assumes for a month's cost.
func typicalUsage(cfg config.Config) scorer.Usage {
	prompts := promptTokens[openai.PromptsOf(cfg.Judge)]
	u := scorer.Usage{ChatRequests: 2, PromptTokens: prompts[0] + 1600, CompletionTokens: 340}
	if cfg.Judge.Embeddings.Model != "" {
		u.Add(scorer.Usage{ChatRequests: 1, PromptTokens: prompts[1] + 195, CompletionTokens: 57, EmbeddingTokens: 60})
	}
	return u
}

func newCostPlan(cfg config.Config, seen server.CostStatus, s samplingPlan, per prices) costPlan {
	one := per.amount(typicalUsage(cfg))
	c := costPlan{Dollars: per.billed, Sample: one, Controls: one.times(scorer.ControlShare * float64(s.PerRun))}
	if seen.Samples > 0 {
		c.Observed = true
		c.Sample = per.amount(seen.Usage).times(1 / float64(seen.Samples))
		c.Controls = per.amount(seen.Controls).times(1 / float64(seen.Runs))
	}
	day := func(perRun float64) amount {
		return c.Sample.times(perRun).plus(c.Controls).times(s.RunsPerDay)
	}
	c.Day, c.AtMost = day(s.SeenPerRun), day(float64(s.PerRun))
	return c
}

// of is what samples take, with the controls of the runs they come in.
func (c costPlan) of(samples, runs float64) (tokens, price float64) {
	a := c.Sample.times(samples).plus(c.Controls.times(runs))
	return a.Tokens, a.Price
}
