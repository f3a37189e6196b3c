package sampler_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"leadline/sampler"
)

// stratum is what one cell of a window came to: how many answers its samples stand for each,
// and the moments of their scores.
type stratum struct{ n, weight, mean, variance float64 }

// hajek is the mean of the traffic that the samples stand for.
func hajek(cells []stratum) (mean, total float64) {
	for _, c := range cells {
		mean += c.n * c.weight * c.mean
		total += c.n * c.weight
	}
	return mean / total, total
}

// within is the textbook variance of a stratified mean (Cochran 1977, 5.3), in which the sizes
// of the strata are known: Σ W²(1−n/N)s²/n.
func within(cells []stratum, total, rate float64) (v float64) {
	for _, c := range cells {
		w, fraction := c.n*c.weight/total, 1/(c.weight*rate)
		v += w * w * (1 - fraction) * c.variance / c.n
	}
	return v
}

// service is what a made-up service gives: three departments of unequal size, the smallest
// of which is worst and lifted by its floor.
var service = []struct {
	cell sampler.Cell
	size int
	mean float64
	ids  []string
}{{"d=a", 900, 0.75, names("a", 900)}, {"d=b", 250, 0.65, names("b", 250)}, {"d=c", 50, 0.3, names("c", 50)}}

func names(prefix string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(prefix, i)
	}
	return ids
}

// answers are the scores of one window's traffic: 0, 0.5 or 1.
func answers(rng *rand.Rand) (traffic [][]float64, mean float64) {
	n := 0
	for _, d := range service {
		xs := make([]float64, d.size)
		for i := range xs {
			switch p := rng.Float64(); {
			case p < d.mean-0.2:
				xs[i] = 1
			case p < d.mean+0.2:
				xs[i] = 0.5
			}
			mean += xs[i]
			n++
		}
		traffic = append(traffic, xs)
	}
	return traffic, mean / float64(n)
}

// pick samples traffic as a window does: by hash and rate, bottom-k with a floor. naive is
// the mean of the samples as they are.
func pick(salt string, traffic [][]float64, w *sampler.Window) (picked []stratum, naive float64) {
	type record struct{ u, x float64 }
	kept := make([][]record, len(service))
	w.Offered = map[sampler.Cell]int{}
	for g, d := range service {
		for i, x := range traffic[g] {
			if u := sampler.Hash(salt, d.ids[i]); u < w.Rate {
				kept[g] = append(kept[g], record{u, x})
			}
		}
		w.Offered[d.cell] = len(kept[g])
	}
	share, n := sampler.Allocate(w.Offered, w.PerRun, w.Floor), 0.0
	for g, d := range service {
		slices.SortFunc(kept[g], func(a, b record) int { return cmp.Compare(a.u, b.u) })
		s := stratum{n: float64(share[d.cell]), weight: w.Weight(d.cell, share[d.cell])}
		for _, r := range kept[g][:share[d.cell]] {
			s.mean += r.x / s.n
			naive += r.x
			n++
		}
		for _, r := range kept[g][:share[d.cell]] {
			s.variance += (r.x - s.mean) * (r.x - s.mean) / (s.n - 1)
		}
		picked = append(picked, s)
	}
	return picked, naive / n
}

func TestWeightedMeanCoversThatOfTheTraffic(t *testing.T) {
	const replicates = 6000
	rng := rand.New(rand.NewPCG(3001, 1))
	traffic, truth := answers(rng)
	covered, naiveOff, off := 0, 0.0, 0.0
	for r := range replicates {
		w := sampler.Window{Rate: 1, PerRun: 120, Floor: 30}
		picked, naive := pick(strconv.Itoa(r), traffic, &w)
		got, total := hajek(picked)
		if math.Abs(got-truth) <= 1.96*math.Sqrt(within(picked, total, w.Rate)) {
			covered++
		}
		off += (got - truth) / replicates
		naiveOff += (naive - truth) / replicates
	}
	if share := float64(covered) / replicates; share < 0.94 || share > 0.96 {
		t.Errorf("the 95 %% interval held the traffic's mean in %.2f %% of %d windows", 100*share, replicates)
	}
	if math.Abs(off) > 0.002 || naiveOff > -0.03 {
		t.Errorf("the weighted mean is off by %+.4f, the plain one by %+.4f; want about 0 and clearly below", off, naiveOff)
	}
	t.Logf("covered %.2f %%; the plain mean is off by %+.4f", 100*float64(covered)/replicates, naiveOff)
}

// With a rate, the sizes of the strata are estimates, from the records that it let through:
// the mean of the service then varies with them too.
func TestWeightedMeanCoversThatOfTheServiceAtARate(t *testing.T) {
	const replicates = 6000
	rng := rand.New(rand.NewPCG(3002, 1))
	truth := (900*0.75 + 250*0.65 + 50*0.3) / 1200
	covered := 0
	for r := range replicates {
		traffic, _ := answers(rng)
		w := sampler.Window{Rate: 0.3, PerRun: 90, Floor: 12}
		picked, _ := pick(strconv.Itoa(r), traffic, &w)
		got, total := hajek(picked)
		variance := 0.0
		for _, c := range picked {
			p := c.n * c.weight / total
			variance += p*p*c.variance/c.n + p*(c.mean-got)*(c.mean-got)/(total*w.Rate)
		}
		if math.Abs(got-truth) <= 1.96*math.Sqrt(variance) {
			covered++
		}
	}
	share := float64(covered) / replicates
	if share < 0.94 || share > 0.96 {
		t.Errorf("the 95 %% interval held the service's mean in %.2f %% of %d windows", 100*share, replicates)
	}
	t.Logf("covered %.2f %%", 100*share)
}
