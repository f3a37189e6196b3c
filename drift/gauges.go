package drift

import (
	"slices"
	"strings"
	"time"

	"leadline/scorer"
)

// gauge is one control item: what one judge gave it in one metric, oldest first.
type gauge struct {
	item, language string
	pair           bool // of texts, for the embedding model alone
	readings       []reading
}

type reading struct {
	due   time.Time
	value float64
}

// gauges are all items of one judge and metric, and the runs that scored any of them.
type gauges struct {
	items []gauge
	runs  []time.Time
	floor float64
	// best is what strongest found, once it was asked for.
	best *strongest
}

// The least scatter that an item is given: a deviation well below it is no deviation.
const (
	floorFaithfulness = 0.10 // a part of a statement
	floorRelevancy    = 0.02 // of a mean of three cosines
	floorPair         = 0.001
)

func (g *gauges) floorOf(i gauge) float64 {
	if i.pair {
		return floorPair
	}
	return g.floor
}

// newGauges reads the items of a judge from sorted scores, without the times that are cut.
func newGauges(sorted []scorer.ControlScore, metric scorer.Metric, judge string, cut func(time.Time) bool) *gauges {
	g := &gauges{floor: floorFaithfulness}
	if metric == scorer.AnswerRelevancy {
		g.floor = floorRelevancy
	}
	for _, c := range sorted {
		o := c.Outcomes[metric]
		if !o.Scored || c.Judges[metric] != judge || cut(c.Window) {
			continue
		}
		if n := len(g.items); n == 0 || g.items[n-1].item != c.Item {
			g.items = append(g.items, gauge{item: c.Item, language: languageOf(c), pair: c.Expected == scorer.ExpectPair})
		}
		last := &g.items[len(g.items)-1]
		last.readings = append(last.readings, reading{c.Window, o.Value})
		g.runs = append(g.runs, c.Window)
	}
	slices.SortFunc(g.runs, time.Time.Compare)
	g.runs = slices.CompactFunc(g.runs, time.Time.Equal)
	return g
}

// languageOf is that of an item; those of languages without items of their own count as English.
func languageOf(c scorer.ControlScore) string {
	if strings.HasPrefix(c.Language, "ja") {
		return "ja"
	}
	return "en"
}

// split returns the readings of runs before a time and since.
func (i gauge) split(at time.Time) (pre, post []reading) {
	k, _ := slices.BinarySearchFunc(i.readings, at, func(r reading, at time.Time) int { return r.due.Compare(at) })
	return i.readings[:k], i.readings[k:]
}

// mean and sum of squared distances of readings.
func summed(rs []reading) sums {
	var s sums
	for _, r := range rs {
		s.merge(sums{n: 1, mean: r.value})
	}
	return s
}
