package main

import (
	"context"
	"errors"
	"time"

	"leadline/sampler"
)

// errDeadline ends a run: the next one is due.
var errDeadline = errors.New("the time of the run is over")

// drain is how long calls in flight may go on when a run or the daemon ends: they are paid
// for, and are remembered.
const drain = 30 * time.Second

// beginRun bounds a run by its deadline. When that comes nothing new starts; what is in
// flight is drained. end counts the due times that passed meanwhile.
func (r *runner) beginRun(ctx context.Context) (run context.Context, end func()) {
	begin := time.Now()
	deadline := r.deadline(begin)
	if deadline.IsZero() {
		return ctx, func() {}
	}
	run, cancel := context.WithDeadlineCause(ctx, deadline, errDeadline)
	return run, func() {
		cancel()
		r.countSkipped(begin, time.Now())
	}
}

// deadline is when a run that begins now has to end: a tenth of the time is left before the
// next is due. With the log's own time no run is due at any time of the clock.
func (r *runner) deadline(now time.Time) time.Time {
	next := r.when.Next(now)
	if r.clock.wall == nil || next.IsZero() {
		return time.Time{}
	}
	left := next.Sub(now) * 9 / 10
	if most := r.cfg.Score.Deadline; most > 0 {
		left = min(left, most)
	}
	return now.Add(left)
}

// countSkipped counts the due times at which no run began, because one was under way.
func (r *runner) countSkipped(begin, end time.Time) {
	var n int64
	for due := r.when.Next(begin); !due.IsZero() && !due.After(end); due = r.when.Next(due) {
		n++
	}
	if n == 0 {
		return
	}
	r.metrics.skipped.Add(float64(n))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.skipped += n
}

// postpone leaves the rest of a window to the next run where the time of this one is over.
// ctx is that of the daemon.
func (r *runner) postpone(ctx, run context.Context, w sampler.Window) bool {
	if ctx.Err() != nil || !errors.Is(context.Cause(run), errDeadline) {
		return false
	}
	now := time.Now()
	next := r.when.Next(now)
	r.mu.Lock()
	r.resumes = next
	r.mu.Unlock()
	r.log.Warn().Time("window", w.Due).Time("next", next).Msg("the time of the run is over; the window goes on with the next one")
	return true
}

// runs says how many due times were skipped, and until when a run waits for the next one.
func (r *runner) runs() (skipped int64, resumes time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Now().Before(r.resumes) {
		resumes = r.resumes
	}
	return r.skipped, resumes
}
