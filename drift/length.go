package drift

import (
	"cmp"
	"math/bits"
	"slices"

	"leadline/scorer"
)

// LengthCount counts the answers of a row that have the same number of statements, of
// which as many are supported. Their score is Supported/Statements.
type LengthCount struct {
	Statements int `json:"n"`
	Supported  int `json:"s"`
	Answers    int `json:"k"`
}

func compareLengths(a, b LengthCount) int {
	return cmp.Or(cmp.Compare(a.Statements, b.Statements), cmp.Compare(a.Supported, b.Supported))
}

// addLength counts one more answer; the counts stay in order.
func addLength(counts []LengthCount, statements, supported int) []LengthCount {
	c := LengthCount{Statements: statements, Supported: supported, Answers: 1}
	at, found := slices.BinarySearchFunc(counts, c, compareLengths)
	if found {
		counts[at].Answers++
		return counts
	}
	return slices.Insert(counts, at, c)
}

// addStatements counts the statements of a score of Faithfulness; it returns 0 where none
// were kept.
func (r *Row) addStatements(s scorer.Score) (statements, supported int) {
	if r.Metric != scorer.Faithfulness {
		return 0, 0
	}
	for _, st := range s.Statements {
		n := max(st.Count, 1)
		statements += n
		supported += n * st.Verdict
	}
	if statements > 0 {
		r.Statements += statements
		r.Supported += supported
		r.Lengths = addLength(r.Lengths, statements, supported)
	}
	return statements, supported
}

func (r *Row) addReleaseLength(release string, statements, supported int) {
	if statements == 0 {
		return
	}
	if r.ReleaseLengths == nil {
		r.ReleaseLengths = map[string][]LengthCount{}
	}
	r.ReleaseLengths[release] = addLength(r.ReleaseLengths[release], statements, supported)
}

// lengthClasses is how many classes of length there are: 1, 2, 3–4, 5–8, 9 and more
// statements. They double because what length does to a ratio shrinks with 1/length.
const lengthClasses = 5

func lengthClass(statements int) int {
	return min(bits.Len(uint(max(statements, 1)-1)), lengthClasses-1)
}

// lengths are the scores of a cell by class of length, and what their statements sum to.
type lengths struct {
	class [lengthClasses]Moments
	sums  statementSums
}

// statementSums are sums over answers, of n statements of which s are supported.
type statementSums struct{ answers, n, s, nn, ns, ss float64 }

func newLengths(counts []LengthCount) *lengths {
	l := &lengths{}
	for _, c := range counts {
		m := Moments{N: c.Answers, Zeros: c.Answers}
		if c.Supported > 0 {
			m = Moments{N: c.Answers, Mean: float64(c.Supported) / float64(c.Statements)}
		}
		at := &l.class[lengthClass(c.Statements)]
		*at = at.Merge(m)
		k, n, s := float64(c.Answers), float64(c.Statements), float64(c.Supported)
		l.sums.merge(&statementSums{k, k * n, k * s, k * n * n, k * n * s, k * s * s})
	}
	return l
}

func (a *statementSums) merge(b *statementSums) {
	a.answers, a.n, a.s = a.answers+b.answers, a.n+b.n, a.s+b.s
	a.nn, a.ns, a.ss = a.nn+b.nn, a.ns+b.ns, a.ss+b.ss
}

func (l *lengths) merge(o *lengths) {
	mergeCells(l.class[:], o.class[:])
	l.sums.merge(&o.sums)
}

func mergeLengths(into []lengths, row []*lengths) {
	for g, l := range row {
		if l != nil {
			into[g].merge(l)
		}
	}
}

// lengthsOf splits a run of a table by length.
func lengthsOf(run []*Row) []*lengths {
	cells := make([]*lengths, len(run))
	for c, r := range run {
		if r != nil && len(r.Lengths) > 0 {
			cells[c] = newLengths(r.Lengths)
		}
	}
	return cells
}

// runLengths lays out a run of a track without the cells that are cut; nil without lengths.
func (t track) runLengths(run int, cuts []cut) []*lengths {
	if t.lengths == nil {
		return nil
	}
	out := make([]*lengths, len(t.in))
	for g, c := range t.in {
		if !t.cut(cuts, run, c) {
			out[g] = t.lengths[run][c]
		}
	}
	return out
}
