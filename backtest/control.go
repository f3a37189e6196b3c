package backtest

import (
	"slices"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// control is what is kept of times in which nothing was down, in order of time.
type control struct {
	rows        []drift.Row
	tallies     []sampler.Tally
	marks       []drift.Mark
	acceptances []drift.Acceptance
}

// inControl leaves out what drift leaves out of every baseline, the rows of each episode,
// and the rows of judges before the newest one.
func inControl(k Kept, episodes []drift.Episode) control {
	newest := newestJudges(k.Rows)
	var rows []drift.Row
	for _, r := range k.Rows {
		down := slices.ContainsFunc(episodes, func(e drift.Episode) bool { return isIn(r, e) })
		if r.N > 0 && r.Judge == newest[r.Metric] && !down {
			rows = append(rows, r)
		}
	}
	h := drift.History{Rows: rows, Tallies: k.Tallies, Marks: k.Marks, Acceptances: k.Acceptances}.InOrder()
	return control{h.Rows, h.Tallies, h.Marks, h.Acceptances}
}

// isIn says whether a row is of the time of an episode and of its series; a release that
// was taken back had all series.
func isIn(r drift.Row, e drift.Episode) bool {
	if r.Due.Before(e.From) || !e.Resolved.IsZero() && !r.Due.Before(e.Resolved) {
		return false
	}
	s := e.Series
	return e.Kind == drift.KindRegression && !e.Resolved.IsZero() ||
		s.Metric == r.Metric && (s.Dim == "" || r.Cell.Values()[s.Dim] == s.Value)
}

// newestJudges are who scored most of the newest run of each metric.
func newestJudges(rows []drift.Row) map[scorer.Metric]string {
	due, n := map[scorer.Metric]time.Time{}, map[scorer.Metric]map[string]int{}
	for _, r := range rows {
		if r.Due.After(due[r.Metric]) {
			due[r.Metric], n[r.Metric] = r.Due, map[string]int{}
		}
		if r.Due.Equal(due[r.Metric]) {
			n[r.Metric][r.Judge] += r.N
		}
	}
	out := map[scorer.Metric]string{}
	for m, counts := range n {
		most := 0
		for judge, count := range counts {
			if count > most || count == most && judge < out[m] {
				out[m], most = judge, count
			}
		}
	}
	return out
}

// metrics are the scores that there are rows of.
func (c control) metrics() []scorer.Metric {
	return slices.DeleteFunc(slices.Clone(scorer.Metrics), func(m scorer.Metric) bool { return len(c.runsOf(m)) == 0 })
}

// runsOf are the due times of the runs with rows of a metric.
func (c control) runsOf(m scorer.Metric) []time.Time {
	var out []time.Time
	for _, r := range c.rows {
		if n := len(out); r.Metric == m && (n == 0 || !out[n-1].Equal(r.Due)) {
			out = append(out, r.Due)
		}
	}
	return out
}

// until is the history of rows in order of time up to a run.
func (c control) until(rows []drift.Row, due time.Time) drift.History {
	return drift.History{Rows: rows, Tallies: c.tallies, Marks: c.marks, Acceptances: c.acceptances}.Until(due)
}
