package drift

import (
	"maps"
	"slices"
	"time"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer"
)

// Evaluator decides a history that grows run by run. Each decision is, to the last bit, that
// of Evaluate on all that was added and the episodes of the decision before; only what the
// runs before a newest one have made certain is not worked out again. It is not for
// concurrent use.
type Evaluator struct {
	settings
	seen          History // all that was added, with the episodes of the last decision
	rows, tallies int     // of seen, that are laid out
	judges        ruling
	*layout
}

// NewEvaluator returns an Evaluator without a history. Settings are those of Evaluate.
func NewEvaluator(cfg config.Drift) *Evaluator {
	return &Evaluator{settings: newSettings(cfg), layout: newLayout()}
}

// Add adds to the history what the next decision is to know besides what was added before.
// Order does not matter, and what is added twice counts once. Rows and tallies of runs that
// were decided are taken in too, at the cost of working out everything anew. Episodes and moves,
// where given, take the place of those of the last decision. What was added must not be changed
// afterwards.
func (ev *Evaluator) Add(h History) {
	s := &ev.seen
	s.Rows, s.Tallies, s.Marks = join(s.Rows, h.Rows), join(s.Tallies, h.Tallies), join(s.Marks, h.Marks)
	s.Acceptances, s.Controls = join(s.Acceptances, h.Acceptances), join(s.Controls, h.Controls)
	if h.Episodes != nil {
		s.Episodes = h.Episodes
	}
	if h.Moves != nil {
		s.Moves = h.Moves
		clear(ev.judges.known) // the times they cut may be others
	}
}

// join appends, and never to what belongs to the caller.
func join[T any](xs, more []T) []T {
	if len(xs) == 0 {
		return slices.Clip(more)
	}
	return append(xs, more...)
}

// Decide decides what stands after the newest run of all that was added.
func (ev *Evaluator) Decide() Result {
	ev.layOut()
	ev.judges.take(ev.seen.Controls, len(ev.seen.Acceptances))
	e := newEvaluation(ev.seen, ev.layout, ev.settings, &ev.judges)
	if e.now.IsZero() {
		return Result{}
	}
	e.decide()
	findings := e.findings() // which may find a judge's move
	r := Result{Findings: findings, Episodes: e.episodes, Notes: ev.notes(), States: e.states(), Ledger: e.ledger(),
		Moves: e.judges.moves, Rulers: e.rulers()}
	ev.seen.Episodes, ev.seen.Moves = slices.Clone(r.Episodes), slices.Clone(r.Moves)
	return r
}

// layOut brings the layout up to date.
func (ev *Evaluator) layOut() {
	rows, tallies := ev.seen.Rows[ev.rows:], ev.seen.Tallies[ev.tallies:]
	if ev.isPast(rows, tallies) {
		rows, tallies = ev.seen.Rows, ev.seen.Tallies
		ev.layout = newLayout()
	}
	ev.add(rows, tallies, ev.seen.Marks, ev.MinBaseline)
	ev.rows, ev.tallies = len(ev.seen.Rows), len(ev.seen.Tallies)
}

// layout is what the history says by itself, whatever was decided. As long as runs are
// only added at its end it grows; otherwise it has to be made anew.
type layout struct {
	channels  *channels
	judged    map[scorer.Metric]*sheet
	shares    map[scorer.Metric]*sheet
	documents documents
	segments  *segments
}

func newLayout() *layout {
	return &layout{channels: newChannels(History{}), judged: map[scorer.Metric]*sheet{}, shares: map[scorer.Metric]*sheet{},
		documents: documents{all: map[string]*document{}}, segments: newSegments(nil)}
}

// isPast says whether one of these is of a run that is laid out, or of one before.
func (l *layout) isPast(rows []Row, tallies []sampler.Tally) bool {
	if len(l.channels.runs) == 0 {
		return false
	}
	past := func(due time.Time) bool { return !due.After(l.channels.runs[len(l.channels.runs)-1].Due) }
	return slices.ContainsFunc(rows, func(r Row) bool { return past(r.Due) }) ||
		slices.ContainsFunc(tallies, func(t sampler.Tally) bool { return past(t.Due) })
}

// add takes in later runs, and all marks.
func (l *layout) add(rows []Row, tallies []sampler.Tally, marks []Mark, minBaseline int) {
	known := len(l.channels.runs)
	l.channels.add(sortTallies(History{Rows: rows, Tallies: tallies}), marks)
	runs := l.channels.runs[known:]
	for metric, rows := range byMetric(rows) {
		sheetOf(l.judged, metric).add(rows)
	}
	for _, share := range Shares {
		if rows := shareRows(share, runs); len(rows) > 0 {
			sheetOf(l.shares, share).add(rows)
		}
	}
	for _, t := range runs {
		l.documents.run(t)
	}
	if tables := l.scored(); !slices.Equal(tables, l.segments.tables) { // other samples than before
		l.segments = newSegments(tables)
		runs = l.channels.runs
	}
	for _, t := range runs {
		l.segments.run(t, minBaseline)
	}
}

func sheetOf(sheets map[scorer.Metric]*sheet, m scorer.Metric) *sheet {
	if sheets[m] == nil {
		sheets[m] = &sheet{}
	}
	return sheets[m]
}

// scored returns the tables of what judges scored.
func (l *layout) scored() []*table {
	var out []*table
	for _, m := range slices.SortedFunc(maps.Keys(l.judged), compareMetrics) {
		out = append(out, l.judged[m].table)
	}
	return out
}

// tables returns all tables, in the order in which they are shown.
func (l *layout) tables() []*table {
	out := l.scored()
	for _, share := range Shares {
		if s := l.shares[share]; s != nil {
			out = append(out, s.table)
		}
	}
	return out
}
