package main

import (
	"math"
	"strconv"

	"leadline/bench/goal"
)

type (
	figure = goal.Figure
	share  = goal.Share
)

func unknown() figure { return figure(math.NaN()) }

// cell shows a figure; a dash where it is not known.
func cell(f figure) string {
	if math.IsNaN(float64(f)) {
		return "–"
	}
	return strconv.FormatFloat(float64(f), 'f', -1, 64)
}
