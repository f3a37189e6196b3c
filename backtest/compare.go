package backtest

import (
	"slices"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/scorer"
)

// Told is an incident as far as it can be compared: its headline.
type Told struct {
	ID      string        `json:"id"`
	Kind    drift.Kind    `json:"kind"`
	Metric  scorer.Metric `json:"metric"`
	Segment string        `json:"segment"`
	// Drop is the fall of the mean in the newest view of it, within Low and High with 95 %.
	Drop     float64   `json:"drop"`
	Low      float64   `json:"low"`
	High     float64   `json:"high"`
	Opened   time.Time `json:"opened"` // the run that found it
	Since    time.Time `json:"since"`  // the first run after the change
	Resolved time.Time `json:"resolved,omitzero"`
	series   []drift.Series
}

// Verdict says how an incident stands to the live one.
type Verdict string

// The verdicts. Same says that kind, series, change and end are the same, too; SameRun that
// only the run is.
const (
	Same     Verdict = "same"
	SameRun  Verdict = "same_run"
	Earlier  Verdict = "earlier"
	Later    Verdict = "later"
	OnlyHere Verdict = "only_here"
	OnlyLive Verdict = "only_live"
)

// Compared is an incident here beside the live one; one of them may be missing.
type Compared struct {
	Here    *Told   `json:"here,omitempty"`
	Live    *Told   `json:"live,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Runs is by how many runs it was found earlier, or later, than live.
	Runs int `json:"runs,omitempty"`
}

// Shown is the one here, or else the live one.
func (c Compared) Shown() Told {
	if c.Here != nil {
		return *c.Here
	}
	return *c.Live
}

// compare puts incidents beside each other, oldest first.
func (r *Replayed) compare(here, live []alert.Incident, runs []time.Time) {
	ours, theirs := told(here), told(live)
	theirs = slices.DeleteFunc(theirs, func(t Told) bool {
		older := t.Opened.Before(runs[0])
		if older {
			r.Older++
		}
		return older
	})
	for _, p := range pairs(ours, theirs) {
		if c := compared(p[0], p[1], runs); !c.before(r.Since) {
			r.Incidents = append(r.Incidents, c)
		}
	}
	slices.SortStableFunc(r.Incidents, func(a, b Compared) int { return a.Shown().Opened.Compare(b.Shown().Opened) })
}

// before says whether both were opened before a time.
func (c Compared) before(at time.Time) bool {
	return (c.Here == nil || c.Here.Opened.Before(at)) && (c.Live == nil || c.Live.Opened.Before(at))
}

// told are the incidents about series, without those that went into another.
func told(all []alert.Incident) []Told {
	var out []Told
	for _, i := range all {
		head, ok := i.Head()
		if !ok || head.Finding.Series.Metric == "" || i.MergedInto != "" {
			continue
		}
		f := head.Finding
		t := Told{ID: i.ID, Kind: i.Kind, Metric: f.Series.Metric, Segment: f.Series.Segment(), Drop: f.Drop, Low: f.Low, High: f.High, Since: i.Since}
		// An incident also changes between runs, by an operator's word; its alerts do not.
		for _, a := range i.Alerts {
			if t.Opened.IsZero() || a.Opened.Before(t.Opened) {
				t.Opened = a.Opened
			}
			t.series = append(t.series, a.Finding.Series)
			if !i.Open() && a.Resolved.After(t.Resolved) {
				t.Resolved = a.Resolved
			}
		}
		out = append(out, t)
	}
	return out
}

// pairs finds for each incident the live one that is about the same: first those that were
// opened in the same run, then those that share a series, then those that share a metric;
// always of times that meet.
func pairs(ours, theirs []Told) [][2]*Told {
	var out [][2]*Told
	taken, mine := make([]bool, len(theirs)), make([]bool, len(ours))
	rules := []func(a, b Told) bool{
		func(a, b Told) bool { return a.Opened.Equal(b.Opened) && a.shares(b) },
		func(a, b Told) bool { return a.meets(b) && a.shares(b) },
		func(a, b Told) bool { return a.meets(b) && a.Metric == b.Metric },
	}
	for _, same := range rules {
		for i := range ours {
			for j := range theirs {
				if !mine[i] && !taken[j] && same(ours[i], theirs[j]) {
					mine[i], taken[j] = true, true
					out = append(out, [2]*Told{&ours[i], &theirs[j]})
				}
			}
		}
	}
	for i := range ours {
		if !mine[i] {
			out = append(out, [2]*Told{&ours[i], nil})
		}
	}
	for j := range theirs {
		if !taken[j] {
			out = append(out, [2]*Told{nil, &theirs[j]})
		}
	}
	return out
}

// shares says whether both are about a series, whoever judged it.
func (t Told) shares(o Told) bool {
	return slices.ContainsFunc(t.series, func(a drift.Series) bool {
		return slices.ContainsFunc(o.series, func(b drift.Series) bool {
			return a.Metric == b.Metric && a.Dim == b.Dim && a.Value == b.Value
		})
	})
}

// meets says whether there is a time at which both went on.
func (t Told) meets(o Told) bool {
	return (t.Resolved.IsZero() || o.Since.Before(t.Resolved)) && (o.Resolved.IsZero() || t.Since.Before(o.Resolved))
}

func compared(here, live *Told, runs []time.Time) Compared {
	c := Compared{Here: here, Live: live}
	switch {
	case live == nil:
		c.Verdict = OnlyHere
	case here == nil:
		c.Verdict = OnlyLive
	case here.Opened.Before(live.Opened):
		c.Verdict, c.Runs = Earlier, between(runs, here.Opened, live.Opened)
	case here.Opened.After(live.Opened):
		c.Verdict, c.Runs = Later, between(runs, live.Opened, here.Opened)
	case here.Kind == live.Kind && here.Metric == live.Metric && here.Segment == live.Segment && here.Since.Equal(live.Since) && here.Resolved.Equal(live.Resolved):
		c.Verdict = Same
	default:
		c.Verdict = SameRun
	}
	return c
}

// between counts the runs after one time up to another.
func between(runs []time.Time, from, to time.Time) (n int) {
	for _, due := range runs {
		if due.After(from) && !due.After(to) {
			n++
		}
	}
	return n
}
