package report

import (
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/scorer"
)

// Facts is what a verdict rests on.
type Facts struct {
	States    []drift.State
	Incidents []alert.Incident
	Notes     []drift.Note
	// From and To is the time that the verdict is on: what was open in it counts.
	From, To time.Time
	// Samples and Scored are those of that time, Scored in any metric.
	Samples, Scored int
}

// minCoverage is the share of samples that must have a score before a verdict is given.
const minCoverage = 0.5

// Assess gives the verdict and its sentence. A known drop comes first, then everything
// that makes a verdict impossible: without data the verdict is never "stable".
func Assess(f Facts, w Words) (Verdict, string) {
	if i, ok := f.open(drift.Kind.IsFall); ok {
		return Drift, w.T("says.drift", w.Kind(i.Kind)+": "+w.Incident(i, false))
	}
	if reason := f.blind(w); reason != "" {
		return Unknown, reason
	}
	if i, ok := f.was(drift.Kind.IsFall); ok {
		return Watch, w.T("says.recovered", w.Incident(i, false))
	}
	if f.uneasy() {
		return Watch, w.T("says.watch")
	}
	return Stable, w.T("says.stable")
}

// blind says why no verdict can be given; "" when one can.
func (f Facts) blind(w Words) string {
	if i, ok := f.open(func(k drift.Kind) bool { return k == drift.KindBlind }); ok {
		return w.T("says.blind", w.problem(i))
	}
	if _, ok := f.open(func(k drift.Kind) bool { return k == drift.KindJudge }); ok {
		return w.T("says.judge")
	}
	if f.Scored == 0 {
		return w.T("says.no_scores")
	}
	if share := float64(f.Scored) / float64(max(f.Samples, f.Scored)); share < minCoverage {
		return w.T("says.uncovered", w.Percent(share))
	}
	for _, s := range f.States {
		if !drift.IsShare(s.Series.Metric) && s.Status != "learning" {
			return ""
		}
	}
	return w.T("says.learning")
}

// uneasy says whether something is worth a look although no score fell.
func (f Facts) uneasy() bool {
	for _, s := range f.States {
		if s.Status == "watch" || s.Status == "down" {
			return true
		}
	}
	for _, n := range f.Notes {
		if n.Kind == "corpus" && during(n.At, n.Until, f.From, f.To) {
			return true
		}
	}
	_, delivery := f.open(func(k drift.Kind) bool { return k == drift.KindDelivery })
	return delivery
}

// open is the newest incident of a kind that goes on at the end.
func (f Facts) open(is func(drift.Kind) bool) (alert.Incident, bool) {
	return f.newest(func(i alert.Incident) bool {
		return is(i.Kind) && !i.Opened.After(f.To) && (i.Open() || i.Resolved.After(f.To))
	})
}

// was is the newest incident of a kind that was open in between.
func (f Facts) was(is func(drift.Kind) bool) (alert.Incident, bool) {
	return f.newest(func(i alert.Incident) bool {
		return is(i.Kind) && during(i.Opened, i.Resolved, f.From, f.To)
	})
}

func (f Facts) newest(is func(alert.Incident) bool) (best alert.Incident, ok bool) {
	for _, i := range f.Incidents {
		if is(i) && (!ok || i.Opened.After(best.Opened)) {
			best, ok = i, true
		}
	}
	return best, ok
}

// during says whether [from, until) meets (start, end]; a zero until goes on.
func during(from, until, start, end time.Time) bool {
	return !from.After(end) && (until.IsZero() || until.After(start))
}

// verdict is the week's.
func (in *maker) verdict(w Words) (Verdict, string) {
	f := Facts{States: in.states(), Incidents: in.Incidents, Notes: in.Result.Notes, From: in.From, To: in.To}
	for _, r := range in.Runs {
		if in.inWeek(r.Window) {
			f.Samples += r.Samples
			f.Scored += max(r.Scored[scorer.Faithfulness], r.Scored[scorer.AnswerRelevancy])
		}
	}
	return Assess(f, w)
}
