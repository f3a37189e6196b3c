package schedule_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"leadline/schedule"
)

// A bubble's clock starts at 2000-01-01T00:00:00Z.
func TestRunFollowsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Hour)
		defer cancel()
		var due, ran []string
		err := schedule.Run(ctx, zerolog.Nop(), schedule.Job{Name: "score", When: parse(t, "0 */6 * * *", "Asia/Tokyo"),
			Run: func(_ context.Context, d time.Time) error {
				due = append(due, d.UTC().Format(time.TimeOnly))
				ran = append(ran, time.Now().UTC().Format(time.TimeOnly))
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"03:00:00", "09:00:00", "15:00:00", "21:00:00"}
		if d := cmp.Diff(want, due); d != "" {
			t.Errorf("due times (-want +got):\n%s", d)
		}
		if d := cmp.Diff(want, ran); d != "" {
			t.Errorf("ran at (-want +got):\n%s", d)
		}
	})
}

func TestRunNeverOverlapsAndSaysWhatItSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour+30*time.Minute)
		defer cancel()
		var log bytes.Buffer
		var due []string
		running := false
		err := schedule.Run(ctx, zerolog.New(&log), schedule.Job{Name: "score", When: parse(t, "@hourly", "UTC"),
			Run: func(_ context.Context, d time.Time) error {
				if running {
					t.Error("the job runs twice at once")
				}
				running = true
				due = append(due, d.Format(time.TimeOnly))
				if len(due) == 2 {
					time.Sleep(3*time.Hour + 15*time.Minute)
				}
				running = false
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"01:00:00", "02:00:00", "06:00:00", "07:00:00", "08:00:00", "09:00:00", "10:00:00"}
		if d := cmp.Diff(want, due); d != "" {
			t.Errorf("due times (-want +got):\n%s", d)
		}
		if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"skipped":3`) ||
			!strings.Contains(got, `"job":"score"`) {
			t.Errorf("the log does not say once that 3 due times were skipped: %q", got)
		}
	})
}

func TestRunEndsWithTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		err := schedule.Run(t.Context(), zerolog.Nop(), schedule.Job{Name: "score", When: parse(t, "@daily", "UTC"),
			Run: func(context.Context, time.Time) error { return full }})
		if !errors.Is(err, full) || err.Error() != "score due 2000-01-02T00:00:00Z: disk full" {
			t.Errorf("got %v", err)
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	for name, when := range map[string]schedule.Schedule{"waiting": parse(t, "@yearly", "UTC"), "never due": {}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				err := schedule.Run(ctx, zerolog.Nop(), schedule.Job{Name: "report", When: when,
					Run: func(context.Context, time.Time) error { return errors.New("ran") }})
				if err != nil {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestRunForgivesAJobThatWasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		err := schedule.Run(ctx, zerolog.Nop(), schedule.Job{Name: "score", When: parse(t, "@hourly", "UTC"),
			Run: func(ctx context.Context, _ time.Time) error { <-ctx.Done(); return ctx.Err() }})
		if err != nil {
			t.Errorf("got %v", err)
		}
	})
}
