package report

import (
	"math"
	"strconv"

	"leadline/drift"
)

// Budget says what is promised about false pages, and what the releases of the last period
// add to it; empty while no ledger was drawn up.
func (w Words) Budget(l drift.Ledger) string {
	if l.To.IsZero() {
		return ""
	}
	days := int(math.Round(l.To.Sub(l.From).Hours() / 24))
	all, each := w.Percent(l.FalseAlarms), w.Percent(l.PerRelease)
	switch {
	case l.Live == 0:
		return w.T("budget.learning")
	case l.Releases == 0:
		return w.T("budget.quiet", all, days, l.Live, each)
	case l.Bound >= 1:
		return w.T("budget.void", all, days, l.Live, each, l.Releases, w.Percent(l.Bound))
	}
	return w.T("budget.says", all, days, l.Live, each, l.Releases, w.Percent(l.Bound))
}

// BudgetAdvice says what to change where the releases may spend more than all series
// together; empty where they do not.
func (w Words) BudgetAdvice(l drift.Ledger) string {
	chance, lnMore, ok := l.LessPerRelease()
	if !ok {
		return ""
	}
	setting := strconv.FormatFloat(chance, 'f', -1, 64)
	times := strconv.FormatFloat(math.Exp(lnMore), 'f', 0, 64)
	return w.T("budget.advice", setting, w.Percent(l.FalseAlarms+float64(l.Releases)*chance), times)
}

// Decades is evidence as messages write it: 10^2.3 for a factor of 200.
func Decades(ln float64) string {
	x := math.Round(ln/math.Ln10*10) / 10
	return "10^" + strconv.FormatFloat(x+0, 'f', 1, 64) // +0: no negative zero
}
