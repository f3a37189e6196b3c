package server

import (
	"cmp"
	"slices"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/scorer"
)

// chartFrom is where the charts begin: at the first run, but a week to eight weeks ago.
func (s Status) chartFrom() time.Time {
	first := s.Now.AddDate(0, 0, -7)
	for _, x := range s.Series {
		if len(x.Points) > 0 && x.Points[0].Due.Before(first) {
			first = x.Points[0].Due.Add(-time.Hour)
		}
	}
	if oldest := s.Now.AddDate(0, 0, -7*report.ChartWeeks); first.Before(oldest) {
		return oldest
	}
	return first
}

// judge is the identity that scores a metric now.
func (s Status) judge(m scorer.Metric) string {
	var newest drift.State
	for _, x := range s.Series {
		if x.Series.Metric == m && x.Run.After(newest.Run) {
			newest = x.State
		}
	}
	return newest.Series.Judge
}

// chart draws one series with its incidents and all releases.
func (s Status) chart(x SeriesStatus) report.Chart {
	w := s.words()
	c := report.NewChart(x.Points, x.State, s.chartFrom(), s.Now, s.location())
	c.Title = w.Series(x.Series)
	c.Lines = report.Releases(s.Marks, w)
	for _, i := range s.Incidents {
		for _, a := range i.Alerts {
			if report.ShownOn(a.Finding.Series, x.Series) {
				c.Spans = append(c.Spans, report.Shade{From: a.Finding.Since, To: a.Resolved, Label: w.Kind(i.Kind)})
			}
		}
	}
	c.Spans = report.Union(c.Spans)
	c.Desc = w.ChartDesc(c)
	return c
}

// series is a series as a page shows it.
func (s Status) series(x SeriesStatus) seriesView {
	v := seriesView{SeriesStatus: x, Chart: s.chart(x)}
	if x.Series.Dim != "" || x.Status == "down" {
		return v
	}
	for _, part := range s.Series {
		if part.Series.Metric == x.Series.Metric && part.Series.Dim != "" && part.Status == "down" {
			v.Parts = append(v.Parts, part.Series.Segment())
		}
	}
	return v
}

// segments are those that a metric is scored in.
func (s Status) segments(m scorer.Metric) []string {
	var all []string
	for _, x := range s.Series {
		if x.Series.Metric == m && x.Series.Dim != "" {
			all = append(all, x.Series.Segment())
		}
	}
	return all
}

// Period is the time of a week's report; "" for what is no week.
func (s Status) Period(week string) string {
	from, to, err := report.ParseWeek(week, s.location())
	if err != nil {
		return ""
	}
	return s.words().Period(from, to)
}

// staleFetch is for how long nothing needs to have been fetched before the page says so.
const staleFetch = 5 * time.Minute

// Agreements are how well the judge agrees with itself, by metric.
func (s Status) Agreements() (out []report.Agreement) {
	for _, m := range scorer.Metrics {
		if a := s.Judge.Agreement[m]; a.Pairs > 0 {
			out = append(out, report.Agreement{Metric: m, Pairs: a.Pairs, Differ: a.Differ()})
		}
	}
	return out
}

// Stale says that reading from Kafka hangs although no error tells of it.
func (s Status) Stale() bool {
	return !s.Kafka.LastFetch.IsZero() && s.Now.Sub(s.Kafka.LastFetch) > staleFetch
}

// sortSeries puts the metrics over all segments first, then the segments, those that are
// down before those that are steady, and the shares apart.
func (v *view) sortSeries() {
	for _, x := range v.Series {
		sv := v.series(x)
		switch {
		case drift.IsShare(x.Series.Metric):
			if x.Series.Dim == "" || x.Status == "down" || x.Status == "watch" {
				sv.Chart.Small = true
				v.Shares = append(v.Shares, sv)
			}
		case x.Series.Dim == "":
			v.Large = append(v.Large, sv)
		default:
			sv.Chart.Small = true
			v.Small = append(v.Small, sv)
		}
	}
	order := func(a, b seriesView) int {
		return cmp.Or(rank(a.State)-rank(b.State), place(a)-place(b), cmp.Compare(a.Series.Segment(), b.Series.Segment()))
	}
	slices.SortStableFunc(v.Large, func(a, b seriesView) int { return place(a) - place(b) })
	slices.SortStableFunc(v.Small, order)
	slices.SortStableFunc(v.Shares, order)
	v.Hidden = max(len(v.Small)-startSmall, 0)
	v.Small = v.Small[:min(len(v.Small), startSmall)]
}

// group is the segments of one metric.
type group struct {
	Metric scorer.Metric
	Series []seriesView
}

// Groups are the segments to show, by metric.
func (v view) Groups() []group {
	var all []group
	for _, m := range scorer.Metrics {
		g := group{Metric: m}
		for _, x := range v.Small {
			if x.Series.Metric == m {
				g.Series = append(g.Series, x)
			}
		}
		if len(g.Series) > 0 {
			all = append(all, g)
		}
	}
	return all
}

func place(x seriesView) int {
	return slices.Index(slices.Concat(scorer.Metrics, drift.Shares), x.Series.Metric)
}

func rank(s drift.State) int {
	return slices.Index([]string{"down", "watch", "ok", "learning"}, s.Status)
}

// incident gathers what a page shows of one; with the charts of its series on its own page.
func (v *view) incident(i alert.Incident, charts bool) incidentView {
	out := incidentView{Incident: i, Next: v.next(i)}
	if len(i.Alerts) == 0 {
		return out
	}
	metric, segment := i.Headline()
	for k, a := range i.Alerts {
		if f := a.Finding; k == 0 || f.Series.Metric == metric && f.Series.Segment() == segment {
			out.Lead = &i.Alerts[k].Finding
		}
	}
	for _, a := range i.Alerts {
		at := slices.IndexFunc(v.Series, func(x SeriesStatus) bool { return x.Series == a.Finding.Series })
		if charts && at >= 0 {
			out.Parts = append(out.Parts, v.series(v.Series[at]))
		}
	}
	return out
}

// next is what an open incident asks for, as its message says: there it comes last.
func (v *view) next(i alert.Incident) *alert.Part {
	text := alert.Render(alert.Message{Transition: alert.Firing, Incident: &i, Language: v.Language, Timezone: v.Timezone})
	if !i.Open() || len(text.Parts) == 0 {
		return nil
	}
	return &text.Parts[len(text.Parts)-1]
}

// Turned says whether the metric is a share, stored as the good part and shown as the bad.
func (s SeriesStatus) Turned() bool { return drift.IsShare(s.Series.Metric) }

// LastMean is the mean of the newest run as it is shown: of a share, the bad part.
func (s SeriesStatus) LastMean() float64 { return s.shown(s.Last) }

// UsualMean is the mean of the baseline as it is shown.
func (s SeriesStatus) UsualMean() float64 { return s.shown(s.Baseline) }

func (s SeriesStatus) shown(l drift.Level) float64 {
	if s.Turned() {
		return 1 - l.Mean
	}
	return l.Mean
}
