package main

import (
	"math/rand/v2"

	"leadline/drift"
	"leadline/scorer"
)

// A silent fall: faithfulness falls by 0.05 in run silentAt or up to six later, with 60 answers a day, a
// release every week and an index version every night that change nothing. Replicates fall
// on all days of the release week alike.
const (
	silentSize      = 60
	silentReference = 5
	silentAt        = 40
	silentFollow    = 60
)

func silentWorld(rng *rand.Rand, at int) world {
	f, low, r := faithfulness().source(), movedF(-0.05).source(), relevancy().source()
	return &service{rng: rng, size: silentSize, channels: nightly, laws: func(i, _ int) (*source, *source) {
		if i >= at {
			return low, r
		}
		return f, r
	}}
}

// silentFall is how a silent fall was told of.
type silentFall struct {
	Services int    `json:"services"` // without a page before the fall
	Early    int    `json:"early"`    // services with one, left out of the rest
	Found    share  `json:"found"`    // within 60 days
	Days     figure `json:"days_median"`
	DaysP90  figure `json:"days_p90"`
	// Kinds are the shares of the kinds among those found, when first told; Later when the
	// 60 days were over.
	Kinds map[drift.Kind]share `json:"kinds"`
	Later map[drift.Kind]share `json:"kinds_later"`
}

// fall is one service: days to the page, 0 without, -1 for a page before the fall.
type fall struct {
	days        int
	kind, later drift.Kind
}

func (b *bench) silent() error {
	falls := replicate(min(b.n.Null, 300), func(rep int) fall {
		at := silentAt + rep%7
		w := silentWorld(generator(seedSilent, rep), at)
		told, m := follow(w, shipped(), silentReference, at+silentFollow, true)
		return fallOf(told, m, at)
	})
	s := sumUp(falls)
	b.report.Silent = &s
	b.say("silent: %d of %d found, median %v days", int(float64(s.Found.Share)*float64(s.Services)+0.5), s.Services, s.Days)
	b.goal(atLeast("silent-found", "silent falls of .05 found within 60 days, weekly releases, nightly index, 60 answers a day", 0.95, s.Found.Share, s.Found.SE))
	b.goal(atLeast("silent-called", "those of them called silent", 0.60, s.Kinds[drift.KindSilent].Share, s.Kinds[drift.KindSilent].SE))
	b.goal(exactly0("silent-blamed", "those of them called a regression", s.Kinds[drift.KindRegression]))
	return nil
}

func fallOf(all []told, m *monitor, at int) fall {
	var f fall
	for _, e := range all {
		ours := e.Series.Metric == scorer.Faithfulness
		switch {
		case e.run < at:
			return fall{days: -1}
		case ours && f.days == 0:
			f.days, f.kind = e.run-at+1, e.Kind
		}
	}
	for _, e := range m.result.Episodes {
		if f.days > 0 && e.Series.Metric == scorer.Faithfulness && e.Opened.Equal(m.due(silentReference+at+f.days-1)) {
			f.later = e.Kind
		}
	}
	return f
}

func sumUp(falls []fall) silentFall {
	s := silentFall{Kinds: map[drift.Kind]share{}, Later: map[drift.Kind]share{}}
	var days []float64
	kinds, later := map[drift.Kind]int{}, map[drift.Kind]int{}
	for _, f := range falls {
		switch {
		case f.days < 0:
			s.Early++
			continue
		case f.days > 0:
			days = append(days, float64(f.days))
			kinds[f.kind]++
			later[f.later]++
		}
		s.Services++
	}
	s.Found = shareOf(len(days), s.Services)
	s.Days, s.DaysP90 = quantile(days, 0.5), quantile(days, 0.9)
	for _, k := range []drift.Kind{drift.KindSilent, drift.KindRegression, drift.KindUndecided, drift.KindDrop} {
		s.Kinds[k], s.Later[k] = shareOf(kinds[k], len(days)), shareOf(later[k], len(days))
	}
	return s
}

// mixShift is a lasting change of the query mix with the quality of every segment as it was.
func (b *bench) mixShift() error {
	f := shareTrue(replicate(b.n.Null, func(rep int) bool {
		w := threeSegments(generator(seedMix, rep), 50, choose(func(i int) bool { return i >= 20 }, 0.50, 0.25))
		told, _ := follow(w, shipped(), 6, 20+60, false)
		return len(told) > 0 && told[0].run >= 20
	}))
	b.report.MixShift = &f
	b.goal(atMost("mix-shift", "services with a page in the 60 runs after a lasting shift of the query mix", 0.10, f.Share, f.SE))
	return nil
}
