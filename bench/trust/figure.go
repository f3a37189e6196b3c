package main

import (
	"encoding/json"
	"math"
	"strconv"
)

// figure is a number that may be unknown: NaN here, null in JSON. Infinities, which JSON
// does not know either, become null too.
type figure float64

// MarshalJSON writes a number or null.
func (f figure) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON reads null as NaN.
func (f *figure) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*f = figure(math.NaN())
		return nil
	}
	x, err := strconv.ParseFloat(string(data), 64)
	*f = figure(x)
	return err
}

// share is a share of replicates and its standard error.
type share struct {
	Share figure `json:"share"`
	SE    figure `json:"se"`
	Reps  int    `json:"reps"`
}

// shareOf counts hits among n. The standard error has two hits and two misses added (Agresti
// and Coull), so that none among many is not taken for never.
func shareOf(hits, n int) share {
	p := (float64(hits) + 2) / (float64(n) + 4)
	return share{figure(float64(hits) / float64(n)), figure(math.Sqrt(p * (1 - p) / (float64(n) + 4))), n}
}

var unknown = figure(math.NaN())

func (f figure) String() string {
	if math.IsNaN(float64(f)) {
		return "–"
	}
	return strconv.FormatFloat(float64(f), 'f', -1, 64)
}
