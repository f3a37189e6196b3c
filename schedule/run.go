package schedule

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"
)

// Job is what runs when its schedule says.
type Job struct {
	Name string
	When Schedule
	// Run gets the due time that it runs for. An error ends the schedule: a job that
	// may do better at its next due time logs what went wrong and returns nil.
	Run func(ctx context.Context, due time.Time) error
}

// Run runs the job at each due time until ctx ends, and then returns nil. The job never
// runs twice at once: due times that pass while it runs are skipped, and said so in the
// log. An error of the job is returned with the job's name.
func Run(ctx context.Context, log zerolog.Logger, job Job) error {
	due := job.When.Next(time.Now())
	for !due.IsZero() && sleepUntil(ctx, due) {
		if err := job.Run(ctx, due); err != nil && ctx.Err() == nil {
			return fmt.Errorf("%s due %s: %w", job.Name, due.UTC().Format(time.RFC3339), err)
		}
		due = skip(log, job, due)
	}
	<-ctx.Done()
	return nil
}

// skip returns the first due time that is still to come, and logs those that passed.
func skip(log zerolog.Logger, job Job, ran time.Time) time.Time {
	now := time.Now()
	due := job.When.Next(ran)
	first, skipped := due, 0
	for ; !due.IsZero() && !due.After(now); due = job.When.Next(due) {
		skipped++
	}
	if skipped > 0 {
		log.Warn().Str("job", job.Name).Int("skipped", skipped).Time("first", first).Time("next", due).
			Msg("job ran past its next due times, they are skipped")
	}
	return due
}

// sleepUntil waits for the wall clock to show t; it is false when ctx ends first. It
// looks up at least once a minute, because timers stand still while a machine sleeps
// and do not notice a clock that is set.
func sleepUntil(ctx context.Context, t time.Time) bool {
	for {
		wait := time.Until(t)
		if wait <= 0 {
			return ctx.Err() == nil
		}
		timer := time.NewTimer(min(wait, time.Minute))
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-timer.C:
		}
	}
}
