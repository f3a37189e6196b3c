package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"leadline/bench/goal"
)

// A slow fall must not become the norm before it is told: the oldest rows stay in the
// baseline, so that the time before is always one of the sides. Fifty answers a day, three
// hundred before it begins.
const (
	slowFollow = 540 // runs
	slowSteps  = 50  // laws between the level before and that after
	seedSlow   = 9601
)

// slowFall is how a slow fall was told of.
type slowFall struct {
	Fall  figure `json:"fall"`
	Over  int    `json:"over"`  // runs that it takes
	Found share  `json:"found"` // within 540 runs of its beginning
	Runs  figure `json:"runs_median"`
	P90   figure `json:"runs_p90"`
	// Fallen is by how much the mean was down in the median run that told it.
	Fallen figure `json:"fallen_median"`
}

func (b *bench) slow() error {
	for k, f := range []struct {
		fall float64
		over int
	}{{0.10, 100}, {0.05, 180}, {0.05, 360}, {0.03, 360}} {
		out := slowFall{Fall: figure(f.fall), Over: f.over}
		var runs, fallen []float64
		all := replicate(min(b.n.Null, 200), func(rep int) int {
			told, _ := follow(slowWorld(generator(seedSlow+uint64(k), rep), f.fall, f.over), shipped(), 6, slowFollow, false)
			if len(told) == 0 {
				return -1
			}
			return told[0].run
		})
		for _, run := range all {
			if run >= 0 {
				runs = append(runs, float64(run+1))
				fallen = append(fallen, f.fall*min(float64(run+1)/float64(f.over), 1))
			}
		}
		out.Found = goal.ShareOf(len(runs), len(all))
		out.Runs, out.P90, out.Fallen = quantile(runs, 0.5), quantile(runs, 0.9), quantile(fallen, 0.5)
		b.report.Slow = append(b.report.Slow, out)
		b.say("slow fall of %g over %d runs: found %.3f, median %v runs", f.fall, f.over, out.Found.Share, out.Runs)
		if f.fall >= 0.05 {
			b.goal(goal.AtLeast(fmt.Sprintf("slow/%g over %d", f.fall, f.over), "slow falls found within 540 runs of their beginning", 0.95, out.Found.Share, out.Found.SE))
		}
	}
	return nil
}

func slowWorld(rng *rand.Rand, fall float64, over int) world {
	var levels []*source
	for s := range slowSteps + 1 {
		levels = append(levels, movedF(-fall*float64(s)/slowSteps).source())
	}
	return &single{rng, steady(50), func(i int) *source {
		return levels[min(max(i+1, 0)*slowSteps/over, slowSteps)]
	}}
}

func printSlow(w io.Writer, falls []slowFall) {
	if len(falls) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Slow falls, 50 answers a day\n\n| fall of F | over runs | found within 540 runs | median run | 90 % | fallen by then, median |\n|---|---|---|---|---|---|\n")
	for _, f := range falls {
		fmt.Fprintf(w, "| %.2f | %d | %.3f ± %.3f | %v | %v | %.3f |\n", f.Fall, f.Over, f.Found.Share, f.Found.SE, f.Runs, f.P90, f.Fallen)
	}
}
