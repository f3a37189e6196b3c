package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// segmentTable lists the segments of both metrics: worst first, those without enough
// data last.
func (in *maker) segmentTable() []Segment {
	all := []Segment{}
	for _, m := range scorer.Metrics {
		for _, s := range in.segments(m) {
			st := in.state(s)
			this, base := in.compared(s)
			seg := Segment{
				Metric:   m,
				Segment:  s.Segment(),
				This:     this.estimate(st.DesignEffect),
				Baseline: base.estimate(st.DesignEffect),
				Status:   st.Status,
			}
			seg.Delta, seg.Enough = difference(this, base, st.DesignEffect)
			all = append(all, seg)
		}
	}
	slices.SortStableFunc(all, func(a, b Segment) int {
		return cmp.Or(btoi(b.Enough)-btoi(a.Enough), cmp.Compare(a.Delta.Mean, b.Delta.Mean))
	})
	return all
}

const (
	minShift    = 0.04 // smallest change of a share worth a line
	minShiftZ   = 4.0  // and how many standard errors it must be
	maxShifts   = 4
	minRecords  = 100
	maxEditions = 8
)

// mix compares who asked what in the week with the weeks before.
func (in *maker) mix() Mix {
	was, is := map[string]int{}, map[string]int{}
	nWas, nIs := 0, 0
	for _, t := range in.History.Tallies {
		switch {
		case in.inWeek(t.Due):
			nIs += countSegments(is, t.Cells)
		case in.before(t.Due):
			nWas += countSegments(was, t.Cells)
		}
	}
	out := Mix{N: nIs, Moved: []Shift{}, Effects: map[scorer.Metric]float64{}}
	if nIs < minRecords || nWas < minRecords {
		return out
	}
	out.Known = true
	segments := maps.Clone(was)
	maps.Copy(segments, is)
	for _, seg := range slices.Sorted(maps.Keys(segments)) {
		p, q := float64(was[seg])/float64(nWas), float64(is[seg])/float64(nIs)
		pooled := float64(was[seg]+is[seg]) / float64(nWas+nIs)
		se := math.Sqrt(pooled * (1 - pooled) * (1/float64(nWas) + 1/float64(nIs)))
		if math.Abs(q-p) >= minShift && math.Abs(q-p) >= minShiftZ*se {
			out.Moved = append(out.Moved, Shift{seg, p, q})
		}
	}
	slices.SortStableFunc(out.Moved, func(a, b Shift) int {
		return cmp.Compare(math.Abs(b.Is-b.Was), math.Abs(a.Is-a.Was))
	})
	out.Moved = out.Moved[:min(len(out.Moved), maxShifts)]
	for _, m := range scorer.Metrics {
		if e, ok := in.mixEffect(m); ok {
			out.Effects[m] = e
		}
	}
	return out
}

func countSegments(into map[string]int, cells map[sampler.Cell]int) (n int) {
	for c, k := range cells {
		n += k
		for dim, v := range c.Values() {
			into[dim+"="+v] += k
		}
	}
	return n
}

// mixEffect is the composition part of Kitagawa's split of the change of the mean: the
// shares of the records moved, each cell's mean held between before and after.
func (in *maker) mixEffect(m scorer.Metric) (effect float64, ok bool) {
	s := drift.Series{Metric: m, Judge: in.judge(m)}
	this, base := byCell(in.rows(s, in.inWeek)), byCell(in.rows(s, in.usual(s)))
	was, is := map[sampler.Cell]float64{}, map[sampler.Cell]float64{}
	nWas, nIs := 0.0, 0.0
	for _, t := range in.History.Tallies {
		for c, k := range t.Cells {
			if this[c].n == 0 || base[c].n == 0 {
				continue
			}
			switch {
			case in.inWeek(t.Due):
				is[c] += float64(k)
				nIs += float64(k)
			case in.before(t.Due):
				was[c] += float64(k)
				nWas += float64(k)
			}
		}
	}
	if nWas == 0 || nIs == 0 {
		return 0, false
	}
	for _, c := range slices.Sorted(maps.Keys(base)) {
		effect += (is[c]/nIs - was[c]/nWas) * (this[c].mean + base[c].mean) / 2
	}
	return effect, true
}

func byCell(rows []*drift.Row) map[sampler.Cell]sum {
	cells := map[sampler.Cell]sum{}
	for _, r := range rows {
		cells[r.Cell] = cells[r.Cell].add(sumOf(r))
	}
	return cells
}

// Mix puts the query mix in a line.
func (w Words) Mix(m Mix) string {
	if !m.Known {
		return w.T("mix.unknown")
	}
	if len(m.Moved) == 0 {
		return w.T("mix.steady")
	}
	var moved []string
	for _, s := range m.Moved {
		moved = append(moved, s.Segment+" "+w.Percent(s.Was)+" → "+w.Percent(s.Is))
	}
	line := w.T("mix.moved", w.List(moved, maxShifts))
	var effects []string
	for _, metric := range scorer.Metrics {
		if e, ok := m.Effects[metric]; ok && math.Abs(e) >= 0.005 {
			effects = append(effects, w.T("mix.effect", w.Metric(metric), w.Signed(e)))
		}
	}
	return w.also(append([]string{line}, effects...)...)
}
