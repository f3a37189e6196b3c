package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"leadline/alert"
)

// watcher looks after what can go wrong between two runs, beside the runner: a judge that
// is slow, or a long backlog, must not keep a dead broker from being told.
type watcher struct {
	run *runner
	// lateSince is since when too many windows wait; zero when they do not.
	lateSince time.Time
	trimmed   time.Time // when retention was last applied
}

// Run looks once a minute of wall time and after each decision, until ctx ends. With the
// log's own time there is nothing between two runs.
func (w *watcher) Run(ctx context.Context) error {
	if w.run.clock.wall == nil {
		return nil
	}
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		if err := w.look(); err != nil {
			return fmt.Errorf("look after the monitor: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-w.run.decided:
		}
	}
}

func (w *watcher) look() error {
	r := w.run
	if now := time.Now(); now.Sub(w.trimmed) > time.Hour {
		w.trimmed = now
		if err := r.trimAt(now); err != nil {
			return err
		}
	}
	r.incidents.Lock()
	defer r.incidents.Unlock()
	problems, err := r.problems()
	if err != nil {
		return err
	}
	if err := w.addLate(&problems); err != nil {
		return err
	}
	return r.stepBetween(func(in *alert.Input, before []alert.Incident) {
		in.Problems = append(problems, r.notDisproved(before)...)
	})
}

// addLate says when windows that could be decided wait for it.
func (w *watcher) addLate(found *problems) error {
	n, oldest, err := w.run.waiting()
	if err != nil {
		return err
	}
	if n <= behindBy {
		w.lateSince = time.Time{}
		return nil
	}
	if w.lateSince.IsZero() {
		w.lateSince = time.Now()
	}
	if time.Since(w.lateSince) > judgeDownAfter {
		found.add(alert.ProblemRunsLate, strconv.Itoa(n), oldest)
	}
	return nil
}

// waiting counts the windows that were read to their end and are not decided, up to one
// more than is tolerated.
func (r *runner) waiting() (n int, oldest time.Time, err error) {
	w, ok, err := r.store.NextWindow()
	if err != nil || !ok {
		return 0, oldest, err
	}
	for due := w.Due; r.canClose(due) && n <= behindBy; n++ {
		due = r.when.Next(due)
	}
	return n, w.Due, nil
}
