package drift

import (
	"cmp"
	"math"
	"slices"
	"time"

	"leadline/scorer"
)

// The verdicts on the judge.
const (
	judgeMoved       = "moved"
	judgeCleared     = "cleared"
	judgeNotExcluded = "cannot_be_excluded"
)

// minControls is how few control items can clear a judge.
const minControls = 8

func (e *evaluation) evidence(v *view, f Finding, s sides) Evidence {
	return Evidence{
		Judge:    judgeEvidence(e.controls, f),
		Mix:      mixEvidence(v.track, s),
		Length:   lengthEvidence(s, f, e.MinDrop),
		Release:  v.channels[0],
		Channels: v.channels[1:],
		Corpus:   corpusEvidence(e.channels, f.Series, f.Since),
	}
}

// judgeEvidence compares each control item with itself before and after. Items that
// scored 0 and the others are two bands, weighted as they occur in the traffic before.
func judgeEvidence(controls []scorer.ControlScore, f Finding) JudgeEvidence {
	if slices.Contains(Shares, f.Series.Metric) {
		return JudgeEvidence{Verdict: judgeCleared} // no judge counted these
	}
	shifts := [2][]float64{}
	for _, p := range controlPairs(controls, f.Series, f.Since) {
		band := 1
		if p.before.mean <= 0 {
			band = 0
		}
		shifts[band] = append(shifts[band], p.after.mean-p.before.mean)
	}
	j := JudgeEvidence{Items: len(shifts[0]) + len(shifts[1]), Verdict: judgeNotExcluded}
	if j.Items < minControls {
		return j
	}
	share := [2]float64{f.Before.Zeros, 1 - f.Before.Zeros}
	if len(shifts[0]) < 2 || len(shifts[1]) < 2 {
		shifts[1] = append(shifts[1], shifts[0]...)
		shifts[0], share = nil, [2]float64{0, 1}
	}
	variance := 0.0
	for b, xs := range shifts {
		var m sums
		for _, x := range xs {
			m.merge(sums{n: 1, mean: x})
		}
		if m.n > 1 {
			j.Shift += share[b] * m.mean
			variance += share[b] * share[b] * m.m2 / (m.n - 1) / m.n
		}
	}
	j.SE = math.Sqrt(variance)
	j.CanSee = 2.5 * j.SE
	j.Verdict = judgeVerdict(j, f.Drop)
	return j
}

// judgeVerdict: moved when the shift is far outside luck and would matter; cleared when a
// shift that accounts for half of the fall is ruled out with 95 %.
func judgeVerdict(j JudgeEvidence, drop float64) string {
	stricter := -j.Shift
	switch {
	case math.Abs(j.Shift) > 3.3*j.SE && math.Abs(j.Shift) >= max(drop/4, 0.01):
		return judgeMoved
	case stricter+1.645*j.SE < drop/2:
		return judgeCleared
	}
	return judgeNotExcluded
}

type controlPair struct{ before, after sums }

// sortControls returns each item's scores in the order of time, one per run.
func sortControls(controls []scorer.ControlScore) []scorer.ControlScore {
	controls = slices.SortedFunc(slices.Values(controls), func(a, b scorer.ControlScore) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), a.Window.Compare(b.Window))
	})
	return slices.CompactFunc(controls, func(a, b scorer.ControlScore) bool {
		return a.Item == b.Item && a.Window.Equal(b.Window)
	})
}

// controlPairs returns the items that the series' judge scored both before and since a
// run, from sorted scores.
func controlPairs(controls []scorer.ControlScore, s Series, since time.Time) []controlPair {
	var out []controlPair
	var p controlPair
	for i, c := range controls {
		if o := c.Outcomes[s.Metric]; o.Scored && c.Judges[s.Metric] == s.Judge {
			if c.Window.Before(since) {
				p.before.merge(sums{n: 1, mean: o.Value})
			} else {
				p.after.merge(sums{n: 1, mean: o.Value})
			}
		}
		if i+1 == len(controls) || controls[i+1].Item != c.Item {
			if p.before.n > 0 && p.after.n > 0 {
				out = append(out, p)
			}
			p = controlPair{}
		}
	}
	return out
}

// mixEvidence splits the fall of the raw mean by cells (Kitagawa, 1955): what their shares
// account for, and what happened within them. Cells with under five scores on a side are
// taken together.
func mixEvidence(t track, s sides) MixEvidence {
	pre, post := mergeSmall(s.pre, s.post)
	m0, m1 := float64(count(pre)), float64(count(post))
	if m0 == 0 || m1 == 0 {
		return MixEvidence{}
	}
	var ev MixEvidence
	variance := 0.0
	for g := range pre {
		a, b := pre[g].all(), post[g].all()
		if a.n == 0 || b.n == 0 {
			continue
		}
		w0, w1 := a.n/m0, b.n/m1
		ev.Explains += (w0 - w1) * (a.mean + b.mean) / 2
		ev.Within += (w0 + w1) / 2 * (a.mean - b.mean)
		w := (w0 + w1) / 2
		variance += w * w * (a.m2/a.n/a.n + b.m2/b.n/b.n)
	}
	ev.SE = math.Sqrt(variance)
	ev.Worst, ev.WorstDrop, ev.WorstN = t.worst(s)
	return ev
}

func mergeSmall(pre, post []Moments) (a, b []Moments) {
	var restPre, restPost Moments
	for g := range pre {
		if pre[g].N < 5 || post[g].N < 5 {
			restPre, restPost = restPre.Merge(pre[g]), restPost.Merge(post[g])
			continue
		}
		a, b = append(a, pre[g]), append(b, post[g])
	}
	return append(a, restPre), append(b, restPost)
}

// worst returns the part of a series that fell most, its fall less a standard error so
// that a handful of answers does not win; and its scores after.
func (t track) worst(s sides) (segment string, drop float64, n int) {
	most := math.Inf(-1)
	for _, part := range t.tracks {
		if part.Dim == "" || part.Dim == t.Dim {
			continue
		}
		var pre, post Moments
		for g, c := range t.in {
			if part.contains(t.values[c]) {
				pre, post = pre.Merge(s.pre[g]), post.Merge(s.post[g])
			}
		}
		a, b := pre.all(), post.all()
		if a.n < minCell || b.n < 5 {
			continue
		}
		d := a.mean - b.mean
		if x := d - math.Sqrt(a.m2/a.n*(1/a.n+1/b.n)); x > most {
			most, segment, drop, n = x, part.Segment(), d, post.N
		}
	}
	return segment, drop, n
}
