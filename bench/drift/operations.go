package main

import "math/rand/v2"

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
		plainNull("index/new every night", seedNull, 6, func(rng *rand.Rand) world {
			return &service{rng: rng, size: 50, laws: usualLaws(), channels: nightly}
		}),
		plainNull("releases/weekly", seedNull, 6, func(rng *rand.Rand) world {
			return &service{rng: rng, size: 50, laws: usualLaws(), channels: weekly}
		}),
		plainNull("year two", seedNull, 365, func(rng *rand.Rand) world {
			return &single{rng, steady(50), steady(f)}
		}),
	}
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
