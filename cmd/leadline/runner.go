package main

import (
	"context"
	"errors"
	"fmt"
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
	// toldOver is when it was last logged that the budget is not enough.
	toldOver time.Time
	// asked is true once the judge has answered since the start.
	asked atomic.Bool

	mu      sync.Mutex // guards what is below
	paused  pause
	resumes time.Time // when a run goes on that came to its deadline
	skipped int64     // due times that passed during a run
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

// retryAfter is how long scoring stands still after the judge could not be asked.
const retryAfter = 30 * time.Second

// isJudgeTrouble says whether the judge is to blame; anything else, such as a full disk,
// ends the daemon.
func isJudgeTrouble(err error) bool {
	return errors.Is(err, scorer.ErrJudgeDown) || errors.Is(err, scorer.ErrJudgePaused) || errors.Is(err, scorer.ErrJudgeChanged)
}

// pause stops scoring for a while when the judge cannot be asked: for as long as its server
// asks, where it does. Reading goes on; nothing is lost. Any other cause is returned.
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
	wait := retryAfter
	if w, ok := errors.AsType[*scorer.WaitError](cause); ok {
		wait = max(wait, w.Wait)
	}
	r.paused.Until, r.paused.Reason = now.Add(wait), cause.Error()
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
	now := time.Now()
	return now.Before(r.paused.Until) || now.Before(r.resumes)
}

func (r *runner) pauseState() pause {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paused
}
