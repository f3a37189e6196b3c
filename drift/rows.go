package drift

import (
	"cmp"
	"slices"

	"leadline/sampler"
	"leadline/scorer"
)

// Rows sums the scores of one window into rows, one per metric, judge and cell, in that
// order. Outcomes without a score enter no row. Scores given twice count twice.
func Rows(w sampler.Window, scores []scorer.Score) []Row {
	type key struct {
		metric scorer.Metric
		judge  string
		cell   sampler.Cell
	}
	scores = slices.SortedFunc(slices.Values(scores), func(a, b scorer.Score) int {
		return cmp.Compare(a.SampleID, b.SampleID) // sums of floats keep their last bit
	})
	split, judged := manyReleases(scores), map[sampler.Cell]int{}
	for _, s := range scores {
		judged[s.Cell]++
	}
	rows := map[key]*Row{}
	for _, s := range scores {
		for metric, o := range s.Outcomes {
			if !o.Scored {
				continue
			}
			k := key{metric, s.Judges[metric], s.Cell}
			if rows[k] == nil {
				rows[k] = &Row{Start: w.Start, Due: w.Due, Metric: metric, Judge: k.judge, Cell: s.Cell}
			}
			rows[k].add(s, o.Value, split)
		}
	}
	out := make([]Row, 0, len(rows))
	for _, r := range rows {
		r.Weight = w.Weight(r.Cell, judged[r.Cell]) * float64(r.N)
		out = append(out, *r)
	}
	slices.SortFunc(out, compareRows)
	return out
}

func (r *Row) add(s scorer.Score, value float64, split bool) {
	r.Moments = r.Add(value)
	if r.Metric == scorer.Faithfulness {
		for _, st := range s.Statements {
			n := max(st.Count, 1)
			r.Statements += n
			r.Supported += n * st.Verdict
		}
	}
	if !split {
		return
	}
	if r.Releases == nil {
		r.Releases = map[string]Moments{}
	}
	release := s.Channels[sampler.ChannelRelease]
	r.Releases[release] = r.Releases[release].Add(value)
}

func manyReleases(scores []scorer.Score) bool {
	seen := map[string]bool{}
	for _, s := range scores {
		seen[s.Channels[sampler.ChannelRelease]] = true
	}
	return len(seen) > 1
}

func compareRows(a, b Row) int {
	return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Judge, b.Judge),
		cmp.Compare(a.Cell, b.Cell))
}
