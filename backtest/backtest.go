package backtest

import (
	"time"

	"leadline/alert"
	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// Result is what Leadline would have told.
type Result struct {
	Answers int                   `json:"answers"`
	Scored  map[scorer.Metric]int `json:"scored"`
	Missing map[scorer.Metric]int `json:"missing"`
	Runs    int                   `json:"runs"`
	From    time.Time             `json:"from"` // start of the first run
	To      time.Time             `json:"to"`   // due time of the last one
	// Incidents are in the order in which they would have been opened; Told counts the
	// messages about them.
	Incidents []alert.Incident `json:"incidents"`
	Told      int              `json:"messages"`
	Series    []drift.State    `json:"series"` // after the last run
	// Injected says when a drop would have been found, had there been one.
	Injected []Injected `json:"injected"`
}

// Run decides every run of a table in order, as the daemon would have done.
func Run(t Table, c Clock, cfg config.Drift) (Result, error) {
	runs, err := runsOf(t, c)
	if err != nil {
		return Result{}, err
	}
	out := Result{Answers: len(t.Answers), Scored: map[scorer.Metric]int{}, Missing: t.Missing, Runs: len(runs), Incidents: []alert.Incident{}, Injected: []Injected{}}
	for _, a := range t.Answers {
		for m := range a.Scores {
			out.Scored[m]++
		}
	}
	if len(runs) == 0 {
		return out, nil
	}
	out.From, out.To = runs[0].window.Start, runs[len(runs)-1].window.Due
	before := make([][]drift.Episode, 0, len(runs)) // what was open before each run
	var episodes []drift.Episode
	err = drift.Replay(history(runs), cfg, func(due time.Time, _ drift.History, r drift.Result) error {
		before = append(before, episodes)
		episodes = r.Episodes
		next, changes := alert.Step(out.Incidents, alert.Input{
			Run: due, Every: every(runs), Episodes: r.Episodes,
			SamplesSince: func(since, until time.Time) int { return samples(runs, since, until) },
		})
		out.Incidents, out.Told, out.Series = next, out.Told+len(changes), r.States
		return nil
	})
	if err != nil {
		return out, err
	}
	out.Injected = inject(runs, before, cfg)
	return out, nil
}

// every is the usual distance of runs.
func every(runs []run) time.Duration {
	if len(runs) < 2 {
		return 24 * time.Hour
	}
	return runs[len(runs)-1].window.Due.Sub(runs[len(runs)-1].window.Start)
}

// samples counts the answers of the runs from since to until.
func samples(runs []run, since, until time.Time) (n int) {
	for _, r := range runs {
		if !r.window.Due.Before(since) && !r.window.Due.After(until) {
			n += len(r.scores)
		}
	}
	return n
}
