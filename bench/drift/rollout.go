package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// portion is what a release has of a run: its share of the traffic, and the laws of its
// answers.
type portion struct {
	release string
	share   float64
	f, r    *source
}

// rollout is a service of one segment in which several releases may answer in one run.
type rollout struct {
	service
	// split says which release answers. It is apart from what draws the scores, so that
	// the same scores can be had under other releases.
	split    *rand.Rand
	portions func(i int) []portion
	unlogged bool // records do not carry the release
}

// seedSplit begins the seeds of the generators that say which release answers.
const seedSplit = 9401

func newRollout(seed uint64, rep int, portions func(i int) []portion) *rollout {
	return &rollout{service: service{rng: generator(seed, rep), size: silentSize}, split: generator(seedSplit, rep), portions: portions}
}

func (w *rollout) run(i int) window {
	parts := w.portions(i)
	f, r := map[string][]float64{}, map[string][]float64{}
	for range w.size {
		p := w.pick(parts)
		f[p.release] = append(f[p.release], p.f.draw(w.rng))
		r[p.release] = append(r[p.release], p.r.draw(w.rng))
	}
	out := window{tally: w.tally(i, []int{w.size})}
	if !w.unlogged {
		out.tally.Channels[sampler.ChannelRelease] = w.count(parts, out.tally.Decoded)
	}
	out.rows = append(out.rows, w.row(scorer.Faithfulness, f), w.row(scorer.AnswerRelevancy, r))
	return out
}

// pick draws the release of one record.
func (w *rollout) pick(parts []portion) portion {
	if len(parts) == 1 {
		return parts[0]
	}
	u := w.split.Float64()
	for _, p := range parts {
		if u -= p.share; u < 0 {
			return p
		}
	}
	return parts[len(parts)-1]
}

func (w *rollout) count(parts []portion, records int) map[string]int {
	n := map[string]int{}
	for range records {
		n[w.pick(parts).release]++
	}
	return n
}

// row sums up scores by release as drift.Rows does: split only where there are several.
func (w *rollout) row(metric scorer.Metric, by map[string][]float64) drift.Row {
	releases := slices.Sorted(maps.Keys(by))
	var all []float64
	for _, name := range releases {
		all = append(all, by[name]...)
	}
	row := rowOf(metric, "", all)
	if len(releases) < 2 || w.unlogged {
		return row
	}
	row.Releases = map[string]drift.Moments{}
	for _, name := range releases {
		row.Releases[name] = rowOf(metric, "", by[name]).Moments
	}
	return row
}

// healthyPortion is a release like any other.
func healthyPortion() portion {
	return portion{share: 1, f: faithfulness().source(), r: relevancy().source()}
}

// fault is what is wrong with a bad release.
type fault struct {
	name   string
	metric scorer.Metric
	f, r   law
}

func faultF(by float64) fault {
	return fault{fmt.Sprintf("F %.2f", by), scorer.Faithfulness, movedF(by), relevancy()}
}

func faultR(by float64) fault {
	return fault{fmt.Sprintf("R %.2f", by), scorer.AnswerRelevancy, faithfulness(), movedR(by)}
}

// ended is the share of episodes that may be resolved while the fault is still there.
func (f fault) ended() float64 {
	if f.metric == scorer.Faithfulness && faithfulness().mean()-f.f.mean() < 0.07 {
		return endedSmall
	}
	return endedLarge
}

// portion returns a release that has the fault.
func (f fault) portion(release string) portion {
	return portion{release, 1, f.f.source(), f.r.source()}
}

// weeksFrom names the weekly release of run i when one comes in run at.
func weeksFrom(at, i int) string { return fmt.Sprintf("v%d", (i-at+7000)/7) }

// nights is an index with a new version every night, beside whatever the releases are.
func nights(i int) map[sampler.Channel]string {
	return map[sampler.Channel]string{sampler.ChannelIndex: fmt.Sprintf("night %d", i+7000)}
}

// nullWeekly is a release every week that changes nothing.
func nullWeekly() func(i int) []portion {
	p := healthyPortion()
	return func(i int) []portion {
		p.release = weeksFrom(0, i)
		return []portion{p}
	}
}

// nullNever is one release for ever.
func nullNever() func(i int) []portion {
	p := healthyPortion()
	p.release = "v1"
	return steady([]portion{p})
}

// A canary is a release on a tenth of the traffic, then on half of it, then on all.
const (
	canaryDays = 7 // on each step, for one that is bad
	nullSteps  = 2 // on each step, for those that come every week
)

// beside returns an old and a new release in the same run.
func beside(before, after portion, share float64) []portion {
	if share >= 1 {
		return []portion{after}
	}
	before.share, after.share = 1-share, share
	return []portion{before, after}
}

// step is the share of a canary some days after its start.
func step(days, each int) float64 {
	switch {
	case days < each:
		return 0.10
	case days < 2*each:
		return 0.50
	}
	return 1
}

// nullCanaries is a canary every week that changes nothing.
func nullCanaries() func(i int) []portion {
	before, after := healthyPortion(), healthyPortion()
	return func(i int) []portion {
		before.release, after.release = weeksFrom(0, i-7), weeksFrom(0, i)
		return beside(before, after, step((i+7000)%7, nullSteps))
	}
}

// several releases come in every run, two to four, so that three to five answer in it:
// the first is the last of the run before, and each has the traffic until the next comes.
func several(rng *rand.Rand, p func(i int) portion) func(i int) []portion {
	next, last := 0, "d0"
	return func(i int) []portion {
		var cuts []float64
		for range 2 + rng.IntN(3) {
			cuts = append(cuts, rng.Float64())
		}
		slices.Sort(cuts)
		var out []portion
		from := 0.0
		for _, cut := range append(cuts, 1) {
			part := p(i)
			part.release, part.share = last, cut-from
			out = append(out, part)
			from = cut
			if cut < 1 {
				next++
				last = fmt.Sprintf("d%d", next)
			}
		}
		return out
	}
}
