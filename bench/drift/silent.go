package main

import (
	"math/rand/v2"

	"leadline/bench/goal"
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

func (b *bench) silent() error {
	s := detectionOf("F -0.05, weekly releases, nightly index", silentSize, replicate(min(b.n.Null, 300), func(rep int) tale {
		at := silentAt + rep%7
		w := silentWorld(generator(seedSilent, rep), at)
		told, m := follow(w, shipped(), silentReference, at+silentFollow, true)
		return taleOf(told, m, scorer.Faithfulness, at)
	}))
	b.report.Silent = &s
	b.say("silent: %.3f of %d found, median %v days", s.Found.Share, s.Services, s.Days)
	b.goal(goal.AtLeast("silent-found", "silent falls of .05 found within 60 days, weekly releases, nightly index, 60 answers a day", 0.95, s.Found.Share, s.Found.SE))
	b.goal(goal.AtLeast("silent-called", "those of them called silent", 0.60, s.Kinds[drift.KindSilent].Share, s.Kinds[drift.KindSilent].SE))
	b.goal(goal.Never("silent-blamed", "those of them called a regression", s.Kinds[drift.KindRegression]))
	b.goal(goal.AtMost("silent-ended", "those of them resolved while scores are still down", endedSmall, s.Ended.Share, s.Ended.SE))
	return nil
}

// mixShift is a lasting change of the query mix with the quality of every segment as it was.
func (b *bench) mixShift() error {
	f := goal.ShareTrue(replicate(b.n.Null, func(rep int) bool {
		w := threeSegments(generator(seedMix, rep), 50, choose(func(i int) bool { return i >= 20 }, 0.50, 0.25))
		told, _ := follow(w, shipped(), 6, 20+60, false)
		return len(told) > 0 && told[0].run >= 20
	}))
	b.report.MixShift = &f
	b.goal(goal.AtMost("mix-shift", "services with a page in the 60 runs after a lasting shift of the query mix", 0.10, f.Share, f.SE))
	return nil
}
