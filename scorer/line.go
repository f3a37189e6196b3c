package scorer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"golang.org/x/sync/errgroup"

	"leadline/sampler"
)

// batchSize is how many samples share their embedding requests.
const batchSize = 128

// draft is a score on its way.
type draft struct {
	score Score
	user  string // the user's question
	embed bool   // relevancy still needs its vectors
}

// ScoreEach is ScoreAll for more samples than should be in memory at once: they are read
// when they are needed, and done gets up to 128 scores at a time. Samples that are word for
// word the same are told apart by the judge's memo alone.
func (s *Scorer) ScoreEach(ctx context.Context, samples iter.Seq2[sampler.Sample, error], done func([]Score) error) error {
	starting, stop := context.WithCancel(ctx)
	defer stop()
	// Room for a batch: the judge is asked on while another one gets its vectors.
	answered := make(chan draft, batchSize)
	var asked error // read once answered is closed
	go func() {
		defer close(answered)
		asked = s.askAll(ctx, starting, samples, answered)
	}()
	var batch []draft
	var finished error
	for d := range answered {
		if batch = append(batch, d); len(batch) < batchSize || finished != nil {
			continue
		}
		if finished = s.finish(ctx, batch, done); finished != nil {
			stop()
		}
		batch = nil
	}
	switch {
	case finished != nil && errors.Is(asked, context.Canceled) && ctx.Err() == nil:
		return finished // the one is the cause of the other
	case finished != nil || errors.Is(asked, ErrAllRejected):
		return errors.Join(asked, finished)
	}
	// What was answered before an error is paid for: it becomes a score all the same.
	return errors.Join(asked, s.finish(ctx, batch, done))
}

// askAll asks about samples, several at once, until one fails or starting ends.
func (s *Scorer) askAll(ctx, starting context.Context, samples iter.Seq2[sampler.Sample, error], answered chan<- draft) error {
	guard := &requestGuard{}
	group, stop := errgroup.WithContext(starting)
	group.SetLimit(s.concurrency)
	var unread error
	for sample, err := range samples {
		if unread = err; err != nil || stop.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := stop.Err(); err != nil {
				return err
			}
			// Not with stop: a call in flight is paid for, so it may finish.
			d, err := s.ask(ctx, sample, guard)
			if err == nil {
				answered <- d
			}
			return err
		})
	}
	err := errors.Join(unread, group.Wait())
	if err == nil {
		err = starting.Err()
	}
	return err
}

// finish gives drafts their vectors and hands them on.
func (s *Scorer) finish(ctx context.Context, batch []draft, done func([]Score) error) error {
	if len(batch) == 0 {
		return nil
	}
	if err := s.embedAll(ctx, batch); err != nil {
		return err
	}
	scores := make([]Score, len(batch))
	for i := range batch {
		scores[i] = batch[i].score
	}
	if err := done(scores); err != nil {
		return fmt.Errorf("keep scores: %w", err)
	}
	return nil
}

// finding is what the calls for one metric of a sample gave.
type finding struct {
	outcome    Outcome
	call       Call
	statements []Statement
	questions  []Question
	evasion    Evasion
	embed      bool // there is no outcome yet: it needs vectors
}

// ask makes the chat calls for one sample. Those of the two metrics have nothing to do with
// each other, so they are made side by side.
func (s *Scorer) ask(ctx context.Context, sample sampler.Sample, guard *requestGuard) (d draft, err error) {
	d.score, d.user = s.blank(sample), asked(sample.Record)
	if strings.TrimSpace(sample.Question) == "" || strings.TrimSpace(sample.Answer) == "" {
		for _, m := range Metrics {
			d.score.Outcomes[m] = unscorable(ReasonEmptyInput)
		}
		return d, nil
	}
	settle, err := s.reserve(ctx, s.AtMost(sample))
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, settle(d.score.Usage)) }()

	var found [2]finding
	var failed [2]error
	var group errgroup.Group
	group.Go(func() error { found[0], failed[0] = s.faithfulness(ctx, sample); return nil })
	group.Go(func() error { found[1], failed[1] = s.questions(ctx, sample); return nil })
	_ = group.Wait()
	d.score.take(found)
	d.embed = found[1].embed
	if err := cmp.Or(failed[0], failed[1]); err != nil { // two that fail for one cause say so once
		return d, err
	}
	return d, guard.see(found[0].outcome, found[1].outcome)
}

// take puts what was found into the score.
func (score *Score) take(found [2]finding) {
	var all Call
	for i, m := range []Metric{Faithfulness, AnswerRelevancy} {
		all.Add(found[i].call)
		if !found[i].embed {
			score.Outcomes[m] = found[i].outcome
		}
	}
	score.Extended, score.Evasion = all.Extended, found[1].evasion
	score.Statements, score.Questions = found[0].statements, found[1].questions
	score.Usage, score.Standin, score.ResponseModel, score.Fingerprint = all.Usage, all.Standin, all.Model, all.Fingerprint
}
