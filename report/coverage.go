package report

import (
	"cmp"
	"slices"
	"time"

	"leadline/scorer"
)

func (in *maker) coverage() Coverage {
	out := Coverage{
		Decoded: in.tallies().Decoded, Scored: map[scorer.Metric]int{},
		Rate: in.SampleRate, Offsets: in.Offsets, Records: in.Records,
	}
	for _, r := range in.Runs {
		if !in.inWeek(r.Window) {
			continue
		}
		out.Runs++
		out.Samples += r.Samples
		for m, n := range r.Scored {
			out.Scored[m] += n
		}
		out.Usage.Add(r.Usage)
		out.Control.Add(r.Controls)
	}
	return out
}

// timeline lists what happened in the week, in order of time.
func (in *maker) timeline(w Words) []Event {
	events := []Event{}
	add := func(at time.Time, kind, text, incident string) {
		if !at.Before(in.From) && !at.After(in.To) {
			events = append(events, Event{at, kind, text, incident})
		}
	}
	for _, m := range in.History.Marks {
		if !m.Through.IsZero() {
			add(m.Through, "release", w.T("release.none"), "")
			continue
		}
		add(m.At, "release", w.Channel(m.Channel)+" "+m.Value, "")
	}
	for _, i := range in.Incidents {
		text := w.Kind(i.Kind) + ": " + w.Incident(i, false)
		add(i.Opened, "opened", text, i.ID)
		if !i.Open() {
			add(i.Resolved, "resolved", text, i.ID)
		}
	}
	for _, a := range in.History.Acceptances {
		says, kind := "accepted.says", "accepted"
		if a.Reset {
			says, kind = "reset.says", "reset"
		}
		add(a.At, kind, w.T(says, w.Metric(a.Series.Metric), w.Segment(a.Series.Segment()), a.By), "")
	}
	for _, n := range in.Result.Notes {
		add(n.At, "note", w.Note(n), "")
	}
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	})
	return events
}

// ChartDesc says in words what a chart shows.
func (w Words) ChartDesc(c Chart) string {
	if len(c.Points) == 0 {
		return w.T("no_data")
	}
	show := w.Num
	if c.Percent {
		show = w.Percent
	}
	low := 0
	for _, p := range c.Points {
		low += btoi(c.below(p))
	}
	last := c.Points[len(c.Points)-1]
	s := w.T("desc.last", show(last.Mean), w.Minute(last.Due))
	if c.HasBand {
		s = w.Sentences(s, w.T("desc.band", show(c.Baseline), show(max(c.Baseline-c.Band, 0)), show(min(c.Baseline+c.Band, 1)), low, len(c.Points)))
	}
	return s
}
