package drift

import (
	"cmp"
	"slices"
	"time"

	"leadline/sampler"
	"leadline/scorer"
)

// table is the history of one metric under one judge, by run and cell.
type table struct {
	metric  scorer.Metric
	judge   string
	due     []time.Time // of runs with scores, oldest first
	cells   []sampler.Cell
	values  []map[string]string // of each cell, per dimension
	rows    [][]*Row            // [run][cell], nil where nothing was scored
	lengths [][]*lengths        // rows by length; nil where no row has lengths
	// clustered is true where conversations have several scores.
	clustered bool
}

// tables returns a table for each metric's newest judge, and one for each share.
// The order of the rows does not matter, nor that one is given twice.
func tables(rows []Row, runs []sampler.Tally) []*table {
	rows = distinctRows(rows)
	byMetric := map[scorer.Metric][]*Row{}
	for i := range rows {
		if r := &rows[i]; r.N > 0 {
			byMetric[r.Metric] = append(byMetric[r.Metric], r)
		}
	}
	out := make([]*table, 0, len(byMetric)+len(Shares))
	for _, m := range metricsOf(byMetric) {
		out = append(out, newTable(liveRows(byMetric[m])))
	}
	for _, s := range Shares {
		if rows := shareRows(s, runs); len(rows) > 0 {
			out = append(out, newTable(rows))
		}
	}
	return out
}

// distinctRows returns the rows in order, one for each run, cell, metric and judge.
func distinctRows(rows []Row) []Row {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, cmpRows)
	return slices.CompactFunc(rows, func(a, b Row) bool { return compareRows(a, b) == 0 })
}

// cmpRows puts the fuller of two rows of the same run, cell, metric and judge first.
func cmpRows(a, b Row) int {
	return cmp.Or(compareRows(a, b), -cmp.Compare(a.N, b.N), -cmp.Compare(a.Statements, b.Statements), cmp.Compare(a.Zeros, b.Zeros), cmp.Compare(a.Mean, b.Mean),
		cmp.Compare(a.M2, b.M2), cmp.Compare(a.M3, b.M3), cmp.Compare(a.M4, b.M4), cmp.Compare(a.Weight, b.Weight), a.Start.Compare(b.Start))
}

// metricsOf returns the metrics in the order in which they are shown.
func metricsOf(rows map[scorer.Metric][]*Row) []scorer.Metric {
	place := func(m scorer.Metric) int {
		if i := slices.Index(scorer.Metrics, m); i >= 0 {
			return i
		}
		return len(scorer.Metrics)
	}
	out := make([]scorer.Metric, 0, len(rows))
	for m := range rows {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b scorer.Metric) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
	return out
}

// liveRows returns the rows of the judge that scored most of the newest run. What was scored
// again later does not say who scores.
func liveRows(rows []*Row) []*Row {
	var newest time.Time
	n := map[string]int{}
	some := slices.ContainsFunc(rows, func(r *Row) bool { return r.Bridged == "" })
	for _, r := range slices.Backward(rows) {
		if some && r.Bridged != "" {
			continue
		}
		if newest.IsZero() {
			newest = r.Due
		}
		if !r.Due.Equal(newest) {
			break
		}
		n[r.Judge] += r.N
	}
	judge, most := "", 0
	for key, count := range n {
		if count > most || count == most && key < judge {
			judge, most = key, count
		}
	}
	return slices.DeleteFunc(rows, func(r *Row) bool { return r.Judge != judge })
}

// ShareRows returns the rows of all watched shares, to be drawn like scores.
func ShareRows(tallies []sampler.Tally) []Row {
	var rows []Row
	for _, share := range Shares {
		for _, r := range shareRows(share, tallies) {
			rows = append(rows, *r)
		}
	}
	return rows
}

// shareRows counts a record 0 when it has the property and 1 when not.
func shareRows(share scorer.Metric, tallies []sampler.Tally) []*Row {
	var rows []*Row
	for _, t := range tallies {
		if t.Decoded <= 0 {
			continue
		}
		zeros := min(max(shareCount(share, t), 0), t.Decoded)
		m := Moments{N: t.Decoded, Zeros: zeros, Mean: 1}
		if zeros == t.Decoded {
			m.Mean = 0
		}
		rows = append(rows, &Row{Start: t.Start, Due: t.Due, Metric: share, Moments: m})
	}
	return rows
}

