package report

import (
	"slices"

	"leadline/alert"
	"leadline/drift"
	"leadline/scorer"
)

// maxFirst is how many lines "what needs reading first" has at most.
const maxFirst = 5

// Make sums up a week. It is pure, and never fails: what is missing is said to be missing.
func Make(input Input) Week {
	in := read(input)
	w := NewWords(in.Language, in.Location)
	id, _, _ := WeekOf(in.From, in.Location)
	week := Week{
		ID: id, Service: in.Service, Environment: in.Environment, Language: w.Language(),
		Timezone: in.Location.String(), From: in.From, To: in.To, Version: in.Version, Standin: in.Standin,
	}
	week.Verdict, week.Sentence = in.verdict(w)
	for _, m := range scorer.Metrics {
		week.Metrics = append(week.Metrics, in.metric(m, w))
	}
	for _, m := range drift.Shares {
		week.Shares = append(week.Shares, in.share(m, w))
	}
	week.Segments = in.segmentTable()
	week.Mix = in.mix()
	week.Documents = in.documents()
	week.Impact = in.impact()
	week.Glance = in.glance()
	week.Lowest = distinct(in.Lowest)
	week.Timeline = in.timeline(w)
	week.Judge = in.judgeHealth(w)
	week.Coverage = in.coverage()
	week.SpentWeek, week.SpentMonth = in.SpentWeek, in.SpentMonth
	week.First = in.first(week, w)
	return week
}

// first is what needs reading first: incidents, then documents, then what is watched.
func (in *maker) first(week Week, w Words) []string {
	lines := []string{}
	for _, i := range in.weeksIncidents() {
		facts := []string{w.Kind(i.Kind) + ": " + w.Incident(i, true), w.Cause(i)}
		if !i.Open() && !i.Resolved.After(in.To) {
			facts = append(facts, w.T("until", w.Minute(i.Resolved)))
		}
		lines = append(lines, w.also(facts...))
	}
	for _, n := range week.Documents.Notes {
		lines = append(lines, w.Note(n))
	}
	for _, s := range in.states() {
		if s.Status == "watch" && !in.told(s.Series) {
			lines = append(lines, w.watched(s))
		}
	}
	if len(week.Mix.Moved) > 0 {
		lines = append(lines, w.Mix(week.Mix))
	}
	return lines[:min(len(lines), maxFirst)]
}

// told says whether an incident that is open at the week's end holds a series already.
func (in *maker) told(s drift.Series) bool {
	return slices.ContainsFunc(in.weeksIncidents(), func(i alert.Incident) bool {
		open := i.Open() || i.Resolved.After(in.To)
		return open && slices.ContainsFunc(i.Alerts, func(a alert.Alert) bool { return a.Finding.Series == s })
	})
}

func (w Words) watched(s drift.State) string {
	last, usual := w.Num(s.Last.Mean), w.Num(s.Baseline.Mean)
	if drift.IsShare(s.Series.Metric) {
		last, usual = w.Percent(1-s.Last.Mean), w.Percent(1-s.Baseline.Mean)
	}
	return w.T("watch.says", w.Metric(s.Series.Metric), w.Segment(s.Series.Segment()), last, usual)
}

// weeksIncidents are those that were open in the week: quality first, open ones first,
// then the newest.
func (in *maker) weeksIncidents() []alert.Incident {
	var all []alert.Incident
	for _, i := range in.Incidents {
		if during(i.Opened, i.Resolved, in.From, in.To) {
			all = append(all, i)
		}
	}
	rank := func(i alert.Incident) int {
		return btoi(!i.Kind.IsFall())*2 + btoi(!i.Open() && !i.Resolved.After(in.To))
	}
	slices.SortStableFunc(all, func(a, b alert.Incident) int {
		if c := rank(a) - rank(b); c != 0 {
			return c
		}
		return b.Opened.Compare(a.Opened)
	})
	return all
}
