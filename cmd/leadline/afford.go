package main

import (
	"math"
	"time"

	"leadline/config"
	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/store"
)

const (
	// costMargin is what a sample is taken to cost more than those of the runs before.
	costMargin = 1.25
	// usualShare is what a sample takes of the most that it may, while no run tells.
	usualShare = 0.25
	// fewest is how many samples make a run worth its controls.
	fewest = 5
)

// afford leaves out of a window's picks what the budget is not enough for, before any of them
// is judged: a random part, never the last in time. What is left out is over_budget.
func (r *runner) afford(w sampler.Window, picks []sampler.Sample, atMost func(sampler.Sample) scorer.Spend) (judged []sampler.Sample, over []string, err error) {
	if r.cfg.Judge.Limits() == (config.Budget{}) || len(picks) == 0 {
		return picks, nil, nil
	}
	k, err := r.affords(w, picks, atMost)
	if err != nil {
		return nil, nil, err
	}
	drawn := make([]sampler.Drawn, len(picks))
	for i, p := range picks {
		drawn[i] = sampler.Drawn{ID: p.ID, Cell: p.Cell, U: p.U}
	}
	out, smallest := sampler.Afford(drawn, w.Offered, k, w.Floor)
	for _, p := range picks {
		if out[p.ID] {
			over = append(over, p.ID)
			continue
		}
		p.Inclusion = narrowed(p, smallest)
		judged = append(judged, p)
	}
	if len(over) > 0 {
		r.log.Warn().Time("window", w.Due).Int("samples", len(judged)).Int("over_budget", len(over)).
			Msg("the judge's budget is not enough for all samples of the window; a random part of them is judged")
	}
	return judged, over, nil
}

// narrowed is the probability of having been picked where the smallest hash that was left out
// of its stratum says so.
func narrowed(p sampler.Sample, smallest map[sampler.Cell]float64) float64 {
	u, cut := smallest[p.Cell]
	return sampler.Inclusion(u, cut, p.Inclusion)
}

// afforded is what was decided about a window: a crash, or a judge that was away, does not
// change it.
type afforded struct {
	Window  time.Time `json:"window"`
	Day     string    `json:"day"` // UTC
	Samples int       `json:"samples"`
}

const affordedKey = "afforded"

// affords says how many samples of a window the budget is enough for. It is decided once; a
// new day may add to it.
func (r *runner) affords(w sampler.Window, picks []sampler.Sample, atMost func(sampler.Sample) scorer.Spend) (int, error) {
	var was afforded
	if _, err := r.store.Remembered(affordedKey, &was); err != nil {
		return 0, err
	}
	st, err := r.budget.Standing()
	if err != nil {
		return 0, err
	}
	today := st.At.Format(time.DateOnly)
	known := was.Window.Equal(w.Due)
	if known && was.Day == today {
		return was.Samples, nil
	}
	runs, err := r.store.Runs(coverageSamples)
	if err != nil {
		return 0, err
	}
	each := expectedCost(runs, picks, atMost, r.cfg.Sample.SecondLook)
	now := afforded{w.Due, today, each.samples(roomOf(st), r.windowsToday(w, st.At), len(picks), sampler.Hash(w.Salt+" budget", w.Due.UTC().String()))}
	if known {
		now.Samples = max(now.Samples, was.Samples)
	}
	return now.Samples, r.store.Remember(affordedKey, now)
}

// windowsToday counts the windows that share what is left of the day: this one, those that
// wait behind it, and those that are due until midnight UTC.
func (r *runner) windowsToday(w sampler.Window, now time.Time) int {
	if r.clock.wall == nil {
		return 1 // the log's own time says nothing about a day of the wall clock
	}
	return dueUntil(r.when, w.Due, now.Truncate(24*time.Hour).AddDate(0, 0, 1))
}

// dueUntil counts due times from one that is included to an end that is not; at least 1.
func dueUntil(when schedule.Schedule, due, end time.Time) int {
	const most = 100_000
	n := 1
	for next := when.Next(due); n < most && !next.IsZero() && next.Before(end); next = when.Next(next) {
		n++
	}
	return n
}

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

