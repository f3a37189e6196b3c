package drift

import "math"

func (e *evaluation) evidence(v *view, f Finding, s sides) Evidence {
	return Evidence{
		Judge:    e.judgeEvidence(f),
		Mix:      mixEvidence(v.track, s),
		Length:   lengthEvidence(s, f, e.MinDrop),
		Release:  v.channels[0],
		Channels: v.channels[1:],
		Corpus:   corpusEvidence(e.channels, f.Series, f.Since),
	}
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
