package drift

import (
	"math"
	"time"
)

// lowItem is up to where an item's mean stands for the zeros of the traffic.
const lowItem = 0.1

// itemShift is what one item did.
type itemShift struct {
	before, after float64
	language      string
}

// shift says how far the items moved since a run. Items that scored 0 and the others are two
// bands, weighted by the share of zeros in the traffic; below 0 it is not known, and all items
// count alike. Repeats of an item are averaged first, so that noise shrinks with runs and
// what is left is how differently texts are hit.
func (g *gauges) shift(since time.Time, zeros float64) Shift {
	var s Shift
	var items []itemShift
	for _, i := range g.items {
		pre, post := i.split(since)
		if len(pre) == 0 || len(post) == 0 {
			continue
		}
		a, b := summed(pre).mean, summed(post).mean
		if i.pair {
			s.Pairs++
			if math.Abs(b-a) > floorPair {
				s.PairsMoved++
			}
			continue
		}
		items = append(items, itemShift{a, b, i.language})
	}
	s.Items = len(items)
	if s.Items == 0 {
		return s
	}
	s = weigh(s, items, zeros)
	g.byLanguage(&s, items, since)
	return s
}

// weigh fills in mean, error and interval.
func weigh(s Shift, items []itemShift, zeros float64) Shift {
	var low, high sums
	for _, i := range items {
		s.Before += i.before / float64(len(items))
		s.After += i.after / float64(len(items))
		d := sums{n: 1, mean: i.after - i.before}
		if i.before <= lowItem {
			low.merge(d)
		} else {
			high.merge(d)
		}
	}
	if zeros < 0 || low.n < 2 || high.n < 2 {
		low.merge(high)
		zeros, high = 1, sums{}
	}
	variance, freedom := 0.0, 0.0
	for b, band := range []sums{low, high} {
		share := [2]float64{zeros, 1 - zeros}[b]
		if band.n < 2 || share == 0 {
			continue
		}
		s.Mean += share * band.mean
		// As if half an item more had gone from 0 to 1, and half a one from 1 to 0: n items
		// that did not move do not show that no text did. Half, because items are chosen
		// where judges differ.
		variance += share * share * (band.m2 + 0.5) / (band.n - 1) / band.n
		freedom += band.n - 1
	}
	if freedom == 0 {
		s.Mean, s.SE, s.Low, s.High = s.After-s.Before, 1, -1, 1
		return s
	}
	s.SE = math.Sqrt(variance)
	half := quantile975(freedom) * s.SE
	s.Low, s.High = max(s.Mean-half, -1), min(s.Mean+half, 1)
	return s
}

// moves and stays are evidence for and against a move of one language alone.
var lnMoves, lnStays = math.Log(20), math.Log(3)

func (g *gauges) byLanguage(s *Shift, items []itemShift, since time.Time) {
	ln := map[string]float64{}
	for _, language := range []string{"en", "ja"} {
		var d sums
		for _, i := range items {
			if i.language == language {
				d.merge(sums{n: 1, mean: i.after - i.before})
			}
		}
		if d.n < minControls {
			return
		}
		s.Languages = append(s.Languages, LanguageShift{Language: language, Items: int(d.n), Mean: d.mean, SE: math.Sqrt((d.m2 + 0.5) / (d.n - 1) / d.n)})
		ln[language] = g.rankEvidence(since, func(i gauge) bool { return i.language == language })
	}
	for a, b := range map[int]int{0: 1, 1: 0} {
		x, y := s.Languages[a], s.Languages[b]
		if ln[x.Language] >= lnMoves && ln[y.Language] < lnStays && math.Abs(y.Mean) < math.Abs(x.Mean)/3 {
			s.Only = x.Language
		}
	}
}

// lnBack is the evidence that a judge is back where it was before a move: a Shiryaev–Roberts
// sum over the runs since it was found, of readings that lie at the mean before against
// readings that lie 70 % of the way to the mean of the time until then.
func (g *gauges) lnBack(m Move) float64 {
	var ln []float64
	for _, run := range g.runs {
		if !run.After(m.Opened) {
			continue
		}
		x := 0.0
		for _, i := range g.items {
			pre, moved := i.split(m.From)
			moved, since := gauge{readings: moved}.split(run)
			if len(pre) == 0 || len(moved) == 0 {
				continue
			}
			a, floor := summed(pre), 2*g.floorOf(i)
			d := 0.7 * (summed(moved).mean - a.mean)
			for _, r := range since {
				x += d * (d/2 - (r.value - a.mean)) / (floor*floor + a.m2/a.n)
			}
		}
		ln = append(ln, min(x, maxExponent))
	}
	return lnSum(ln...)
}
