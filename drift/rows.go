package drift

import (
	"cmp"
	"slices"

	"leadline/sampler"
	"leadline/scorer"
)

// Rows sums the scores of one window into rows, one per metric, judge and cell, in that
// order. Outcomes without a score enter no row. Of answers that are word for word the same
// (TextHash), a cell counts the first; scores given twice without one count twice.
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
	rows := map[key]*rowSums{}
	for _, s := range scores {
		for metric, o := range s.Outcomes {
			if !o.Scored {
				continue
			}
			k := key{metric, s.Judges[metric], s.Cell}
			if rows[k] == nil {
				rows[k] = newRowSums(Row{Start: w.Start, Due: w.Due, Metric: metric, Judge: k.judge, Cell: s.Cell}, split)
			}
			rows[k].add(s, o.Value)
		}
	}
	out := make([]Row, 0, len(rows))
	for k, r := range rows {
		out = append(out, r.row(w.Weight(k.cell, judged[k.cell])))
	}
	slices.SortFunc(out, compareRows)
	return out
}

// rowSums is a row in the making.
type rowSums struct {
	Row
	split bool            // by release
	all   Moments         // of all answers, repeated ones included
	seen  map[string]bool // texts, by release where the row is split
	talks conversations
}

func newRowSums(r Row, split bool) *rowSums {
	return &rowSums{Row: r, split: split, seen: map[string]bool{}}
}

func (r *rowSums) add(s scorer.Score, value float64) {
	r.all = r.all.Add(value)
	if r.repeated(s) {
		return
	}
	r.Moments = r.Add(value)
	statements, supported := r.addStatements(s)
	r.talks.add(s.SessionHash, max(value, 0))
	if !r.split {
		return
	}
	if r.Releases == nil {
		r.Releases = map[string]Moments{}
	}
	release := s.Channels[sampler.ChannelRelease]
	r.Releases[release] = r.Releases[release].Add(value)
	r.addReleaseLength(release, statements, supported)
}

// repeated says whether the row holds the same text already. Two releases that give the same
// answer are compared with each other, so each has its own.
func (r *rowSums) repeated(s scorer.Score) bool {
	if s.TextHash == "" {
		return false
	}
	text := s.TextHash
	if r.split {
		text += " " + s.Channels[sampler.ChannelRelease]
	}
	again := r.seen[text]
	r.seen[text] = true
	return again
}

// row finishes the row; each judged sample of its cell stands for so many answers, 0 where
// that is not known.
func (r *rowSums) row(each float64) Row {
	r.Weight = each * float64(r.all.N)
	if again := r.all.N - r.N; again > 0 {
		all := r.all.Level()
		r.Repeats = &Repeats{N: again, Mean: all.Mean, Zeros: all.Zeros}
		if r.Weight == 0 {
			r.Weight = float64(r.all.N)
		}
	}
	r.Clusters = r.talks.clusters()
	return r.Row
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
