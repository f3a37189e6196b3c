package main

import (
	"fmt"
	"math"
	"strings"

	"leadline/scorer"
	"leadline/store"
)

// room is what may still be spent; infinite where nothing limits it.
type room struct{ tokens, dollars float64 }

// roomOf is what is left of the day, and of the day's even share of what the month has left.
func roomOf(st store.Standing) (day room) {
	share := func(perDay, perMonth, today, month float64) float64 {
		left := math.Inf(1)
		if perDay > 0 {
			left = perDay - today
		}
		if perMonth > 0 {
			before := month - today
			left = min(left, (perMonth-before)/float64(st.DaysLeft())-today, perMonth-month)
		}
		return max(left, 0)
	}
	l := st.Limits
	return room{
		tokens:  share(float64(l.TokensPerDay), float64(l.TokensPerMonth), float64(st.Today.Tokens), float64(st.Month.Tokens)),
		dollars: share(l.DollarsPerDay, l.DollarsPerMonth, st.Today.Dollars, st.Month.Dollars),
	}
}

// String is what is left, in words that an alert of any language can take over.
func (r room) String() string {
	var parts []string
	if !math.IsInf(r.tokens, 1) {
		parts = append(parts, thousands(int64(r.tokens))+" tokens")
	}
	if !math.IsInf(r.dollars, 1) {
		parts = append(parts, fmt.Sprintf("$%.2f", r.dollars))
	}
	return strings.Join(parts, ", ")
}

// per says how often what is left has room for a spend.
func (r room) per(s scorer.Spend) float64 {
	n := math.Inf(1)
	if s.Tokens > 0 {
		n = r.tokens / float64(s.Tokens)
	}
	if s.Dollars > 0 {
		n = min(n, r.dollars/s.Dollars)
	}
	return n
}

func (r room) over(n float64) room { return room{r.tokens / n, r.dollars / n} }

func (r room) less(s scorer.Spend) room {
	return room{max(r.tokens-float64(s.Tokens), 0), max(r.dollars-s.Dollars, 0)}
}

// cost is what a run is expected to take: a sample with its second looks, all control items,
// and the most that has to be free for any one sample to begin.
type cost struct {
	sample, controls, atMost scorer.Spend
	// full is how many runs score all control items before a part is enough again.
	full int
}

// samples says how many of a window's picks the budget has room for. The windows of a day
// share what is left of it evenly. Where an even share is not worth the controls of a run, as
// many windows as are affordable get samples, and the others none: which, says a lot in
// [0,1) that has nothing to do with the window's records. Where none is affordable with a
// margin, one is that has room for a single sample without: no limit is overrun by a try.
func (c cost) samples(left room, of sharers, picks int, lot float64) int {
	usable := left.less(c.atMost)
	fit := c.fit(usable, min(picks, fewest))
	if fit < 1 {
		c, picks = c.bare(), min(picks, fewest)
		fit = min(c.fit(usable, 1), 1)
	}
	if fit < 1 {
		return 0
	}
	among := float64(of.windows)
	if fit < among {
		chance := fit / among
		if of.waiting > 0 {
			chance = max(chance, 1/float64(of.waiting))
		}
		if lot >= chance {
			return 0
		}
		among = fit
	}
	forSamples := usable.less(c.controls.Times(min(float64(c.full), among)))
	return int(min(forSamples.over(among).per(c.sample), float64(picks)))
}

// bare is the cost without its margin.
func (c cost) bare() cost {
	c.sample, c.controls = c.sample.Times(1/costMargin), c.controls.Times(1/costMargin)
	return c
}

// fit is how many windows with so many samples each there is room for.
func (c cost) fit(usable room, samples int) float64 {
	some := c.sample.Times(float64(samples))
	if n := math.Floor(usable.per(c.controls.Plus(some))); n < float64(c.full) {
		return n
	}
	return math.Floor(usable.less(c.controls.Times(float64(c.full))).per(some))
}
