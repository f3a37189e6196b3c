package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// print writes a table for each part that was measured, and the goals.
func (b *bench) print(w io.Writer) {
	r := b.report
	all := scenarios()
	if len(r.Delays) > 0 {
		fmt.Fprintf(w, "\n## Delay in scores, 300 reference scores, 50 a run\n\nLimits with which 10 %% of healthy streams alarm within 180 runs (p10); Leadline also as shipped (default).\nIn parentheses what was never found.\n")
		printDelays(w, equal(r.Delays), all)
		fmt.Fprintf(w, "\n## At published defaults\n\nA star: more than two in five healthy streams alarm within 30 runs.\n")
		printDelays(w, published(r.Delays), all)
		printRates(w, r.Delays, all[0].name, all[8].name)
		printRatios(w, r.Ratios)
		printIntervals(w, r.Intervals)
	}
	if len(r.Mature) > 0 {
		fmt.Fprintf(w, "\n## 3,500 baseline scores at the change\n")
		printDelays(w, equal(r.Mature), all)
	}
	if len(r.Labels) > 0 {
		fmt.Fprintf(w, "\n## Human labels as scores\n")
		printDelays(w, r.Labels, scenariosOf(r.Labels))
	}
	printNulls(w, r.Nulls)
	printTolerance(w, r.Tolerance)
	printLearned(w, r.Learned)
	printSilent(w, r.Silent)
	printReleases(w, r.Releases)
	printCost(w, r.Cost)
	if f := r.Fleet; f != nil {
		fmt.Fprintf(w, "\n## Forty series\n\n%d services: %.2f ± %.2f false series alarms in 180 runs without a change; of the series that fell %.3f ± %.3f found within 60 runs, median %.0f runs; %.2f of the alarms of segments false.\n",
			f.Services, f.FalseSeries, f.FalseSE, f.Found, f.FoundSE, f.MedianRuns, f.Wrong)
	}
	if m := r.MixShift; m != nil {
		fmt.Fprintf(w, "\n## Lasting mix shift\n\n%.3f ± %.3f of services with a page within 60 runs.\n", m.Share, m.SE)
	}
	printLength(w, r.Length)
	printSlow(w, r.Slow)
	printGoals(w, r.Goals)
}

// equal keeps what was compared at the equal rate, and ours as shipped.
func equal(outcomes []outcome) []outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o outcome) bool {
		return o.Calibration != equalRate && o.Detector != ourName
	})
}

func published(outcomes []outcome) []outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o outcome) bool { return o.Calibration != asPublished })
}

// scenariosOf returns the scenarios of outcomes, by name only.
func scenariosOf(outcomes []outcome) []scenario {
	var out []scenario
	for _, o := range outcomes {
		if !slices.ContainsFunc(out, func(s scenario) bool { return s.name == o.Scenario }) {
			out = append(out, scenario{name: o.Scenario})
		}
	}
	return out
}

func printRatios(w io.Writer, ratios []ratio) {
	fmt.Fprintf(w, "\n| our delay over that of, geometric mean | ours at | theirs at | ratio |\n|---|---|---|---|\n")
	for _, r := range ratios {
		fmt.Fprintf(w, "| %s | %s | %s | %.3f±%.3f |\n", r.Other, r.Ours, r.Their, r.Geometric, r.SE)
	}
}

func printIntervals(w io.Writer, intervals []interval) {
	fmt.Fprintf(w, "\n| scenario | pages | interval holds the drop | drop told (true) | change dated late by, runs: 10 / 50 / 90 %% |\n|---|---|---|---|---|\n")
	for _, i := range intervals {
		fmt.Fprintf(w, "| %s | %d | %.3f±%.3f | %.3f (%.3f) | %.0f / %.0f / %.0f |\n", i.Scenario, i.Pages, i.Covered, i.SE,
			i.Mean, i.Drop, i.LateP10, i.Late, i.LateP90)
	}
}

func printNulls(w io.Writer, nulls []falseAlarms) {
	if len(nulls) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## False pages per service in 180 days\n\n| without a change | share of services with a page |\n|---|---|\n")
	for _, n := range nulls {
		fmt.Fprintf(w, "| %s | %.3f±%.3f |\n", n.ID, n.Share, n.SE)
	}
}

func printTolerance(w io.Writer, prices []price) {
	if len(prices) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## What a tolerance costs and buys\n\n| tolerance | false pages of F, wander φ = .9, sd .015 | of R |")
	all := scenarios()
	for _, i := range pricedScenarios() {
		fmt.Fprintf(w, " delay %s |", all[i].name)
	}
	fmt.Fprintf(w, "\n|---|---|---|%s\n", strings.Repeat("---|", len(pricedScenarios())))
	for _, p := range prices {
		f, r := p.False["F"], p.False["R"]
		fmt.Fprintf(w, "| %.3g | %.3f±%.3f | %.3f±%.3f |", p.Tolerance, f.Share, f.SE, r.Share, r.SE)
		for _, i := range pricedScenarios() {
			name := all[i].name
			fmt.Fprintf(w, " %.0f±%.0f (%.2g%%) |", p.Delay[name], p.SE[name], 100*p.Miss[name])
		}
		fmt.Fprintln(w)
	}
}

func printSilent(w io.Writer, s *detection) {
	if s == nil {
		return
	}
	fmt.Fprintf(w, "\n## A silent fall, 60 answers a day\n\nLater is 60 days after the fall.\n")
	printDetections(w, []detection{*s}, "later")
}
