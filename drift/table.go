package drift

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"leadline/sampler"
	"leadline/scorer"
)

// sheet is all of one metric: the rows of every judge, and the table of the one that is live.
type sheet struct {
	rows []*Row // oldest first
	*table
}

// add takes in the rows of later runs, oldest first. Where the table cannot go on, since
// another judge is live or something is new of which it has no column, it is laid out anew.
func (s *sheet) add(rows []*Row) {
	s.rows = append(s.rows, rows...)
	judge := liveJudge(s.rows)
	of := func(rows []*Row) []*Row {
		return slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return r.Judge != judge })
	}
	if s.table == nil || s.judge != judge || !s.extend(of(rows)) {
		s.table = newTable(of(s.rows))
	}
}

// table is the history of one metric under one judge, by run and cell.
type table struct {
	metric  scorer.Metric
	judge   string
	due     []time.Time // of runs with scores, oldest first
	cells   []sampler.Cell
	index   map[sampler.Cell]int // in cells
	values  []map[string]string  // of each cell, per dimension
	rows    [][]*Row             // [run][cell], nil where nothing was scored
	tracks  []track
	lengths [][]*lengths // rows by length; nil where no row has lengths
	extras
}

// extras is what some rows say beside their scores.
type extras struct {
	clustered bool // conversations have several scores
	measured  bool // lengths of answers are known
}

func extrasOf(rows []*Row) (x extras) {
	for _, r := range rows {
		x.clustered = x.clustered || r.Clusters != nil
		x.measured = x.measured || len(r.Lengths) > 0
	}
	return x
}

// beyond says whether there is more than in others.
func (x extras) beyond(o extras) bool {
	return x.clustered && !o.clustered || x.measured && !o.measured
}

// byMetric sorts rows and groups those with scores. Their order does not matter, nor that
// one is given twice.
func byMetric(rows []Row) map[scorer.Metric][]*Row {
	rows = distinctRows(rows)
	out := map[scorer.Metric][]*Row{}
	for i := range rows {
		if r := &rows[i]; r.N > 0 {
			out[r.Metric] = append(out[r.Metric], r)
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

// compareMetrics puts metrics in the order in which they are shown.
func compareMetrics(a, b scorer.Metric) int {
	place := func(m scorer.Metric) int {
		if i := slices.Index(scorer.Metrics, m); i >= 0 {
			return i
		}
		return len(scorer.Metrics)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// liveJudge returns the judge that scored most of the newest run. What was scored again
// later does not say who scores.
func liveJudge(rows []*Row) string {
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
	return judge
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
	t := &table{metric: rows[0].Metric, judge: rows[0].Judge, index: map[sampler.Cell]int{}, extras: extrasOf(rows)}
	for _, r := range rows {
		t.index[r.Cell] = 0
	}
	t.cells = slices.Sorted(maps.Keys(t.index))
	for i, c := range t.cells {
		t.index[c] = i
		t.values = append(t.values, c.Values())
	}
	t.tracks = t.split()
	t.extend(rows)
	return t
}

// extend adds rows of later runs, in the order of their due times. It does nothing and
// returns false when one of them has a cell that is not in the table, or the first lengths
// or conversations.
func (t *table) extend(rows []*Row) bool {
	if extrasOf(rows).beyond(t.extras) {
		return false
	}
	for _, r := range rows {
		if _, ok := t.index[r.Cell]; !ok {
			return false
		}
	}
	runs := len(t.rows)
	for _, r := range rows {
		if n := len(t.due); n == 0 || !t.due[n-1].Equal(r.Due) {
			t.due = append(t.due, r.Due)
			t.rows = append(t.rows, make([]*Row, len(t.cells)))
		}
		t.rows[len(t.rows)-1][t.index[r.Cell]] = r
	}
	if t.measured {
		for _, run := range t.rows[runs:] {
			t.lengths = append(t.lengths, lengthsOf(run))
		}
	}
	return true
}

// after returns the first run due at or after a time.
func (t *table) after(at time.Time) int {
	i, _ := slices.BinarySearchFunc(t.due, at, time.Time.Compare)
	return i
}

// samples counts the scores of a run.
func (t *table) samples(due time.Time) int {
	run, n := t.after(due), 0
	if run == len(t.due) || !t.due[run].Equal(due) {
		return 0
	}
	for _, r := range t.rows[run] {
		if r != nil {
			n += r.N
		}
	}
	return n
}

// track is one series and where it stands in its table.
type track struct {
	Series
	*table
	in   []int // cells of the table
	kept *kept
}

// split returns the series of a table: all, and one per value of each dimension that has
// more than one.
func (t *table) split() []track {
	all := track{Series{Metric: t.metric, Judge: t.judge}, t, make([]int, len(t.cells)), &kept{}}
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
			out = append(out, track{s, t, in, &kept{}})
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

// kept is what a track keeps from run to run: its strip and the cuts that it was made with.
type kept struct {
	cuts  []cut
	strip *strip
	runs  int       // of the table, that the strip holds or leaves out
	last  time.Time // run with scores, cut or not
	// candidates are those of the newest decision: room for the next.
	candidates []candidate
}

// strip lays out a track without what is cut. Only runs that are new are added to what was
// laid out before, unless the cuts are others now.
func (t track) strip(cuts []cut, s settings) *strip {
	k := t.kept
	if k.strip == nil || !slices.Equal(k.cuts, cuts) {
		*k = kept{cuts: cuts, strip: &strip{minimum: s.MinBaseline, strata: s.LengthStrata, tolerance: s.ToleranceOf(string(t.Metric))}}
		if IsShare(t.Metric) {
			k.strip.span = shareSpan
		}
		k.strip.grow(len(t.due), len(t.in))
	}
	for ; k.runs < len(t.due); k.runs++ {
		t.lay(k.runs, s)
	}
	return k.strip
}

// lay adds a run to the strip of a track.
func (t track) lay(run int, s settings) {
	k, due := t.kept, t.due[run]
	var cells []Moments
	var clusters []Clusters
	var answers traffic
	if n := len(k.strip.traffic); n > 0 {
		answers = k.strip.traffic[n-1]
	}
	seen := false
	for g, c := range t.in {
		r := t.rows[run][c]
		if r == nil {
			continue
		}
		if !seen && k.last.IsZero() {
			k.last = cmp.Or(r.Start, due)
		}
		seen = true
		if t.cut(k.cuts, run, c) {
			continue
		}
		if cells == nil {
			cells = make([]Moments, len(t.in))
		}
		cells[g] = r.Moments
		answers.add(r)
		if t.clustered && clusters == nil {
			clusters = make([]Clusters, len(t.in))
		}
		if t.clustered {
			clusters[g] = r.clusters()
		}
	}
	if cells != nil {
		k.strip.add(due, max(due.Sub(k.last), 0).Hours()/s.Period.Hours(), cells)
		k.strip.addClusters(clusters)
		k.strip.traffic = append(k.strip.traffic, answers)
		if t.lengths != nil {
			k.strip.addLengths(t.runLengths(run, k.cuts))
		}
	}
	if seen {
		k.last = due
	}
}
