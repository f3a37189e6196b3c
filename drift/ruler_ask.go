package drift

import (
	"slices"
	"time"
)

// WantsAllControls says whether the judge should score every control item now, and not only a
// part: while evidence rises, of the scores or of the controls, and in the runs since recent
// after something was found. Whatever asks for it is known before the items are scored.
func (r Result) WantsAllControls(recent time.Time) bool {
	return r.OnWatch() ||
		slices.ContainsFunc(r.Episodes, func(p Episode) bool {
			return p.Series.Judge != "" && p.Resolved.IsZero() && !p.Opened.Before(recent)
		}) ||
		slices.ContainsFunc(r.Moves, func(m Move) bool { return m.Resolved.IsZero() && !m.Opened.Before(recent) }) ||
		slices.ContainsFunc(r.Rulers, func(k Ruler) bool { return !k.Quiet && k.Status != "moved" })
}
