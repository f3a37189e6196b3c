package drift

import (
	"cmp"
	"slices"
	"time"

	"leadline/sampler"
)

// Channels lists the channels in the order in which they are shown.
var Channels = []sampler.Channel{sampler.ChannelRelease, sampler.ChannelPrompt, sampler.ChannelModel,
	sampler.ChannelRetriever, sampler.ChannelEmbedding, sampler.ChannelResponseModel, sampler.ChannelIndex}

const (
	// arrives and leaves are the shares of the observed traffic at which a value counts
	// as there and as gone.
	arrives = 0.10
	leaves  = 0.05
	// stepsUp is by how much more of the traffic a value has to hold to be the next part of a rollout.
	stepsUp = 0.25
	// enoughRecords is how many records have to miss a value before it is gone.
	enoughRecords = 10
	// observedShare is the share of records on which a field has to be.
	observedShare = 0.95
)

// change is the arrival of a value of a channel.
type change struct {
	channel  sampler.Channel
	old, new string
	due      time.Time // of the first run that has it
	at       time.Time // as precisely as known
	// fresh is true when the value was never there before, and known not to be.
	fresh bool
	// step is true when the value was there and took over much more of the traffic: the next
	// part of a rollout.
	step bool
}

// channels is what is known of all channels over the whole history.
type channels struct {
	runs    []sampler.Tally // by due time
	marks   []Mark          // by time, those with Through apart
	none    []Mark          // "no change until Through"
	changes map[sampler.Channel][]change
	inLog   map[sampler.Channel]bool // any record ever carried it
	release []string                 // of most records of each run, or last marked

	arrived map[sampler.Channel]*arrivals
	told    int // marks given
	// renamed counts how often another release was found for a run of before.
	renamed int
	cells   map[sampler.Cell]map[string]string // that had records, with their values
}

func newChannels(h History) *channels {
	c := &channels{changes: map[sampler.Channel][]change{}, inLog: map[sampler.Channel]bool{},
		arrived: map[sampler.Channel]*arrivals{}, cells: map[sampler.Cell]map[string]string{}}
	for _, ch := range Channels {
		c.arrived[ch] = newArrivals(ch)
	}
	c.add(sortTallies(h), h.Marks)
	return c
}

// add takes in later runs, oldest first, and all marks, those that it has first.
func (c *channels) add(runs []sampler.Tally, marks []Mark) {
	logged := c.inLog[sampler.ChannelRelease]
	stale := c.tell(marks) || c.waiting()
	c.runs = append(c.runs, runs...)
	for _, t := range runs {
		stale = c.log(t) || stale
	}
	if !stale {
		c.release = c.releases(c.release)
		return
	}
	for _, ch := range Channels {
		c.changes[ch] = c.withMarks(ch, slices.Clone(c.arrived[ch].changes))
	}
	before := c.release
	c.release = c.releases(nil)
	if logged != c.inLog[sampler.ChannelRelease] || !slices.Equal(before, c.release[:len(before)]) {
		c.renamed++
	}
}

// tell sorts the marks if there are new ones, and says whether there are.
func (c *channels) tell(marks []Mark) bool {
	if len(marks) == c.told {
		return false
	}
	c.told, c.marks, c.none = len(marks), nil, nil
	marks = slices.SortedFunc(slices.Values(marks), compareMarks)
	for _, m := range slices.Compact(marks) {
		if m.Through.IsZero() {
			c.marks = append(c.marks, m)
		} else {
			c.none = append(c.none, m)
		}
	}
	return true
}

// waiting says whether a mark is of a run that is still to come.
func (c *channels) waiting() bool {
	if len(c.marks) == 0 {
		return false
	}
	_, ok := c.run(c.marks[len(c.marks)-1].At)
	return !ok
}

// log takes in a run and says whether a value arrived in it, or a channel for the first time.
func (c *channels) log(t sampler.Tally) bool {
	news := false
	for ch, counts := range t.Channels {
		if len(counts) > 0 && !c.inLog[ch] {
			c.inLog[ch], news = true, true
		}
	}
	for _, ch := range Channels {
		news = c.arrived[ch].run(t) || news
	}
	for cell := range t.Cells {
		if _, ok := c.cells[cell]; !ok {
			c.cells[cell] = cell.Values()
		}
	}
	return news
}

