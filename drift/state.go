package drift

import (
	"math"
	"slices"
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

// level returns the level of a track in one run, cut or not.
func (t track) level(due time.Time) Level {
	run := t.after(due)
	if run == len(t.due) || !t.due[run].Equal(due) {
		return Level{}
	}
	var a traffic
	for _, c := range t.in {
		if r := t.rows[run][c]; r != nil {
			a.add(r)
		}
	}
	return a.level()
}

func (e *evaluation) fillDown(st *State, k int) {
	f := e.episodes[k].Finding
	st.Status, st.LnEvidence, st.Floor, st.DesignEffect = "down", f.LnEvidence, f.Floor, f.DesignEffect
	st.Baseline = f.Before
	if v := e.views[k]; v != nil {
		at := v.candidates[v.best].at
		st.Baseline = v.level(at)
		st.Band = usualBand(total(v.sum(0, at)), at, st.DesignEffect)
		st.Sees10 = v.sees(0.10, at, st.DesignEffect, e.live(), e.settings)
		e.fillOutlook(st, v.strip, at, e.live())
	}
}

func (e *evaluation) fillScanned(st *State, s *scanned, live int) {
	n := len(s.rows)
	st.Baseline = s.level(n)
	st.DesignEffect = s.design(n)
	st.Floor = min(1, s.floor(s.baseline(n), st.DesignEffect, live, e.settings))
	st.Sees10 = s.sees(0.10, n, st.DesignEffect, live, e.settings)
	st.Band = usualBand(total(s.sum(0, n)), n, st.DesignEffect)
	e.fillOutlook(st, s.strip, n, live)
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

// fillOutlook says what the runs before one can see, and of a pooled series how it wanders.
func (e *evaluation) fillOutlook(st *State, s *strip, before, live int) {
	st.Sight = s.outlook(before, st.DesignEffect, s.lnOneBoundary(live, e.settings))
	if st.Series.Dim == "" {
		w := s.wander(before)
		st.Wander = &w
	}
}

// usualBand is half the width in which 95 of 100 means of a usual run lie, before a run.
func usualBand(pre Moments, before int, design float64) float64 {
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
	if before < 2 || s.usable[before] == 0 || fall <= s.tolerance {
		return time.Time{}
	}
	floor := s.floor(s.baseline(before), design, live, set)
	n := s.usable[before]
	r := (floor - s.tolerance) / (fall - s.tolerance)
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

// OnWatch says whether a judged series is on watch: then more samples of the next run
// bring certainty sooner. A share rests on every record already, and a series that is down
// has been told; more samples would not make either known sooner.
func (r Result) OnWatch() bool {
	return slices.ContainsFunc(r.States, func(s State) bool {
		return s.Status == "watch" && s.Series.Judge != ""
	})
}
