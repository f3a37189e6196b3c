package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/rs/zerolog"

	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/store"
)

// slow is a judge that takes its time for each answer.
type slow struct {
	moody
	takes time.Duration
	err   error // in place of an answer

	mu   sync.Mutex // guards seen
	seen []string
}

func (s *slow) Statements(ctx context.Context, _, answer string, _ ...string) ([]string, scorer.Call, error) {
	if s.err != nil {
		return nil, scorer.Call{}, s.err
	}
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, scorer.Call{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, answer)
	return []string{answer}, scorer.Call{}, nil
}

// of counts the answers that begin with a word: controls are asked about, too.
func (s *slow) of(word string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, answer := range s.seen {
		if len(answer) > len(word) && answer[:len(word)] == word {
			n++
		}
	}
	return n
}

// hourly is a runner on wall time whose runs are due each hour.
func hourly(t *testing.T, st *store.Store, judge scorer.Judge, concurrency int) *runner {
	t.Helper()
	when, err := schedule.Parse("0 * * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scorer.New(scorer.Options{Judge: judge, IDs: map[scorer.Metric]scorer.JudgeID{scorer.Faithfulness: {Model: "m"}}, Concurrency: concurrency})
	if err != nil {
		t.Fatal(err)
	}
	return &runner{
		store: st, log: zerolog.Nop(), clock: newClock(time.Now), when: when, metrics: newMetrics(prometheus.NewRegistry(), func() float64 { return 0 }),
		scoring: func(context.Context) (*scorer.Scorer, error) { return s, nil },
	}
}

// A bubble's clock starts at 2000-01-01T00:00:00Z.
func TestARunEndsBeforeTheNextIsDueAndTheNextGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, w := pickedWindow(t, 8)
		judge := &slow{takes: 10 * time.Minute}
		r := hourly(t, st, judge, 1)
		done, err := r.score(t.Context(), w)
		if done || err != nil || judge.of("answer") != 5 {
			t.Fatalf("done %v (%v) with %d answers after %v, want 5 within 54 minutes", done, err, judge.of("answer"), time.Now())
		}
		if kept := keptOf(t, st, w); kept != 5 {
			t.Errorf("%d scores are stored, want 5", kept)
		}
		if skipped, resumes := r.runs(); skipped != 0 || resumes.Format(time.TimeOnly) != "01:00:00" {
			t.Errorf("%d due times skipped, going on at %v; want none and 01:00", skipped, resumes)
		}
		if done, err := r.score(t.Context(), w); done || err != nil || judge.of("answer") != 5 {
			t.Errorf("asked on before the next run was due: %v, %v", done, err)
		}
		time.Sleep(time.Until(time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC)))
		judge.takes = time.Second
		if done, err := r.score(t.Context(), w); !done || err != nil {
			t.Fatalf("the next run: done %v, %v", done, err)
		}
		judge.mu.Lock()
		defer judge.mu.Unlock()
		slices.Sort(judge.seen)
		if len(slices.Compact(slices.Clone(judge.seen))) != len(judge.seen) {
			t.Errorf("an answer was judged twice: %q", judge.seen)
		}
	})
}

// keptOf counts the scores that are stored of a window that is being scored.
func keptOf(t *testing.T, st *store.Store, w sampler.Window) (n int) {
	t.Helper()
	if err := st.EachKept(w.Due, func(scorer.Score) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheDeadlineOfARun(t *testing.T) {
	r := hourly(t, nil, &slow{}, 1)
	at := func(clock string) time.Time {
		d, err := time.Parse(time.DateTime, "2026-03-02 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range []struct {
		begin, want string
		most        time.Duration
	}{
		{"06:00:00", "06:54:00", 0},
		{"06:50:00", "06:59:00", 0},
		{"06:00:00", "06:20:00", 20 * time.Minute},
		{"06:50:00", "06:59:00", 20 * time.Minute},
	} {
		r.cfg.Score.Deadline = c.most
		if got := r.deadline(at(c.begin)); !got.Equal(at(c.want)) {
			t.Errorf("a run from %s, %v at most, ends by %s, want %s", c.begin, c.most, got.Format(time.TimeOnly), c.want)
		}
	}
	r.clock = newClock(nil)
	if got := r.deadline(at("06:00:00")); !got.IsZero() {
		t.Errorf("with the log's own time a run has to end by %s", got)
	}
}

func TestDueTimesDuringARunAreCounted(t *testing.T) {
	r := hourly(t, nil, &slow{}, 1)
	begin := time.Date(2026, 3, 2, 6, 10, 0, 0, time.UTC)
	r.countSkipped(begin, begin.Add(49*time.Minute))
	r.countSkipped(begin, begin.Add(3*time.Hour))
	if skipped, _ := r.runs(); skipped != 3 || testutil.ToFloat64(r.metrics.skipped) != 3 {
		t.Errorf("%d skipped, metric %v; want 3: 07:00, 08:00 and 09:00", skipped, testutil.ToFloat64(r.metrics.skipped))
	}
}

func TestAServerThatAsksToWaitPausesScoringForSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, w := pickedWindow(t, 3)
		judge := &slow{err: fmt.Errorf("call judge: %w", &scorer.WaitError{Wait: 17 * time.Minute})}
		r := hourly(t, st, judge, 1)
		if done, err := r.score(t.Context(), w); done || err != nil {
			t.Fatalf("done %v, %v", done, err)
		}
		p := r.pauseState()
		if time.Until(p.Until) != 17*time.Minute || p.Reason != "ask judge: call judge: judge is not reachable: the server asks to wait 17m0s" {
			t.Errorf("paused until %v because %q", p.Until, p.Reason)
		}
		judge.err = nil
		time.Sleep(18 * time.Minute)
		if done, err := r.score(t.Context(), w); !done || err != nil {
			t.Errorf("after the wait: done %v, %v", done, err)
		}
	})
}

func TestTheEndOfTheDaemonKeepsWhatIsScored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, w := pickedWindow(t, 8)
		judge := &slow{takes: time.Minute}
		r := hourly(t, st, judge, 2)
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		if done, err := r.score(ctx, w); done || err != nil {
			t.Fatalf("done %v, %v; want a quiet end", done, err)
		}
		if kept := keptOf(t, st, w); kept != 4 {
			t.Errorf("%d scores are stored, want the 4 of two minutes", kept)
		}
		if done, err := r.score(t.Context(), w); !done || err != nil || judge.of("answer") != 8 {
			t.Errorf("after a restart: done %v, %v, %d answers judged, want each of 8 once", done, err, judge.of("answer"))
		}
	})
}