// Changes returns the changes of all channels that the log showed or people told of, oldest
// first: what charts and reports draw as lines. The value that a log begins with is none.
func Changes(h History) []Mark {
	c := newChannels(h)
	var marks []Mark
	for _, ch := range Channels {
		for _, x := range c.changes[ch] {
			if x.step {
				continue
			}
			marks = append(marks, Mark{Channel: ch, Value: x.new, At: x.at, Source: "record"})
		}
	}
	slices.SortStableFunc(marks, compareMarks)
	return marks
}

func compareMarks(a, b Mark) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Value, b.Value),
		a.Through.Compare(b.Through), cmp.Compare(a.Source, b.Source))
}

// sortTallies returns one tally per run, oldest first; of two for the same run, the
// fuller one. A run that only has rows gets an empty one.
func sortTallies(h History) []sampler.Tally {
	out := slices.Clone(h.Tallies)
	for _, r := range h.Rows {
		if n := len(out); n == 0 || !out[n-1].Due.Equal(r.Due) {
			out = append(out, sampler.Tally{Start: r.Start, Due: r.Due})
		}
	}
	slices.SortStableFunc(out, func(a, b sampler.Tally) int {
		return cmp.Or(a.Due.Compare(b.Due), -cmp.Compare(a.Decoded, b.Decoded))
	})
	return slices.CompactFunc(out, func(a, b sampler.Tally) bool { return a.Due.Equal(b.Due) })
}

// withMarks adds what was only told, not logged. A mark of a change that was also seen
// within a run of it makes its time precise.
func (c *channels) withMarks(ch sampler.Channel, seen []change) []change {
	value, known := "", map[string]bool{}
	for _, m := range c.marks {
		if m.Channel != ch {
			continue
		}
		i, ok := c.run(m.At)
		if !ok {
			break
		}
		if k := c.near(seen, m.Value, i); k >= 0 {
			seen[k].at = m.At
		} else if m.Value != value {
			seen = append(seen, change{channel: ch, old: value, new: m.Value, due: c.runs[i].Due, at: m.At, fresh: !known[m.Value]})
		}
		value, known[m.Value] = m.Value, true
	}
	slices.SortStableFunc(seen, func(a, b change) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.new, b.new)) })
	return seen
}

func (c *channels) near(seen []change, value string, run int) int {
	return slices.IndexFunc(seen, func(s change) bool {
		i, ok := c.run(s.due)
		return ok && s.new == value && i >= run-1 && i <= run+1
	})
}

// run returns the first run due at or after t.
func (c *channels) run(t time.Time) (int, bool) {
	i, _ := slices.BinarySearchFunc(c.runs, t, func(r sampler.Tally, t time.Time) int { return r.Due.Compare(t) })
	return i, i < len(c.runs)
}

// widen returns the due times one run before from and one run after to.
func (c *channels) widen(from, to time.Time) (time.Time, time.Time) {
	if i, ok := c.run(from); ok && i > 0 {
		from = c.runs[i-1].Due
	}
	if i, ok := c.run(to); ok && i+1 < len(c.runs) && c.runs[i].Due.Equal(to) {
		to = c.runs[i+1].Due
	}
	return from, to
}

// between returns the changes of a channel in runs due in [from, to].
func (c *channels) between(ch sampler.Channel, from, to time.Time) []change {
	var out []change
	for _, e := range c.changes[ch] {
		if !e.due.Before(from) && !e.due.After(to) {
			out = append(out, e)
		}
	}
	return out
}

// last returns the newest change of a channel in a run due before t.
func (c *channels) last(ch sampler.Channel, t time.Time) (change, bool) {
	for _, e := range slices.Backward(c.changes[ch]) {
		if e.due.Before(t) {
			return e, true
		}
	}
	return change{}, false
}

// value returns what most records had in the newest run due at or before t that carries
// the channel; "" when none does.
func (c *channels) value(ch sampler.Channel, t time.Time) string {
	for _, run := range slices.Backward(c.runs) {
		if counts := run.Channels[ch]; len(counts) > 0 && !run.Due.After(t) {
			return dominant(counts)
		}
	}
	return ""
}

// find returns the newest arrival of a value in a run due at or before t, nil when there
// is none (any more: a mark was taken back, or tallies are past their retention).
func (c *channels) find(ch sampler.Channel, value string, t time.Time) *change {
	for _, e := range slices.Backward(c.changes[ch]) {
		if e.new == value && !e.step && !e.due.After(t) {
			return &e
		}
	}
	return nil
}

