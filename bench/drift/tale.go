package main

import (
	"math"

	"leadline/bench/goal"
	"leadline/drift"
	"leadline/scorer"
)

// tale is what was told of one service in which a metric falls in run at.
type tale struct {
	days        float64 // from the fall to the end of the run of the first page of that metric; 0 without, -1 for any page before
	kind, later drift.Kind
	// beside says that it is a regression by old and new in the same runs: the release does
	// not hold half of the weight.
	beside bool
	pages  int // runs with a page of any series, from the fall on
	// ended says that the first episode was resolved, though scores are still down.
	ended bool
}

func taleOf(all []told, m *monitor, metric scorer.Metric, at int) tale {
	var t tale
	var first drift.Episode
	last := -1
	for _, e := range all {
		if e.run < at {
			return tale{days: -1}
		}
		if e.run != last {
			t.pages, last = t.pages+1, e.run
		}
		if e.Series.Metric == metric && t.days == 0 {
			t.days, t.kind, first = float64(e.run-at+1)*m.every.Hours()/24, e.Kind, e.Episode
		}
	}
	if t.days == 0 {
		return t
	}
	t.beside = bySide(first)
	for _, e := range m.result.Episodes {
		if e.Series == first.Series && e.Opened.Equal(first.Opened) {
			t.later, t.ended = e.Kind, !e.Resolved.IsZero()
		}
	}
	return t
}

func bySide(e drift.Episode) bool {
	return e.Kind == drift.KindRegression && e.Finding.Evidence.Release.Weight < 0.5
}

// detection is how falls of one sort were told of. Days count what was never found as more
// than any number.
type detection struct {
	ID       string `json:"id"`
	Services int    `json:"services"` // without a page before the fall
	Early    int    `json:"early"`    // services with one, left out of the rest
	Found    share  `json:"found"`    // within the time watched
	Days     figure `json:"days_median"`
	DaysSE   figure `json:"days_median_se"`
	DaysP90  figure `json:"days_p90"`
	P90SE    figure `json:"days_p90_se"`
	Answers  figure `json:"answers_median"` // scored, from the fall to the page
	// Kinds are the shares of the kinds among those found when first told, Later when the
	// time was over; Beside is the share that was told for old and new in the same runs.
	Kinds  map[drift.Kind]share `json:"kinds"`
	Later  map[drift.Kind]share `json:"kinds_later"`
	Beside share                `json:"side_by_side"`
	// Ended is the share of those found that were resolved while scores were still down.
	Ended share `json:"ended"`
	// Pages are the runs with a page from the fall on, mean per service.
	Pages figure `json:"pages"`
}

func detectionOf(id string, perDay int, tales []tale) detection {
	d := detection{ID: id, Kinds: map[drift.Kind]share{}, Later: map[drift.Kind]share{}}
	var days []float64
	kinds, later := map[drift.Kind]int{}, map[drift.Kind]int{}
	found, beside, ended, pages := 0, 0, 0, 0
	for _, t := range tales {
		switch {
		case t.days < 0:
			d.Early++
			continue
		case t.days == 0:
			days = append(days, math.Inf(1))
		default:
			days = append(days, t.days)
			found++
			kinds[t.kind]++
			later[t.later]++
		}
		beside += one(t.beside)
		ended += one(t.ended)
		pages += t.pages
	}
	d.Services = len(days)
	d.Found, d.Beside, d.Ended = goal.ShareOf(found, d.Services), goal.ShareOf(beside, found), goal.ShareOf(ended, found)
	d.Days, d.DaysSE = quantile(days, 0.5), quantileSE(days, 0.5)
	d.DaysP90, d.P90SE = quantile(days, 0.9), quantileSE(days, 0.9)
	d.Answers = d.Days * figure(perDay)
	d.Pages = figure(float64(pages) / float64(max(d.Services, 1)))
	for _, k := range kindsShown() {
		d.Kinds[k], d.Later[k] = goal.ShareOf(kinds[k], found), goal.ShareOf(later[k], found)
	}
	return d
}

// Episodes that are resolved while scores are still down were 18 % at falls of .05 and 11 % at
// .10 when the rule of recovery was chosen.
const (
	endedSmall = 0.18
	endedLarge = 0.11
)

// kindsShown are the kinds of a fall, in the order of the tables.
func kindsShown() []drift.Kind {
	return []drift.Kind{drift.KindRegression, drift.KindUndecided, drift.KindSilent, drift.KindDrop}
}

// quantileSE is half the distance of the quantiles one binomial standard error below and
// above a share.
func quantileSE(xs []float64, q float64) figure {
	se := math.Sqrt(q * (1 - q) / float64(max(len(xs), 1)))
	return (quantile(xs, math.Min(q+se, 1)) - quantile(xs, math.Max(q-se, 0))) / 2
}
