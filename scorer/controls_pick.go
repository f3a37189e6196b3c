package scorer

import (
	"cmp"
	"math"
	"slices"
	"time"

	"leadline/sampler"
)

const (
	// ControlShare is the part of a run's cost that its control items are meant to take. It
	// is below the promised tenth, for the runs in which all of them are scored.
	ControlShare = 0.065
	// ControlCap is the part of the cost of ControlRuns runs that suspicion may bring it to.
	ControlCap = 0.10
	// ControlRuns are the runs over which the cost of control items is counted.
	ControlRuns = 100
	// ControlsFirst is in how many runs a judge scores every item before it scores parts.
	ControlsFirst = 2
)

// ControlPlan says how many control items a run may have scored.
type ControlPlan struct {
	Samples int     // of the run
	Each    float64 // what an item costs, in samples; 0: as much as one
	Runs    int     // in which this judge scored items before
	Passes  int     // how often to score them all, as something speaks for a change; 0: a part is enough
	Recent  ControlsRecent
}

// ControlsRecent is what a judge scored in its newest runs, at most ControlRuns of them, those
// left out in which it was new.
type ControlsRecent struct {
	Runs, Samples, Items int // items as often as they were scored
}

// Pick returns the items of a run: all of them while the judge is new, in the run that found a
// fall, or where a share of the run's cost pays for all; on suspicion as many as the cap still
// has room for; else those that were scored longest ago, spread over
// languages and kinds. The same items, times and plan give the same picks. last is when each
// was scored last by this judge; items that it never scored come first.
func (p ControlPlan) Pick(items []Control, last map[string]time.Time, window time.Time) []Control {
	n := p.count(window)
	if p.Passes > 0 {
		n = max(n, p.room())
	}
	if p.Passes > 1 || p.Runs < ControlsFirst || n >= len(items) {
		return items
	}
	place := spread(items)
	picked := slices.SortedFunc(slices.Values(items), func(a, b Control) int {
		return cmp.Or(last[a.ID].Compare(last[b.ID]), cmp.Compare(place[a.ID], place[b.ID]), cmp.Compare(a.ID, b.ID))
	})[:n]
	slices.SortFunc(picked, func(a, b Control) int { return cmp.Compare(a.ID, b.ID) })
	return picked
}

// count rounds up as often as the share has it over many windows, so that small runs score
// items too, and no more than they pay for.
func (p ControlPlan) count(window time.Time) int {
	return int(math.Floor(ControlShare*float64(p.Samples)/p.each() + sampler.Hash("controls", window.UTC().Format(time.RFC3339))))
}

// room is how many items suspicion may have scored, so that ControlRuns runs like the recent
// ones stay within the cap, with their usual part in each that is still to come.
func (p ControlPlan) room() int {
	r := p.Recent
	runs, samples := max(r.Runs, 1), r.Samples
	if r.Runs == 0 {
		samples = p.Samples
	}
	window := float64(samples) / float64(runs) * ControlRuns
	allowed := window * ControlCap / (1 - ControlCap)
	usual := ControlShare * max(window-float64(r.Samples), 0)
	return int(math.Floor((allowed-usual)/p.each())) - r.Items
}

func (p ControlPlan) each() float64 {
	if p.Each <= 0 {
		return 1
	}
	return p.Each
}

// spread places items on [0, 1) so that any first few hold every language and kind by its share.
func spread(items []Control) map[string]float64 {
	groups := map[string][]Control{}
	for _, c := range items {
		groups[c.Language+" "+c.Expected] = append(groups[c.Language+" "+c.Expected], c)
	}
	place := map[string]float64{}
	for name, group := range groups {
		slices.SortFunc(group, func(a, b Control) int {
			return cmp.Or(cmp.Compare(sampler.Hash("controls", a.ID), sampler.Hash("controls", b.ID)), cmp.Compare(a.ID, b.ID))
		})
		for n, c := range group {
			place[c.ID] = (float64(n) + sampler.Hash("controls", name)) / float64(len(group))
		}
	}
	return place
}
