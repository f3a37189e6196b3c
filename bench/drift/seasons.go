package main

import (
	"math"
	"math/rand/v2"
)

// moved returns a law of F with its mean moved: down by broken answers in place of some, up
// by ones in place of some.
func movedF(by float64) law {
	f := faithfulness()
	if by < 0 {
		return withBroken(f, -by)
	}
	up := math.Min(by/(1-f.mean()), 1)
	return blend(part{1 - up, f}, part{up, point(1)})
}

// movedR moves the non-zero part of R.
func movedR(by float64) law { return nearNormal(0.04, math.Min(0.80+by/0.96, 0.95), 0.09) }

// seasons come and go by the calendar or by what people talk about.
func seasons() []null {
	weekday, weekend := movedF(0.005).source(), movedF(-0.03).source()
	usual, ends := movedF(0).source(), movedF(-0.05).source()
	isWeekend := func(i int) bool { return (i%7+7)%7 >= 5 }
	night := movedF(-0.03).source()
	isNight := func(i int) bool { return (i%4+4)%4 == 0 }
	isMonthEnd := func(i int) bool { return (i%30+30)%30 >= 27 }
	return []null{
		plainNull("season/weekday", seedNull, 7, func(rng *rand.Rand) world {
			return &single{rng, choose(isWeekend, 20, 60), choose(isWeekend, weekend, weekday)}
		}),
		plainNull("season/weekly sine .015", seedNull, 6, func(rng *rand.Rand) world {
			var phase [7]*source
			for d := range phase {
				phase[d] = movedF(0.015 * math.Sin(2*math.Pi*float64(d)/7)).source()
			}
			return &single{rng, steady(50), func(i int) *source { return phase[(i%7+7)%7] }}
		}),
		plainNull("season/month end", seedNull, 6, func(rng *rand.Rand) world {
			return &single{rng, choose(isMonthEnd, 100, 50), choose(isMonthEnd, ends, usual)}
		}),
		plainNull("bursts/hot topic", seedNull, 6, func(rng *rand.Rand) world {
			return &single{rng, steady(50), burst(rng)}
		}),
		fourADay("season/time of day, 4 runs a day", func(rng *rand.Rand) world {
			return &single{rng, choose(isNight, 15, 60), choose(isNight, night, weekday)}
		}),
		plainNull("clusters/conversations, sessions not logged", seedNull, 6, func(rng *rand.Rand) world {
			return &clustered{rng: rng, from: faithfulness().source(), size: 50, long: 3}
		}),
		plainNull("clusters/conversations", seedNull, 6, func(rng *rand.Rand) world {
			return &clustered{rng: rng, from: faithfulness().source(), size: 50, long: 3, told: true}
		}),
		plainNull("clusters/long conversations", seedNull, 6, func(rng *rand.Rand) world {
			return &clustered{rng: rng, from: faithfulness().source(), size: 50, long: 10, told: true}
		}),
	}
}

// choose returns one value for the runs that are special and another for the rest.
func choose[T any](special func(int) bool, yes, no T) func(int) T {
	return func(i int) T {
		if special(i) {
			return yes
		}
		return no
	}
}

// burst is a topic that for two to four runs is 30 % of the answers, begins in one run of
// twenty, and is as often easier as harder than the rest by 0.10.
func burst(rng *rand.Rand) func(int) *source {
	laws := map[float64]*source{0: movedF(0).source(), 1: movedF(0.03).source(), -1: movedF(-0.03).source()}
	left, sign := 0, 0.0
	return func(int) *source {
		switch {
		case left > 0:
			left--
		case rng.Float64() < 0.05:
			left, sign = 1+rng.IntN(3), float64(2*rng.IntN(2)-1)
		default:
			sign = 0
		}
		return laws[sign]
	}
}
