package main

import (
	"cmp"
	"math"
	"slices"
)

// table finds outcomes by detector, calibration and scenario.
type table map[[3]string]outcome

func tableOf(outcomes []outcome) table {
	t := table{}
	for _, o := range outcomes {
		t[[3]string{o.Detector, o.Calibration, o.Scenario}] = o
	}
	return t
}

// ratio compares our mean delays with another's: the geometric mean over scenarios.
type ratio struct {
	Ours      string `json:"ours"`  // calibration of ours
	Other     string `json:"other"` // detector
	Their     string `json:"their"` // calibration of theirs
	Geometric figure `json:"geometric_mean"`
	SE        figure `json:"se"`
	Scenarios int    `json:"scenarios"`
}

// ratioTo returns the ratio of delays. The standard error takes the two for independent,
// although they saw the same streams, and is too large for that.
func (t table) ratioTo(ours, other, their string, scenarios []scenario) ratio {
	r := ratio{Ours: ours, Other: other, Their: their}
	sum, variance := 0.0, 0.0
	for _, s := range scenarios {
		a, ok := t[[3]string{ourName, ours, s.name}]
		b, found := t[[3]string{other, their, s.name}]
		if !ok || !found || math.IsNaN(float64(a.MeanDelay+b.MeanDelay)) {
			continue
		}
		r.Scenarios++
		sum += math.Log(float64(a.MeanDelay / b.MeanDelay))
		variance += squared(a.SEDelay/a.MeanDelay) + squared(b.SEDelay/b.MeanDelay)
	}
	n := float64(r.Scenarios)
	mean := math.Exp(sum / n)
	r.Geometric, r.SE = figure(mean), figure(mean*math.Sqrt(variance)/n)
	return r
}

func squared(x figure) float64 { return float64(x * x) }

// duel is our delay against that of the best other detector in one scenario.
type duel struct {
	Scenario string `json:"scenario"`
	Best     string `json:"best"`
	Ratio    figure `json:"ratio"`
	SE       figure `json:"se"`
}

// duels compares us in each scenario with whoever is best there at a rate, the worst for us
// first. The oracle knows too much to take part.
func (t table) duels(ours, their string, scenarios []scenario) []duel {
	var out []duel
	for _, s := range scenarios {
		a := t[[3]string{ourName, ours, s.name}]
		best := outcome{MeanDelay: figure(math.Inf(1))}
		for key, o := range t {
			takesPart := key[2] == s.name && key[1] == their && key[0] != ourName && key[0] != oracleName
			if takesPart && (o.MeanDelay < best.MeanDelay || o.MeanDelay == best.MeanDelay && key[0] < best.Detector) {
				best = o
			}
		}
		x := float64(a.MeanDelay / best.MeanDelay)
		se := x * math.Sqrt(squared(a.SEDelay/a.MeanDelay)+squared(best.SEDelay/best.MeanDelay))
		out = append(out, duel{s.name, best.Detector, figure(x), figure(se)})
	}
	slices.SortStableFunc(out, func(a, b duel) int { return -cmp.Compare(a.Ratio, b.Ratio) })
	return out
}
