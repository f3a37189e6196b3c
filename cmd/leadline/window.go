package main

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"leadline/sampler"
	"leadline/scorer"
	"leadline/store"
)

// scoring is a window that is being scored. Its samples are read when they are needed, and
// its scores are stored as they come: what is in memory does not grow with the picks, and an
// interrupted run goes on at the first sample without a score.
type scoring struct {
	*runner
	window sampler.Window
	judge  *scorer.Scorer
	picks  []pick // by hash: a budget that runs out must not favor a stratum
	place  map[string]int
	// over are the IDs that the budget leaves out, smallest the smallest hash of them in each
	// stratum.
	over     map[string]bool
	smallest map[sampler.Cell]float64
	// reasons count why those of this run have no score.
	reasons map[scorer.Reason]int
}

type pick struct {
	store.Pick
	gone bool // its text is no longer kept
}

// score judges the picks of a window. It says false when the judge cannot be asked now, or
// the time of the run is over.
func (r *runner) score(ctx context.Context, w sampler.Window) (bool, error) {
	if r.isPaused() {
		return false, nil
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	run, end := r.beginRun(ctx)
	defer end()
	err := r.scoreWindow(run, w)
	if err == nil {
		r.resume()
		return true, nil
	}
	if r.postpone(ctx, run, w) {
		return false, nil
	}
	return false, r.pause(ctx, err)
}

func (r *runner) scoreWindow(ctx context.Context, w sampler.Window) error {
	judge, err := r.scoring(ctx)
	if err != nil {
		return err
	}
	s := &scoring{runner: r, window: w, judge: judge, place: map[string]int{}, reasons: map[scorer.Reason]int{}}
	if err := s.list(); err != nil {
		return err
	}
	if err := s.afford(); err != nil {
		return err
	}
	out := store.Scored{Judges: judge.IDs()}
	err = judge.ScoreEach(ctx, s.open(), s.keep)
	r.lookOver(s.reasons, err)
	stuck, overBudget := isJudgeTrouble(err), errors.Is(err, scorer.ErrOverBudget)
	if err != nil && !overBudget && (!stuck || r.patient(w)) {
		return err
	}
	// A window without samples needs no ruler.
	if len(s.picks) > len(s.over) {
		out.Controls, err = s.controls(ctx)
		if err != nil && !errors.Is(err, scorer.ErrOverBudget) {
			return err
		}
		r.asked.Store(true)
	}
	switch {
	case stuck:
		err = s.singly(ctx)
	case overBudget:
		s.cutShort()
		err = nil
	default:
		err = s.lookAgain(ctx)
	}
	if err != nil {
		return err
	}
	return s.save(out)
}

// list lists the picks, and finds those that are scored already.
func (s *scoring) list() error {
	keys := map[scorer.Metric]string{}
	for m, id := range s.judge.IDs() {
		keys[m] = id.Key()
	}
	picks, err := s.store.PickList(s.window.Due, keys)
	if err != nil {
		return err
	}
	slices.SortFunc(picks, func(a, b store.Pick) int { return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.ID, b.ID)) })
	for i, p := range picks {
		s.picks = append(s.picks, pick{Pick: p})
		s.place[p.ID] = i
	}
	return nil
}

// open are the samples without a score.
func (s *scoring) open() iter.Seq2[sampler.Sample, error] {
	return s.samples(func(p pick) bool { return !p.Scored && !s.over[p.ID] })
}

// samples reads picks, one after the other.
func (s *scoring) samples(which func(pick) bool) iter.Seq2[sampler.Sample, error] {
	return func(yield func(sampler.Sample, error) bool) {
		for i, p := range s.picks {
			if !which(p) || p.gone {
				continue
			}
			sample, ok, err := s.store.SampleOf(p.Pick)
			if err == nil && !ok {
				s.picks[i].gone = true
				continue
			}
			if !yield(sample, err) {
				return
			}
		}
	}
}

// keep stores scores as they come.
func (s *scoring) keep(scores []scorer.Score) error {
	if err := s.store.KeepScores(scores); err != nil {
		return err
	}
	for _, score := range scores {
		s.picks[s.place[score.SampleID]].Scored = true
		for _, o := range score.Outcomes {
			s.reasons[o.Reason]++
		}
	}
	return nil
}

func (s *scoring) idsOf(which func(pick) bool) (ids []string) {
	for _, p := range s.picks {
		if which(p) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// singly judges what is left one by one after the judge has answered the controls: a sample
// that it never answers must not keep all later windows from being decided.
func (s *scoring) singly(ctx context.Context) error {
	for sample, err := range s.open() {
		if err != nil {
			return err
		}
		scores, err := s.scoreSingly(ctx, s.judge, []sampler.Sample{sample})
		if err != nil {
			return err
		}
		if err := s.keep(scores); err != nil {
			return err
		}
	}
	return nil
}

// save moves the window on.
func (s *scoring) save(out store.Scored) error {
	all := newTally(s.window)
	if err := s.store.EachKept(s.window.Due, func(score scorer.Score) error {
		if s.over[score.SampleID] {
			all.run.Usage.Add(score.Usage) // it was paid, and is not counted
			return nil
		}
		return all.add(score)
	}); err != nil {
		return err
	}
	out.Expired = s.idsOf(func(p pick) bool { return p.gone })
	out.OverBudget, out.Smallest = s.idsOf(func(p pick) bool { return s.over[p.ID] && !p.gone }), s.smallest
	out.Run = all.close(out)
	out.Run.Samples = len(s.picks) - len(out.Expired)
	s.log.Info().Time("window", s.window.Due).Int("samples", out.Run.Samples).Int("scored", out.Run.Scored[scorer.Faithfulness]).
		Int("chat_requests", out.Run.Usage.ChatRequests).Int("control_requests", out.Run.Controls.ChatRequests).Msg("window scored")
	if err := s.store.SaveScores(s.window.Due, out); err != nil {
		return err
	}
	s.metrics.observe(all)
	return nil
}

// scoreAll judges the samples and returns what was judged until the first trouble.
func scoreAll(ctx context.Context, judge *scorer.Scorer, samples []sampler.Sample) (scores []scorer.Score, err error) {
	err = judge.ScoreAll(ctx, samples, func(s scorer.Score) error {
		scores = append(scores, s)
		return nil
	})
	return scores, err
}

// scoreSingly judges samples one by one after the judge has answered something else. One
// that it does not answer has no score.
func (r *runner) scoreSingly(ctx context.Context, judge *scorer.Scorer, samples []sampler.Sample) ([]scorer.Score, error) {
	scores := make([]scorer.Score, 0, len(samples))
	for _, p := range samples {
		s, err := judge.Score(ctx, p)
		switch {
		case errors.Is(err, scorer.ErrJudgeDown) && ctx.Err() == nil:
			r.log.Warn().Str("sample", p.ID).Msg("the judge answers, but not for this sample; it has no score")
			s = judge.Unanswered(p)
		case err != nil:
			return nil, err
		}
		scores = append(scores, s)
	}
	return scores, nil
}

// patience is how often a window is tried as a whole before its samples are tried one by one.
const patience = 5

// patient counts the tries of a window, and says whether to go on trying it as a whole.
func (r *runner) patient(w sampler.Window) bool {
	if !r.tried.Equal(w.Due) {
		r.tried, r.tries = w.Due, 0
	}
	r.tries++
	return r.tries <= patience
}
