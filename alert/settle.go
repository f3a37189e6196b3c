package alert

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/drift"
)

// settle brings every open incident in line with its alerts.
func (s *step) settle() {
	for n := range s.next {
		if i := &s.next[n]; s.isOpen(i) && len(i.Alerts) > 0 {
			s.settleOne(i)
		}
	}
	for s.merge() {
	}
}

func (s *step) settleOne(i *Incident) {
	told := i.Since
	i.Since = i.Alerts[0].Finding.Since
	for _, a := range i.Alerts {
		i.Since = earlier(i.Since, a.Finding.Since)
	}
	if s.in.SamplesSince != nil && !i.Since.Equal(told) {
		i.SamplesAfterChange = s.in.SamplesSince(i.Since, i.Opened)
	}
	head, _ := i.Head()
	sortAlerts(i.Alerts, head)
	if !slices.ContainsFunc(i.Alerts, Alert.Open) {
		i.Resolved = s.in.Run
		return
	}
	i.Kind, i.Channel, i.Release = head.Finding.Kind, head.Channel, head.Value
	i.ToldDrop = toldDrop(i.ToldDrop, math.Abs(head.Finding.Drop))
	if len(i.ToldOpen) == 0 || s.in.Run.Sub(i.Updated) >= retellSeriesAfter {
		i.ToldOpen = openSeries(i.Alerts)
	}
}

// retellSeriesAfter is how long an incident keeps to itself that only its list of series
// changed: a fall everywhere would else be told anew with nearly every run.
const retellSeriesAfter = 24 * time.Hour

func openSeries(alerts []Alert) []drift.Series {
	open := []drift.Series{}
	for _, a := range alerts {
		if a.Open() {
			open = append(open, a.Finding.Series)
		}
	}
	slices.SortFunc(open, compareSeries)
	return open
}

func sortAlerts(alerts []Alert, head Alert) {
	slices.SortStableFunc(alerts, func(a, b Alert) int {
		return cmp.Or(first(a.Finding.Series == head.Finding.Series && a.Opened.Equal(head.Opened),
			b.Finding.Series == head.Finding.Series && b.Opened.Equal(head.Opened)),
			first(a.Open(), b.Open()), cmp.Compare(b.Finding.Drop, a.Finding.Drop),
			compareSeries(a.Finding.Series, b.Finding.Series), a.Opened.Compare(b.Opened))
	})
}

// first orders true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// toldDrop keeps the size that was told until the new one is half as large again, or
// half: a size is not worth a message for every decimal.
func toldDrop(told, drop float64) float64 {
	if told > 0 && drop < 1.5*told && drop > told/2 {
		return told
	}
	return math.Round(drop*1000) / 1000
}

// merge puts one pair of open incidents of one kind together and says whether it did.
func (s *step) merge() bool {
	for n := range s.next {
		a := &s.next[n]
		if !s.isOpen(a) || len(a.Alerts) == 0 {
			continue
		}
		for m := n + 1; m < len(s.next); m++ {
			b := &s.next[m]
			if s.isOpen(b) && len(b.Alerts) > 0 && a.Kind == b.Kind {
				s.mergeInto(a, b)
				return true
			}
		}
	}
	return false
}

func (s *step) mergeInto(a, b *Incident) {
	if b.Opened.Before(a.Opened) {
		a, b = b, a
	}
	a.Alerts = append(a.Alerts, b.Alerts...)
	b.Alerts = slices.Clone(b.Alerts)
	for n := range b.Alerts {
		if b.Alerts[n].Open() {
			b.Alerts[n].Resolved = s.in.Run
		}
	}
	b.Resolved, b.MergedInto = s.in.Run, a.ID
	s.settleOne(a)
}

func (s *step) changes(before []Incident) []Change {
	var changes []Change
	for n := range s.next {
		i := &s.next[n]
		var old *Incident
		if n < len(before) {
			old = &before[n]
		}
		news := transition(old, *i)
		if news != "" {
			i.Updated = s.in.Run
		}
		if !s.isMine(i) {
			continue
		}
		news = withUntold(i.Untold, news)
		i.Untold = ""
		switch {
		case news == "":
		case s.in.History && len(i.Alerts) > 0, i.Held && news == Firing:
			i.Untold = news
		default:
			changes = append(changes, Change{Transition: news, Incident: *i})
		}
	}
	return changes
}

// transition is what became of an incident in a step; empty if it says what it said. A nil
// old is one that was not there.
func transition(old *Incident, i Incident) Transition {
	switch {
	case old == nil && i.Open():
		return Firing
	case old == nil || old.Open() && !i.Open():
		return Resolved
	case i.Open() && old.says() != i.says():
		return Updated
	}
	return ""
}

// withUntold puts news on top of what was kept back: what nobody heard of fires if it goes
// on, and is no news if it is over.
func withUntold(untold, news Transition) Transition {
	switch {
	case untold == Firing && news == Resolved:
		return ""
	case untold == Firing, untold == Resolved, news == "":
		return untold
	}
	return news
}

// says is what a message tells beyond the decimals: two incidents that say the same need
// no second message.
func (i Incident) says() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%t|%s|%s=%s|%g|%t", i.Kind, i.Open(), i.MergedInto, i.Channel, i.Release, i.ToldDrop,
		i.Accepted != nil)
	for _, p := range i.Problems {
		fmt.Fprintf(&b, "|problem %s", p.Problem)
		if p.Kind == drift.KindDelivery {
			fmt.Fprintf(&b, " %s", p.Detail)
		}
	}
	head, ok := i.Head()
	if !ok {
		return b.String()
	}
	fmt.Fprintf(&b, "|head %v|judge moved %t", head.Finding.Series, head.Finding.Evidence.Judge.Verdict == "moved")
	ev := head.Finding.Evidence
	for _, c := range append([]drift.ChannelEvidence{ev.Release}, ev.Channels...) {
		fmt.Fprintf(&b, "|%s %s", c.Channel, c.State)
		if c.State == drift.ChannelChanged {
			fmt.Fprintf(&b, " %s", c.New)
		}
	}
	fmt.Fprintf(&b, "|open %q", i.ToldOpen)
	if len(i.HeldBack) > 0 {
		fmt.Fprintf(&b, "|held %d", len(i.HeldBack))
	}
	if c := ev.Judge.Corrected; c != nil {
		fmt.Fprintf(&b, "|stands %t", c.Stands)
	}
	return b.String()
}
