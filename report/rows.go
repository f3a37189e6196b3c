package report

import (
	"cmp"
	"slices"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// maker is an input, read once.
type maker struct {
	Input
	chartFrom, lastFrom time.Time                     // where the charts, and the week before, begin
	judges              map[scorer.Metric]string      // that scored a metric last in the week, or before it
	series              map[drift.Series][]*drift.Row // of the charts' time; a row is in several
	sums                map[drift.Series][2]sum       // of compared
}

func read(in Input) *maker {
	if in.Location == nil {
		in.Location = in.From.Location()
	}
	in.From, in.To = in.From.In(in.Location), in.To.In(in.Location)
	m := &maker{Input: in, judges: map[scorer.Metric]string{}, series: map[drift.Series][]*drift.Row{}, sums: map[drift.Series][2]sum{}}
	m.lastFrom = in.From.AddDate(0, 0, -7)
	rows := append(slices.Clip(in.History.Rows), drift.ShareRows(in.History.Tallies)...)
	m.chartFrom = m.firstWeek(rows)
	newest := map[scorer.Metric]time.Time{}
	values := map[sampler.Cell]map[string]string{}
	for i := range rows {
		r := &rows[i]
		if !r.Due.After(m.chartFrom) || r.Due.After(in.To) {
			continue
		}
		if c := r.Due.Compare(newest[r.Metric]); r.Bridged == "" && (c > 0 || c == 0 && r.Judge > m.judges[r.Metric]) {
			newest[r.Metric], m.judges[r.Metric] = r.Due, r.Judge
		}
		if _, ok := values[r.Cell]; !ok {
			values[r.Cell] = r.Cell.Values()
		}
		m.file(r, values[r.Cell])
	}
	return m
}

// file puts a row into the pooled series, and into that of each of its cell's values.
func (in *maker) file(r *drift.Row, values map[string]string) {
	all := drift.Series{Metric: r.Metric, Judge: r.Judge}
	in.series[all] = append(in.series[all], r)
	for dim, v := range values {
		s := drift.Series{Metric: r.Metric, Judge: r.Judge, Dim: dim, Value: v}
		in.series[s] = append(in.series[s], r)
	}
}

// firstWeek is where the charts begin: with the week of the first run, but at least the
// week before the reported one, and at most ChartWeeks back.
func (in *maker) firstWeek(rows []drift.Row) time.Time {
	first := in.lastFrom
	for _, r := range rows {
		if r.Due.Before(first) {
			_, first, _ = WeekOf(r.Due, in.Location)
		}
	}
	if oldest := in.To.AddDate(0, 0, -7*ChartWeeks); first.Before(oldest) {
		return oldest
	}
	return first
}

// inWeek says whether a run belongs to the week: the run due at its first moment holds
// records of the week before.
func (in *maker) inWeek(due time.Time) bool { return due.After(in.From) && !due.After(in.To) }

// before says whether a run lies before the week, as far back as the charts reach.
func (in *maker) before(due time.Time) bool { return due.After(in.chartFrom) && !due.After(in.From) }

func (in *maker) lastWeek(due time.Time) bool { return due.After(in.lastFrom) && !due.After(in.From) }

func (in *maker) judge(m scorer.Metric) string { return in.judges[m] }

// rows returns the rows of a series that are due when the predicate says.
func (in *maker) rows(s drift.Series, when func(time.Time) bool) []*drift.Row {
	var rows []*drift.Row
	for _, r := range in.series[s] {
		if when(r.Due) {
			rows = append(rows, r)
		}
	}
	return rows
}

func (in *maker) total(s drift.Series, when func(time.Time) bool) (t sum) {
	for _, r := range in.rows(s, when) {
		t = t.add(sumOf(r))
	}
	return t
}

// compared is a series in the week and in its baseline.
func (in *maker) compared(s drift.Series) (this, base sum) {
	both, ok := in.sums[s]
	if !ok {
		both = [2]sum{in.total(s, in.inWeek), in.total(s, in.usual(s))}
		in.sums[s] = both
	}
	return both[0], both[1]
}

// usual says whether a run may be in the baseline of a series: before the week, in no
// episode that reaches into the series, and after the last accepted new normal.
func (in *maker) usual(s drift.Series) func(time.Time) bool {
	var down []drift.Episode
	for _, e := range in.episodes() {
		if touches(e.Series, s) {
			down = append(down, e)
		}
	}
	var accepted time.Time
	for _, a := range in.History.Acceptances {
		if touches(a.Series, s) && a.From.After(accepted) {
			accepted = a.From
		}
	}
	return func(due time.Time) bool {
		for _, e := range down {
			if !due.Before(e.From) && (e.Resolved.IsZero() || due.Before(e.Resolved)) {
				return false
			}
		}
		return in.before(due) && due.After(accepted)
	}
}

// touches says whether what happened to a also counts for b: the same series, or one of
// them holds the other.
func touches(a, b drift.Series) bool {
	return a.Metric == b.Metric && (a.Judge == b.Judge) &&
		(a.Dim == "" || b.Dim == "" || a.Dim == b.Dim && a.Value == b.Value)
}

// segments lists the dimension values of a metric's rows in the time of the charts.
func (in *maker) segments(m scorer.Metric) []drift.Series {
	var all []drift.Series
	for s := range in.series {
		if s.Metric == m && s.Dim != "" && s.Judge == in.judge(m) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b drift.Series) int {
		return cmp.Or(cmp.Compare(a.Dim, b.Dim), cmp.Compare(a.Value, b.Value))
	})
	return all
}

// state is how a series stood at the end of the week. A decision made much later only
// tells how wide its band is: its level and its status are of another time.
func (in *maker) state(s drift.Series) drift.State {
	st := drift.State{Series: s}
	for _, known := range in.Result.States {
		if known.Series == s {
			st = known
		}
	}
	this, base := in.compared(s)
	if st.Run.After(in.To.Add(fresh)) {
		st.Baseline = drift.Level{N: base.n, Mean: base.mean}
		st.Status = "learning"
		if this.n >= enough && base.n >= enough {
			st.Status = "ok"
		}
	}
	if st.Baseline.N == 0 {
		st.Baseline = drift.Level{N: base.n, Mean: base.mean}
	}
	if in.wasDown(s) {
		st.Status = "down"
	} else if st.Status == "down" {
		st.Status = "watch" // it went down only after the week
	}
	return st
}

// fresh is how long after the end of a week a decision may be made and still be the
// week's: reports are made some hours into the next one.
const fresh = 24 * time.Hour

// wasDown says whether an episode of the series went on at the end of the week.
func (in *maker) wasDown(s drift.Series) bool {
	return slices.ContainsFunc(in.episodes(), func(e drift.Episode) bool {
		return e.Series == s && !e.Opened.After(in.To) && (e.Resolved.IsZero() || e.Resolved.After(in.To))
	})
}

// states are those of all series that are known.
func (in *maker) states() []drift.State {
	states := make([]drift.State, len(in.Result.States))
	for i, st := range in.Result.States {
		states[i] = in.state(st.Series)
	}
	return states
}

// episodes are all that are known: the newest decision's, else the history's.
func (in *maker) episodes() []drift.Episode {
	if len(in.Result.Episodes) > 0 {
		return in.Result.Episodes
	}
	return in.History.Episodes
}
