package drift

import (
	"maps"
	"slices"
)

// lengthSides are the scores on both sides of a boundary by length, cell by cell; nil
// where no lengths are known. Without strata they are evidence only.
type lengthSides struct {
	pre, post []lengths
	strata    bool
}

// lengthSides returns the runs before one, and it and those after, by length.
func (s *strip) lengthSides(at int) lengthSides {
	if s.lengths == nil {
		return lengthSides{}
	}
	return lengthSides{s.sumLengths(0, at), s.sumLengths(at, len(s.rows)), s.strata}
}

func (s *strip) sumLengths(from, to int) []lengths {
	out := make([]lengths, s.cells)
	if from == 0 {
		s.upToLengths(out, 0, to)
		return out
	}
	for _, row := range s.lengths[from:to] {
		mergeLengths(out, row)
	}
	return out
}

// keptLengths is after how many runs the sum of all before is kept.
const keptLengths = 16

func (s *strip) addLengths(row []*lengths) {
	if n := len(s.lengths); n%keptLengths == 0 {
		s.lengthSums = append(s.lengthSums, s.sumLengths(0, n))
	}
	s.lengths = append(s.lengths, row)
}

// upToLengths brings the sum of the runs before one up to a later one.
func (s *strip) upToLengths(sum []lengths, from, to int) {
	if k := min(to/keptLengths, len(s.lengthSums)-1); k*keptLengths > from {
		copy(sum, s.lengthSums[k])
		from = k * keptLengths
	}
	for _, row := range s.lengths[from:to] {
		mergeLengths(sum, row)
	}
}

// addBefore adds the runs of a strip before one to the scores before.
func (l lengthSides) addBefore(s *strip, at int) {
	if l.pre == nil || s.lengths == nil {
		return
	}
	for _, row := range s.lengths[:at] {
		mergeLengths(l.pre, row)
	}
}

// addRow adds a row, split by release, to the scores with a release and without it.
func (l lengthSides) addRow(g int, r *Row, release string, carries bool) {
	if l.pre == nil {
		return
	}
	add := func(with bool, counts []LengthCount) {
		side := l.pre
		if with {
			side = l.post
		}
		side[g].merge(newLengths(counts))
	}
	if r.Releases == nil {
		add(carries, r.Lengths)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.ReleaseLengths)) {
		add(name == release, r.ReleaseLengths[name])
	}
}

// lengthScan gives a scan both sides of its boundaries by length, newest first.
type lengthScan struct {
	*strip
	pre   [][]lengths
	post  []lengths
	k, to int
}

// scanLengths returns nil where lengths are not told apart.
func (s *strip) scanLengths(at []boundary) *lengthScan {
	if s.lengths == nil || !s.strata {
		return nil
	}
	l := &lengthScan{strip: s, pre: make([][]lengths, len(at)), post: make([]lengths, s.cells), to: len(s.rows)}
	sum, from := make([]lengths, s.cells), 0
	for k, b := range slices.Backward(at) {
		s.upToLengths(sum, from, b.at)
		from = b.at
		l.pre[k] = slices.Clone(sum)
	}
	return l
}

// sides returns the sides of the next boundary of a strip whose scan is there, good until
// it is called again. Where lengths are not told apart, the design effect is all of them.
func (l *lengthScan) sides(s *strip, at int, design float64) sides {
	if l == nil {
		return sides{design: design}
	}
	for ; l.to > at; l.to-- {
		mergeLengths(l.post, l.lengths[l.to-1])
	}
	l.k++
	return sides{s.sum(0, at), s.post.moments(), design, lengthSides{l.pre[l.k-1], l.post, true}}
}

// moments are the scores since by cell, without their scatter, which no comparison asks for.
func (t *tail) moments() []Moments {
	out := make([]Moments, len(t.others))
	for g, o := range t.others {
		out[g] = Moments{N: int(o.n + t.zeros[g]), Zeros: int(t.zeros[g]), Mean: o.mean}
	}
	return out
}

// stratum is what is compared with itself in the evidence of zeros and of other scores.
type stratum struct{ pre, post Moments }

// strata are the cells, or their answers by length: with the same support in each
// statement, shorter answers have more zeros, and other scores when they have none.
func (s sides) strata() []stratum {
	out := make([]stratum, 0, len(s.pre))
	for g, pre := range s.pre {
		if !s.byLength(g) {
			out = append(out, stratum{pre, s.post[g]})
			continue
		}
		out = append(out, lengthStrata(&s.length.pre[g], &s.length.post[g])...)
	}
	return out
}

// byLength says whether a cell can be split: the lengths of half its scores on either
// side are known.
func (s sides) byLength(g int) bool {
	if !s.length.strata || s.pre[g].N < minCell || s.post[g].N == 0 {
		return false
	}
	before, after := s.length.pre[g].sums.answers, s.length.post[g].sums.answers
	return 2*before >= float64(s.pre[g].N) && 2*after >= float64(s.post[g].N)
}

// lengthStrata splits a cell by class of length. A class with under minCell baseline samples
// is on neither side, as a new cell is, whatever it holds after: were that asked, evidence
// of one boundary and of the next would not be about the same answers, and point to the
// wrong one. Where no class has that many the cell stays whole.
func lengthStrata(pre, post *lengths) []stratum {
	var out []stratum
	for c, a := range pre.class {
		if a.N >= minCell {
			out = append(out, stratum{a, post.class[c]})
		}
	}
	if len(out) > 0 {
		return out
	}
	var whole stratum
	for c, a := range pre.class {
		whole = stratum{whole.pre.Merge(a), whole.post.Merge(post.class[c])}
	}
	return []stratum{whole}
}

// stretch is by how much more the fall of the mean scatters at the lengths after than if
// they were those before: at least 1. The mean itself is compared over all lengths: it
// does not depend on length where the support in each statement does not, and a fault
// that makes answers short and bad has to show.
func (s sides) stretch() float64 {
	if !s.length.strata {
		return 1
	}
	var sum, size float64
	for g, a := range s.pre {
		if a.N < minCell || s.post[g].N == 0 {
			continue
		}
		m, n := float64(a.N), float64(s.post[g].N)
		w, r := m*n/(m+n), 1.0
		if s.byLength(g) {
			r = (n + m*varianceRatio(a.all(), &s.length.pre[g], &s.length.post[g])) / (m + n)
		}
		size += w
		sum += w * r
	}
	if size == 0 {
		return 1
	}
	return max(1, sum/size)
}

// varianceRatio is the variance of a cell's scores at the lengths after over that before.
// A class takes its variance from before, or where it has no baseline from after.
func varianceRatio(cell sums, pre, post *lengths) float64 {
	var n, m2 float64
	for c := range post.class {
		b := post.class[c].all()
		if b.n == 0 {
			continue
		}
		variance := b.m2 / b.n
		if a := pre.class[c].all(); a.n >= minCell {
			d := a.mean - cell.mean
			variance = a.m2/a.n + d*d
		}
		n, m2 = n+b.n, m2+b.n*variance
	}
	if n == 0 || cell.m2 <= 0 {
		return 1
	}
	return m2 / n / (cell.m2 / cell.n)
}