func shareCount(share scorer.Metric, t sampler.Tally) int {
	switch share {
	case ShareEmptyRetrieval:
		return t.NoContexts
	case ShareRefusal:
		return t.Refusals
	case ShareTruncated:
		return t.Truncated
	default:
		return t.Errors
	}
}

// newTable lays out rows of one metric and judge, in the order of their due times.
func newTable(rows []*Row) *table {
	t := &table{metric: rows[0].Metric, judge: rows[0].Judge}
	index := map[sampler.Cell]int{}
	for _, r := range rows {
		index[r.Cell] = 0
	}
	for c := range index {
		t.cells = append(t.cells, c)
	}
	slices.Sort(t.cells)
	for i, c := range t.cells {
		index[c] = i
		t.values = append(t.values, c.Values())
	}
	for _, r := range rows {
		if n := len(t.due); n == 0 || !t.due[n-1].Equal(r.Due) {
			t.due = append(t.due, r.Due)
			t.rows = append(t.rows, make([]*Row, len(t.cells)))
		}
		t.rows[len(t.rows)-1][index[r.Cell]] = r
		t.clustered = t.clustered || r.Clusters != nil
	}
	t.splitByLength()
	return t
}

// after returns the first run due at or after a time.
func (t *table) after(at time.Time) int {
	i, _ := slices.BinarySearchFunc(t.due, at, time.Time.Compare)
	return i
}

// track is one series and where it stands in its table.
type track struct {
	Series
	*table
	in []int // cells of the table
}

// tracks returns the series of a table: all, and one per value of each dimension that
// has more than one.
func (t *table) tracks() []track {
	all := track{Series{Metric: t.metric, Judge: t.judge}, t, make([]int, len(t.cells))}
	parts := map[Series][]int{}
	for c, values := range t.values {
		all.in[c] = c
		for dim, value := range values {
			s := Series{Metric: t.metric, Judge: t.judge, Dim: dim, Value: value}
			parts[s] = append(parts[s], c)
		}
	}
	out := []track{all}
	for s, in := range parts {
		if len(in) < len(t.cells) {
			out = append(out, track{s, t, in})
		}
	}
	slices.SortFunc(out, func(a, b track) int { return compareSeries(a.Series, b.Series) })
	return out
}

func compareSeries(a, b Series) int {
	return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Judge, b.Judge),
		cmp.Compare(a.Dim, b.Dim), cmp.Compare(a.Value, b.Value))
}

// contains says whether a series of the same metric holds a cell with the given values.
func (s Series) contains(values map[string]string) bool {
	if s.Dim == "" {
		return true
	}
	v, ok := values[s.Dim]
	return ok && v == s.Value
}

// shareSpan is how long the baseline of a share has to be: there are so many records that
// the samples it needs would all be of its first day, and of one day of the week.
const shareSpan = 7 * 24 * time.Hour

// strip lays out a track without the cells of runs that are cut; nil cuts nothing.
func (t track) strip(cut func(run, cell int) bool, s settings) *strip {
	out := &strip{minimum: s.MinBaseline, strata: s.LengthStrata, tolerance: s.ToleranceOf(string(t.Metric))}
	if slices.Contains(Shares, t.Metric) {
		out.span = shareSpan
	}
	var last time.Time // run with scores, cut or not
	out.n, out.total = make([]float64, 0, len(t.due)*len(t.in)), make([]float64, 0, len(t.due)*len(t.in))
	buf := make([]Moments, len(t.due)*len(t.in))
	for run, due := range t.due {
		cells := buf[:len(t.in):len(t.in)]
		var clusters []Clusters
		if t.clustered {
			clusters = make([]Clusters, len(t.in))
		}
		seen, kept := false, false
		for g, c := range t.in {
			r := t.rows[run][c]
			if r == nil {
				continue
			}
			if !seen && last.IsZero() {
				last = cmp.Or(r.Start, due)
			}
			seen = true
			if cut != nil && cut(run, c) {
				continue
			}
			cells[g] = r.Moments
			if t.clustered {
				clusters[g] = r.clusters()
			}
			kept = true
		}
		if kept {
			if l := t.runLengths(run, cut); l != nil {
				out.lengths = append(out.lengths, l)
			}
			mass := max(due.Sub(last), 0).Hours() / s.Period.Hours()
			out.add(due, mass, cells)
			out.clusters = append(out.clusters, clusters...)
			buf = buf[len(t.in):]
		}
		if seen {
			last = due
		}
	}
	return out
}
