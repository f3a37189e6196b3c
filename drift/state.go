package drift

import (
	"math"
	"slices"
	"time"
)

// states returns how every live series stands, in the order of metric, dimension, value.
func (e *evaluation) states() []State {
	live := e.live()
	out := make([]State, 0, len(e.tracks))
	for i, t := range e.tracks {
		st := State{Series: t.Series, Run: e.now, Last: t.level(e.now.Equal, nil)}
		if k := e.openOn(t.Series); k >= 0 {
			e.fillDown(&st, t, k)
		} else {
			e.fillScanned(&st, t, e.scans[i], live)
		}
		out = append(out, st)
	}
	return out
}

func (e *evaluation) fillDown(st *State, t track, k int) {
	f := e.episodes[k].Finding
	st.Status, st.LnEvidence, st.Floor, st.DesignEffect = "down", f.LnEvidence, f.Floor, f.DesignEffect
	st.Baseline = f.Before
	if v := e.views[k]; v != nil {
		at := v.candidates[v.best].at
		pre := v.sum(0, at)
		st.Baseline = t.level(v.due[at].After, e.cut(t, false))
		st.Band = v.band(pre, at, st.DesignEffect)
		st.Sees10 = v.sees(0.10, at, st.DesignEffect, e.live(), e.settings)
		e.fillOutlook(st, v.strip, pre, at, e.live())
	}
}

func (e *evaluation) fillScanned(st *State, t track, s *scanned, live int) {
	n := len(s.rows)
	pre := s.sum(0, n)
	st.Baseline = t.level(always, s.cut)
	st.DesignEffect = s.designEffect(n, pre)
	st.Floor = min(1, s.floor(pre, st.DesignEffect, live, e.settings))
	st.Sees10 = s.sees(0.10, n, st.DesignEffect, live, e.settings)
	st.Band = s.band(pre, n, st.DesignEffect)
	e.fillOutlook(st, s.strip, pre, n, live)
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
func (e *evaluation) fillOutlook(st *State, s *strip, pre []Moments, before, live int) {
	st.Sight = s.outlook(pre, before, st.DesignEffect, s.lnOneBoundary(live, e.settings))
	if st.Series.Dim == "" {
		w := s.wander(before)
		st.Wander = &w
	}
}

// band is half the width in which 95 of 100 means of a usual run lie, before a run.
func (s *strip) band(pre []Moments, before int, design float64) float64 {
	if before == 0 {
		return 0
	}
	m := total(pre).all()
	usual := m.n / float64(before)
	return 1.96 * math.Sqrt(design*m.m2/m.n/usual)
}

// sees returns the run from which the baseline is large enough to show a fall: one that
// was, or one estimated from the rate at which scores come in. It is zero when there is
// too little to tell.
func (s *strip) sees(fall float64, before int, design float64, live int, set settings) time.Time {
	pre := s.sum(0, before)
	floor := s.floor(pre, design, live, set)
	n := usable(pre)
	if n == 0 || before < 2 || fall <= s.tolerance {
		return time.Time{}
	}
	r := (floor - s.tolerance) / (fall - s.tolerance)
	need := max(float64(n)*r*r, float64(set.MinBaseline))
	if i := s.reaches(need, before); i >= 0 {
		return s.due[i]
	}
	every := s.due[before-1].Sub(s.due[0]) / time.Duration(before-1)
	runs := math.Ceil((need - float64(n)) / (float64(n) / float64(before)))
	if runs > 1e5 {
		return time.Time{}
	}
	return s.due[before-1].Add(time.Duration(runs) * every)
}

// reaches returns the run in which the usable samples reach a number, -1 when not before.
func (s *strip) reaches(need float64, before int) int {
	seen := make([]float64, s.cells())
	for i := range before {
		n := 0.0
		for g := range seen {
			if seen[g] += s.n[i*len(seen)+g]; seen[g] >= minCell {
				n += seen[g]
			}
		}
		if n >= need {
			return i
		}
	}
	return -1
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
