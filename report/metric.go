package report

import (
	"cmp"
	"slices"
	"time"

	"leadline/drift"
	"leadline/scorer"
)

// maxSmall is how many segments of a metric get a chart of their own.
const maxSmall = 6

func (in *maker) metric(m scorer.Metric, w Words) Metric {
	s := drift.Series{Metric: m, Judge: in.judge(m)}
	st := in.state(s)
	this, base := in.compared(s)
	out := Metric{
		Metric:   m,
		This:     this.estimate(st.DesignEffect),
		Last:     in.total(s, in.lastWeek).estimate(st.DesignEffect),
		Baseline: base.estimate(st.DesignEffect),
		Chart:    in.chart(s, w),
	}
	out.Delta, out.HasDelta = difference(this, base, st.DesignEffect)
	in.single(&out, s)
	for _, seg := range in.worthAPicture(m) {
		c := in.chart(seg, w)
		c.Small, c.Title = true, w.Segment(seg.Segment())
		out.Small = append(out.Small, c)
	}
	return out
}

// single adds what only the single scores tell.
func (in *maker) single(out *Metric, s drift.Series) {
	week, before := in.scores(s)
	this, base := scoresOf(week, s.Metric, s.Judge), scoresOf(before, s.Metric, s.Judge)
	out.Histogram = Histogram{bins(this), bins(base)}
	if len(this) > 0 {
		p10, p50 := quantile(this, 0.1), quantile(this, 0.5)
		out.P10, out.P50 = &p10, &p50
	}
	if s.Metric == scorer.Faithfulness {
		if w := withoutEvasive(week, in.judges, in.SampleRate); w.N > 0 {
			out.WithoutEvasive = &w
		}
		out.Unsupported, out.UnsupportedUsual = in.unsupported(week, s.Judge), in.unsupported(before, s.Judge)
	}
}

// scores are the single scores of the week, and those of the baseline of a series.
func (in *maker) scores(s drift.Series) (week, before []scorer.Score) {
	usual := in.usual(s)
	for _, sc := range in.Scores {
		switch {
		case in.inWeek(sc.Window):
			week = append(week, sc)
		case usual(sc.Window):
			before = append(before, sc)
		}
	}
	return week, before
}

// unsupported is the share of all answers that are not wholly supported, as the impact
// line estimates it; nil without scores.
func (in *maker) unsupported(scores []scorer.Score, judge string) *float64 {
	all := in.weigh(scores, judge)
	if all.n == 0 {
		return nil
	}
	share := all.share()
	return &share
}

func (in *maker) share(m scorer.Metric, w Words) Metric {
	s := drift.Series{Metric: m}
	this, base := in.compared(s)
	out := Metric{
		Metric:   m,
		This:     this.estimate(1).turned(),
		Last:     in.total(s, in.lastWeek).estimate(1).turned(),
		Baseline: base.estimate(1).turned(),
		Chart:    in.chart(s, w),
	}
	if d, ok := difference(this, base, 1); ok {
		out.Delta, out.HasDelta = Estimate{N: d.N, Mean: -d.Mean, Low: -d.High, High: -d.Low}, true
	}
	out.Chart.Small = true
	return out
}

// chart draws a series over the last weeks, with its incidents and every change of code.
func (in *maker) chart(s drift.Series, w Words) Chart {
	c := NewChart(points(in.rows(s, always), s.Metric), in.state(s), in.chartFrom, in.To, in.Location)
	c.Title = w.Series(s)
	c.WeekFrom = in.From
	for _, e := range in.episodes() {
		if ShownOn(e.Series, s) && during(e.From, e.Resolved, c.From, c.To) {
			c.Spans = append(c.Spans, Shade{e.From, e.Resolved, w.Kind(e.Kind)})
		}
	}
	c.Spans = Union(c.Spans)
	c.Lines = append(Releases(in.History.Marks, w), in.judgeChanges(s, w)...)
	c.Lines = slices.DeleteFunc(c.Lines, func(l Line) bool { return l.At.Before(c.From) || l.At.After(c.To) })
	c.Desc = w.ChartDesc(c)
	return c
}

func always(time.Time) bool { return true }

// Releases are the marks that a chart shows.
func Releases(marks []drift.Mark, w Words) []Line {
	lines := []Line{}
	for _, m := range marks {
		if !m.Through.IsZero() {
			continue
		}
		label := m.Value
		if m.Channel != "release" {
			label = w.Channel(m.Channel) + " " + m.Value
		}
		lines = append(lines, Line{m.At, label})
	}
	slices.SortFunc(lines, func(a, b Line) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Label, b.Label)) })
	return lines
}

// judgeChanges marks where the present judge of a series took over.
func (in *maker) judgeChanges(s drift.Series, w Words) []Line {
	if len(in.judgesOf(s.Metric, always)) < 2 {
		return nil
	}
	first := in.To
	for _, r := range in.series[drift.Series{Metric: s.Metric, Judge: s.Judge}] {
		if r.Bridged == "" && r.Due.Before(first) {
			first = r.Due
		}
	}
	return []Line{{first, w.T("judge.changed")}}
}

// worthAPicture are the segments with an episode in the charts' time, then those that
// fell most against their baseline.
func (in *maker) worthAPicture(m scorer.Metric) []drift.Series {
	all := in.segments(m)
	weight := map[drift.Series]float64{}
	for _, s := range all {
		this, base := in.compared(s)
		if d, ok := difference(this, base, 1); ok {
			weight[s] = -d.Mean
		}
		for _, e := range in.episodes() {
			if e.Series == s && during(e.From, e.Resolved, in.chartFrom, in.To) {
				weight[s] += 10
			}
		}
	}
	slices.SortStableFunc(all, func(a, b drift.Series) int { return cmp.Compare(weight[b], weight[a]) })
	return all[:min(len(all), maxSmall)]
}
