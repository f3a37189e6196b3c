package main

import (
	"fmt"
	"math"
	"strings"
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
	// usualShare is what a sample takes of the most that it may, while no run tells: the control
	// items took 0.18 of it.
	usualShare = 0.2
	// fewest is how many samples make a run worth its controls.
	fewest = 5
)

// afford leaves out of a window's picks what the budget is not enough for, before any of them
// is judged: a random part, never the last in time. What is left out is over_budget.
func (s *scoring) afford() error {
	if s.cfg.Judge.Limits() == (config.Budget{}) || len(s.picks) == 0 {
		return nil
	}
	k, err := s.affords()
	if err != nil {
		return err
	}
	drawn := make([]sampler.Drawn, len(s.picks))
	for i, p := range s.picks {
		drawn[i] = sampler.Drawn{ID: p.ID, Cell: p.Cell, U: p.U}
	}
	s.over, s.smallest = sampler.Afford(drawn, s.window.Offered, k, s.window.Floor)
	return s.tellOver()
}

// overQuiet is how long nothing is logged after a line about a budget that is not enough: a
// catch-up has hundreds of windows.
const overQuiet = time.Minute

// tellOver logs that the budget leaves out samples.
func (s *scoring) tellOver() error {
	if len(s.over) == 0 || time.Since(s.toldOver) < overQuiet {
		return nil
	}
	st, err := s.budget.Standing()
	if err != nil {
		return err
	}
	msg := "the judge's budget is not enough for all samples of the window; a random part of them is judged"
	if len(s.over) == len(s.picks) {
		msg = "what is left of the judge's budget is not enough for this window; nothing of it is judged"
	}
	s.toldOver = time.Now()
	s.log.Warn().Time("window", s.window.Due).Int("samples", len(s.picks)-len(s.over)).Int("over_budget", len(s.over)).
		Str("left", roomOf(st).String()).Msg(msg)
	return nil
}

// cutShort is for a budget that was spent before the run was through, against expectation.
// Those that were judged after the first that was not, by their hashes, are left out, too:
// they were cheap enough to find room, and cheap answers are not like others.
func (s *scoring) cutShort() {
	if s.over == nil {
		s.over, s.smallest = map[string]bool{}, map[sampler.Cell]float64{}
	}
	short := false
	for _, p := range s.picks { // by their hashes
		if s.over[p.ID] || p.gone {
			continue
		}
		if short = short || !p.Scored; !short {
			continue
		}
		s.over[p.ID] = true
		if u, cut := s.smallest[p.Cell]; !cut || p.U < u {
			s.smallest[p.Cell] = p.U
		}
	}
}

// afforded is what was decided about a window: a crash, or a judge that was away, does not
// change it.
type afforded struct {
	Window   time.Time `json:"window"`
	Day      string    `json:"day"` // UTC
	Samples  int       `json:"samples"`
	CatchUp  bool      `json:"catch_up,omitempty"`  // others waited behind it, or it was the last of those
	DrawnDay bool      `json:"drawn_day,omitempty"` // a window of Day got samples
}

const affordedKey = "afforded"

// affords says how many samples of a window the budget is enough for. It is decided once; a
// new day may add to it.
func (s *scoring) affords() (int, error) {
	var was afforded
	if _, err := s.store.Remembered(affordedKey, &was); err != nil {
		return 0, err
	}
	st, err := s.budget.Standing()
	if err != nil {
		return 0, err
	}
	today, again := st.At.Format(time.DateOnly), was.Window.Equal(s.window.Due)
	if again && was.Day == today {
		return was.Samples, nil
	}
	each, err := s.expectedCost()
	if err != nil {
		return 0, err
	}
	of := s.sharersOf(was, st.At)
	now := afforded{
		Window: s.window.Due, Day: today, CatchUp: of.waiting > 1,
		Samples: each.samples(roomOf(st), of, len(s.picks), sampler.Hash(s.window.Salt+" budget", s.window.Due.UTC().String())),
	}
	now.DrawnDay = now.Samples > 0 || was.DrawnDay && was.Day == today
	if again {
		now.Samples = max(now.Samples, was.Samples)
	}
	return now.Samples, s.store.Remember(affordedKey, now)
}

