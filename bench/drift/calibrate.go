package main

import (
	"math"
	"slices"
)

// watched is the number of runs, at one a day, that the false-alarm budget is about.
const watched = 180

// budget is the share of healthy streams that may alarm within them.
const budget = 0.10

// The ways in which a limit was set.
const (
	asPublished = "default"
	equalRate   = "p10"  // a tenth of healthy streams alarms within 180 runs
	ourRate     = "same" // as many as with Leadline as it ships
)

// limit is a limit and what it costs on healthy streams.
type limit struct {
	calibration string
	value       float64
	p30, p180   float64 // shares of streams with an alarm within 30 and 180 runs
}

// rival is a peer with the limits at which it is judged.
type rival struct {
	peer
	limits []limit
}

// setting is our detector under a configuration; its limit is ln 1/p, p as configured.
type setting struct {
	limit
	falseAlarms float64
}

// field is all that compete on streams of one law and shape.
type field struct {
	rivals   []rival
	settings []setting
}

// peaks are the largest statistics of a stream within 30 and 180 runs.
type peaks struct{ in30, in180 float64 }

func peaksOf(trace []float64) peaks {
	return peaks{slices.Max(trace[:30]), slices.Max(trace)}
}

// quiet is what a healthy stream gave.
type quiet struct {
	peaks []peaks // per peer
	page  page    // of our detector as shipped
}

// calibrate runs peers and our detector on the same healthy streams and sets the limits.
func calibrate(of law, cut shape, reps int, peers []peer) field {
	from := of.source()
	seen := replicate(reps, func(rep int) quiet {
		s := healthy(generator(seedHealthy, rep), from, cut, watched)
		q := quiet{page: watch(s, shipped(), 0)}
		for _, p := range peers {
			q.peaks = append(q.peaks, peaksOf(trace(p.make(), s)))
		}
		return q
	})
	f := field{settings: ourSettings(seen)}
	for i, p := range peers {
		f.rivals = append(f.rivals, rival{p, limitsOf(p, seen, i, f.settings[0].p180)})
	}
	return f
}

func limitsOf(p peer, seen []quiet, i int, ours float64) []limit {
	in30, in180 := make([]float64, len(seen)), make([]float64, len(seen))
	for rep, q := range seen {
		in30[rep], in180[rep] = q.peaks[i].in30, q.peaks[i].in180
	}
	var out []limit
	add := func(calibration string, value float64) {
		out = append(out, limit{calibration, value, reached(in30, value), reached(in180, value)})
	}
	if !math.IsNaN(p.limit) {
		add(asPublished, p.limit)
	}
	add(equalRate, atRate(in180, budget))
	add(ourRate, atRate(in180, ours))
	return out
}

// ourSettings are what ships, and the p that spends the whole budget. The evidence of a
// stream is known up to its page, which comes later than the smaller limit is reached. Would
// the shipped threshold overspend, it would stand.
func ourSettings(seen []quiet) []setting {
	p := float64(shipped().FalseAlarms)
	as := setting{limit{calibration: asPublished, value: -math.Log(p)}, p}
	in30, in180 := make([]float64, len(seen)), make([]float64, len(seen))
	for rep, q := range seen {
		in30[rep], in180[rep] = q.page.top30, q.page.top
		if q.page.run >= 0 {
			as.p180 += 1 / float64(len(seen))
			if q.page.run < 30 {
				as.p30 += 1 / float64(len(seen))
			}
		}
	}
	equal := min(atRate(in180, budget), as.value)
	return []setting{as, {limit{equalRate, equal, reached(in30, equal), reached(in180, equal)}, math.Min(1, math.Exp(-equal))}}
}

// atRate returns the smallest value that no more than a share of xs reaches.
func atRate(xs []float64, share float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	k := len(xs) - int(share*float64(len(xs))+1e-9)
	if k >= len(xs) {
		return math.Nextafter(xs[len(xs)-1], math.Inf(1))
	}
	at := xs[k]
	if k > 0 && xs[k-1] == at { // ties must not overspend
		return math.Nextafter(at, math.Inf(1))
	}
	return at
}

func reached(xs []float64, limit float64) float64 {
	n := 0
	for _, x := range xs {
		if x >= limit {
			n++
		}
	}
	return float64(n) / float64(len(xs))
}
