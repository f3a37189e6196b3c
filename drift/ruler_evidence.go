package drift

import (
	"math"
	"time"
)

// maxBlock is how many earlier readings at most one reading is compared with.
const maxBlock = 12

// tilts are how strongly a high reading counts, in scatters of the item.
var tilts = [...]float64{-4, -1, 1, 4}

// rankEvidence is ln of an e-value for "the readings since a run are lower, or higher".
//
// Each reading since is compared with readings before that were not used yet: the newest half
// of them, at most maxBlock. If the judge did not move, the reading is as likely to be any of
// that block and itself, whatever the values are; so e^(cx) over the mean of e^(cv) of them
// all is 1 on average for every c and, because no earlier reading is used twice, the product
// over readings and items is a martingale. The mean over the tilts c is one, too.
// No law, no variance and no rate of flips is assumed: they are in the blocks.
func (g *gauges) rankEvidence(at time.Time, take func(gauge) bool) float64 {
	var ln [len(tilts)]float64
	for _, i := range g.items {
		if take != nil && !take(i) {
			continue
		}
		pre, post := i.split(at)
		for _, x := range post {
			n := min((len(pre)+1)/2, maxBlock)
			if n == 0 {
				break
			}
			addRank(&ln, pre[len(pre)-n:], x.value, g.floorOf(i), i.pair)
			pre = pre[:len(pre)-n]
		}
	}
	return lnSum(ln[:]...) - math.Log(float64(len(tilts)))
}

// addRank adds the logarithms of the factors of one reading. An embedding model that moves
// takes some cosines up and others down: of pairs the distance from the middle counts, which is
// as good, because the middle is that of the block and the reading together.
func addRank(ln *[len(tilts)]float64, block []reading, x, floor float64, pair bool) {
	s := sums{n: 1, mean: x}
	same := true
	for _, v := range block {
		s.merge(sums{n: 1, mean: v.value})
		same = same && v.value == x
	}
	if same {
		return
	}
	scale := max(math.Sqrt(s.m2/s.n), floor)
	off := func(v, tilt float64) float64 {
		if pair {
			return math.Abs(tilt * (v - s.mean) / scale)
		}
		return tilt * (v - s.mean) / scale
	}
	for k, tilt := range tilts {
		own := off(x, tilt)
		all := math.Exp(own)
		for _, v := range block {
			all += math.Exp(off(v.value, tilt))
		}
		ln[k] += own - math.Log(all/s.n)
	}
}

// strongest returns the boundary with the most evidence for a move, weighed by the time since
// the run before: ln of (that time / period) · E. The sum of those times is the period, so
// that by Ville's inequality for each of them alone, and by adding up, 1/p is reached at any
// time by the boundaries of a period with probability p at most.
func (g *gauges) strongest(period time.Duration) strongest {
	if g.best != nil {
		return *g.best
	}
	best := strongest{lnWeighted: math.Inf(-1), ln: math.Inf(-1)}
	for _, b := range boundaries(1, len(g.runs)-1, dense) {
		due := g.runs[b.at]
		own := g.rankEvidence(due, nil)
		w := own + math.Log(min(1, float64(due.Sub(g.runs[b.at-1]))/float64(period)))
		if w > best.lnWeighted {
			best.at, best.lnWeighted = due, w
		}
		best.ln = max(best.ln, own)
	}
	g.best = &best
	return best
}

// strongest is the boundary with the most evidence for its share of the period, and the most
// evidence of any, both as logarithms.
type strongest struct {
	at             time.Time
	lnWeighted, ln float64
}

// around is the mean e-value of the boundaries from one run to another, both included: for a
// move whose time is known from elsewhere.
func (g *gauges) around(from, to time.Time) (at time.Time, ln float64) {
	best := math.Inf(-1)
	var all []float64
	for n, due := range g.runs {
		if n == 0 || due.Before(from) || g.runs[n-1].After(to) {
			continue
		}
		x := g.rankEvidence(due, nil)
		all = append(all, x)
		if x > best {
			best, at = x, due
		}
	}
	if len(all) == 0 {
		return time.Time{}, math.Inf(-1)
	}
	return at, lnSum(all...) - math.Log(float64(len(all)))
}
