package drift

import (
	"cmp"
	"slices"
	"time"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer"
)

// Replay decides every run of a history in order, each with what was known when it was
// due, and hands the results to decided until that returns an error. It ends where live
// decisions under the same settings would have ended. The episodes of h are not used.
func Replay(h History, cfg config.Drift, decided func(due time.Time, known History, r Result) error) error {
	h = h.InOrder()
	ev := NewEvaluator(cfg)
	var before History
	for _, due := range h.Runs() {
		known := h.Until(due)
		ev.Add(known.Since(before))
		known.Episodes = before.Episodes
		result := ev.Decide()
		before = known
		before.Episodes = result.Episodes
		if err := decided(due, known, result); err != nil {
			return err
		}
	}
	return nil
}

// InOrder is the same history in order of time, as Until and Since need it.
func (h History) InOrder() History {
	h.Rows = slices.SortedStableFunc(slices.Values(h.Rows), func(a, b Row) int { return a.Due.Compare(b.Due) })
	h.Tallies = slices.SortedStableFunc(slices.Values(h.Tallies), func(a, b sampler.Tally) int { return a.Due.Compare(b.Due) })
	h.Controls = slices.SortedStableFunc(slices.Values(h.Controls), func(a, b scorer.ControlScore) int {
		return cmp.Or(a.Window.Compare(b.Window), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Pass, b.Pass))
	})
	h.Marks = slices.SortedStableFunc(slices.Values(h.Marks), func(a, b Mark) int { return a.told().Compare(b.told()) })
	h.Acceptances = slices.SortedStableFunc(slices.Values(h.Acceptances), func(a, b Acceptance) int { return a.At.Compare(b.At) })
	return h
}

// Runs are the due times of all runs that have records or scores, oldest first.
func (h History) Runs() []time.Time {
	var out []time.Time
	for _, r := range h.Rows {
		out = append(out, r.Due)
	}
	for _, t := range h.Tallies {
		out = append(out, t.Due)
	}
	slices.SortFunc(out, time.Time.Compare)
	return slices.CompactFunc(out, time.Time.Equal)
}

// Until is what was known of a history in order when a run was due, without its episodes.
func (h History) Until(due time.Time) History {
	return History{
		Rows:        h.Rows[:after(h.Rows, due, func(r Row) time.Time { return r.Due })],
		Tallies:     h.Tallies[:after(h.Tallies, due, func(t sampler.Tally) time.Time { return t.Due })],
		Controls:    h.Controls[:after(h.Controls, due, func(c scorer.ControlScore) time.Time { return c.Window })],
		Marks:       h.Marks[:after(h.Marks, due, Mark.told)],
		Acceptances: h.Acceptances[:after(h.Acceptances, due, func(a Acceptance) time.Time { return a.At })],
	}
}

// told is when a mark was known at the earliest.
func (m Mark) told() time.Time {
	if m.Through.After(m.At) {
		return m.Through
	}
	return m.At
}

// Since is what a history has beyond the one known before, where that is how it begins.
func (h History) Since(before History) History {
	return History{
		Rows: h.Rows[len(before.Rows):], Tallies: h.Tallies[len(before.Tallies):], Controls: h.Controls[len(before.Controls):],
		Marks: h.Marks[len(before.Marks):], Acceptances: h.Acceptances[len(before.Acceptances):],
	}
}

// after returns how many of xs, in order of time, are at or before a time.
func after[T any](xs []T, at time.Time, when func(T) time.Time) int {
	n, _ := slices.BinarySearchFunc(xs, at, func(x T, at time.Time) int {
		if when(x).After(at) {
			return 1
		}
		return -1
	})
	return n
}
