package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"leadline/bench/goal"
	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// lengthy is a service whose answers have statements, each supported with a probability
// that the answer has for itself.
type lengthy struct {
	rng  *rand.Rand
	size int
	// draw returns how many statements an answer has and how well each is supported, 0–1.
	draw func(i int, rng *rand.Rand) (statements int, support float64)
}

func (l *lengthy) run(i int) window {
	scores := make([]scorer.Score, l.size)
	for k := range scores {
		statements, support := l.draw(i, l.rng)
		scores[k] = l.judge(k, statements, support)
	}
	return window{rows: drift.Rows(sampler.Window{}, scores)}
}

func (l *lengthy) judge(k, statements int, support float64) scorer.Score {
	found := make([]scorer.Statement, statements)
	supported := 0
	for n := range found {
		if l.rng.Float64() < support {
			found[n].Verdict = 1
			supported++
		}
	}
	value := float64(supported) / float64(statements)
	return scorer.Score{SampleID: strconv.Itoa(1000 + k), Statements: found,
		Judges:   map[scorer.Metric]string{scorer.Faithfulness: "judge"},
		Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: value}}}
}

// span is a law of lengths, each from low to high as often.
type span struct{ low, high int }

func (s span) draw(rng *rand.Rand) int { return s.low + rng.IntN(s.high-s.low+1) }

// alike answers have the same support in each statement, the mean of law F.
func alike(*rand.Rand) float64 { return 0.865 }

// mixed answers are like law F: 5 % without support, 75 % with full support, the others
// in between. Their mean is .883.
func mixed(rng *rand.Rand) float64 {
	switch u := rng.Float64(); {
	case u < 0.05:
		return 0
	case u < 0.80:
		return 1
	}
	return beta(rng, 4, 2)
}

const (
	mixedMean = 0.75 + 0.20*4/6
	lostMean  = 0.60 * 4 / 9
)

// lost is the support of answers whose contexts are missing.
func lost(rng *rand.Rand) float64 {
	if rng.Float64() < 0.4 {
		return 0
	}
	return beta(rng, 4, 5)
}

// beta draws from the beta law of two whole numbers: the a-th smallest of a+b−1 numbers.
func beta(rng *rand.Rand, a, b int) float64 {
	xs := make([]float64, a+b-1)
	for i := range xs {
		xs[i] = rng.Float64()
	}
	slices.Sort(xs)
	return xs[a-1]
}

// ofLength is a world in which answers change from one length to another after 20 runs,
// and their support does not.
func ofLength(support func(*rand.Rand) float64, before, after span) func(*rand.Rand) world {
	return func(rng *rand.Rand) world {
		return &lengthy{rng, 50, func(i int, rng *rand.Rand) (int, float64) {
			if i < 20 {
				return before.draw(rng), support(rng)
			}
			return after.draw(rng), support(rng)
		}}
	}
}

var usualLength = span{3, 8}

// lengthNulls are changes of nothing but length.
func lengthNulls() []null {
	short := span{1, 3}
	return []null{
		plainNull("length/alike 3-8 to 1-3", seedLength, 6, ofLength(alike, usualLength, short)),
		plainNull("length/mixed 3-8 to 1-3", seedLength, 6, ofLength(mixed, usualLength, short)),
		plainNull("length/alike 1-3 to 3-8", seedLength, 6, ofLength(alike, short, usualLength)),
		plainNull("length/mixed 1-3 to 3-8", seedLength, 6, ofLength(mixed, short, usualLength)),
		plainNull("length/mixed 3-8", seedLength, 6, ofLength(mixed, usualLength, usualLength)),
	}
}

// lengthFall is how soon a fall is seen with answers of other lengths told apart, and not.
type lengthFall struct {
	Name   string `json:"name"`
	Reps   int    `json:"reps"` // streams without a page before the fall, either way
	Apart  figure `json:"apart"`
	Plain  figure `json:"plain"`
	Ratio  figure `json:"ratio"`
	SE     figure `json:"se"`     // of Ratio, same streams on both sides
	Missed int    `json:"missed"` // of those told apart; they count as the cap
}