// before is the share of a change's run that was before it: of the records, those with another
// value. Where none ever had this one it is half: what people tell is the time of a deployment, or that
// of the run that they were told of.
func (c *channels) before(e change) float64 {
	i, ok := c.run(e.due)
	if !ok {
		return 0
	}
	counts := c.runs[i].Channels[e.channel]
	if total := sum(counts); total > 0 && c.arrived[e.channel].known[e.new] {
		return 1 - float64(counts[e.new])/float64(total)
	}
	return 0.5
}

// known says whether anything was ever heard of a channel, logged or marked.
func (c *channels) known(ch sampler.Channel) bool {
	is := func(m Mark) bool { return m.Channel == ch }
	return c.inLog[ch] || slices.ContainsFunc(c.marks, is) || slices.ContainsFunc(c.none, is)
}

// observed says whether the log would have shown a change of the channel in [from, to]
// around since: its field is on nearly all records on both sides.
func (c *channels) observed(ch sampler.Channel, from, since, to time.Time) bool {
	split, _ := c.run(since)
	before, after := 0, 0
	carriedBefore, carriedAfter := 0, 0
	for i := split - 1; i >= 0 && (before == 0 || !c.runs[i].Due.Before(from)); i-- {
		before, carriedBefore = before+c.runs[i].Decoded, carriedBefore+sum(c.runs[i].Channels[ch])
	}
	for i := split; i < len(c.runs) && (after == 0 || !c.runs[i].Due.After(to)); i++ {
		after, carriedAfter = after+c.runs[i].Decoded, carriedAfter+sum(c.runs[i].Channels[ch])
	}
	return covers(carriedBefore, before) && covers(carriedAfter, after)
}

func covers(carried, all int) bool {
	return all > 0 && float64(carried) >= observedShare*float64(all)
}

// vouched says whether a "none until" covers [from, to]: it reaches back to the mark
// before it.
func (c *channels) vouched(ch sampler.Channel, from, to time.Time) bool {
	for _, n := range c.none {
		if n.Channel != ch || n.Through.Before(to) {
			continue
		}
		var before time.Time
		for _, m := range c.marks {
			if m.Channel == ch && m.At.Before(n.Through) {
				before = m.At
			}
		}
		if !before.After(from) {
			return true
		}
	}
	return false
}

// gone says whether a value has left: it has under 5 % of the newest observed records,
// of which there are enough to tell. One that was told and that the log never knew has left
// when another was told after it.
func (c *channels) gone(ch sampler.Channel, value string) bool {
	if !c.arrived[ch].known[value] {
		for _, m := range slices.Backward(c.marks) {
			if m.Channel == ch {
				return m.Value != value
			}
		}
		return false
	}
	has, all := 0, 0
	for _, t := range slices.Backward(c.runs) {
		has, all = has+t.Channels[ch][value], all+sum(t.Channels[ch])
		if all >= enoughRecords {
			return float64(has) < leaves*float64(all)
		}
	}
	return false
}

// takenBack says whether a value has left for one that was there before a run. A value that
// came after that run may have the same faults.
func (c *channels) takenBack(ch sampler.Channel, value string, from time.Time) bool {
	if !c.gone(ch, value) || len(c.runs) == 0 {
		return false
	}
	now := c.value(ch, c.runs[len(c.runs)-1].Due)
	if told := c.changes[ch]; now == "" && len(told) > 0 {
		now = told[len(told)-1].new
	}
	first := slices.IndexFunc(c.changes[ch], func(e change) bool { return e.new == now })
	return first < 0 || !c.changes[ch][first].fresh || c.changes[ch][first].due.Before(from)
}

// releases adds to those known the release that most of each later run's records carry or,
// where none is ever logged, the one last marked.
func (c *channels) releases(known []string) []string {
	logged := c.inLog[sampler.ChannelRelease]
	for _, t := range c.runs[len(known):] {
		release := ""
		if logged {
			release = dominant(t.Channels[sampler.ChannelRelease])
		} else if l, ok := c.last(sampler.ChannelRelease, t.Due.Add(1)); ok {
			release = l.new
		}
		known = append(known, release)
	}
	return known
}

// releaseOf returns the release of a run, "" when nothing tells.
func (c *channels) releaseOf(due time.Time) string {
	if i, ok := c.run(due); ok {
		return c.release[i]
	}
	return ""
}
