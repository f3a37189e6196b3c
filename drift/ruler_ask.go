package drift

import (
	"slices"
	"time"
)

// controlPasses is how often all items are scored in a run in which a fall was found.
const controlPasses = 3

// ControlPasses says how often the judge should score every control item now; 0 is that a
// part of them is enough. Once while evidence rises, of the scores or of the controls, and in
// the runs since recent after a move was found; three times in the run that found a fall,
// so that its message need not wait for a verdict on the judge. Whatever asks for it is known
// before the items are scored.
func (r Result) ControlPasses(recent time.Time) int {
	judged := func(when func(Episode) bool) bool {
		return slices.ContainsFunc(r.Episodes, func(p Episode) bool { return p.Series.Judge != "" && p.Resolved.IsZero() && when(p) })
	}
	switch {
	case judged(func(p Episode) bool { return p.Opened.Equal(r.run()) }):
		return controlPasses
	case r.OnWatch(),
		slices.ContainsFunc(r.Moves, func(m Move) bool { return m.Resolved.IsZero() && !m.Opened.Before(recent) }),
		slices.ContainsFunc(r.Rulers, func(k Ruler) bool { return !k.Quiet && k.Status != "moved" }):
		return 1
	}
	return 0
}

// run is the newest run.
func (r Result) run() time.Time { return r.Ledger.To }
