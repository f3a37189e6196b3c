package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/scorer"
	"leadline/scorer/openai"
)

// plainItems are the control items that any usable judge gets right: what is said, a number or
// a negation swapped, what nothing says.
var plainItems = []string{ //nolint:gochecknoglobals // a constant list
	"en-verbatim", "en-number-swap", "en-negation", "en-neighbor",
	"ja-verbatim", "ja-number-swap", "ja-negation", "ja-neighbor",
}

// enoughPlain is how many of the plain items a judge must get right to be used.
const enoughPlain = 7

// checkJudge finds out what the judge's servers can do, and scores the control items once.
func (a *app) checkJudge(ctx context.Context, whole config.Config) error {
	cfg := whole.Judge
	judge, err := openai.New(cfg, a.attendedOptions())
	if err != nil {
		return err
	}
	a.progress("judge     asking %s, model %s", hostOf(cfg.BaseURL), cfg.Model)
	failed, err := a.examine(ctx, judge)
	if err != nil {
		return err
	}
	if slices.Contains(failed, openai.StepEmbeddings) {
		cfg.Embeddings = config.Embeddings{} // the rest can be seen without the relevancy
	}
	s, err := newScorer(cfg, judge, nil, zerolog.Nop())
	if err != nil {
		return err
	}
	if err := a.printFloors(ctx, s); err != nil {
		return err
	}
	items := scorer.Controls()
	a.progress("judge     scoring %d control items", len(items))
	controls, err := s.Controls(ctx, items, time.Now())
	if err != nil {
		return err
	}
	plain, err := a.tellPlain(items, controls, isStandin(cfg))
	if err != nil {
		return err
	}
	failed = append(failed, plain...)
	right, usage := countRight(items, controls)
	per := func(n int64) int64 { return n * 1000 / int64(max(len(controls), 1)) }
	err = a.printf("judge     answers; %d of %d controls in their band; about %d prompt and %d completion tokens per 1,000 samples of their size\n",
		right, len(controls), per(usage.PromptTokens), per(usage.CompletionTokens))
	err = errors.Join(err, a.printLiveCost(ctx, whole, usage))
	if err == nil && len(failed) > 0 {
		err = fmt.Errorf("scoring would be refused or wrong: see %s above", strings.Join(failed, ", "))
	}
	return err
}

// examine prints what is found out about the servers, and returns the steps that failed.
func (a *app) examine(ctx context.Context, judge *openai.Judge) (failed []string, err error) {
	var printed error
	err = judge.Examine(ctx, func(f openai.Finding) {
		if f.Level == openai.LevelFailed {
			failed = append(failed, f.Step)
		}
		printed = errors.Join(printed, a.tellFinding(f))
	})
	return failed, errors.Join(err, printed)
}

func (a *app) tellFinding(f openai.Finding) error {
	return a.printf("judge     %-7s  %-11s  %s\n", f.Level, f.Step, f.Text)
}

// tellPlain says whether the model can judge at all. The stand-in gets the plain items right by
// comparing words, and says so.
func (a *app) tellPlain(items []scorer.Control, controls []scorer.ControlScore, lexical bool) (failed []string, err error) {
	f := openai.Finding{Step: "judging", Level: openai.LevelOK}
	var wrong []string
	for n, c := range controls {
		if slices.Contains(plainItems, items[n].ID) && !isRight(items[n], c) {
			wrong = append(wrong, items[n].ID)
		}
	}
	right := len(plainItems) - len(wrong)
	f.Text = fmt.Sprintf("%d of %d plain control items are right", right, len(plainItems))
	switch {
	case right >= enoughPlain && lexical:
		f.Level, f.Text = openai.LevelWarning, f.Text+"; the stand-in compares words and is not a judge"
	case right < enoughPlain:
		f.Level, f.Text = openai.LevelFailed, f.Text+fmt.Sprintf(" (not %s): this model is not usable as a judge; take a larger one", strings.Join(wrong, ", "))
		failed = []string{f.Step}
	}
	return failed, a.tellFinding(f)
}

func isRight(item scorer.Control, c scorer.ControlScore) bool {
	o := c.Outcomes[scorer.Faithfulness]
	return o.Scored && o.Value >= item.Faithfulness[0] && o.Value <= item.Faithfulness[1]
}

func countRight(items []scorer.Control, controls []scorer.ControlScore) (right int, usage scorer.Usage) {
	for n, c := range controls {
		usage.Add(c.Usage)
		if isRight(items[n], c) {
			right++
		}
	}
	return right, usage
}
