package main

import (
	"context"
	"errors"

	"leadline/sampler"
	"leadline/scorer"
	"leadline/store"
)

// lookAgain scores a share of a run's samples a second time. It is an extra: a judge that
// cannot be asked any more, or a budget that is spent, ends it, and the run stands.
func (r *runner) lookAgain(ctx context.Context, scoring *scorer.Scorer, w sampler.Window, picks []sampler.Sample, out *store.Scored) error {
	why := scorer.Again(out.Scores, r.cfg.Sample.SecondLook, w.Salt)
	looks, err := scoring.LookAgain(ctx, picks, why)
	if err != nil && ctx.Err() == nil && (isJudgeTrouble(err) || errors.Is(err, scorer.ErrOverBudget)) {
		r.log.Warn().Err(err).Int("planned", len(why)).Int("done", len(looks)).Msg("second looks cut short; the scores stand")
		err = nil
	}
	for i := range out.Scores {
		out.Scores[i].Second = looks[out.Scores[i].SampleID]
	}
	return err
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
