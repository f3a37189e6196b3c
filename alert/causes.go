package alert

import (
	"fmt"
	"slices"
	"strings"

	"leadline/drift"
)

// causes are always five lines, so that absence shows too, and one on the length of
// answers where that is known.
func (r renderer) causes(f drift.Finding) []Line {
	lines := []Line{{r.Judge, r.judge(f)}, {r.Mix, r.mix(f)}}
	if text := r.length(f.Evidence.Length); text != "" {
		lines = append(lines, Line{r.Length, text})
	}
	return append(lines,
		Line{r.Release, r.release(f)},
		Line{r.Other, r.channels(f.Evidence.Channels)},
		Line{r.Corpus, r.corpus(f.Evidence.Corpus)})
}

func (r renderer) length(l drift.LengthEvidence) string {
	says, ok := map[string]string{drift.LengthSame: r.LengthSame, drift.LengthExplains: r.LengthExplains,
		drift.LengthNot: r.LengthNot, drift.LengthOpen: r.LengthOpen}[l.Verdict]
	if !ok {
		return ""
	}
	part := func(x float64) string { return decimals(x, 3) }
	return fmt.Sprintf(says, decimals(l.Before, 1), decimals(l.After, 1), part(l.Explains), part(l.SE), part(l.Within)) +
		r.Also + fmt.Sprintf(r.LengthSupport, r.percent(l.SupportBefore), r.percent(l.SupportAfter), decimals(100*l.SupportSE, 1))
}

func (r renderer) judge(f drift.Finding) string {
	j, says := f.Evidence.Judge, r.JudgePending
	switch {
	case drift.IsShare(f.Series.Metric):
		return r.JudgeNone
	case j.Items == 0:
		return r.JudgeUnseen
	case j.Verdict == "moved":
		says = r.JudgeMoved
	case j.Verdict == "cleared":
		says = r.JudgeCleared
	case j.Verdict == "cannot_be_excluded":
		says = r.JudgeOpen
	}
	return format(says, j.Items, signed(j.Shift, 3), decimals(j.SE, 3), decimals(j.CanSee, 3)) + r.excluded(j) + r.without(j.Corrected)
}

// excluded says from what size on a move of a cleared judge is ruled out.
func (r renderer) excluded(j drift.JudgeEvidence) string {
	if j.Verdict != drift.JudgeCleared || j.Excludes <= 0 {
		return ""
	}
	return r.Also + fmt.Sprintf(r.JudgeExcludes, decimals(j.Excludes, 3))
}

// mix is told as people see the change: points of a share that rose.
func (r renderer) mix(f drift.Finding) string {
	m := f.Evidence.Mix
	if m == (drift.MixEvidence{}) {
		return r.MixUnseen
	}
	part := func(x float64) string { return decimals(x, 3) }
	worst := signed(-m.WorstDrop, 2)
	if drift.IsShare(f.Series.Metric) {
		part = func(x float64) string { return fmt.Sprintf(r.Points, decimals(100*x, 1)) }
		worst = fmt.Sprintf(r.Points, signed(100*m.WorstDrop, 0))
	}
	text := fmt.Sprintf(r.MixIs, part(m.Explains), part(m.SE), part(m.Within))
	if m.Worst != "" {
		text += r.Also + fmt.Sprintf(r.MixWorst, clean(m.Worst, maxName), worst, count(m.WorstN))
	}
	return text
}

func (r renderer) release(f drift.Finding) string {
	e := f.Evidence.Release
	switch e.State {
	case drift.ChannelChanged:
		return fmt.Sprintf(r.ReleaseChanged, r.value(e.Old), r.value(e.New), r.at(e.At), r.percent(e.Weight))
	case drift.ChannelSame:
		if e.At.IsZero() {
			return r.ReleaseNone
		}
		last := e.Old
		if e.New != "" {
			last = e.New
		}
		return fmt.Sprintf(r.ReleaseLast, r.value(last), r.at(e.At), r.duration(f.Since.Sub(e.At)))
	case drift.ChannelNotObserved:
	}
	return r.ReleaseUnseen
}

// channels has those that changed first, one by one, and the others by state.
func (r renderer) channels(channels []drift.ChannelEvidence) string {
	var parts, same, unseen []string
	for _, c := range channels {
		name := r.channel(c.Channel)
		switch c.State {
		case drift.ChannelChanged:
			parts = append(parts, fmt.Sprintf(r.ChannelChanged, name, r.value(c.Old), r.value(c.New), r.percent(c.Weight)))
		case drift.ChannelSame:
			if c.Old != "" {
				name = fmt.Sprintf(r.ChannelValue, name, r.value(c.Old))
			}
			same = append(same, name)
		case drift.ChannelNotObserved:
			unseen = append(unseen, name)
		}
	}
	if len(same) > 0 {
		parts = append(parts, fmt.Sprintf(r.ChannelsSame, r.list(same)))
	}
	if len(unseen) > 0 {
		parts = append(parts, fmt.Sprintf(r.ChannelsUnseen, r.list(unseen)))
	}
	if len(parts) == 0 {
		return r.ChannelsNone
	}
	return strings.Join(parts, r.Also)
}

func (r renderer) corpus(c drift.CorpusEvidence) string {
	if !c.Observed {
		return r.CorpusUnseen
	}
	text := fmt.Sprintf(r.CorpusIs, r.percent(c.Overlap), r.percent(c.Usual), r.percent(c.New), r.percent(c.Vanished))
	if len(c.Gone) > 0 {
		gone := slices.Clone(c.Gone[:min(len(c.Gone), 5)])
		for n := range gone {
			gone[n] = clean(gone[n], maxValue)
		}
		text += r.Also + fmt.Sprintf(r.CorpusGone, strings.Join(gone, r.Comma))
	}
	return text
}
