package main

import (
	"time"

	"leadline/config"
	"leadline/sampler"
	"leadline/schedule"
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

// windowsToday counts the windows that share what is left of the day.
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
