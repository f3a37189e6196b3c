package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"leadline/alert"
	"leadline/drift"
)

// health is what the parts around the runner say of themselves.
type health struct {
	Kafka      string    // class of what keeps it from being read; empty when reading works
	KafkaSince time.Time // wall time
	Receivers  []alert.Problem
}

// Limits of a blind monitor. A blip is not worth a page.
const (
	unreadableAfter = 15 * time.Minute
	judgeDownAfter  = 30 * time.Minute
	minCoverage     = 0.95
	// behindBy is how many windows may wait for a decision.
	behindBy = 3
)

// problems returns what keeps the monitor from seeing.
func (r *runner) problems() (problems, error) {
	health := r.health()
	found := problems(health.Receivers)
	if health.Kafka != "" && time.Since(health.KafkaSince) > unreadableAfter {
		found.add(alert.ProblemKafkaUnreadable, health.Kafka, health.KafkaSince)
	}
	if p := r.pauseState(); !p.Since.IsZero() && time.Since(p.Since) > judgeDownAfter {
		found.add(alert.ProblemJudgeDown, "", p.Since)
	}
	return found, errors.Join(r.addNoData(&found), r.addCoverage(&found))
}

type problems []alert.Problem

func (p *problems) add(kind, figures string, since time.Time) {
	*p = append(*p, alert.Problem{Kind: drift.KindBlind, Problem: kind, Detail: figures, Since: since})
}

// addNoData says when the log was read up to a time long after its newest record. While
// reading catches up, nothing is known of the time that was not read yet.
func (r *runner) addNoData(found *problems) error {
	last, err := r.store.LastRecord()
	if err != nil || last.IsZero() {
		return err
	}
	// Records that are not sampled tell no time, but they are data.
	if read := r.lastRead(); read.After(last) {
		last = read
	}
	if gap := r.clock.low().Sub(last); gap > r.cfg.Drift.NoDataAfter {
		found.add(alert.ProblemNoData, gap.Round(time.Minute).String(), last)
	}
	return nil
}

func (r *runner) addCoverage(found *problems) error {
	runs, err := r.store.Runs(coverageSamples)
	if err != nil || len(runs) == 0 {
		return err
	}
	newest := runs[len(runs)-1]
	if c := coverage(runs); c.samples >= coverageSamples && c.share() < minCoverage {
		found.add(alert.ProblemCoverage, fmt.Sprintf("%s %d / %d", c.metric, c.scored, c.samples), newest.Window)
	}
	if newest.Samples > 0 && newest.OverBudget == newest.Samples {
		found.add(alert.ProblemNoBudget, "", newest.Window)
	}
	return nil
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

// stepBetween brings the incidents up to date outside of a run. The caller holds
// r.incidents.
func (r *runner) stepBetween(with func(in *alert.Input, before []alert.Incident)) error {
	history, result, err := r.store.History()
	if err != nil {
		return err
	}
	before, err := r.store.Incidents()
	if err != nil {
		return err
	}
	in := r.stepInput(r.clock.now(), result.Episodes, history.Acceptances)
	if len(result.States) > 0 {
		in.History = r.isHistory(result.States[0].Run)
	}
	with(&in, before)
	next, changes := alert.Step(before, in)
	if news := changed(before, next); len(news) > 0 {
		err = r.store.SaveIncidents(news, alert.Deliveries(changes, r.deliveryOptions(), time.Now()))
	}
	if err != nil || len(changes) == 0 {
		return err
	}
	r.logChanges(changes)
	if r.tell != nil {
		r.tell()
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

// notDisproved are the problems of open incidents of which nothing is known yet since the
// start: a restart must not end an incident that goes on.
func (r *runner) notDisproved(incidents []alert.Incident) []alert.Problem {
	var out []alert.Problem
	for _, i := range incidents {
		if !i.Open() || i.Kind != drift.KindBlind {
			continue
		}
		for _, p := range i.Problems {
			unread := r.clock.low().IsZero() && p.Problem != alert.ProblemJudgeDown
			unasked := !r.asked.Load() && p.Problem == alert.ProblemJudgeDown
			if unread || unasked {
				out = append(out, p)
			}
		}
	}
	return out
}
