package report

import (
	"math"
	"strconv"

	"leadline/drift"
)

// Budget says what is promised about false pages, and what of it is for the releases; empty
// while no ledger was drawn up.
func (w Words) Budget(l drift.Ledger) string {
	if l.To.IsZero() {
		return ""
	}
	days := int(math.Round(l.To.Sub(l.From).Hours() / 24))
	all := w.Percent(l.FalseAlarms)
	switch {
	case l.Live == 0:
		return w.T("budget.learning")
	case l.ForReleases == 0:
		return w.T("budget.quiet", all, days, l.Live)
	}
	return w.T("budget.says", all, days, l.Live, w.Percent(l.ForReleases), l.Releases)
}

// BudgetAdvice says what to change where there are so many releases that each can spend but
// little; empty where there are not.
func (w Words) BudgetAdvice(l drift.Ledger) string {
	lnMore, ok := l.LnMore()
	if !ok {
		return ""
	}
	return w.T("budget.advice", strconv.FormatFloat(math.Exp(lnMore), 'f', 0, 64))
}

// Decades is evidence as messages write it: 10^2.3 for a factor of 200.
func Decades(ln float64) string {
	x := math.Round(ln/math.Ln10*10) / 10
	return "10^" + strconv.FormatFloat(x+0, 'f', 1, 64) // +0: no negative zero
}
