package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/store"
)

// runner works off closed windows, oldest first: picks, scores, decision. Each step is one
// transaction of the store, so that a crash resumes at the first missing one.
type runner struct {
	cfg      config.Config
	log      zerolog.Logger
	clock    *clock
	store    *store.Store
	scoring  func(context.Context) (*scorer.Scorer, error)
	judge    func() map[scorer.Metric]scorer.JudgeID // nil: nobody knows
	doubt    func()                                  // the judge's server refused the form of a request; nil: nobody cares
	when     schedule.Schedule                       // of scoring
	reports  schedule.Schedule
	location *time.Location
	tell     func() // wakes the teller
	health   func() health
	budget   *store.Budget
	lastRead func() time.Time // wall time of the newest read of anything; zero with the log's own time
	standin  bool
	metrics  *metrics
	wake     chan struct{} // size 1: something was read
	idle     atomic.Bool   // no step can be done now
	// incidents is held from reading the incidents to storing what became of them.
	incidents sync.Mutex
	// asking is held while the judge is asked for a run, or for a part of a bridge; bridging
	// while a part of a bridge is made.
	asking, bridging sync.Mutex
	decided          chan struct{} // size 1: a window was decided
	// tried is the window that the judge did not get through, tries how often.
	tried time.Time
	tries int
	// asked is true once the judge has answered since the start.
	asked atomic.Bool

	mu     sync.Mutex // guards paused
	paused pause
}

// pause says why scoring stands still.
type pause struct {
	Since  time.Time
	Until  time.Time
	Reason string
	Last   time.Time // when it was last logged
}

// tick is how often the runner looks without being woken.
const tick = time.Second

// Run works until ctx ends. It returns an error only when going on is pointless: the
// store cannot be written.
func (r *runner) Run(ctx context.Context) error {
	if err := r.catchUpReport(); err != nil {
		return err
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if err := r.work(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-r.wake:
		}
	}
}

// poke wakes the runner.
func (r *runner) poke() { poke(r.wake) }

// poke wakes who waits on a channel of size 1, or will.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// work does every step that can be done now.
func (r *runner) work(ctx context.Context) error {
	r.idle.Store(false)
	for ctx.Err() == nil {
		more, err := r.step(ctx)
		if err != nil {
			return fmt.Errorf("work off a window: %w", err)
		}
		if !more {
			r.idle.Store(true)
			return nil
		}
	}
	return nil
}

// step does the next step of the oldest undecided window, and says whether there was one.
func (r *runner) step(ctx context.Context) (bool, error) {
	w, ok, err := r.store.NextWindow()
	if err != nil || !ok {
		return false, err
	}
	switch w.State {
	case sampler.WindowOpen:
		if !r.canClose(w.Due) {
			return false, nil
		}
		return true, r.store.CloseWindow(w)
	case sampler.WindowSampled:
		return r.score(ctx, w)
	default:
		return true, r.decide(w)
	}
}

// canClose says whether the log was read past the end of a window.
func (r *runner) canClose(due time.Time) bool {
	return r.clock.low().After(due.Add(r.cfg.Score.Lateness))
}

// score judges the picks of a window. It says false when the judge cannot be asked now.
func (r *runner) score(ctx context.Context, w sampler.Window) (bool, error) {
	if r.isPaused() {
		return false, nil
	}
	picks, gone, err := r.store.Picks(w.Due)
	if err != nil {
		return false, err
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	// A budget that runs out must not favor a stratum.
	slices.SortFunc(picks, func(a, b sampler.Sample) int { return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.ID, b.ID)) })
	scoring, err := r.scoring(ctx)
	if err != nil {
		return false, r.pause(ctx, err)
	}
	all := picks
	picks, over, err := r.afford(w, all, scoring.AtMost)
	if err != nil {
		return false, err
	}
	out := store.Scored{Expired: gone, Judges: scoring.IDs(), OverBudget: over}
	out.Scores, err = scoreAll(ctx, scoring, picks)
	r.lookOver(out.Scores, err)
	stuck := isJudgeTrouble(err)
	switch {
	case stuck && r.patient(w):
		return false, r.pause(ctx, err)
	case err != nil && !stuck && !errors.Is(err, scorer.ErrOverBudget):
		return false, r.pause(ctx, err)
	}
	overBudget := errors.Is(err, scorer.ErrOverBudget)
	// A window without samples needs no ruler. The others get it after their samples, so that
	// a sample that has to be tried again does not pay for the controls again.
	if len(picks) > 0 {
		out.Controls, err = scoring.Controls(ctx, scorer.Controls(), w.Due)
		if err != nil && !errors.Is(err, scorer.ErrOverBudget) {
			return false, r.pause(ctx, err)
		}
		r.asked.Store(true)
	}
	if stuck {
		if out.Scores, err = r.scoreSingly(ctx, scoring, picks); err != nil {
			return false, r.pause(ctx, err)
		}
	} else if overBudget {
		var more []string
		out.Scores, more = cutShort(picks, out.Scores)
		out.OverBudget = append(out.OverBudget, more...)
	} else if err := r.lookAgain(ctx, scoring, w, picks, &out); err != nil {
		return false, r.pause(ctx, err)
	}
	r.resume()
	slices.SortFunc(out.Scores, func(a, b scorer.Score) int { return cmp.Compare(a.SampleID, b.SampleID) })
	out.Run = sumUp(w, all, out)
	r.log.Info().Time("window", w.Due).Int("samples", len(all)).Int("over_budget", len(out.OverBudget)).Int("scored", out.Run.Scored[scorer.Faithfulness]).
		Int("chat_requests", out.Run.Usage.ChatRequests).Int("control_requests", out.Run.Controls.ChatRequests).Msg("window scored")
	if err := r.store.SaveScores(w.Due, out); err != nil {
		return false, err
	}
	r.metrics.observe(out)
	return true, nil
}

