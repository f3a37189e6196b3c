package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"leadline/drift"
	"leadline/scorer"
)

// judgeHealth is how the judge did: who it was, its controls, and what got no score.
func (in *maker) judgeHealth(w Words) Judge {
	out := Judge{IDs: map[scorer.Metric][]string{}, Models: []string{}, Controls: in.controls(w), Unscorable: []ReasonCount{}}
	for _, m := range scorer.Metrics {
		out.IDs[m] = append([]string{}, in.judgesOf(m, in.inWeek)...)
	}
	models := map[string]bool{}
	for _, s := range in.Scores {
		if in.inWeek(s.Window) && s.ResponseModel != "" {
			models[s.ResponseModel] = true
		}
	}
	out.Models = slices.AppendSeq(out.Models, maps.Keys(models))
	slices.Sort(out.Models)
	counts := map[ReasonCount]int{}
	for _, r := range in.Runs {
		if !in.inWeek(r.Window) {
			continue
		}
		for m, reasons := range r.Unscorable {
			for reason, n := range reasons {
				counts[ReasonCount{Metric: m, Reason: reason}] += n
			}
		}
	}
	out.Agreement = in.agreement()
	for k, n := range counts {
		k.Count = n
		out.Unscorable = append(out.Unscorable, k)
	}
	slices.SortFunc(out.Unscorable, func(a, b ReasonCount) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// agreement sums up the second looks of the runs that the report knows, up to its end.
func (in *maker) agreement() (out []Agreement) {
	for _, m := range scorer.Metrics {
		var sum scorer.Agreement
		for _, r := range in.Runs {
			if !r.Window.After(in.To) {
				sum = sum.Add(r.Agreement[m])
			}
		}
		if sum.Pairs > 0 {
			out = append(out, Agreement{m, sum.Pairs, sum.Differ()})
		}
	}
	return out
}

// judgesOf are the identities that scored a metric when the predicate says, in order of
// their first run.
func (in *maker) judgesOf(m scorer.Metric, when func(time.Time) bool) []string {
	first := map[string]time.Time{}
	for s, rows := range in.series {
		if s.Metric != m || s.Dim != "" {
			continue
		}
		for _, r := range rows {
			if at, ok := first[r.Judge]; when(r.Due) && r.Bridged == "" && (!ok || r.Due.Before(at)) {
				first[r.Judge] = r.Due
			}
		}
	}
	return slices.SortedFunc(maps.Keys(first), func(a, b string) int {
		return cmp.Or(first[a].Compare(first[b]), cmp.Compare(a, b))
	})
}

// controls draws the frozen items, per metric and language.
func (in *maker) controls(w Words) []Control {
	charts := ControlCharts(ControlPoints(in.History.Controls), in.judge, in.chartFrom, in.To, w)
	for i := range charts {
		c := &charts[i]
		var this, before sum
		for _, p := range c.points {
			switch {
			case in.inWeek(p.Window):
				this = this.value(p.Mean)
			case in.before(p.Window):
				before = before.value(p.Mean)
			}
		}
		c.This, c.Before = this.runs(), before.runs()
		c.Chart.WeekFrom = in.From
	}
	return charts
}

// runs is the mean of run means. The same items come back in every run, so only the
// judge's own wavering counts.
func (a sum) runs() Estimate {
	if a.n == 0 {
		return Estimate{}
	}
	half := 0.0
	if a.n > 1 {
		half = 1.96 * math.Sqrt(a.spread()/float64(a.n)/float64(a.n-1))
	}
	return Estimate{N: a.n, Mean: a.mean, Low: a.mean - half, High: a.mean + half}
}

// Last is the newest run of the items; nil without one.
func (c Control) Last() *ControlPoint {
	if len(c.points) == 0 {
		return nil
	}
	return &c.points[len(c.points)-1]
}

// ControlCharts draws control items, one chart per metric and language, of the judge that
// scores the metric now.
func ControlCharts(points []ControlPoint, judge func(scorer.Metric) string, from, to time.Time, w Words) []Control {
	type key struct {
		metric   scorer.Metric
		language string
	}
	groups := map[key][]ControlPoint{}
	for _, p := range points {
		if p.Judge == judge(p.Metric) {
			k := key{p.Metric, p.Language}
			groups[k] = append(groups[k], p)
		}
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b key) int {
		return cmp.Or(slices.Index(scorer.Metrics, a.metric)-slices.Index(scorer.Metrics, b.metric), cmp.Compare(a.language, b.language))
	})
	controls := make([]Control, 0, len(keys))
	for _, k := range keys {
		var all sum
		var drawn []Point
		for _, p := range groups[k] {
			all = all.value(p.Mean)
			drawn = append(drawn, Point{Due: p.Window, N: p.N, Mean: p.Mean, Low: p.Mean, High: p.Mean})
		}
		st := drift.State{Series: drift.Series{Metric: k.metric}, Baseline: drift.Level{N: all.n, Mean: all.mean}}
		st.Band = 1.96 * math.Sqrt(all.spread()/float64(max(all.n-1, 1)))
		c := NewChart(drawn, st, from, to, w.loc)
		c.Small, c.Title = true, w.Metric(k.metric)+w.comma()+w.T("language."+k.language)
		c.Desc = w.ChartDesc(c)
		controls = append(controls, Control{Metric: k.metric, Language: k.language, Chart: c, points: groups[k]})
	}
	return controls
}
