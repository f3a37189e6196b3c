package server

import "math"

// Shown is a series as people read it. A State holds shares turned, so that a fall is always
// the bad direction: there 1 means that no record has the property.
type Shown struct {
	// Last and Usual are the means of the newest run and of the baseline; of a share, the part
	// of the records that has the property, 0–1. Nil without scores.
	Last  *float64 `json:"last,omitempty"`
	Usual *float64 `json:"usual,omitempty"`
	Worse string   `json:"worse"` // "lower" or "higher"
	// Log10Evidence is the power of ten of the evidence, as messages show it; nil while learning.
	Log10Evidence *float64 `json:"log10_evidence,omitempty"`
}

func (s SeriesStatus) shownAs() Shown {
	out := Shown{Worse: "lower"}
	if s.Turned() {
		out.Worse = "higher"
	}
	if s.Last.N > 0 {
		out.Last = new(s.LastMean())
	}
	if s.Baseline.N > 0 {
		out.Usual = new(s.UsualMean())
	}
	if s.Status != "learning" {
		out.Log10Evidence = new(s.LnEvidence / math.Ln10)
	}
	return out
}
