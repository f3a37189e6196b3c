package main

import (
	"math/rand/v2"
	"strconv"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

const judge = "judge"

// world is one service and its judge. Answers score by law F (5 % zeros, 75 % ones, the rest
// a of k statements), a spoiled one 40 % zeros and 60 % poor partials. Of the control items four
// in five always score the same; the others do otherwise in 2 to 15 % of the runs, as judges
// do at temperature 0.01.
type world struct {
	rng     *rand.Rand
	truth   truth
	changed int // the first run after the change
	perRun  int
	items   []scorer.Control
	usual   map[string]float64
	flips   map[string]float64 // chance of another score in a run
	hit     map[string]float64 // the item's place on [0, 1): hit where it is below the share
}

func newWorld(seed uint64, t truth, o options) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 11)), truth: t, changed: o.before, perRun: o.perRun, items: scorer.Controls(),
		usual: map[string]float64{}, flips: map[string]float64{}, hit: map[string]float64{}}
	for _, c := range w.items {
		w.hit[c.ID] = w.rng.Float64()
		if w.rng.Float64() < 0.2 {
			w.flips[c.ID] = 0.02 + 0.13*w.rng.Float64()
		}
		switch c.Expected {
		case scorer.ExpectSupported:
			w.usual[c.ID] = 1
		case scorer.ExpectPartial:
			w.usual[c.ID] = 0.5
		}
	}
	return w
}

func dueOf(run int) time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(run) * 6 * time.Hour)
}

// answer draws one score of the service by the judge as it was.
func (w *world) answer(run int) float64 {
	if run >= w.changed && w.rng.Float64() < w.truth.worse {
		if w.rng.Float64() < 0.4 {
			return 0
		}
		return float64(1+w.rng.IntN(2)) / 4
	}
	switch u := w.rng.Float64(); {
	case u < 0.05:
		return 0
	case u < 0.80:
		return 1
	}
	k := []int{2, 3, 4, 5, 6, 8}[w.rng.IntN(6)]
	return float64(max(1, k-1-w.rng.IntN(2))) / float64(k)
}

// judged is what the judge of a run makes of a score, for a text at a place on [0, 1).
func (w *world) judged(run int, x, place float64) float64 {
	switch {
	case run < w.changed:
	case x > 0 && place < w.truth.strict:
		return 0
	case x < 1 && place < w.truth.lenient:
		return 1
	}
	return x
}

func (w *world) rows(run int) ([]drift.Row, sampler.Tally) {
	due := dueOf(run)
	tally := sampler.Tally{Start: dueOf(run - 1), Due: due, Decoded: w.perRun, Channels: map[sampler.Channel]map[string]int{sampler.ChannelRelease: {"v1": w.perRun}}}
	scores := make([]scorer.Score, w.perRun)
	for i := range scores {
		x := w.judged(run, w.answer(run), w.rng.Float64())
		scores[i] = scorer.Score{SampleID: strconv.Itoa(i), Window: due, Judges: map[scorer.Metric]string{scorer.Faithfulness: judge},
			Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: x}}}
	}
	return drift.Rows(sampler.Window{Start: tally.Start, Due: due}, scores), tally
}

// controls scores items in a run.
func (w *world) controls(run int, items []scorer.Control, pass int) []scorer.ControlScore {
	out := make([]scorer.ControlScore, len(items))
	for n, c := range items {
		x := w.usual[c.ID]
		if w.rng.Float64() < w.flips[c.ID] {
			x = []float64{1, 0.5, 0}[int(2*x)] // 0 ↔ 1; a partial stays one
			if w.usual[c.ID] == 0.5 {
				x = float64(w.rng.IntN(2))
			}
		}
		x = w.judged(run, x, w.hit[c.ID])
		out[n] = scorer.ControlScore{Item: c.ID, Window: dueOf(run), Language: c.Language, Expected: c.Expected, Pass: pass,
			Judges:   map[scorer.Metric]string{scorer.Faithfulness: judge},
			Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: x}}}
	}
	return out
}
