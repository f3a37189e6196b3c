package drift

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// lnRecovered is how much evidence ends an episode: a smaller one resolves many that go on.
var lnRecovered = math.Log(600)

func compareEpisodes(a, b Episode) int {
	return cmp.Or(a.Opened.Compare(b.Opened), compareSeries(a.Series, b.Series),
		-a.Resolved.Compare(b.Resolved), a.From.Compare(b.From), cmp.Compare(a.Kind, b.Kind))
}

// covers says whether an acceptance speaks of a series: it names that one, or all of its metric.
func (a Acceptance) covers(s Series) bool {
	return a.Series.Metric == s.Metric && (a.Series.Judge == "" || a.Series.Judge == s.Judge) &&
		(a.Series.Dim == "" || a.Series.Dim == s.Dim && a.Series.Value == s.Value)
}

// Ends says whether an acceptance ends the episode of a series that was found in a run.
func (a Acceptance) Ends(s Series, opened time.Time) bool {
	return a.covers(s) && !opened.After(a.At)
}

// accepted says whether an operator took what the episode is about for the new normal.
func (e *evaluation) accepted(p Episode) bool {
	if p.Undone {
		return true
	}
	for _, a := range e.Acceptances {
		if a.Ends(p.Series, p.Opened) {
			return true
		}
	}
	return false
}

func (e *evaluation) endAccepted() {
	for i := range e.episodes {
		p := &e.episodes[i]
		if !p.Resolved.IsZero() {
			continue
		}
		p.Undone = !e.accepted(*p) && e.undone(*p)
		if e.accepted(*p) {
			p.Resolved = e.now
		}
	}
}

// undone says whether what an episode showed is gone with cells that were accepted since, or
// with the time of a release that was taken back: of what is left, another view would find
// some other change, and blame that.
func (e *evaluation) undone(p Episode) bool {
	i := e.track(p.Series)
	if i < 0 || !e.takenBackFrom(p) && !slices.ContainsFunc(e.Acceptances, func(a Acceptance) bool { return e.takesFrom(a, p, e.tracks[i]) }) {
		return false
	}
	v := e.newView(e.tracks[i], p)
	return v == nil || v.lnM < p.Finding.LnNeeded
}

// takenBackFrom says whether an episode was found in the time of a regression that has ended.
func (e *evaluation) takenBackFrom(p Episode) bool {
	return slices.ContainsFunc(e.episodes, func(q Episode) bool {
		return q.Kind == KindRegression && !q.Resolved.IsZero() && !q.Undone && !p.Opened.Before(q.From) && p.Opened.Before(q.Resolved)
	})
}

// takesFrom says whether an acceptance took cells from a series after it was found down.
func (e *evaluation) takesFrom(a Acceptance, p Episode, t track) bool {
	if a.Series.Metric != t.Metric || a.Series.Judge != "" && a.Series.Judge != t.Judge || p.Opened.After(a.At) {
		return false
	}
	return slices.ContainsFunc(t.in, func(c int) bool { return a.Series.contains(t.values[c]) })
}

// settle takes a new view of each open episode and ends those that are over. An end takes
// rows out of the others' baselines, so they are looked at again.
func (e *evaluation) settle() {
	for {
		e.views = map[int]*view{}
		for i, p := range e.episodes {
			if p.Resolved.IsZero() {
				e.look(i)
			}
		}
		e.shareBlame()
		ended := false
		for i := range e.episodes {
			p := &e.episodes[i]
			if p.Resolved.IsZero() && p.Opened.Before(e.now) && e.over(i) {
				p.Resolved = e.now
				ended = true
			}
		}
		for i := range e.episodes {
			if p := &e.episodes[i]; ended && p.Resolved.IsZero() && e.undone(*p) {
				p.Undone, p.Resolved = true, e.now
			}
		}
		if !ended {
			return
		}
	}
}

// over says whether an episode has ended: what it came with was taken back, or scores are
// back. The next release alone proves nothing: the fault may still be in it.
func (e *evaluation) over(i int) bool {
	p := e.episodes[i]
	if p.Kind == KindRegression && e.channels.takenBack(p.Channel, p.Value, p.From) {
		return true
	}
	v := e.views[i]
	return v != nil && (e.trivial(v) || v.lnRecovery(p, e.MinDrop) >= lnRecovered)
}

// trivialAfter is how many baselines of samples after a fall say for sure how large it is.
const trivialAfter = 3

