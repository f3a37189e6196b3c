package main

import (
	"math/rand/v2"
	"slices"

	"leadline/drift"
	"leadline/sampler"
)

// changeOver is the run in which operations change something that is no quality.
const changeOver = 60

func later[T any](before, after T) func(int) T {
	return choose(func(i int) bool { return i >= changeOver }, after, before)
}

// operations are what the people who run a service do to it.
func operations() []null {
	f := faithfulness().source()
	quiet, loud := nearNormal(0.04, 0.75, 0.06).source(), nearNormal(0.04, 0.75, 0.12).source()
	return []null{
		plainNull("judge/noise doubles", seedNull, 6, func(rng *rand.Rand) world {
			return &single{rng, steady(50), later(quiet, loud)}
		}),
		plainNull("rate/50 to 200", seedNull, 6, func(rng *rand.Rand) world {
			return &single{rng, later(50, 200), steady(f)}
		}),
		plainNull("rate/200 to 10", seedNull, 2, func(rng *rand.Rand) world {
			return &single{rng, later(200, 10), steady(f)}
		}),
		plainNull("strata/poor segment oversampled", seedNull, 6, func(rng *rand.Rand) world {
			return threeSegments(rng, 50, later(0.25, 0.75))
		}),
		plainNull("rate/60 to 120", seedNull, 5, func(rng *rand.Rand) world {
			return &single{rng, later(60, 120), steady(f)}
		}),
		plainNull("strata/a poor segment is new", seedNull, 6, func(rng *rand.Rand) world {
			return threeSegments(rng, 50, later(0, 0.20))
		}),
		plainNull("strata/a dimension is added", seedNull, 6, func(rng *rand.Rand) world {
			return &undivided{threeSegments(rng, 50, steady(0.25)), changeOver}
		}),
		fourADay("schedule/4 runs a day", func(rng *rand.Rand) world {
			return &single{rng, steady(60), steady(f)}
		}),
		plainNull("index/new every night", seedNull, 6, func(rng *rand.Rand) world {
			return &service{rng: rng, size: 50, laws: usualLaws(), channels: nightly}
		}),
		plainNull("releases/weekly", seedNull, 6, func(rng *rand.Rand) world {
			return &service{rng: rng, size: 50, laws: usualLaws(), channels: weekly}
		}),
		plainNull("year two", seedNull, 365, func(rng *rand.Rand) world {
			return &single{rng, steady(50), steady(f)}
		}),
		yearTwo(),
	}
}

// fourADay is a null on the default schedule, a run every six hours.
func fourADay(id string, begin func(rng *rand.Rand) world) null {
	n := plainNull(id, seedNull, 4, begin)
	n.every, n.reps = day/4, 100
	return n
}

// undivided is a service whose segments nobody has told of until a run: all is one cell.
type undivided struct {
	world
	until int
}

func (u *undivided) run(i int) window {
	w := u.world.run(i)
	if i >= u.until {
		return w
	}
	var rows []drift.Row
	for _, r := range w.rows {
		k := slices.IndexFunc(rows, func(o drift.Row) bool { return o.Metric == r.Metric })
		if k < 0 {
			k, rows = len(rows), append(rows, drift.Row{Metric: r.Metric, Judge: r.Judge})
		}
		rows[k].Moments = rows[k].Merge(r.Moments)
	}
	w.rows = rows
	w.tally.Cells = map[sampler.Cell]int{"": w.tally.Decoded}
	return w
}

// yearTwo is a whole service in its fourth half-year, after 540 days of releases.
func yearTwo() null {
	n := plainNull("year two/weekly releases, nightly index", seedNull, 3*watched, func(rng *rand.Rand) world {
		return &service{rng: rng, size: 50, laws: usualLaws(), channels: nightly}
	})
	n.reps = 60
	return n
}

// threeSegments differ in quality, .95, .865 and .66, and the share of the poorest is
// given; the others keep 40 to 35.
func threeSegments(rng *rand.Rand, size int, poorest func(int) float64) *service {
	laws := []*source{movedF(0.085).source(), movedF(0).source(), movedF(-0.205).source()}
	r := relevancy().source()
	rest := func(part float64) func(int) float64 {
		return func(i int) float64 { return part / 0.75 * (1 - poorest(i)) }
	}
	return &service{rng: rng, size: size, channels: never,
		share: []func(int) float64{rest(0.40), rest(0.35), poorest},
		laws:  func(_, g int) (*source, *source) { return laws[g], r }}
}

// services are whole ones: both metrics, the watched shares, segments.
func services() []null {
	all := plainNull("service/two metrics, four shares", seedNull, 6, func(rng *rand.Rand) world {
		return &service{rng: rng, size: 50, laws: usualLaws(), channels: never}
	})
	parts := plainNull("service/three segments, weekly releases, nightly index", seedNull, 6, func(rng *rand.Rand) world {
		s := threeSegments(rng, 50, steady(0.25))
		s.channels = nightly
		return s
	})
	many := plainNull("service/40 series", seedFleet, fleetReference, func(rng *rand.Rand) world { return fleetOf(rng, nil) })
	many.reps = 100
	return []null{all, parts, many}
}
