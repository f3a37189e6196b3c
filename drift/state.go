package drift

import (
	"math"
	"sort"
	"time"
)

// states returns how every live series stands, in the order of metric, dimension, value.
func (e *evaluation) states() []State {
	live := e.live()
	out := make([]State, 0, len(e.tracks))
	for i, t := range e.tracks {
		st := State{Series: t.Series, Run: e.now, Last: t.level(e.now)}
		if k := e.openOn(t.Series); k >= 0 {
			e.fillDown(&st, k)
		} else {
			e.fillScanned(&st, e.scans[i], live)
		}
		out = append(out, st)
	}
	return out
}

// level returns the scores of a track in one run.
func (t track) level(due time.Time) Level {
	run := t.after(due)
	if run == len(t.due) || !t.due[run].Equal(due) {
		return Level{}
	}
	var m Moments
	for _, c := range t.in {
		if r := t.rows[run][c]; r != nil {
			m = m.Merge(r.Moments)
		}
	}
	return m.Level()
}

func (e *evaluation) fillDown(st *State, k int) {
	f := e.episodes[k].Finding
	st.Status, st.LnEvidence, st.Floor, st.DesignEffect = "down", f.LnEvidence, f.Floor, f.DesignEffect
	st.Baseline = f.Before
	if v := e.views[k]; v != nil {
		at := v.candidates[v.best].at
		pre := total(v.sum(0, at))
		st.Baseline = pre.Level()
		st.Band = band(pre, at, st.DesignEffect)
		st.Sees10 = v.sees(0.10, at, st.DesignEffect, e.live(), e.settings)
	}
}

func (e *evaluation) fillScanned(st *State, s *scanned, live int) {
	n := len(s.rows)
	pre := total(s.sum(0, n))
	st.Baseline = pre.Level()
	st.DesignEffect = s.design(n)
	st.Floor = min(1, s.floor(s.baseline(n), st.DesignEffect, live, e.settings))
	st.Sees10 = s.sees(0.10, n, st.DesignEffect, live, e.settings)
	st.Band = band(pre, n, st.DesignEffect)
	st.LnEvidence = max(s.lnM, -maxExponent) // JSON has no −∞
	switch {
	case s.ready > n:
		st.Status = "learning"
	case s.lnM >= s.lnNeeded+math.Log(0.1):
		st.Status = "watch"
	default:
		st.Status = "ok"
	}
}

// band is half the width in which 95 of 100 means of a usual run lie, before a run.
func band(pre Moments, before int, design float64) float64 {
	if before == 0 {
		return 0
	}
	m := pre.all()
	usual := m.n / float64(before)
	return 1.96 * math.Sqrt(design*m.m2/m.n/usual)
}

// sees returns the run from which the baseline is large enough to show a fall: one that
// was, or one estimated from the rate at which scores come in. It is zero when there is
// too little to tell.
func (s *strip) sees(fall float64, before int, design float64, live int, set settings) time.Time {
	if before < 2 || s.usable[before] == 0 || fall <= set.Tolerance {
		return time.Time{}
	}
	floor := s.floor(s.baseline(before), design, live, set)
	n := s.usable[before]
	r := (floor - set.Tolerance) / (fall - set.Tolerance)
	need := max(n*r*r, float64(set.MinBaseline))
	if i := s.reaches(need, before); i >= 0 {
		return s.due[i]
	}
	every := s.due[before-1].Sub(s.due[0]) / time.Duration(before-1)
	runs := math.Ceil((need - n) / (n / float64(before)))
	if runs > 1e5 {
		return time.Time{}
	}
	return s.due[before-1].Add(time.Duration(runs) * every)
}

// reaches returns the run in which the usable samples reach a number, -1 when not before.
func (s *strip) reaches(need float64, before int) int {
	i := sort.Search(before, func(i int) bool { return s.usable[i+1] >= need })
	if i == before {
		return -1
	}
	return i
}

// usable counts the samples of cells that have enough to take part.
func usable(cells []Moments) int {
	n := 0
	for _, m := range cells {
		if m.N >= minCell {
			n += m.N
		}
	}
	return n
}
