package openai

import "leadline/scorer"

// findings put the verdicts of several parts together.
type findings struct {
	best    []scorer.Verdict // of each statement
	judged  []bool           // by every part that was asked
	strange []scorer.Verdict // rows that fit no statement or hold no verdict
}

func newFindings(n int) *findings {
	f := &findings{best: make([]scorer.Verdict, n), judged: make([]bool, n)}
	for i := range n {
		f.best[i].Index, f.judged[i] = i, true
	}
	return f
}

// open lists the statements that no part has supported yet.
func (f *findings) open() []int {
	var out []int
	for i, v := range f.best {
		if v.Value != 1 {
			out = append(out, i)
		}
	}
	return out
}

// add takes the rows of a part about the statements at the given indices.
func (f *findings) add(asked []int, rows []scorer.Verdict) {
	given := map[int]bool{}
	for _, row := range rows {
		if row.Index < 0 || row.Index >= len(asked) || row.Value != 0 && row.Value != 1 {
			f.strange = append(f.strange, scorer.Verdict{Index: len(f.best), Value: row.Value})
			continue
		}
		at := asked[row.Index]
		if given[at] && f.best[at].Value != row.Value {
			f.strange = append(f.strange, scorer.Verdict{Index: at, Value: 1 - row.Value})
		}
		given[at] = true
		f.best[at] = scorer.Verdict{Index: at, Value: row.Value, Reason: row.Reason}
	}
	for _, at := range asked {
		f.judged[at] = f.judged[at] && given[at]
	}
}

// rows are one for each statement that a part supported, or that all parts judged; the
// statements that lack a verdict have none. Strange rows follow: the caller refuses them.
func (f *findings) rows() []scorer.Verdict {
	var out []scorer.Verdict
	for i, v := range f.best {
		if f.judged[i] || v.Value == 1 {
			out = append(out, v)
		}
	}
	return append(out, f.strange...)
}
