package main

import (
	"context"
	"time"

	"leadline/report"
	"leadline/scorer"
	"leadline/server"
	"leadline/store"
)

// spent is a part of the ledger with its limits.
func spent(d store.Day, tokens int64, dollars float64) report.Spent {
	return report.Spent{Spend: d.Spend, Kinds: d.Kinds, Limit: scorer.Spend{Tokens: tokens, Dollars: dollars}}
}

// spentIn is what was spent on the UTC days from a time to another.
func spentIn(s *store.Store, from, to time.Time) (report.Spent, error) {
	d, err := s.Spent(from, to)
	return spent(d, 0, 0), err
}

// spentLines say what the judge took, against its limits. Nothing was spent, nothing is said.
func spentLines(st server.Status) []string {
	words := wordsOf(st)
	if st.Judge.Month.Tokens == 0 {
		return nil
	}
	return []string{"spent    today (UTC) " + words.Spent(st.Judge.Today), "         this month " + words.Spent(st.Judge.Month)}
}

// countProbe counts what the judge took since it had taken so much. No limit holds a probe
// back: without one nothing can be judged, and it is small.
func (d *daemon) countProbe(ctx context.Context, before scorer.Usage) {
	now := d.judge.Tokens()
	settle, err := d.budget.Reserve(scorer.For(ctx, scorer.KindProbe), scorer.Spend{})
	if err == nil {
		err = settle(scorer.Usage{PromptTokens: now.PromptTokens - before.PromptTokens, CompletionTokens: now.CompletionTokens - before.CompletionTokens,
			Dollars: now.Dollars - before.Dollars})
	}
	if err != nil {
		d.log.Error().Err(err).Msg("what the probe took is not counted")
	}
}
