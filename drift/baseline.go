package drift

import (
	"math"
	"slices"
	"time"

	"leadline/config"
)

// Baseline is what a series is compared with after the newest run, for people to read.
type Baseline struct {
	Series Series `json:"series"`
	Status string `json:"status"` // as State.Status
	// From and To are its first and last run; zero when there is none.
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`
	Runs    int       `json:"runs"`
	Samples int       `json:"samples"`
	// Mean is that of the scores; of a share, the part of the records that has the
	// property. Zeros is the share of scores at 0, SD the standard deviation of scores
	// within their cells. All are 0 without samples.
	Mean  float64 `json:"mean"`
	Zeros float64 `json:"zeros"`
	SD    float64 `json:"sd"`
	// DesignEffect and Floor are those of State.
	DesignEffect float64 `json:"design_effect"`
	Floor        float64 `json:"floor"`
	// Ready is the run from which the series can alarm: one that was or, while it learns,
	// about the one to come. Zero when the history does not tell yet.
	Ready   time.Time `json:"ready,omitzero"`
	LeftOut []LeftOut `json:"left_out"`
}

// LeftOut is a part of a series' scores that is not in its baseline, and why. Each score
// is in one part, the first that fits in the order of the reasons; but those in a small
// cell are in the baseline, they are only not compared yet.
type LeftOut struct {
	Why     Reason    `json:"why"`
	From    time.Time `json:"from"` // first and last run
	To      time.Time `json:"to"`
	Samples int       `json:"samples"`
	Cells   int       `json:"cells,omitempty"` // of a small cell: how many there are
	// Series and Kind are those of the episode, By, At and Note those of the acceptance.
	Series Series    `json:"series,omitzero"`
	Kind   Kind      `json:"kind,omitempty"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Note   string    `json:"note,omitempty"`
}

// Reason is why scores are not in a baseline.
type Reason string

// The reasons.
const (
	LeftAccepted   Reason = "accepted"    // what came after was accepted as the new normal
	LeftReset      Reason = "reset"       // somebody had the series learned anew
	LeftEpisode    Reason = "episode"     // it was down, or held cells that were
	LeftPartDown   Reason = "part_down"   // a segment of it is down, which is told there
	LeftDown       Reason = "down"        // it is down: these are what is compared
	LeftOtherJudge Reason = "other_judge" // another judge's scores are another series
	LeftSmallCell  Reason = "small_cell"  // under 30 samples of its cell
)

// Baselines returns the baseline of every live series after the newest run, in the order of
// Result.States. It decides anew, so it costs as much as Evaluate.
func Baselines(h History, cfg config.Drift) []Baseline {
	ev := NewEvaluator(cfg)
	ev.Add(h)
	ev.layOut()
	e := newEvaluation(ev.seen, ev.layout, ev.settings, &ev.judges)
	if e.now.IsZero() {
		return nil
	}
	e.decide()
	states := e.states()
	out := make([]Baseline, len(e.tracks))
	for i := range e.tracks {
		out[i] = e.baseline(i, states[i])
	}
	return out
}

// inControl returns what a series has to show, and how many runs of it are its baseline.
func (e *evaluation) inControl(i int) (s *strip, runs int) {
	k := e.openOn(e.tracks[i].Series)
	if k < 0 {
		return e.scans[i].strip, len(e.scans[i].rows)
	}
	if v := e.views[k]; v != nil {
		return v.strip, v.candidates[v.best].at
	}
	s = e.tracks[i].strip(e.cut(e.tracks[i], false), e.settings)
	return s, s.after(e.episodes[k].From)
}

func (e *evaluation) baseline(i int, st State) Baseline {
	s, runs := e.inControl(i)
	pre := s.sum(0, runs)
	all := total(pre)
	b := Baseline{Series: st.Series, Status: st.Status, Runs: runs, Samples: all.N, DesignEffect: st.DesignEffect, Floor: st.Floor}
	if all.N > 0 {
		level := all.Level()
		b.Mean, b.Zeros, b.SD = level.Mean, level.Zeros, math.Sqrt(max(spreadOf(pre), 0))
		if IsShare(st.Series.Metric) {
			b.Mean = 1 - b.Mean
		}
	}
	if runs > 0 {
		b.From, b.To = s.due[0], s.due[runs-1]
	}
	b.Ready = e.ready(e.tracks[i], s)
	b.LeftOut = append(e.leftOut(i, s, runs), e.otherJudges(e.tracks[i])...)
	b.LeftOut = append(b.LeftOut, smallCells(s, runs, pre)...)
	return b
}

// paceRuns is how many of the newest runs tell at which pace scores come in.
const paceRuns = 28

