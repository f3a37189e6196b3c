package goal

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Figure is a number that may be unknown: NaN here, null in JSON. Infinities, which JSON
// does not know either, become null too.
type Figure float64

// MarshalJSON writes a number or null.
func (f Figure) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON reads null as NaN.
func (f *Figure) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*f = Figure(math.NaN())
		return nil
	}
	x, err := strconv.ParseFloat(string(data), 64)
	*f = Figure(x)
	return err
}

// Share is a share of replicates and its standard error.
type Share struct {
	Share Figure `json:"share"`
	SE    Figure `json:"se"`
	Reps  int    `json:"reps"`
}

// ShareOf counts hits among n. The standard error has two hits and two misses added (Agresti
// and Coull), so that none among many is not taken for never.
func ShareOf(hits, n int) Share {
	p := (float64(hits) + 2) / (float64(n) + 4)
	return Share{Figure(float64(hits) / float64(n)), Figure(math.Sqrt(p * (1 - p) / (float64(n) + 4))), n}
}

// ShareTrue counts those that are true.
func ShareTrue(are []bool) Share {
	n := 0
	for _, is := range are {
		if is {
			n++
		}
	}
	return ShareOf(n, len(are))
}

// String is the share and its standard error.
func (s Share) String() string {
	if s.Reps == 0 {
		return "—"
	}
	return fmt.Sprintf("%.3f ± %.3f", s.Share, s.SE)
}
