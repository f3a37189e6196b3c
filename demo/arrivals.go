package demo

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// arrival is a question that reaches the bot.
type arrival struct {
	at       time.Time
	language language
}

// language is one of the two that people ask in.
type language int

const (
	english language = iota
	japanese
)

func (l language) String() string { return [...]string{"en", "ja"}[l] }

// arrivals returns when questions come: by office hours in Japan, Europe and America,
// fewer at weekends, none in the evening without traffic.
func arrivals(seed uint64) iter.Seq[arrival] {
	return func(yield func(arrival) bool) {
		r, events, span := newRand(seed, "arrivals"), Events(), Span()
		for hour := span.From; hour.Before(span.To); hour = hour.Add(time.Hour) {
			for _, a := range arrivalsWithin(r, hour) {
				if events.NoTraffic.holds(a.at) {
					continue
				}
				if !yield(a) {
					return
				}
			}
		}
	}
}

func arrivalsWithin(r *rand.Rand, hour time.Time) []arrival {
	var all []arrival
	for _, l := range []language{english, japanese} {
		for range poisson(r, perHour(hour, l)) {
			all = append(all, arrival{hour.Add(time.Duration(r.IntN(3_600_000)) * time.Millisecond), l})
		}
	}
	slices.SortStableFunc(all, func(a, b arrival) int { return a.at.Compare(b.at) })
	return all
}

// perHour is how many questions are expected in an hour (UTC).
func perHour(hour time.Time, l language) float64 {
	rates := [24]float64{2, 2, 1, 1, 1, 2, 5, 12, 19, 20, 18, 14, 16, 21, 22, 20, 17, 14, 11, 10, 9, 7, 5, 3}
	if l == japanese {
		rates = [24]float64{20, 23, 21, 13, 19, 19, 17, 14, 10, 6, 4, 2, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 2, 6}
	}
	rate := rates[hour.Hour()]
	if d := hour.Weekday(); d == time.Saturday || d == time.Sunday {
		rate *= 0.45
	}
	return rate
}

// poisson draws a Poisson number with a mean of at most a few dozen.
func poisson(r *rand.Rand, mean float64) int {
	n, p, limit := 0, r.Float64(), math.Exp(-mean)
	for p > limit {
		n++
		p *= r.Float64()
	}
	return n
}
