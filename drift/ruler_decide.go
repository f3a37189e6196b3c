package drift

import (
	"cmp"
	"math"
	"slices"
	"time"

	"leadline/scorer"
)

// minShift is the smallest shift of the controls that is told: less of it changes no verdict
// on a service.
const minShift = 0.01

// lnKnown is the evidence for a move that a fall which was found needs: 1/0.02.
var lnKnown = math.Log(50)

// lnQuiet is up to where the evidence of any one boundary is nothing.
const lnQuiet = 3

// ruling are the judges of a decision, and what is kept of them from one decision to the next.
type ruling struct {
	moves  []Move
	sorted []scorer.ControlScore
	seen   [2]int // control scores and acceptances that are counted in
	known  map[Series]*gauges
	rulers []Ruler // of this decision, once they were asked for
}

// take counts in what is new. Without news of the controls what is known of them stays.
func (r *ruling) take(controls []scorer.ControlScore, acceptances int) {
	now := [2]int{len(controls), acceptances}
	if r.known != nil && now == r.seen {
		return
	}
	r.sorted = mergeControls(r.sorted, sortControls(controls[r.seen[0]:]))
	r.seen, r.known = now, map[Series]*gauges{}
}

// mergeControls merges sorted scores; of the same twice the first stays.
func mergeControls(a, b []scorer.ControlScore) []scorer.ControlScore {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := make([]scorer.ControlScore, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareControls(a[0], b[0]); {
		case c <= 0:
			out, a = append(out, a[0]), a[1:]
		default:
			out, b = append(out, b[0]), b[1:]
		}
	}
	return slices.CompactFunc(append(append(out, a...), b...), sameControl)
}

// rule looks at each metric's judge: it ends moves that are over and opens new ones.
func (e *evaluation) rule() {
	e.judges.moves, e.judges.rulers = slices.Clone(e.Moves), nil
	slices.SortFunc(e.judges.moves, compareMoves)
	e.judges.moves = slices.CompactFunc(e.judges.moves, func(a, b Move) bool { return compareMoves(a, b) == 0 })
	live := e.liveJudges()
	for i := range e.judges.moves {
		if m := &e.judges.moves[i]; m.Resolved.IsZero() {
			e.settleMove(m, live[m.Metric])
		}
	}
	for _, metric := range scorer.Metrics {
		if judge := live[metric]; judge != "" && e.moved(metric, judge) == nil {
			e.findMove(metric, judge, len(live))
		}
	}
}

func compareMoves(a, b Move) int {
	return cmp.Or(a.Opened.Compare(b.Opened), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Judge, b.Judge))
}

// liveJudges is who scored the controls last, by metric.
func (e *evaluation) liveJudges() map[scorer.Metric]string {
	newest := map[scorer.Metric]time.Time{}
	live := map[scorer.Metric]string{}
	for _, c := range e.judges.sorted {
		for metric, o := range c.Outcomes {
			if judge := c.Judges[metric]; o.Scored && judge != "" && c.Window.After(newest[metric]) {
				newest[metric], live[metric] = c.Window, judge
			}
		}
	}
	return live
}

// moved is the open move of a judge, nil without one.
func (e *evaluation) moved(metric scorer.Metric, judge string) *Move {
	for i := range e.judges.moves {
		if m := &e.judges.moves[i]; m.Metric == metric && m.Judge == judge && m.Resolved.IsZero() {
			return m
		}
	}
	return nil
}

// gauges are the items of a judge without the times that are no baseline.
func (e *evaluation) gauges(metric scorer.Metric, judge string) *gauges {
	key := Series{Metric: metric, Judge: judge}
	if g := e.judges.known[key]; g != nil {
		return g
	}
	g := newGauges(e.judges.sorted, metric, judge, func(due time.Time) bool {
		return slices.ContainsFunc(e.Acceptances, func(a Acceptance) bool { return a.ofRuler(metric, judge) && !due.After(a.From) }) ||
			slices.ContainsFunc(e.judges.moves, func(m Move) bool {
				return m.Metric == metric && m.Judge == judge && !m.Resolved.IsZero() && m.End == EndBack && !due.Before(m.From) && due.Before(m.Resolved)
			})
	})
	e.judges.known[key] = g
	return g
}