// length measures what telling lengths apart costs and buys: how often changes of nothing
// but length page without it, and how soon answers that are replaced by lost ones, of
// usual length or very short, are seen with it and without.
func (b *bench) length() error {
	for _, n := range lengthNulls() {
		n.cfg.LengthStrata = false
		f := falseAlarms{ID: n.ID + ", lengths not told apart", share: n.paging(b.n.Null), Limit: figure(math.NaN())}
		b.report.Nulls = append(b.report.Nulls, f)
		b.say("null %s: %.3f ± %.3f", f.ID, f.Share, f.SE)
	}
	for k, f := range []struct {
		drop   float64
		length span
		limit  int
		name   string
	}{
		{0.05, usualLength, 100, "-0.05"},
		{0.10, usualLength, 60, "-0.10"},
		{0.10, span{1, 2}, 60, "-0.10, the lost answers short"},
	} {
		share := f.drop / (mixedMean - lostMean)
		begin := func(rng *rand.Rand) world {
			return &lengthy{rng, 50, func(i int, rng *rand.Rand) (int, float64) {
				if i >= 20 && rng.Float64() < share {
					return f.length.draw(rng), lost(rng)
				}
				return usualLength.draw(rng), mixed(rng)
			}}
		}
		out := comparePair(f.name, b.n.Null, f.limit, func(rep int) world { return begin(generator(seedLength+1+uint64(k), rep)) })
		b.report.Length = append(b.report.Length, out)
		b.say("length %s: %.0f against %.0f scores", f.name, float64(out.Apart), float64(out.Plain))
		if f.length == usualLength {
			b.goal(goal.AtMost("length/"+f.name, "delay with answers of other lengths told apart, over that without", 1.05,
				out.Ratio, out.SE))
		}
	}
	return nil
}

func comparePair(name string, reps, limit int, begin func(rep int) world) lengthFall {
	plain := shipped()
	plain.LengthStrata = false
	apart := shipped()
	apart.LengthStrata = true
	seen := replicate(reps, func(rep int) [2]int {
		return [2]int{delayOf(begin(rep), apart, limit), delayOf(begin(rep), plain, limit)}
	})
	out := lengthFall{Name: name}
	var a, p []float64
	for _, d := range seen {
		if d[0] <= 0 || d[1] <= 0 {
			continue
		}
		if d[0] > limit {
			out.Missed++
		}
		a, p = append(a, 50*float64(min(d[0], limit))), append(p, 50*float64(min(d[1], limit)))
	}
	ratio, se := ratioOf(a, p)
	out.Reps, out.Apart, out.Plain = len(a), figure(momentsOf(a).mean), figure(momentsOf(p).mean)
	out.Ratio, out.SE = figure(ratio), figure(se)
	return out
}

// delayOf counts the runs from the fall to the page: at most 0 for one before, more than
// limit for none.
func delayOf(w world, cfg config.Drift, limit int) int {
	told, _ := follow(w, cfg, 6, 20+limit, false)
	if len(told) == 0 {
		return limit + 1
	}
	return told[0].run - 19
}

// ratioOf returns the ratio of two paired means and its standard error.
func ratioOf(a, b []float64) (ratio, se float64) {
	of := momentsOf(b).mean
	ratio = momentsOf(a).mean / of
	left := make([]float64, len(a))
	for i := range a {
		left[i] = (a[i] - ratio*b[i]) / of
	}
	return ratio, momentsOf(left).se()
}

func printLength(w io.Writer, falls []lengthFall) {
	if len(falls) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## Answers of other lengths told apart\n\n| fall | streams | delay | delay not told apart | ratio | missed |\n|---|---|---|---|---|---|\n")
	for _, f := range falls {
		fmt.Fprintf(w, "| %s | %d | %.0f | %.0f | %.3f±%.3f | %d |\n", f.Name, f.Reps, f.Apart, f.Plain, f.Ratio, f.SE, f.Missed)
	}
}