// cost is what a run is expected to take: a sample with its second looks, the controls, and
// the most that has to be free for any one sample to begin.
type cost struct{ sample, controls, atMost scorer.Spend }

// samples says how many of a window's picks the budget has room for. The windows of a day
// share what is left of it evenly. Where an even share is not worth the controls of a run, as
// many windows as are affordable get samples, and the others none: which, says a lot in
// [0,1) that has nothing to do with the window's records.
func (c cost) samples(left room, windows, picks int, lot float64) int {
	run := c.controls.Plus(c.sample.Times(float64(min(picks, fewest))))
	usable := left.less(c.atMost)
	fit := math.Floor(usable.per(run))
	among := float64(windows)
	if fit < among {
		if fit > 0 && lot >= fit/among {
			return 0
		}
		among = max(fit, 1)
	}
	n := usable.over(among).less(c.controls).per(c.sample)
	return int(min(n, float64(picks)))
}

// expectedCost is what the newest runs took, with a margin; while there are none, a usual
// share of the most that these samples may take, each text once.
func expectedCost(runs []scorer.Run, picks []sampler.Sample, atMost func(sampler.Sample) scorer.Spend, looks float64) cost {
	var samples, controls scorer.Spend
	judged, ruled := 0, 0
	for _, run := range runs {
		samples, controls = samples.Plus(run.Usage.Spend()), controls.Plus(run.Controls.Spend())
		judged += run.Samples - run.OverBudget
		if run.Controls.ChatRequests > 0 {
			ruled++
		}
	}
	var c cost
	var sum, ruler scorer.Spend
	seen := map[string]bool{}
	for _, p := range picks {
		if p.TextHash != "" && seen[p.TextHash] {
			continue
		}
		seen[p.TextHash] = true
		one := atMost(p)
		c.atMost = scorer.Spend{Tokens: max(c.atMost.Tokens, one.Tokens), Dollars: max(c.atMost.Dollars, one.Dollars)}
		sum = sum.Plus(one)
	}
	for _, item := range scorer.Controls() {
		ruler = ruler.Plus(atMost(sampler.Sample{Record: sampler.Record{Question: item.Question, Answer: item.Answer, Contexts: item.Contexts}}))
	}
	c.sample = observedOr(samples.Times(1/float64(max(judged, 1))), sum.Times(usualShare*(1+looks)/float64(max(len(picks), 1)))).Times(costMargin)
	c.controls = observedOr(controls.Times(1/float64(max(ruled, 1))), ruler.Times(usualShare)).Times(costMargin)
	return c
}

// observedOr is what was observed, and what is usual of that which was not: runs of earlier
// versions have no dollars.
func observedOr(observed, usual scorer.Spend) scorer.Spend {
	if observed.Tokens == 0 {
		return usual
	}
	if observed.Dollars == 0 {
		observed.Dollars = usual.Dollars
	}
	return observed
}

// cutShort is for a budget that was spent before the run was through: a smaller hash than that
// of the first sample that was left out is what the others need, or those that were cheap
// enough to be judged after it would be too many.
func cutShort(picks []sampler.Sample, scores []scorer.Score) (kept []scorer.Score, over []string) {
	done := map[string]scorer.Score{}
	for _, s := range scores {
		done[s.SampleID] = s
	}
	limit := math.Inf(1)
	smallest := map[sampler.Cell]float64{}
	for _, p := range picks { // by their hashes
		if _, ok := done[p.ID]; !ok {
			limit = min(limit, p.U)
		}
		if _, cut := smallest[p.Cell]; !cut && p.U >= limit {
			smallest[p.Cell] = p.U
		}
	}
	for _, p := range picks {
		score, ok := done[p.ID]
		if !ok || p.U >= limit {
			over = append(over, p.ID)
			continue
		}
		score.Inclusion = narrowed(p, smallest)
		kept = append(kept, score)
	}
	return kept, over
}
