package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"leadline/bench/goal"
	"leadline/config"
)

// null is a world without a change of quality: whatever is told of it is false.
type null struct {
	ID        string
	seed      uint64
	reference int // runs
	reps      int // 0 for the usual number
	begin     func(rng *rand.Rand) world
	cfg       config.Drift
	limit     float64
	every     time.Duration // from run to run; 0 for a day
}

// nulls returns all of them. Each is watched for 180 days, with one run a day unless it
// says otherwise.
func nulls() []null {
	out := independent()
	out = append(out, seasons()...)
	out = append(out, wandering()...)
	out = append(out, operations()...)
	out = append(out, lengthNulls()...)
	return append(out, services()...)
}

// plainNull is a null of one series as shipped.
func plainNull(id string, seed uint64, reference int, begin func(rng *rand.Rand) world) null {
	return null{ID: id, seed: seed, reference: reference, begin: begin, cfg: shipped(), limit: budget}
}

// independent are scores drawn independently from one law: every law, from no reference
// at all to 500 scores, 5 to 200 a run; and runs of uneven size, some of them missing.
func independent() []null {
	var out []null
	for _, n := range healthyLaws() {
		from := n.law.source()
		for _, c := range []struct{ m, n int }{{0, 5}, {0, 50}, {100, 20}, {300, 50}, {500, 200}} {
			first := chunks(c.m, c.n)
			size := func(i int) int {
				if i < 0 {
					return first[len(first)+i]
				}
				return c.n
			}
			out = append(out, plainNull(fmt.Sprintf("iid/%s/m=%d/n=%d", n.name, c.m, c.n), seedHoldOut, len(first),
				func(rng *rand.Rand) world { return &single{rng, size, steady(from)} }))
		}
		out = append(out, plainNull(fmt.Sprintf("iid/%s/uneven", n.name), seedHoldOut, 3, func(rng *rand.Rand) world {
			return &single{rng, uneven(rng), steady(from)}
		}))
	}
	return out
}

// uneven runs have 20 to 200 scores, and 15 % of them none.
func uneven(rng *rand.Rand) func(int) int {
	return func(int) int {
		if rng.Float64() < 0.15 {
			return 0
		}
		return 20 + rng.IntN(181)
	}
}

// falseAlarms is how often a null was told of.
type falseAlarms struct {
	ID string `json:"id"`
	share
	Limit figure `json:"limit"`
}

// nulls measures the share of worlds without a change that page.
func (b *bench) nulls() error {
	for _, n := range nulls() {
		if !b.wantsOf("nulls", n.ID) {
			continue
		}
		reps := b.n.Null
		if n.reps > 0 {
			reps = min(n.reps, reps)
		}
		f := falseAlarms{ID: n.ID, share: n.paging(reps), Limit: figure(n.limit)}
		b.report.Nulls = append(b.report.Nulls, f)
		b.goal(goal.AtMost("null/"+n.ID, "services with a false page in 180 days", n.limit, f.Share, f.SE))
		b.say("null %s: %.3f ± %.3f", n.ID, f.Share, f.SE)
	}
	return nil
}

// paging returns the share of services with a page.
func (n null) paging(reps int) share {
	return goal.ShareTrue(replicate(reps, func(rep int) bool {
		m, runs := newMonitor(n.cfg), watched
		if n.every > 0 {
			m.every, runs = n.every, watched*int(day/n.every)
		}
		return len(m.follow(n.begin(generator(n.seed, rep)), n.reference, runs, false)) > 0
	}))
}

// wantsOf says whether one of a part was asked for: all of them, or by the beginning of its
// name.
func (b *bench) wantsOf(part, id string) bool {
	return b.only == "" || slices.ContainsFunc(strings.Split(b.only, ","), func(name string) bool {
		return strings.HasPrefix(part+"/"+id, name)
	})
}