func (a Acceptance) ofRuler(metric scorer.Metric, judge string) bool {
	return a.Ruler && a.Series.Metric == metric && (a.Series.Judge == "" || a.Series.Judge == judge)
}

// settleMove takes a new view of an open move, or ends it.
func (e *evaluation) settleMove(m *Move, live string) {
	accepted := slices.ContainsFunc(e.Acceptances, func(a Acceptance) bool { return a.ofRuler(m.Metric, m.Judge) && !m.Opened.After(a.At) })
	switch {
	case accepted:
		m.Resolved, m.End = e.now, EndAccepted
		return
	case live != m.Judge:
		m.Resolved, m.End = e.now, EndReplaced
		return
	}
	g := e.gauges(m.Metric, m.Judge)
	if g.lnBack(*m) >= lnRecovered {
		m.Resolved, m.End = e.now, EndBack
		clear(e.judges.known)
		return
	}
	e.view(m, g)
}

func (e *evaluation) view(m *Move, g *gauges) {
	m.Shift = g.shift(m.From, e.zeros(m.Metric, m.Judge))
	m.LnEvidence = max(m.LnEvidence, g.rankEvidence(m.From, nil))
}

// zeros is the share of zeros in the traffic that a judge found, −1 where it is not known.
func (e *evaluation) zeros(metric scorer.Metric, judge string) float64 {
	i := e.track(Series{Metric: metric, Judge: judge})
	if i < 0 {
		return -1
	}
	n, zeros := 0, 0
	t := e.tracks[i]
	for _, row := range t.rows {
		for _, c := range t.in {
			if r := row[c]; r != nil {
				n, zeros = n+r.N, zeros+r.Zeros
			}
		}
	}
	if n == 0 {
		return -1
	}
	return float64(zeros) / float64(n)
}

// lnRulerNeeded is what the evidence for a move needs, one boundary's share of the period
// counted in.
func lnRulerNeeded(judges int) float64 { return math.Log(float64(max(judges, 1)) / JudgeFalseAlarms) }

// findMove opens a move where the evidence reaches what is needed and the shift matters.
func (e *evaluation) findMove(metric scorer.Metric, judge string, judges int) {
	g := e.gauges(metric, judge)
	best := g.strongest(e.Period)
	if best.lnWeighted < lnRulerNeeded(judges) {
		return
	}
	e.addMove(Move{Metric: metric, Judge: judge, From: best.at, LnNeeded: lnRulerNeeded(judges)}, g)
}

// addMove opens a move unless it is too small to matter.
func (e *evaluation) addMove(m Move, g *gauges) {
	m.Opened = e.now
	e.view(&m, g)
	if math.Abs(m.Shift.After-m.Shift.Before) >= minShift || m.Shift.Embedding() {
		e.judges.moves = append(e.judges.moves, m)
	}
}

// rulers says how each live judge stands.
func (e *evaluation) rulers() []Ruler {
	if e.judges.rulers != nil {
		return e.judges.rulers
	}
	live := e.liveJudges()
	var out []Ruler
	for _, metric := range scorer.Metrics {
		judge := live[metric]
		if judge == "" {
			continue
		}
		g := e.gauges(metric, judge)
		best := g.strongest(e.Period)
		r := Ruler{Metric: metric, Judge: judge, Runs: len(g.runs), LnEvidence: max(best.lnWeighted, -maxExponent), LnNeeded: lnRulerNeeded(len(live)), Quiet: best.ln < lnQuiet}
		for _, i := range g.items {
			if len(i.readings) > 1 {
				r.Items++
			}
		}
		switch {
		case e.moved(metric, judge) != nil:
			r.Status = "moved"
		case r.Items < minControls:
			r.Status = "learning"
		case best.lnWeighted >= r.LnNeeded+math.Log(0.1):
			r.Status = "watch"
		default:
			r.Status = "ok"
		}
		out = append(out, r)
	}
	e.judges.rulers = out
	return out
}
