package drift

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// scanned is a series without an open episode, after its scan.
type scanned struct {
	*strip
	cut        []cut
	ready      int // first run with a baseline before it
	candidates []candidate
	lnM        float64 // −∞ while it learns
	lnScan     float64 // of the scan alone
	lnTrial    float64 // of the trial with the most evidence
	trial      string  // the release on that trial; empty without one
	lnNeeded   float64 // of the newest decision
}

// open scans every series that is not down and opens an episode on those that are now:
// by the scan over all boundaries, or by the trial of a release. One budget each covers
// all live series together.
func (e *evaluation) open() {
	live := 0
	for i, t := range e.tracks {
		if e.openOn(t.Series) >= 0 {
			live++
			continue
		}
		s := e.scanTrack(t)
		e.scans[i] = s
		if len(s.candidates) > 0 {
			live++
		}
	}
	found := e.alarms(live)
	scanned := maps.Clone(found)
	for _, c := range e.bridges() {
		maps.Copy(found, e.bridgeAlarms(c, live))
	}
	for _, i := range e.bySeries(found) {
		_, byScan := scanned[i]
		p := Episode{Series: e.tracks[i].Series, Opened: e.now, Trial: !byScan}
		p.Finding.LnNeeded, p.Finding.LnReached = found[i], e.scans[i].lnM
		e.episodes = append(e.episodes, p)
		e.look(len(e.episodes) - 1)
		delete(e.scans, i)
	}
	e.shareBlame()
}

// bySeries returns the tracks found, in the order in which episodes are kept.
func (e *evaluation) bySeries(found map[int]float64) []int {
	return slices.SortedFunc(maps.Keys(found), func(a, b int) int {
		return compareSeries(e.tracks[a].Series, e.tracks[b].Series)
	})
}

func (e *evaluation) scanTrack(t track) *scanned {
	cut := e.cut(t, true)
	s := &scanned{strip: t.strip(cut, e.settings), cut: cut}
	s.ready = s.first()
	s.candidates = s.scanInto(t.kept.candidates[:0], boundaries(s.ready, len(s.rows)-1, dense), s.tolerance)
	t.kept.candidates = s.candidates
	s.design(len(s.rows)) // for its state, while its rows are at hand
	s.lnScan = evidence(s.candidates)
	s.lnM = s.lnScan
	return s
}

// alarms returns the tracks whose scan alarms, with the evidence that was needed.
func (e *evaluation) alarms(live int) map[int]float64 {
	order, ln := e.ranked(func(i int) (float64, bool) { return e.scans[i].lnM, true })
	down := e.down()
	k := largest(ln, e.lnNeeded(live, 1), down)
	found := map[int]float64{}
	for r, i := range order {
		s := e.scans[i]
		s.lnNeeded = e.lnNeeded(live, max(k, 1)+down)
		if r < k && e.practical(s.candidates[likeliest(s.candidates)].verdict) {
			found[i] = s.lnNeeded
		}
	}
	return found
}

// down counts the live series that are.
func (e *evaluation) down() int {
	n := 0
	for _, t := range e.tracks {
		if e.openOn(t.Series) >= 0 {
			n++
		}
	}
	return n
}

// bridgeAlarms returns the tracks on which a release shows harm. The evidence of its trial is
// added to that of the scan: each grows by no more than it may spend, so their sum does.
func (e *evaluation) bridgeAlarms(c onTrial, live int) map[int]float64 {
	got := map[int]verdict{}
	lnSpends := math.Log(c.spends / e.scanning) // on the scale of the scans
	order, ln := e.ranked(func(i int) (float64, bool) {
		v, ok := e.bridge(e.tracks[i], c.change, e.scans[i])
		got[i] = v
		return lnSum(e.scans[i].lnScan, lnSpends+v.ln), ok
	})
	k := largest(ln, e.lnNeeded(live, 1), 0)
	found := map[int]float64{}
	for r, i := range order {
		s := e.scans[i]
		s.lnM = max(s.lnM, ln[r])
		if s.trial == "" || ln[r] > s.lnTrial {
			s.trial, s.lnTrial = c.new, ln[r]
		}
		if r < k && e.practical(got[i]) {
			found[i] = e.lnNeeded(live, k)
		}
	}
	return found
}

// ranked returns the scanned tracks by falling value.
func (e *evaluation) ranked(value func(i int) (float64, bool)) (order []int, ln []float64) {
	values := map[int]float64{}
	for i := range e.tracks {
		if e.scans[i] == nil {
			continue
		}
		if x, ok := value(i); ok {
			values[i] = x
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(-cmp.Compare(values[a], values[b]), cmp.Compare(a, b))
	})
	for _, i := range order {
		ln = append(ln, values[i])
	}
	return order, ln
}

// practical says whether a fall is large enough to tell anyone: that of the mean, that of the
// zeros, or the part of the mean's that is the other scores', which varies far less, unless
// the zeros make up for most of it.
func (e *evaluation) practical(v verdict) bool {
	return v.all.fall >= e.MinDrop || v.rise >= e.MinTail || v.all.fall >= e.MinDrop/2 && v.otherFall >= e.MinDrop
}