// sharers are the windows that share what is left of a day.
type sharers struct {
	windows int // this one, those that wait behind it, and those that are due until midnight UTC
	// waiting counts those of a catch-up of which one must be drawn; 0 where none must: then
	// the windows that are still due today have the same chance.
	waiting int
}

func (s *scoring) sharersOf(was afforded, now time.Time) sharers {
	of := sharers{windows: s.windowsToday(s.window, now)}
	if s.clock.wall == nil || was.DrawnDay && was.Day == now.Format(time.DateOnly) {
		return of
	}
	if waiting := dueUntil(s.when, s.window.Due, now); waiting > 1 || was.CatchUp {
		of.waiting = waiting
	}
	return of
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

// expectedCost is what the newest runs took, with a margin; while there are none, a usual
// share of the most that these samples may take, each text once.
func (s *scoring) expectedCost() (c cost, err error) {
	runs, err := s.store.Runs(coverageSamples)
	if err != nil {
		return c, err
	}
	var sum scorer.Spend
	seen := map[string]bool{}
	for sample, err := range s.samples(func(pick) bool { return true }) {
		if err != nil {
			return c, err
		}
		if sample.TextHash != "" && seen[sample.TextHash] {
			continue
		}
		seen[sample.TextHash] = true
		one := s.judge.AtMost(sample)
		c.atMost = scorer.Spend{Tokens: max(c.atMost.Tokens, one.Tokens), Dollars: max(c.atMost.Dollars, one.Dollars)}
		sum = sum.Plus(one)
	}
	usual := sum.Times(usualShare * (1 + s.cfg.Sample.SecondLook) / float64(len(s.picks)))
	c.sample = observedOr(observedCost(runs), usual).Times(costMargin)
	return s.withControls(c)
}

// withControls adds what the control items take: a part of what the samples do, or a sum of
// its own in a run that scores more of them.
func (s *scoring) withControls(c cost) (cost, error) {
	items, err := s.controlItems()
	if err != nil {
		return c, err
	}
	plan, last, err := s.controlPlan()
	if err != nil {
		return c, err
	}
	if c.full = s.fullRuns(plan, items, last); c.full == 0 {
		c.sample = c.sample.Times(1 + scorer.ControlShare)
		return c, nil
	}
	if plan.Each > 0 {
		c.controls = c.sample.Times(plan.Each * float64(len(items)*max(plan.Passes, 1)))
		return c, nil
	}
	for _, item := range items {
		c.controls = c.controls.Plus(s.judge.AtMost(sampler.Sample{Record: sampler.Record{Question: item.Question, Answer: item.Answer, Contexts: item.Contexts}}))
	}
	c.controls = c.controls.Times(usualShare * costMargin * float64(max(plan.Passes, 1)))
	return c, nil
}

// fullRuns counts the runs, from this one on, that score all items: the first of a judge, or
// those until a suspicion is no longer recent.
func (s *scoring) fullRuns(plan scorer.ControlPlan, items []scorer.Control, last map[string]time.Time) (n int) {
	for n < recentRuns && len(plan.Pick(items, last, s.window.Due)) == len(items) {
		n++
		plan.Runs++
	}
	return n
}

// observedCost is what a sample, with its second looks, took on average; zero where no run
// tells.
func observedCost(runs []scorer.Run) (sample scorer.Spend) {
	judged := 0
	for _, run := range runs {
		sample = sample.Plus(run.Usage.Spend())
		judged += run.Samples - run.OverBudget
	}
	return sample.Times(1 / float64(max(judged, 1)))
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