// ready returns the run that completed the baseline of a strip, or about when one will if
// scores go on as they came in the newest runs; zero when those do not tell.
func (e *evaluation) ready(t track, s *strip) time.Time {
	if first := s.first(); first <= len(s.rows) {
		return s.due[first-1]
	}
	all := t.strip(nil, e.settings)
	n := len(all.rows)
	from := max(n-paceRuns, 0)
	if n-from < 2 {
		return time.Time{}
	}
	every := all.due[n-1].Sub(all.due[from]) / time.Duration(n-1-from)
	runs := runsUntil(s.sum(0, len(s.rows)), all.sum(from, n), n-from, s.minimum)
	if runs == 0 {
		return time.Time{}
	}
	at, begins := e.now.Add(time.Duration(runs)*every), e.now.Add(every)
	if len(s.due) > 0 {
		begins = s.due[0]
	}
	if spanned := begins.Add(s.span); spanned.After(at) {
		return spanned
	}
	return at
}

// runsUntil is after how many more runs, of which each brings as much as the given ones did
// on average, the cells that take part hold enough; 0 when not within 10,000.
func runsUntil(have, came []Moments, in, enough int) int {
	const most = 1e4
	for runs := 1; runs <= most; runs++ {
		ready := 0
		for g, c := range came {
			n := c.N * runs / in
			if len(have) > 0 {
				n += have[g].N
			}
			if n >= minCell {
				ready += n
			}
		}
		if ready >= enough {
			return runs
		}
	}
	return 0
}

// leftOut finds for each score of a track why it is not in the baseline.
func (e *evaluation) leftOut(i int, s *strip, runs int) []LeftOut {
	t := e.tracks[i]
	cuts := e.cuts(t, e.openOn(t.Series) < 0)
	parts := make([]LeftOut, len(cuts)+1)
	for k, c := range cuts {
		parts[k] = c.LeftOut
	}
	down := &parts[len(cuts)]
	down.Why, down.Series = LeftDown, t.Series
	for run, due := range t.due {
		for _, c := range t.in {
			r := t.rows[run][c]
			if r == nil {
				continue
			}
			at := slices.IndexFunc(cuts, func(x told) bool { return x.when(due) && x.of.contains(t.values[c]) })
			switch {
			case at >= 0:
				parts[at].add(due, r.N)
			case runs < len(s.due) && !due.Before(s.due[runs]):
				down.add(due, r.N)
			}
		}
	}
	return slices.DeleteFunc(parts, func(p LeftOut) bool { return p.Samples == 0 })
}

// add takes in the scores of one run; runs come in order of time.
func (l *LeftOut) add(due time.Time, n int) {
	if l.From.IsZero() {
		l.From = due
	}
	l.To = due
	l.Samples += n
}

func (e *evaluation) otherJudges(t track) []LeftOut {
	l := LeftOut{Why: LeftOtherJudge}
	for _, r := range distinctRows(e.Rows) {
		if r.Metric == t.Metric && r.Judge != t.Judge && r.N > 0 && t.contains(r.Cell.Values()) {
			l.add(r.Due, r.N)
		}
	}
	if l.Samples == 0 {
		return nil
	}
	return []LeftOut{l}
}

// smallCells are the cells of a baseline that do not take part yet.
func smallCells(s *strip, runs int, pre []Moments) []LeftOut {
	l := LeftOut{Why: LeftSmallCell}
	for g, m := range pre {
		if m.N > 0 && m.N < minCell {
			l.Cells++
			l.Samples += m.N
			for run, row := range s.rows[:runs] {
				if row[g].N > 0 && (l.From.IsZero() || s.due[run].Before(l.From)) {
					l.From = s.due[run]
				}
				if row[g].N > 0 && s.due[run].After(l.To) {
					l.To = s.due[run]
				}
			}
		}
	}
	if l.Cells == 0 {
		return nil
	}
	return []LeftOut{l}
}

// Loss is what acceptances take from one series.
type Loss struct {
	Series  Series `json:"series"`
	Samples int    `json:"samples"` // that leave its baseline
	Left    int    `json:"left"`    // that stay
	// Ended is true when the series is down and would no longer be.
	Ended bool `json:"ended,omitempty"`
	// Learning is true when it cannot alarm until about Ready; zero when that is not known.
	Learning bool      `json:"learning"`
	Ready    time.Time `json:"ready,omitzero"`
}

// Lost returns what new acceptances would take from which series, without taking it.
func Lost(h History, as []Acceptance, cfg config.Drift) []Loss {
	before := Baselines(h, cfg)
	h.Acceptances = append(slices.Clip(h.Acceptances), as...)
	after := Baselines(h, cfg)
	lost := []Loss{}
	for _, b := range before {
		at := slices.IndexFunc(after, func(a Baseline) bool { return a.Series == b.Series })
		if at < 0 || after[at].Samples >= b.Samples && after[at].Status == b.Status {
			continue
		}
		a := after[at]
		l := Loss{Series: b.Series, Samples: max(b.Samples-a.Samples, 0), Left: a.Samples, Learning: a.Status == "learning"}
		l.Ended = b.Status == "down" && a.Status != "down"
		if l.Learning {
			l.Ready = a.Ready
		}
		lost = append(lost, l)
	}
	return lost
}