// scoreAll judges the picks and returns what was judged until the first trouble.
func scoreAll(ctx context.Context, scoring *scorer.Scorer, picks []sampler.Sample) (scores []scorer.Score, err error) {
	err = scoring.ScoreAll(ctx, picks, func(s scorer.Score) error {
		scores = append(scores, s)
		return nil
	})
	return scores, err
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

// scoreSingly judges the picks one by one after the judge has answered the controls: a sample
// that it never answers must not keep all later windows from being decided.
func (r *runner) scoreSingly(ctx context.Context, scoring *scorer.Scorer, picks []sampler.Sample) ([]scorer.Score, error) {
	scores := make([]scorer.Score, 0, len(picks))
	for _, p := range picks {
		s, err := scoring.Score(ctx, p)
		switch {
		case errors.Is(err, scorer.ErrJudgeDown) && ctx.Err() == nil:
			r.log.Warn().Str("sample", p.ID).Msg("the judge answers, but not for this sample; it has no score")
			s = scoring.Unanswered(p)
		case err != nil:
			return nil, err
		}
		scores = append(scores, s)
	}
	return scores, nil
}

// sumUp counts what a window's scoring gave.
func sumUp(w sampler.Window, picks []sampler.Sample, in store.Scored) scorer.Run {
	run := scorer.Run{Window: w.Due, Samples: len(picks), OverBudget: len(in.OverBudget), Scored: map[scorer.Metric]int{}, Unscorable: map[scorer.Metric]map[scorer.Reason]int{}}
	for _, s := range in.Scores {
		run.Usage.Add(s.Usage)
		if s.Second != nil {
			run.Usage.Add(s.Second.Usage)
		}
		for metric, o := range s.Outcomes {
			if o.Scored {
				run.Scored[metric]++
				continue
			}
			if run.Unscorable[metric] == nil {
				run.Unscorable[metric] = map[scorer.Reason]int{}
			}
			run.Unscorable[metric][o.Reason]++
		}
	}
	run.Agreement = scorer.Agreements(in.Scores)
	for _, c := range in.Controls {
		run.Controls.Add(c.Usage)
	}
	return run
}

// retryAfter is how long scoring stands still after the judge could not be asked.
const retryAfter = 30 * time.Second

// isJudgeTrouble says whether the judge is to blame; anything else, such as a full disk,
// ends the daemon.
func isJudgeTrouble(err error) bool {
	return errors.Is(err, scorer.ErrJudgeDown) || errors.Is(err, scorer.ErrJudgePaused) || errors.Is(err, scorer.ErrJudgeChanged)
}

// pause stops scoring for a while when the judge cannot be asked. Reading goes on; nothing
// is lost. Any other cause is returned.
func (r *runner) pause(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return nil
	}
	if !isJudgeTrouble(cause) {
		return cause
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.paused.Since.IsZero() {
		r.paused.Since = now
	}
	r.paused.Until, r.paused.Reason = now.Add(retryAfter), cause.Error()
	if now.Sub(r.paused.Last) >= time.Minute {
		r.paused.Last = now
		r.log.Warn().Err(cause).Msg("the judge cannot be asked; scoring waits, reading goes on")
	}
	return nil
}

func (r *runner) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paused = pause{}
}

func (r *runner) isPaused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.paused.Until)
}

func (r *runner) pauseState() pause {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paused
}
