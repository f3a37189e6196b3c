package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"leadline/bench/goal"
)

// printDelays writes a table of mean delays, a column per scenario; a row per detector in the
// order in which they come.
func printDelays(w io.Writer, outcomes []outcome, scenarios []scenario) {
	fmt.Fprint(w, "\n| detector | limit |")
	for _, s := range scenarios {
		fmt.Fprintf(w, " %s |", s.name)
	}
	fmt.Fprintf(w, "\n|---|---|%s\n", strings.Repeat("---|", len(scenarios)))
	cells := tableOf(outcomes)
	for _, row := range rowsOf(outcomes) {
		fmt.Fprintf(w, "| %s | %s |", row[0], row[1])
		for _, s := range scenarios {
			o, ok := cells[[3]string{row[0], row[1], s.name}]
			fmt.Fprintf(w, " %s |", delayCell(o, ok))
		}
		fmt.Fprintln(w)
	}
}

// rowsOf returns detector and calibration of each row: ours, then the others in the order
// in which they come.
func rowsOf(outcomes []outcome) [][2]string {
	var ours, others [][2]string
	for _, o := range outcomes {
		row := [2]string{o.Detector, o.Calibration}
		switch {
		case slices.Contains(ours, row) || slices.Contains(others, row):
		case o.Detector == ourName:
			ours = append(ours, row)
		default:
			others = append(others, row)
		}
	}
	return append(ours, others...)
}

// delayCell is mean ± standard error, and in parentheses the share that was missed. A star
// says that more than two in five healthy streams alarm within 30 runs.
func delayCell(o outcome, ok bool) string {
	if !ok || math.IsNaN(float64(o.MeanDelay)) {
		return "—"
	}
	s := fmt.Sprintf("%.0f±%.0f", o.MeanDelay, o.SEDelay)
	if o.Miss > 0 {
		s += fmt.Sprintf(" (%.2g%%)", 100*o.Miss)
	}
	if o.PFA30 > 0.4 {
		s += "*"
	}
	return s
}

// printRates writes what each detector costs on healthy streams of F and of R.
func printRates(w io.Writer, outcomes []outcome, f, r string) {
	fmt.Fprintf(w, "\n| detector | limit | value F / R | P(alarm ≤ 30 runs) F / R | P(alarm ≤ 180 runs) F / R |\n|---|---|---|---|---|\n")
	cells := tableOf(outcomes)
	for _, row := range rowsOf(outcomes) {
		a, b := cells[[3]string{row[0], row[1], f}], cells[[3]string{row[0], row[1], r}]
		fmt.Fprintf(w, "| %s | %s | %.3g / %.3g | %.3f / %.3f | %.3f / %.3f |\n", row[0], row[1],
			a.Threshold, b.Threshold, a.PFA30, b.PFA30, a.PFA180, b.PFA180)
	}
}

func printGoals(w io.Writer, goals []goal.Goal) {
	fmt.Fprintf(w, "\n| goal | what | limit | value | se | |\n|---|---|---|---|---|---|\n")
	for _, g := range goals {
		verdict := "missed"
		if g.Pass {
			verdict = "met"
		}
		fmt.Fprintf(w, "| %s | %s | %.3g | %.3g | %.2g | %s |\n", g.ID, g.What, g.Limit, g.Value, *g.SE, verdict)
	}
}
