package main

import (
	"cmp"
	"math"
	"slices"

	"leadline/config"
)

// outcome is how a detector did in a scenario. Delays are in scores, misses counted at the
// cap, over the streams in which it had not alarmed before the change.
type outcome struct {
	Detector    string `json:"detector"`
	Version     string `json:"version,omitempty"`
	Calibration string `json:"calibration"`
	Scenario    string `json:"scenario"`
	Reps        int    `json:"reps"`
	Threshold   figure `json:"threshold"`
	PFA30       figure `json:"p_fa_30"`
	PFA180      figure `json:"p_fa_180"`
	PreFA       figure `json:"pre_fa"` // share of streams with an alarm before the change
	MeanDelay   figure `json:"mean_delay"`
	SEDelay     figure `json:"se_delay"`
	Median      figure `json:"median"`
	Miss        figure `json:"miss"`
	Cap         int    `json:"cap"`
}

// trial is a scenario on streams of one shape.
type trial struct {
	scenario
	seed  uint64
	cut   shape
	quiet int // healthy runs between the reference and the change
	reps  int
}

// alarms is what one stream gave: the run of the first alarm of each limit of each rival,
// then of each setting of ours, -1 without one; and our page as shipped.
type alarms struct {
	first []int
	page  page
}

// compete runs everyone on the same changing streams.
func (t trial) compete(f field) (outcomes []outcome, pages []page) {
	before, after := t.healthy.law.source(), t.sources()
	seen := replicate(t.reps, func(rep int) alarms {
		s := changing(generator(t.seed, rep), before, after, t.cut, t.quiet, t.cap)
		return f.alarms(s)
	})
	at := 0
	for _, r := range f.rivals {
		for _, l := range r.limits {
			outcomes = append(outcomes, t.outcome(r.name, l, firstOf(seen, at)))
			at++
		}
	}
	for _, s := range f.settings {
		outcomes = append(outcomes, t.outcome(ourName, s.limit, firstOf(seen, at)))
		at++
	}
	for _, a := range seen {
		pages = append(pages, a.page)
	}
	return outcomes, pages
}

const ourName = "Leadline"

func (f field) alarms(s stream) alarms {
	var a alarms
	for _, r := range f.rivals {
		t := trace(r.make(), s)
		for _, l := range r.limits {
			a.first = append(a.first, firstAbove(t, l.value))
		}
	}
	pages := f.ours(s)
	for i, own := range f.settings {
		a.first = append(a.first, pages[i].run)
		if own.calibration == asPublished {
			a.page = pages[i]
		}
	}
	return a
}

// ours returns our page under each setting. A larger p tells no later, so the others need
// not be asked before the page of the largest.
func (f field) ours(s stream) []page {
	out := make([]page, len(f.settings))
	order := make([]int, len(f.settings))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return -cmp.Compare(f.settings[a].falseAlarms, f.settings[b].falseAlarms)
	})
	from := 0
	for _, i := range order {
		cfg := shipped()
		cfg.FalseAlarms = config.Probability(f.settings[i].falseAlarms)
		out[i] = watch(s, cfg, from)
		if from = out[i].run; from < 0 {
			from = len(s.runs)
		}
	}
	return out
}

func firstOf(seen []alarms, at int) []int {
	out := make([]int, len(seen))
	for i, a := range seen {
		out[i] = a.first[at]
	}
	return out
}

func (t trial) outcome(detector string, l limit, first []int) outcome {
	var delays []float64
	missed := 0.0
	for _, run := range first {
		switch {
		case run >= 0 && run < t.quiet:
			continue
		case run < 0:
			missed++
			delays = append(delays, float64(t.cap*t.cut.size))
		default:
			delays = append(delays, float64((run-t.quiet+1)*t.cut.size))
		}
	}
	m := momentsOf(delays)
	kept := float64(len(delays))
	o := outcome{Detector: detector, Calibration: l.calibration, Scenario: t.name, Reps: len(first),
		Threshold: figure(l.value), PFA30: figure(l.p30), PFA180: figure(l.p180),
		PreFA: figure(1 - kept/float64(len(first))), Cap: t.cap * t.cut.size,
		MeanDelay: figure(math.NaN()), SEDelay: figure(math.NaN()), Median: figure(math.NaN()), Miss: figure(math.NaN())}
	if kept > 0 {
		o.MeanDelay, o.SEDelay, o.Miss = figure(m.mean), figure(m.se()), figure(missed/kept)
		o.Median = figure(median(delays))
	}
	return o
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
