package main

import (
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
func (r *runner) problems() ([]alert.Problem, error) {
	health := r.health()
	found := problems(health.Receivers)
	if health.Kafka != "" && time.Since(health.KafkaSince) > unreadableAfter {
		found.add(alert.ProblemKafkaUnreadable, health.Kafka, health.KafkaSince)
	}
	if p := r.pauseState(); !p.Since.IsZero() && time.Since(p.Since) > judgeDownAfter {
		found.add(alert.ProblemJudgeDown, "", p.Since)
	}
	return found, errors.Join(r.addNoData(&found), r.addCoverage(&found), r.addLate(&found))
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
func (r *runner) addLate(found *problems) error {
	if r.clock.wall == nil {
		return nil
	}
	n, oldest, err := r.waiting()
	if err != nil {
		return err
	}
	if n <= behindBy {
		r.lateSince = time.Time{}
		return nil
	}
	if r.lateSince.IsZero() {
		r.lateSince = time.Now()
	}
	if time.Since(r.lateSince) > judgeDownAfter {
		found.add(alert.ProblemRunsLate, strconv.Itoa(n), oldest)
	}
	return nil
}

// watch looks after what can go wrong between two runs, once a minute of wall time. With
// the log's own time there is nothing between two runs.
func (r *runner) watch() error {
	if r.clock.wall == nil || time.Since(r.watched) < time.Minute {
		return nil
	}
	r.watched = time.Now()
	now := r.clock.now()
	if time.Since(r.trimmed) > time.Hour {
		r.trimmed = time.Now()
		if err := r.trimAt(now); err != nil {
			return err
		}
	}
	problems, err := r.problems()
	if err != nil {
		return err
	}
	history, result, err := r.store.History()
	if err != nil {
		return err
	}
	incidents, err := r.store.Incidents()
	if err != nil {
		return err
	}
	problems = append(problems, r.notDisproved(incidents)...)
	next, changes := alert.Step(incidents, r.stepInput(now, result.Episodes, history.Acceptances, problems))
	if len(changes) == 0 {
		return nil
	}
	r.logChanges(changes)
	err = r.store.SaveIncidents(changed(incidents, next), alert.Deliveries(changes, r.deliveryOptions(), time.Now()))
	if err == nil {
		r.tell()
	}
	return err
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
			unasked := !r.asked && p.Problem == alert.ProblemJudgeDown
			if unread || unasked {
				out = append(out, p)
			}
		}
	}
	return out
}
