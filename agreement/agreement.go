// Package agreement says how well two raters of the same statements agree, such as a judge
// and a person, by the statistics that the field uses. It does no I/O and imports nothing of
// ours. What cannot be told is nil, never NaN; all intervals are of 95 %.
package agreement

import "math"

// z is the normal quantile of a two-sided interval of 95 %.
const z = 1.959963984540054

// Estimate is a figure with its interval of 95 %.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Wilson is the share k/n with the score interval of Wilson (1927), without continuity
// correction: the p for which (k/n − p)² = z² p(1−p)/n. It treats the n as independent.
// n may be a fraction, an effective number; nil without any.
func Wilson(k, n float64) *Estimate {
	if n <= 0 {
		return nil
	}
	p, zz := k/n, z*z
	center := (p + zz/(2*n)) / (1 + zz/n)
	half := z / (1 + zz/n) * math.Sqrt(p*(1-p)/n+zz/(4*n*n))
	return &Estimate{Value: p, Low: unit(center - half), High: unit(center + half)}
}

// unit keeps a value in 0–1, rounding included.
func unit(v float64) float64 { return min(max(v, 0), 1) }
