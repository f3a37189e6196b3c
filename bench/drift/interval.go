package main

import (
	"fmt"
	"math"
	"slices"

	"leadline/bench/goal"
)

// interval is how well our pages say how much scores fell and when, where the change was
// sudden.
type interval struct {
	Scenario string `json:"scenario"`
	Drop     figure `json:"drop"`
	Pages    int    `json:"pages"`
	// Covered is the share of pages whose interval holds the true drop.
	Covered figure `json:"covered"`
	SE      figure `json:"se"`
	Mean    figure `json:"mean"` // of the drops told
	// Late is by how many runs the change is dated too late: negative is too early.
	Late    figure `json:"late_median"`
	LateP10 figure `json:"late_p10"`
	LateP90 figure `json:"late_p90"`
	OffP90  figure `json:"off_p90"` // of the absolute error
}

func (b *bench) intervals(all []paged) {
	for _, p := range all {
		if p.step {
			b.report.Intervals = append(b.report.Intervals, p.interval())
		}
	}
	worst := slices.MinFunc(b.report.Intervals, func(x, y interval) int {
		return int(math.Copysign(1, float64(x.Covered-y.Covered)))
	})
	b.goal(goal.AtLeast("interval", fmt.Sprintf("share of intervals that hold the true drop, worst sudden scenario: %s", worst.Scenario), 0.94, worst.Covered, worst.SE))
	for _, i := range b.report.Intervals {
		if i.Scenario == "F mix -0.05" {
			b.goal(goal.AtMost("change-run-median", "error of the change's run, median, F −.05", 0, figure(math.Abs(float64(i.Late))), 0))
			b.goal(goal.AtMost("change-run-p90", "error of the change's run, 90th percentile, F −.05", 6, i.OffP90, 0))
		}
	}
}

func (p paged) interval() interval {
	var drops, late, off []float64
	covered := 0
	for _, page := range p.pages {
		if page.run < p.quiet {
			continue // none, or before the change
		}
		drops = append(drops, page.Drop)
		late = append(late, float64(page.start-p.quiet))
		off = append(off, math.Abs(float64(page.start-p.quiet)))
		if page.Low <= p.drop && p.drop <= page.High {
			covered++
		}
	}
	s := goal.ShareOf(covered, len(drops))
	return interval{Scenario: p.name, Drop: figure(p.drop), Pages: len(drops), Covered: s.Share, SE: s.SE,
		Mean: figure(momentsOf(drops).mean), Late: quantile(late, 0.5), LateP10: quantile(late, 0.1),
		LateP90: quantile(late, 0.9), OffP90: quantile(off, 0.9)}
}

// quantile is the smallest value that a share q of xs does not exceed.
func quantile(xs []float64, q float64) figure {
	if len(xs) == 0 {
		return figure(math.NaN())
	}
	xs = slices.Sorted(slices.Values(xs))
	return figure(xs[max(int(math.Ceil(q*float64(len(xs))))-1, 0)])
}
