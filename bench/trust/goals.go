package main

import "math"

// goal is what the detector was built for, and what was measured. A goal is met when the
// value is within two standard errors of the limit or better; one that is missed stays in
// the list.
type goal struct {
	ID    string `json:"id"`
	What  string `json:"what"`
	Limit figure `json:"limit"`
	Value figure `json:"value"`
	SE    figure `json:"se"`
	Pass  bool   `json:"pass"`
}

func atMost(id, what string, limit float64, value, se figure) goal {
	return goal{id, "at most: " + what, figure(limit), value, se, float64(value) <= limit+slack(se)}
}

func slack(se figure) float64 {
	if math.IsNaN(float64(se)) {
		return 0
	}
	return 2 * float64(se)
}
