package drift

import "math"

// findings returns this run's view of every open episode, and keeps it there.
func (e *evaluation) findings() []Finding {
	live := e.live()
	var out []Finding
	for i := range e.episodes {
		p := &e.episodes[i]
		if !p.Resolved.IsZero() {
			continue
		}
		if v := e.views[i]; v != nil {
			p.Finding = e.finding(v, *p, live)
		}
		p.Finding.Series, p.Finding.Kind = p.Series, p.Kind
		out = append(out, p.Finding)
	}
	return out
}

// live counts the series that have a baseline.
func (e *evaluation) live() int {
	n := 0
	for i := range e.tracks {
		if e.isLive(i) {
			n++
		}
	}
	return n
}

func (e *evaluation) isLive(i int) bool {
	s := e.scans[i]
	return s == nil && e.openOn(e.tracks[i].Series) >= 0 || s != nil && len(s.candidates) > 0
}

func (e *evaluation) finding(v *view, p Episode, live int) Finding {
	c := v.candidates[v.best]
	at := v.after(p.From)
	s := sides{v.sum(0, at), v.sum(at, len(v.rows)), c.design, v.lengthSides(at)}
	got, lnM := c.verdict, v.lnM
	if p.Kind == KindRegression && v.blame != nil {
		if r, ok := e.releaseView(v, at); ok {
			s = r
		}
		got = compare(s, v.tolerance)
		lnM = max(lnM, e.lnBonus()+got.ln)
	}
	first, last := v.changeSet()
	se := math.Sqrt(c.design * s.spread())
	after := total(s.post).Level()
	f := Finding{
		Series: p.Series, Kind: p.Kind, Run: e.now,
		Since: p.From, From: v.due[first], To: v.due[last],
		Before: Level{N: total(s.pre).N, Mean: after.Mean + got.all.fall, Zeros: max(after.Zeros-got.rise, 0)},
		After:  after,
		Drop:   got.all.fall, Low: got.all.fall - 2.8*se, High: got.all.fall + 1.96*se,
		LnEvidence: lnM, LnNeeded: p.Finding.LnNeeded, LnReached: max(p.Finding.Reached(), lnM),
		LnMean: got.lnMean, LnZeros: got.lnZeros, LnNonZero: got.lnOther,
		DesignEffect: s.design, Floor: min(1, v.floor(newBaseline(s.pre), s.design, live, e.settings)),
	}
	f.Evidence = e.evidence(v, f, s)
	return f
}

// releaseView is the comparison of the release that a regression came with, where it is
// a release that is still here and enough of both is there. What follows it may have the
// same fault, and is nothing to compare it with.
func (e *evaluation) releaseView(v *view, at int) (sides, bool) {
	if v.blame.channel != Channels[0] || at == 0 || e.channels.gone(v.blame.channel, v.blame.new) {
		return sides{}, false
	}
	s := e.releaseSides(v.track, *v.blame, e.cut(v.track, false), false)
	before := v.sum(0, at)
	s.design = v.design(at)
	mergeCells(s.pre, before)
	s.length.addBefore(v.strip, at)
	return s, count(s.pre) > 0 && count(s.post) > 0
}

func total(cells []Moments) Moments {
	var m Moments
	for _, c := range cells {
		m = m.Merge(c)
	}
	return m
}

// floor is the smallest fall that a baseline can show however long one waits: where the
// evidence for one boundary can reach what is needed. Infinite without a baseline.
func (s *strip) floor(pre baseline, design float64, live int, set settings) float64 {
	return pre.sight(design, s.lnOneBoundary(live, set)).Floor(s.tolerance)
}

// lnOneBoundary is the evidence that a single boundary needs: the threshold over its mass.
func (s *strip) lnOneBoundary(live int, set settings) float64 {
	if s.allMass == 0 {
		return set.lnNeeded(live, 1)
	}
	return set.lnNeeded(live, 1) + math.Log(float64(len(s.mass))/s.allMass)
}