// trivial says whether a fall has turned out to be too small to have been told at all.
func (e *evaluation) trivial(v *view) bool {
	c := v.candidates[v.best]
	after := 0
	for _, row := range v.rows[c.at:] {
		after += count(row)
	}
	return after >= trivialAfter*e.MinBaseline && !e.practical(c.verdict)
}

// lnRecovery is the evidence that scores are back where they were before the episode: a
// Shiryaev–Roberts sum over each run r after the opening at which they may have come
// back, against a fall of 70 % of what was measured until then, with the variance that
// scores had until then. Measuring until r, not until the alarm, keeps an alarm's
// exaggeration out of it.
func (v *view) lnRecovery(p Episode, least float64) float64 {
	c := v.candidates[v.best]
	pre := newReference(v.sum(0, c.at))
	runs, opened := len(v.rows), v.after(p.Opened.Add(1))
	off, n := make([]float64, runs+1), make([]float64, runs+1) // sums from Since to before each run
	for i := c.at; i < runs; i++ {
		a, k, _ := v.offset(i, pre)
		off[i+1], n[i+1] = off[i]+a, n[i]+k
	}
	down := v.sum(c.at, min(opened, runs))
	var ln []float64
	for r := opened; r < runs; r++ {
		if n[r] > 0 {
			d := max(least, -0.7*off[r]/n[r])
			variance := max(c.all.variance, spreadOf(down))
			x := d / variance * (off[runs] - off[r] + (n[runs]-n[r])*d/2) / c.design
			ln = append(ln, min(x, maxExponent))
		}
		mergeCells(down, v.rows[r])
	}
	return lnSum(ln...)
}

// spreadOf is the variance of scores within their cells.
func spreadOf(cells []Moments) float64 {
	all := make([]sums, len(cells))
	for g, m := range cells {
		all[g] = m.all()
	}
	return pool(all).m2
}

// cut takes cells out of runs: those of a series of any metric, in runs due in [from, to).
type cut struct {
	of       Series    // the zero Series holds every cell
	from, to time.Time // zero: open
}

func (c cut) when(due time.Time) bool {
	return !due.Before(c.from) && (c.to.IsZero() || due.Before(c.to))
}

// cut says whether a cell is taken out of a run.
func (t *table) cut(cuts []cut, run, cell int) bool {
	return slices.ContainsFunc(cuts, func(c cut) bool {
		return c.when(t.due[run]) && c.of.contains(t.values[cell])
	})
}

// cut returns which cells of which runs of a track are on neither side:
//   - what an acceptance drops, for the cells of its series;
//   - the time of an ended episode, for the cells of its series, and for every series of
//     the service when a release was taken back: then all of it was out of the ordinary;
//   - for the pooled series, when scanning, the time of an open episode of one of its parts:
//     it is told there already, and must not become the norm here.
//
// An open episode of the pooled series takes nothing from its parts: they are what says where.
func (e *evaluation) cut(t track, scanning bool) []cut {
	var out []cut
	for _, c := range e.cuts(t, scanning) {
		out = append(out, c.cut)
	}
	return out
}

// told is a cut and why it is made.
type told struct {
	cut
	LeftOut
}

// cuts returns the cuts that apply to a track, what operators said first.
func (e *evaluation) cuts(t track, scanning bool) []told {
	var out []told
	for _, a := range e.Acceptances {
		if a.Series.Metric != t.Metric || a.Series.Judge != "" && a.Series.Judge != t.Judge {
			continue
		}
		why := LeftAccepted
		if a.Reset {
			why = LeftReset
		}
		left := LeftOut{Why: why, Series: a.Series, By: a.By, At: a.At, Note: a.Note}
		out = append(out, told{cut{of: a.Series, to: a.From.Add(1)}, left})
	}
	for _, p := range e.episodes {
		same := p.Series.Metric == t.Metric && p.Series.Judge == t.Judge
		ended := !p.Resolved.IsZero()
		of, why := p.Series, LeftEpisode
		switch {
		case e.accepted(p):
			continue
		case ended && p.Kind == KindRegression:
			of = Series{}
		case ended && same:
		case scanning && same && t.Dim == "" && p.Series.Dim != "":
			why = LeftPartDown
		default:
			continue
		}
		left := LeftOut{Why: why, Series: p.Series, Kind: p.Kind}
		out = append(out, told{cut{of, p.From, p.Resolved}, left})
	}
	return out
}
