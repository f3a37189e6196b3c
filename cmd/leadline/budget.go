package main

import (
	"fmt"
	"strings"

	"leadline/drift"
	"leadline/report"
	"leadline/server"
)

// budgetLines are the ledger of false alarms in a short block; none before the first run.
func budgetLines(st server.Status, w report.Words) []string {
	l := st.Ledger
	if l.To.IsZero() {
		return nil
	}
	lines := []string{"budget   " + w.Budget(l)}
	if l.Live == 0 {
		return lines
	}
	if advice := w.BudgetAdvice(l); advice != "" {
		lines = append(lines, "         "+advice)
	}
	var outside []string
	for _, row := range l.Rows {
		if !row.Promised {
			outside = append(outside, fmt.Sprintf("%s (%s)", row.Kind, w.T("budget.why."+string(row.Kind))))
			continue
		}
		lines = append(lines, fmt.Sprintf("         %-9s %s; %s; %s", row.Kind, budgetOf(row, l), strongest(row, l), alarms(row)))
	}
	return append(lines, "         not in it: "+strings.Join(outside, ", "))
}

// budgetOf is what a line of the ledger may spend.
func budgetOf(row drift.LedgerRow, l drift.Ledger) string {
	if row.Kind == drift.LedgerReleases {
		return fmt.Sprintf("%d new, %.1f %% of which %.1f %% are given, the next has %.2g %%", l.Releases, 100*row.Budget, 100*l.Spent, 100*l.NextRelease)
	}
	if row.Kind == drift.LedgerJudge {
		return fmt.Sprintf("%d metrics, %.1f %% besides", row.Live, 100*row.Budget)
	}
	return fmt.Sprintf("%d series, %.1f %%", row.Live, 100*row.Budget)
}

func strongest(row drift.LedgerRow, l drift.Ledger) string {
	s := row.Strongest
	switch {
	case s == nil && row.Kind == drift.LedgerReleases:
		return "none on trial"
	case s == nil:
		return "no evidence yet"
	}
	of, needed := s.Series.Segment(), l.LnNeeded
	if row.Kind == drift.LedgerJudge {
		of, needed = "control items", s.LnNeeded
	}
	if s.Release != "" {
		of += ", release " + s.Release
	}
	return fmt.Sprintf("strongest evidence %s, alarm at %s (%s, %s)", report.Decades(s.LnEvidence), report.Decades(needed), s.Series.Metric, of)
}

// alarms says what became of those of the period.
func alarms(row drift.LedgerRow) string {
	if row.Alarms == 0 {
		return "no alarm"
	}
	var became []string
	for _, x := range []struct {
		n    int
		what string
	}{{row.Open, "open"}, {row.Accepted, "accepted"}, {row.Ended, "over"}} {
		if x.n > 0 {
			became = append(became, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return "alarms: " + strings.Join(became, ", ")
}
