package main

import (
	"errors"
	"fmt"
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
		st, err := r.budget.Standing()
		if err != nil {
			return err
		}
		found.add(alert.ProblemNoBudget, roomOf(st).String(), newest.Window)
	}
	return nil
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
