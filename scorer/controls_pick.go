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
	// controlsFirst is in how many runs a judge scores every item before it scores parts.
	controlsFirst = 2
)

// ControlPlan says how many control items a run may have scored.
type ControlPlan struct {
	Samples int     // of the run
	Each    float64 // what an item costs, in samples; 0: as much as one
	Runs    int     // in which this judge scored items before
	Passes  int     // how often to score them all, as something speaks for a change; 0: a part is enough
}

// Pick returns the items of a run: all of them while the judge is new, on suspicion, or where
// a share of the run's cost pays for all; else those that were scored longest ago, spread over
// languages and kinds. The same items, times and plan give the same picks. last is when each
// was scored last by this judge; items that it never scored come first.
func (p ControlPlan) Pick(items []Control, last map[string]time.Time, window time.Time) []Control {
	n := p.count(window)
	if p.Passes > 0 || p.Runs < controlsFirst || n >= len(items) {
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
	each := p.Each
	if each <= 0 {
		each = 1
	}
	return int(math.Floor(ControlShare*float64(p.Samples)/each + sampler.Hash("controls", window.UTC().Format(time.RFC3339))))
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
