// Package goal holds what a benchmark measures against what was to be reached.
package goal

import "math"

// Goal is what was to be reached, and what was measured. One that is missed stays in the list.
type Goal struct {
	ID    string `json:"id"`
	What  string `json:"what"`
	Limit Figure `json:"limit"`
	Value Figure `json:"value"`
	// SE is the standard error of Value; nil where Value was counted or reckoned.
	SE   *Figure `json:"se,omitempty"`
	Pass bool    `json:"pass"`
}

// AtMost is met when value is at most limit, or no more than two standard errors above it. se
// is one standard error, or none. A value that is not known misses.
func AtMost[N ~float64](id, what string, limit float64, value N, se ...N) Goal {
	return newGoal(id, "at most: "+what, limit, value, se, float64(value) <= limit+slack(se))
}

// AtLeast is met when value is at least limit, or no more than two standard errors below it.
// se is one standard error, or none. A value that is not known misses.
func AtLeast[N ~float64](id, what string, limit float64, value N, se ...N) Goal {
	return newGoal(id, "at least: "+what, limit, value, se, float64(value) >= limit-slack(se))
}

// Never allows for no error: it must not happen at all.
func Never(id, what string, s Share) Goal {
	return newGoal(id, "never: "+what, 0, s.Share, []Figure{s.SE}, s.Share == 0)
}

func newGoal[N ~float64](id, what string, limit float64, value N, se []N, pass bool) Goal {
	g := Goal{ID: id, What: what, Limit: Figure(limit), Value: Figure(value), Pass: pass}
	for _, e := range se {
		g.SE = new(Figure(e))
	}
	return g
}

// slack is two standard errors, or 0 where there is none or it is not known.
func slack[N ~float64](se []N) float64 {
	if len(se) == 0 || math.IsNaN(float64(se[0])) {
		return 0
	}
	return 2 * float64(se[0])
}
