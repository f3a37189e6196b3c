package drift

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"leadline/sampler"
)

const (
	// corpusSpan is how far from a change documents are looked at, either way.
	corpusSpan = 28 * 24 * time.Hour
	// expectedMisses is how many retrievals of a document had to be expected before its
	// absence says something.
	expectedMisses = 3
	maxGone        = 5
)

// docCounts counts retrievals per document.
type docCounts map[string]int

// add counts the retrievals of a run in the given cells, in all of them when nil.
func (d docCounts) add(t sampler.Tally, in map[sampler.Cell]bool) {
	for doc, editions := range t.Docs {
		cells, ok := t.DocCells[doc]
		switch {
		case doc == "":
		case ok && in != nil:
			for c, k := range cells {
				if in[c] {
					d[doc] += k
				}
			}
		default:
			for _, k := range editions {
				d[doc] += k
			}
		}
	}
}

// corpusEvidence compares the retrieved documents of the four weeks since a run with those
// of the four weeks before, within the cells of the series.
func corpusEvidence(all *channels, s Series, since time.Time) CorpusEvidence {
	before, after, early, late := docCounts{}, docCounts{}, docCounts{}, docCounts{}
	runs, in := all.runs, cellsOf(all.cells, s)
	for _, t := range runs {
		if !t.Due.Before(since) && t.Due.Before(since.Add(corpusSpan)) {
			after.add(t, in)
		}
	}
	size := sum(after)
	for _, t := range slices.Backward(runs) { // the newest before the change are the yardstick
		if !t.Due.Before(since) || t.Due.Before(since.Add(-corpusSpan)) {
			continue
		}
		before.add(t, in)
		if sum(late) < size && len(early) == 0 {
			late.add(t, in)
		} else {
			early.add(t, in)
		}
	}
	if len(before) == 0 || size == 0 {
		return CorpusEvidence{}
	}
	ev := CorpusEvidence{Observed: true, Overlap: overlap(before, after), Usual: overlap(early, late)}
	ev.New = missing(after, before)
	ev.Gone, ev.Vanished = vanished(before, after)
	return ev
}

// cellsOf returns the cells of a segment, nil for all.
func cellsOf(cells map[sampler.Cell]map[string]string, s Series) map[sampler.Cell]bool {
	if s.Dim == "" {
		return nil
	}
	in := map[sampler.Cell]bool{}
	for c, values := range cells {
		in[c] = s.contains(values)
	}
	return in
}

// overlap is 1 − the total variation distance; 0 when a side is empty.
func overlap(a, b docCounts) float64 {
	na, nb := float64(sum(a)), float64(sum(b))
	if na == 0 || nb == 0 {
		return 0
	}
	common := 0.0
	for _, doc := range slices.Sorted(maps.Keys(a)) {
		common += min(float64(a[doc])/na, float64(b[doc])/nb)
	}
	return common
}

// missing is the share of a's retrievals of documents that b does not have.
func missing(a, b docCounts) float64 {
	n := 0
	for doc, k := range a {
		if b[doc] == 0 {
			n += k
		}
	}
	return float64(n) / float64(max(sum(a), 1))
}

// vanished returns the documents that were to be expected and did not come, the most
// retrieved first, and their share of the retrievals before.
func vanished(before, after docCounts) (gone []string, share float64) {
	n, size := sum(before), sum(after)
	lost := 0
	for _, doc := range slices.Sorted(maps.Keys(before)) {
		if after[doc] == 0 && before[doc]*size >= expectedMisses*n {
			gone = append(gone, doc)
			lost += before[doc]
		}
	}
	slices.SortStableFunc(gone, func(a, b string) int { return -cmp.Compare(before[a], before[b]) })
	return gone[:min(len(gone), maxGone)], float64(lost) / float64(max(n, 1))
}
