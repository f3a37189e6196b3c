package drift

import (
	"math"
	"slices"

	"leadline/sampler"
)

// A fall is a regression when a change of code holds blamed of the weight: three times as
// probable as all else. It is silent when all of them together hold at most cleared: at least
// twice as probable without them.
const (
	blamed  = 0.75
	cleared = 1.0 / 3
)

// classify says what a fall is, from what the channels did over its change set and a run
// on either side, and the change of code that it came with.
func (e *evaluation) classify(v *view) (Kind, *ChannelEvidence) {
	v.channels = e.channelStates(v)
	var blame *ChannelEvidence
	most, unsure := -1.0, false
	for _, ch := range e.codeChannels() {
		s := v.channels[slices.Index(Channels, ch)]
		unsure = unsure || s.State == ChannelNotObserved
		if s.State == ChannelChanged && s.Weight > most {
			most, blame = s.Weight, &s
		}
	}
	switch {
	case blame != nil && (most >= blamed || e.sideBySide(v, blame)):
		return KindRegression, blame
	case blame != nil && v.codeWeight() > cleared:
		return KindUndecided, blame
	case unsure:
		return KindDrop, nil
	}
	return KindSilent, nil
}

// channelStates returns what each channel did, in the order of Channels. Of several
// changes in the set the one with the most weight counts.
func (e *evaluation) channelStates(v *view) []ChannelEvidence {
	first, last := v.changeSet()
	from, to := e.channels.widen(v.due[first], v.due[last])
	since := v.due[v.candidates[v.best].at]
	out, code := make([]ChannelEvidence, len(Channels)), e.codeChannels()
	for i, ch := range Channels {
		s := ChannelEvidence{Channel: ch, State: ChannelNotObserved, Code: slices.Contains(code, ch)}
		// Who says that nothing changed until then need not speak for the run after.
		if e.channels.vouched(ch, from, v.due[last]) || e.channels.observed(ch, from, since, to) {
			s.State, s.Old = ChannelSame, e.channels.value(ch, since)
		}
		if l, ok := e.channels.last(ch, from); ok {
			s.New, s.At = l.new, l.at
			s.Weight = v.weightOf(l, s.Code)
		}
		for _, c := range e.channels.between(ch, from, to) {
			w := v.weightOf(c, s.Code)
			switch {
			case s.State == ChannelChanged && s.New == c.new: // the next part of a rollout
				s.Weight = min(s.Weight+w, 1)
			case s.State != ChannelChanged || w > s.Weight:
				s = ChannelEvidence{Channel: ch, State: ChannelChanged, Old: c.old, New: c.new, At: c.at, Weight: w, Code: s.Code}
			}
		}
		out[i] = s
	}
	return out
}

// weightOf is the weight with which the fall came with a change: of code, apart from chance;
// of the environment, at all, give or take a run.
func (v *view) weightOf(c change, code bool) float64 {
	run := v.after(c.due)
	if code {
		return v.code[run]
	}
	return v.weightAt(run)
}

// sharpen takes over a newer classification. A regression stays one, and what was silent
// stays so unless a change is found to hold it.
func (p *Episode) sharpen(kind Kind, blame *ChannelEvidence) {
	switch {
	case p.Kind == KindRegression:
		return
	case p.Kind == KindSilent && kind != KindRegression:
		return
	}
	p.Kind, p.Channel, p.Value = kind, "", ""
	if blame != nil {
		p.Channel, p.Value = blame.Channel, blame.New
	}
}

// shareBlame lets a regression that was shown in one series explain the falls of others whose
// change set holds the same change.
func (e *evaluation) shareBlame() {
	for i := range e.episodes {
		p, v := &e.episodes[i], e.views[i]
		if v == nil || p.Kind == KindRegression {
			continue
		}
		for j, q := range e.episodes {
			if w := e.views[j]; w != nil && q.Kind == KindRegression && w.blame != nil && v.reaches(w.blame, e.channels) {
				p.Kind, p.Channel, p.Value = KindRegression, q.Channel, q.Value
				e.blame(p, v)
				break
			}
		}
	}
}

func (v *view) reaches(c *change, all *channels) bool {
	first, last := v.changeSet()
	from, to := all.widen(v.due[first], v.due[last])
	return !c.due.Before(from) && !c.due.After(to)
}

// sideBySide says whether answers of a new release are worse than those of the old one in
// the same runs.
func (e *evaluation) sideBySide(v *view, s *ChannelEvidence) bool {
	if s.Channel != sampler.ChannelRelease {
		return false
	}
	c := e.channels.find(s.Channel, s.New, e.now)
	if c == nil {
		return false
	}
	both := e.releaseSides(v.track, *c, e.cut(v.track, false), true)
	both.design = v.candidates[v.best].design
	got := compare(both, v.tolerance)
	return got.ln >= -math.Log(e.forReleases) && got.all.fall >= e.MinDrop
}
