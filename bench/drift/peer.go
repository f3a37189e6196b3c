package main

import (
	"math"
	"slices"
)

// detector watches one stream, run by run.
type detector interface {
	// learn takes the runs of the reference, before anything is watched.
	learn(reference [][]float64)
	// next returns the most extreme statistic of the run: the detector alarms when it
	// reaches a limit. It means something up to the first alarm, whatever the limit.
	next(xs []float64) float64
}

// peer is a detector that others have described, written anew from the description. All
// look for falls only where that helps them, and keep their published settings apart from
// the limit.
type peer struct {
	name string
	// limit is the published default; NaN where there is none.
	limit float64
	make  func() detector
}

// peers returns the detectors that we are compared with. The oracle is not among them:
// it is told what nobody knows.
func peers() []peer {
	return []peer{
		{"ADWIN", -math.Log(0.002), func() detector { return &adwin{} }},
		{"Page-Hinkley", 50, func() detector { return &pageHinkley{} }},
		{"KSWIN", -math.Log(0.005), func() detector { return newKSWIN() }},
		{"CUSUM k=.025", math.NaN(), func() detector { return &cusum{allowance: 0.025} }},
		{"CUSUM k=.05", math.NaN(), func() detector { return &cusum{allowance: 0.05} }},
		{"CUSUM textbook", 5, func() detector { return &cusum{allowance: 0.5, standardized: true} }},
		{"GLR two-sample", math.NaN(), func() detector { return &glr{} }},
		{"K-S run vs reference", -math.Log(0.05), func() detector { return &ksTest{} }},
		{"Welch run vs reference", -math.Log(0.05), func() detector { return &welch{} }},
		{"NannyML rule", 3, func() detector { return &chunkRule{} }},
		{"0.03 rule", 0.03, func() detector { return &meanRule{} }},
	}
}

const oracleName = "oracle CUSUM"

// oracle is Page's CUSUM of the likelihood ratio with both laws known: the least delay
// that is possible at its rate of false alarms (Moustakides, 1986).
type oracle struct {
	ratio [steps + 1]float64
	sum   float64
}

// lnImpossible stands for the logarithm of a ratio whose numerator is 0.
const lnImpossible = -30

func oracleFor(s scenario) peer {
	var ratio [steps + 1]float64
	for i, p := range s.healthy.law {
		switch q := s.final[i]; {
		case q == 0:
			ratio[i] = lnImpossible
		case p > 0:
			ratio[i] = math.Log(q / p)
		}
	}
	return peer{oracleName, math.NaN(), func() detector { return &oracle{ratio: ratio} }}
}

func (o *oracle) learn([][]float64) {}

func (o *oracle) next(xs []float64) float64 {
	top := math.Inf(-1)
	for _, x := range xs {
		o.sum = math.Max(0, o.sum+o.ratio[gridOf(x)])
		top = math.Max(top, o.sum)
	}
	return top
}

// trace returns a detector's statistic of each run.
func trace(d detector, s stream) []float64 {
	d.learn(s.reference)
	out := make([]float64, len(s.runs))
	for i, xs := range s.runs {
		out[i] = d.next(xs)
	}
	return out
}

// firstAbove returns the first run whose statistic reaches the limit, -1 without one.
func firstAbove(trace []float64, limit float64) int {
	return slices.IndexFunc(trace, func(x float64) bool { return x >= limit })
}
