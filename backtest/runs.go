package backtest

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// judge is the identity of scores whose judge is not known.
const judge = "file"

// run is the scores of one window.
type run struct {
	window sampler.Window
	scores []scorer.Score
	tally  sampler.Tally
}

// Clock says how answers become runs.
type Clock struct {
	// Window returns the window of a time: after start, and until due.
	Window func(t time.Time) (start, due time.Time)
	// PerRun takes so many answers in order as one day's run, for tables without times.
	PerRun int
}

// runsOf puts answers into runs, oldest first.
func runsOf(t Table, c Clock) ([]run, error) {
	var runs []run
	var cells sampler.Cells
	for n, a := range t.Answers {
		at, err := c.at(t, n)
		if err != nil {
			return nil, err
		}
		start, due := c.window(at)
		if k := len(runs); k == 0 || !runs[k-1].window.Due.Equal(due) {
			runs = append(runs, run{window: sampler.Window{Start: start, Due: due}, tally: sampler.Tally{Start: start, Due: due}})
		}
		cell := sampler.CellOf(a.Segments)
		cell, cells = cells.Place(cell)
		runs[len(runs)-1].add(a, at, cell)
	}
	return runs, nil
}

// dayZero is the first day of a table without times.
var dayZero = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// at is the time of the n-th answer.
func (c Clock) at(t Table, n int) (time.Time, error) {
	switch {
	case t.Columns.Time != "":
		return t.Answers[n].Time, nil
	case c.PerRun <= 0:
		return time.Time{}, errors.New("no column of times; name one with --time, or take the lines in their order with --per-run 50")
	}
	return dayZero.Add(time.Duration(n/c.PerRun) * 24 * time.Hour).Add(time.Hour), nil
}

func (c Clock) window(at time.Time) (start, due time.Time) {
	if c.PerRun > 0 {
		start = at.Truncate(24 * time.Hour)
		return start, start.Add(24 * time.Hour)
	}
	start, due = c.Window(at)
	return start.UTC(), due.UTC()
}

func (r *run) add(a Answer, at time.Time, cell sampler.Cell) {
	record := sampler.Record{ID: strconv.Itoa(a.Line), Time: at, Segments: a.Segments, Contexts: []string{""}}
	s := scorer.Score{
		SampleID: fmt.Sprintf("%09d", a.Line), Time: at, Window: r.window.Due, Cell: cell, Inclusion: 1,
		Outcomes: map[scorer.Metric]scorer.Outcome{}, Judges: map[scorer.Metric]string{},
	}
	if a.Release != "" {
		record.Channels = map[sampler.Channel]string{sampler.ChannelRelease: a.Release}
		s.Channels = record.Channels
	}
	for m, v := range a.Scores {
		s.Outcomes[m], s.Judges[m] = scorer.Outcome{Scored: true, Value: v}, judge
	}
	r.scores = append(r.scores, s)
	r.tally.Add(record, cell)
}

// history is what drift is decided from.
func history(runs []run) drift.History {
	var h drift.History
	for _, r := range runs {
		h.Rows = append(h.Rows, drift.Rows(r.window, r.scores)...)
		h.Tallies = append(h.Tallies, r.tally)
	}
	return h
}
