package alert

import (
	"fmt"
	"strings"

	"leadline/drift"
	"leadline/sampler"
)

func (r renderer) verdict(i Incident, head Alert) string {
	f := head.Finding
	metric, segment := r.metric(f), r.within(f.Series)
	before, after := r.level(f, f.Before), r.level(f, f.After)
	switch {
	case i.MergedInto != "":
		return fmt.Sprintf(r.Merged, i.MergedInto)
	case !i.Open() && i.Accepted != nil:
		return fmt.Sprintf(r.AcceptedBy, metric, segment, clean(i.Accepted.By, maxValue))
	case !i.Open():
		return fmt.Sprintf(r.Ended, metric, segment, r.duration(i.Resolved.Sub(i.Since)), before, after)
	}
	movement := fmt.Sprintf(r.Fell, metric, segment, before, after)
	if drift.IsShare(f.Series.Metric) {
		movement = fmt.Sprintf(r.Rose, metric, segment, before, after)
	}
	if i.Kind == drift.KindSilent {
		return r.silent(movement, f.Evidence)
	}
	suspect, weight := r.suspect(head)
	return format(r.Said[i.Kind], movement, suspect, r.percent(weight))
}

// silent names the code channels that were watched and stayed the same, or the change of
// code that was nearest.
func (r renderer) silent(movement string, e drift.Evidence) string {
	if c, ok := e.NearestCode(); ok {
		return fmt.Sprintf(r.SilentNear, movement, r.channel(c.Channel)+" "+r.value(c.New), r.percent(c.Weight))
	}
	var same []string
	if e.Release.State == drift.ChannelSame {
		same = append(same, r.channel(sampler.ChannelRelease))
	}
	for _, c := range e.Channels {
		if c.Code && c.State == drift.ChannelSame {
			same = append(same, r.channel(c.Channel))
		}
	}
	switch {
	case len(same) == 0:
		return fmt.Sprintf(r.SilentUnseen, movement)
	case !e.OtherCode():
		return fmt.Sprintf(r.SilentRelease, movement)
	}
	last := len(same) - 1
	if last > 0 {
		same = []string{strings.Join(same[:last], r.Comma), same[last]}
	}
	return fmt.Sprintf(r.Said[drift.KindSilent], movement, strings.Join(same, r.And))
}

// suspect names the changed channel with the largest weight, and its value.
func (r renderer) suspect(a Alert) (string, float64) {
	best := suspectOf(a)
	if best.Channel == "" {
		return r.Nothing, 0
	}
	return r.channel(best.Channel) + " " + r.value(best.New), best.Weight
}

func suspectOf(a Alert) drift.ChannelEvidence {
	best := drift.ChannelEvidence{Channel: a.Channel, New: a.Value}
	ev := a.Finding.Evidence
	for _, c := range append([]drift.ChannelEvidence{ev.Release}, ev.Channels...) {
		named := a.Channel != "" && c.Channel == a.Channel
		if c.State == drift.ChannelChanged && (named || a.Channel == "") && c.Weight >= best.Weight {
			best = c
		}
	}
	if a.Value != "" {
		best.New = a.Value
	}
	return best
}
