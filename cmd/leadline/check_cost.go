package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/config"
	"leadline/price"
	"leadline/scorer"
	"leadline/server"
)

// priceText is the price that is reckoned with, and from when it is.
func priceText(cfg config.Judge) string {
	chat, ok := cfg.ChatPrice()
	if !ok {
		return fmt.Sprintf("not known of %s: tokens are counted, no dollars; judge.prices sets one", cfg.Model)
	}
	text := fmt.Sprintf("%s: $%g prompt, $%g cached, $%g written to the cache, $%g completion per million tokens (%s)",
		cfg.Model, chat.Prompt, chat.Cached, chat.CacheWrite, chat.Completion, origin(chat))
	if cfg.ServiceTier != "" && slices.Contains(chat.Half, cfg.ServiceTier) {
		text += fmt.Sprintf("; half of it in the tier %s", cfg.ServiceTier)
	}
	if cfg.Embeddings.Model == "" {
		return text
	}
	embedding, ok := cfg.EmbeddingPrice()
	if !ok {
		return text + fmt.Sprintf("; of %s not known: judge.prices.embedding sets it", cfg.Embeddings.Model)
	}
	return text + fmt.Sprintf("; %s: $%g (%s)", cfg.Embeddings.Model, embedding.Prompt, origin(embedding))
}

// origin is where a price is from, and when it was in force.
func origin(p price.Price) string {
	if p.Date == "" {
		return p.Source
	}
	return p.Source + ", " + p.Date
}

// budgetText lists the limits.
func budgetText(b config.Budget) string {
	var limits []string
	add := func(set bool, format string, args ...any) {
		if set {
			limits = append(limits, fmt.Sprintf(format, args...))
		}
	}
	add(b.TokensPerDay > 0, "%s tokens a day", thousands(b.TokensPerDay))
	add(b.TokensPerMonth > 0, "%s tokens a month", thousands(b.TokensPerMonth))
	add(b.DollarsPerDay > 0, "$%g a day", b.DollarsPerDay)
	add(b.DollarsPerMonth > 0, "$%g a month", b.DollarsPerMonth)
	if len(limits) == 0 {
		return "no limit (judge.budget)"
	}
	return strings.Join(limits, ", ") + ", by UTC; what it is not enough for is left out at random (over_budget)"
}

// allIn is what the configured sampling takes at most, all in.
type allIn struct {
	sample, looks, controls scorer.Spend // of one sample, of the second looks at one, of a run
	runs                    float64      // a day
	perRun                  int
}

// per is what so many samples take, with their part of the controls.
func (a allIn) per(samples float64) scorer.Spend {
	return a.sample.Plus(a.looks).Times(samples).Plus(a.controls.Times(samples / float64(max(a.perRun, 1))))
}

func (a allIn) day() scorer.Spend { return a.per(float64(a.perRun) * a.runs) }

// newAllIn reckons by what the control items just took and, where runs tell, by what those took.
func newAllIn(cfg config.Config, items scorer.Usage, seen server.CostStatus, runsPerDay float64) (a allIn, observed bool) {
	a = allIn{runs: runsPerDay, perRun: cfg.Sample.PerRun, sample: items.Spend().Times(1 / float64(len(scorer.Controls())))}
	a.looks = a.sample.Times(cfg.Sample.SecondLook)
	if observed = seen.Samples > 0 && seen.Usage.Spend().Tokens > 0; observed {
		a.sample, a.looks = seen.Usage.Spend().Times(1/float64(seen.Samples)), scorer.Spend{} // they are in it
	}
	a.controls = a.sample.Times(scorer.ControlShare * float64(a.perRun))
	return a, observed
}

// printLiveCost says what all of it takes: samples, second looks, controls, repairs and
// embeddings.
func (a *app) printLiveCost(ctx context.Context, cfg config.Config, items scorer.Usage) error {
	runs, err := runsPerDay(cfg, time.Now())
	if err != nil {
		return err
	}
	seen := server.CostStatus{}
	if st, err := a.planStatus(ctx, cfg); err == nil { // without a history the control items tell
		seen = st.Cost
	}
	all, observed := newAllIn(cfg, items, seen, runs)
	basis := "samples like the control items"
	if observed {
		basis = fmt.Sprintf("samples like those of the newest %d runs", seen.Runs)
	}
	controls := all.controls.Times(runs)
	lines := []string{
		fmt.Sprintf("judge     the control items take about %d tokens in each run with samples, %d a day; %d in a run that scores all of them: the first two of a judge, and those that found a fall",
			all.controls.Tokens, controls.Tokens, items.Spend().Tokens),
		fmt.Sprintf("cost      all in, for %s: %s per 1,000 samples, %s in 30 days of %s runs a day with %d samples each",
			basis, spendText(all.per(1000)), spendText(all.day().Times(30)), round(all.runs), all.perRun),
		fmt.Sprintf("          per 1,000 samples: %s themselves%s, %s control items; repairs and embeddings are in it",
			spendText(all.sample.Times(1000)), looksText(all.looks), spendText(all.controls.Times(1000/float64(max(all.perRun, 1))))),
	}
	if p, ok := cfg.Judge.ChatPrice(); ok {
		lines = append(lines, "          at the price of "+origin(p))
	}
	lines = append(lines, budgetWarnings(cfg.Judge.Limits(), controls, items.Spend(), all.day())...)
	return a.printf("%s\n", strings.Join(lines, "\n"))
}

func looksText(looks scorer.Spend) string {
	if looks.Tokens == 0 {
		return ", second looks included"
	}
	return ", " + spendText(looks.Times(1000)) + " second looks"
}

func spendText(s scorer.Spend) string {
	text := round(float64(s.Tokens)) + " tokens"
	if s.Dollars > 0 {
		text += fmt.Sprintf(" ($%.2f)", s.Dollars)
	}
	return text
}

// budgetWarnings say what limits are not enough for: the controls alone, or all samples.
func budgetWarnings(b config.Budget, controls, full, day scorer.Spend) (lines []string) {
	for _, l := range []struct {
		name               string
		limit              float64
		ruler, all, perDay float64 // a day; perDay is how many days the limit is for
		full               float64
	}{
		{"tokens_per_day", float64(b.TokensPerDay), float64(controls.Tokens), float64(day.Tokens), 1, float64(full.Tokens)},
		{"tokens_per_month", float64(b.TokensPerMonth), float64(controls.Tokens), float64(day.Tokens), 30, float64(full.Tokens)},
		{"dollars_per_day", b.DollarsPerDay, controls.Dollars, day.Dollars, 1, full.Dollars},
		{"dollars_per_month", b.DollarsPerMonth, controls.Dollars, day.Dollars, 30, full.Dollars},
	} {
		switch limit := fmt.Sprintf("judge.budget.%s is %s", l.name, trimmed(l.limit)); {
		case l.limit == 0:
		case l.limit < max(l.ruler*l.perDay, l.full):
			lines = append(lines, fmt.Sprintf("WARNING   %s: the control items alone need more; raise it, or let score.schedule run less often", limit))
		case l.limit < l.all*l.perDay:
			lines = append(lines, fmt.Sprintf("note      %s: enough for about %.0f%% of the samples at sample.per_run; the others are left out at random", limit,
				math.Floor(100*(l.limit-l.ruler*l.perDay)/((l.all-l.ruler)*l.perDay))))
		}
	}
	return lines
}

func trimmed(x float64) string {
	if x == math.Trunc(x) {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%g", x)
}
