package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"leadline/bench/goal"
)

// A fleet is twenty segments of two metrics, ten answers of each a run and a hundred
// before it is watched.
const (
	fleetSegments  = 20
	fleetReference = 10
	fleetHit       = 30 // run of the change
	fleetFollow    = 60
)

// fleetOf is a fleet in which both metrics of some segments fall by 0.10.
func fleetOf(rng *rand.Rand, hit []int) *service {
	f, r := faithfulness().source(), relevancy().source()
	lowF, lowR := movedF(-0.10).source(), movedR(-0.10).source()
	s := &service{rng: rng, size: 10 * fleetSegments, channels: never, exact: true,
		laws: func(i, g int) (*source, *source) {
			if i >= fleetHit && slices.Contains(hit, g) {
				return lowF, lowR
			}
			return f, r
		}}
	for range fleetSegments {
		s.share = append(s.share, steady(1.0))
	}
	return s
}

// fleet is what was told of forty series.
type fleet struct {
	Services    int    `json:"services"`
	FalseSeries figure `json:"false_series_alarms"` // per service in 180 runs without a change
	FalseSE     figure `json:"false_se"`
	Found       figure `json:"found"` // share of the series that fell, within 60 runs
	FoundSE     figure `json:"found_se"`
	MedianRuns  figure `json:"median_runs"`
	// Wrong is the share of false ones among the alarms of segments after the change.
	Wrong figure `json:"wrong"`
}

// fleets measures false and true alarms among forty series.
func (b *bench) fleets() error {
	alarms := replicate(b.n.Fleet, func(rep int) float64 {
		told, _ := follow(fleetOf(generator(seedFleet, rep), nil), shipped(), fleetReference, watched, true)
		return float64(len(told))
	})
	no := momentsOf(alarms)
	f := fleet{Services: b.n.Fleet, FalseSeries: figure(no.mean), FalseSE: figure(no.se())}
	b.say("fleet: %.2f false series alarms in 180 runs", no.mean)
	f.found(replicate(b.n.Fleet, func(rep int) []told {
		told, _ := follow(fleetOf(generator(seedFleetHit, rep), fleetTruth()), shipped(), fleetReference, fleetHit+fleetFollow, true)
		return told
	}))
	b.report.Fleet = &f
	b.goal(goal.AtMost("fleet-false", "false series alarms of forty series in 180 runs", 1, f.FalseSeries, f.FalseSE))
	b.goal(goal.AtLeast("fleet-found", "share of the series that fell by .10 and were told of within 60 runs", 0.95, f.Found, f.FoundSE))
	return nil
}

func fleetTruth() []int { return []int{2, 9, 16} }

func (f *fleet) found(services [][]told) {
	var names []string
	for _, g := range fleetTruth() {
		names = append(names, segmentName(g))
	}
	var runs, shares []float64
	wrong, all := 0, 0
	for _, told := range services {
		seen := map[string]bool{}
		for _, e := range told {
			if e.Series.Dim == "" || e.run < fleetHit {
				continue
			}
			all++
			key := string(e.Series.Metric) + e.Series.Value
			switch {
			case !slices.Contains(names, e.Series.Value):
				wrong++
			case !seen[key]:
				seen[key] = true
				runs = append(runs, float64(e.run-fleetHit+1))
			}
		}
		shares = append(shares, float64(len(seen))/float64(2*len(names)))
	}
	m := momentsOf(shares)
	f.Found, f.FoundSE = figure(m.mean), figure(math.Max(m.se(), 0.5/float64(len(shares))))
	f.MedianRuns, f.Wrong = quantile(runs, 0.5), figure(float64(wrong)/float64(max(all, 1)))
}
