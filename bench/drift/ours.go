package main

import (
	"math"
	"slices"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// day is the distance of two runs, unless a monitor has another.
const day = 24 * time.Hour

// monitor is Leadline's detector as it ships: a decision after each run, on all rows so far
// and with the episodes of the run before. That is what the daemon decides, to the bit; it
// only reads its rows anew each time.
type monitor struct {
	cfg       config.Drift
	evaluator *drift.Evaluator
	history   drift.History // all that the evaluator was given, and the episodes until now
	result    drift.Result
	runs      int
	every     time.Duration // from one run to the next
}

func newMonitor(cfg config.Drift) *monitor {
	return &monitor{cfg: cfg, evaluator: drift.NewEvaluator(cfg), every: day}
}

// told returns a monitor that has seen the same until now, and knows of a mark besides.
func (m *monitor) told(mark drift.Mark) *monitor {
	out := *m
	out.history.Rows, out.history.Tallies = slices.Clip(m.history.Rows), slices.Clip(m.history.Tallies)
	out.history.Marks = append(slices.Clone(m.history.Marks), mark)
	out.evaluator = drift.NewEvaluator(m.cfg)
	out.evaluator.Add(out.history)
	return &out
}

// shipped is the configuration that a user gets who sets nothing.
func shipped() config.Drift { return config.Default().Drift }

// window is what one run saw: rows of one window, and the tally of its records if kept.
type window struct {
	rows  []drift.Row
	tally *sampler.Tally
}

// learn takes a run without deciding anything, as backfill does.
func (m *monitor) learn(w window) {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Add(time.Duration(m.runs) * m.every)
	m.runs++
	var news drift.History
	for _, r := range w.rows {
		r.Start, r.Due = start, start.Add(m.every)
		news.Rows = append(news.Rows, r)
	}
	if w.tally != nil {
		t := *w.tally
		t.Start, t.Due = start, start.Add(m.every)
		news.Tallies = append(news.Tallies, t)
	}
	m.evaluator.Add(news)
	m.history.Rows, m.history.Tallies = append(m.history.Rows, news.Rows...), append(m.history.Tallies, news.Tallies...)
}

// next takes a run and returns the episodes that it opened: each is a page.
func (m *monitor) next(w window) []drift.Episode {
	m.learn(w)
	m.result = m.evaluator.Decide()
	m.history.Episodes = m.result.Episodes
	var opened []drift.Episode
	for _, e := range m.result.Episodes {
		if e.Opened.Equal(m.due(m.runs - 1)) {
			opened = append(opened, e)
		}
	}
	return opened
}

// due returns the due time of a run, counted from the first of the reference.
func (m *monitor) due(run int) time.Time {
	return time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Add(time.Duration(run+1) * m.every)
}

// run returns the number of the run due at a time.
func (m *monitor) run(due time.Time) int { return int(due.Sub(m.due(0)) / m.every) }

// lnEvidence is the evidence of the first series after the newest run; +∞ while it is down.
func (m *monitor) lnEvidence() float64 {
	if len(m.result.States) == 0 {
		return math.Inf(-1)
	}
	if s := m.result.States[0]; s.Status != "down" {
		return s.LnEvidence
	}
	return math.Inf(1)
}

// rowOf sums up the scores of one cell as drift.Rows does.
func rowOf(metric scorer.Metric, cell sampler.Cell, xs []float64) drift.Row {
	r := drift.Row{Metric: metric, Judge: "judge", Cell: cell}
	for _, x := range xs {
		r.Moments = r.Add(x)
	}
	return r
}

// plain is a run of one cell without a tally; one without scores has no row.
func plain(xs []float64) window {
	if len(xs) == 0 {
		return window{}
	}
	return window{rows: []drift.Row{rowOf(scorer.Faithfulness, "", xs)}}
}

// page is what a monitor told of a stream.
type page struct {
	run int // of the first page, counted from the first run after the reference; -1 without
	// top is the largest evidence up to it, +∞ if there was a page; top30 that of the first
	// 30 runs.
	top, top30 float64
	start      int // most likely first run after the change
	drift.Finding
}

// watch returns the first page of a stream. Runs before from decide nothing: it is known
// that they tell nothing, and Evaluate then needs nothing from them but their rows.
func watch(s stream, cfg config.Drift, from int) page {
	m := newMonitor(cfg)
	for _, xs := range s.reference {
		m.learn(plain(xs))
	}
	p := page{run: -1, top: math.Inf(-1), top30: math.Inf(-1)}
	for i, xs := range s.runs {
		if i < from {
			m.learn(plain(xs))
			continue
		}
		opened := m.next(plain(xs))
		p.top = math.Max(p.top, m.lnEvidence())
		if i < 30 {
			p.top30 = p.top
		}
		if len(opened) > 0 {
			p.run, p.Finding = i, opened[0].Finding
			p.start = m.run(p.Since) - len(s.reference)
			return p
		}
	}
	return p
}
