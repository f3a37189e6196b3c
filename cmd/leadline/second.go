package main

import (
	"context"
	"errors"

	"leadline/scorer"
)

// lookAgain scores a share of a run's samples a second time. It is an extra: a judge that
// cannot be asked any more, or a budget that is spent, ends it, and the run stands.
func (s *scoring) lookAgain(ctx context.Context) error {
	looked := map[string]bool{}
	var unread error
	why := scorer.Again(func(yield func(scorer.Score) bool) {
		unread = s.store.EachKept(s.window.Due, func(score scorer.Score) error {
			looked[score.SampleID] = score.Second != nil
			yield(score)
			return nil
		})
	}, s.cfg.Sample.SecondLook, s.window.Salt)
	if unread != nil || len(why) == 0 {
		return unread
	}
	looks := map[string]*scorer.SecondLook{}
	open := s.samples(func(p pick) bool { return why[p.ID] != "" && !looked[p.ID] })
	err := s.judge.LookAgain(ctx, s.window.Due, open, func(score scorer.Score) error {
		looks[score.SampleID] = &scorer.SecondLook{Why: why[score.SampleID], Outcomes: score.Outcomes, Usage: score.Usage}
		return nil
	})
	if ctx.Err() == nil && (isJudgeTrouble(err) || errors.Is(err, scorer.ErrOverBudget)) {
		s.log.Warn().Err(err).Int("planned", len(why)).Int("done", len(looks)).Msg("second looks cut short; the scores stand")
		err = nil
	}
	return errors.Join(err, s.store.KeepLooks(s.window.Due, looks))
}

// agreements sums up the second looks of the newest runs.
func agreements(runs []scorer.Run) map[scorer.Metric]scorer.Agreement {
	sums := map[scorer.Metric]scorer.Agreement{}
	for _, run := range runs {
		for m, a := range run.Agreement {
			sums[m] = sums[m].Add(a)
		}
	}
	return sums
}
