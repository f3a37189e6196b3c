package alert

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/drift"
	"leadline/sampler"
)

func (r renderer) figures(i Incident, head Alert) []Line {
	f := head.Finding
	found := fmt.Sprintf(r.FoundIn, r.at(i.Opened), count(i.SamplesAfterChange))
	if !f.Run.Equal(i.Opened) {
		found += r.Also + fmt.Sprintf(r.FiguresOf, r.at(f.Run))
	}
	lines := []Line{{r.Change, r.change(f)}}
	if !isShare(f) {
		lines = append(lines, Line{r.ZeroShare, fmt.Sprintf(r.ZeroShareIs, r.percent(f.Before.Zeros), r.percent(f.After.Zeros))})
	}
	return append(lines,
		Line{r.Samples, fmt.Sprintf(r.SamplesAre, count(f.Before.N), count(f.After.N))},
		Line{r.Since, r.since(f)},
		Line{r.Found, found},
		Line{r.Evidence, fmt.Sprintf(r.EvidenceIs, decades(f.Reached()), decades(f.LnNeeded), score(f.Floor))})
}

// since is the first run after the change, and how sure that is.
func (r renderer) since(f drift.Finding) string {
	if f.From.Equal(f.To) && f.To.Equal(f.Since) {
		return fmt.Sprintf(r.SinceOne, r.at(f.Since))
	}
	return fmt.Sprintf(r.SinceIs, r.at(f.Since), r.at(f.From), r.at(f.To))
}

// change is told as people see it: a score falls, a share of bad answers rises.
func (r renderer) change(f drift.Finding) string {
	if isShare(f) {
		points := func(x float64) string { return signed(100*x, 0) }
		return fmt.Sprintf(r.ShareIs, r.level(f, f.Before), r.level(f, f.After), points(f.Drop), points(f.Low), points(f.High))
	}
	return fmt.Sprintf(r.ChangeIs, score(f.Before.Mean), score(f.After.Mean), signed(-f.Drop, 2), signed(-f.High, 2), signed(-f.Low, 2))
}

// series are the others of an incident: a line for each that is down, and one for each
// metric of those that are back.
func (r renderer) series(i Incident, head Alert) []Line {
	lines := []Line{}
	left := 0
	var metrics []string
	ended := map[string][]string{}
	for _, a := range i.Alerts {
		f := a.Finding
		switch {
		case f.Series == head.Finding.Series && a.Opened.Equal(head.Opened):
		case !a.Open():
			m := r.metric(f)
			if ended[m] == nil {
				metrics = append(metrics, m)
			}
			ended[m] = append(ended[m], r.segment(f.Series))
		case len(lines) == maxSeries:
			left++
		default:
			lines = append(lines, Line{r.segment(f.Series), fmt.Sprintf(r.SeriesIs, r.metric(f), r.level(f, f.Before), r.level(f, f.After), r.at(f.Since))})
		}
	}
	if left > 0 {
		lines = append(lines, Line{Text: fmt.Sprintf(r.More, left)})
	}
	for _, m := range metrics {
		lines = append(lines, Line{Text: fmt.Sprintf(r.EndedToo, m, r.list(ended[m]))})
	}
	return lines
}

// list names the first of many.
func (r renderer) list(names []string) string {
	text := strings.Join(names[:min(len(names), maxSeries)], r.Comma)
	if left := len(names) - maxSeries; left > 0 {
		text += r.Comma + fmt.Sprintf(r.More, left)
	}
	return text
}

// causes are always five lines, so that absence shows too.
func (r renderer) causes(f drift.Finding) []Line {
	return []Line{
		{r.Judge, r.judge(f.Evidence.Judge)},
		{r.Mix, r.mix(f.Evidence.Mix)},
		{r.Release, r.release(f)},
		{r.Other, r.channels(f.Evidence.Channels)},
		{r.Corpus, r.corpus(f.Evidence.Corpus)},
	}
}

func (r renderer) judge(j drift.JudgeEvidence) string {
	f := r.JudgePending
	switch {
	case j.Items == 0:
		return r.JudgeUnseen
	case j.Verdict == "moved":
		f = r.JudgeMoved
	case j.Verdict == "cleared":
		f = r.JudgeCleared
	case j.Verdict == "cannot_be_excluded":
		f = r.JudgeOpen
	}
	return format(f, j.Items, signed(j.Shift, 3), decimals(j.SE, 3), decimals(j.CanSee, 3))
}

func (r renderer) mix(m drift.MixEvidence) string {
	if m == (drift.MixEvidence{}) {
		return r.MixUnseen
	}
	text := fmt.Sprintf(r.MixIs, decimals(m.Explains, 3), decimals(m.SE, 3), decimals(m.Within, 3))
	if m.Worst != "" {
		text += r.Also + fmt.Sprintf(r.MixWorst, clean(m.Worst, maxName), signed(-m.WorstDrop, 2), count(m.WorstN))
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

func (r renderer) channels(channels []drift.ChannelEvidence) string {
	parts := []string{}
	for _, c := range channels {
		f := r.ChannelUnseen
		switch c.State {
		case drift.ChannelSame:
			f = r.ChannelSame
		case drift.ChannelChanged:
			f = r.ChannelChanged
		case drift.ChannelNotObserved:
		}
		parts = append(parts, format(f, r.channel(c.Channel), r.value(c.Old), r.value(c.New), r.percent(c.Weight)))
	}
	if len(parts) == 0 {
		return r.ChannelsUnseen
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

func isShare(f drift.Finding) bool { return slices.Contains(drift.Shares, f.Series.Metric) }

func (r renderer) metric(f drift.Finding) string {
	if name, ok := r.Metrics[f.Series.Metric]; ok {
		return name
	}
	return clean(string(f.Series.Metric), maxName)
}

func (r renderer) channel(c sampler.Channel) string {
	if name, ok := r.Channels[c]; ok {
		return name
	}
	return clean(string(c), maxName)
}

func (r renderer) segment(s drift.Series) string {
	if s.Dim == "" {
		return r.All
	}
	return clean(s.Segment(), maxName)
}

// within is the segment as a sentence names it.
func (r renderer) within(s drift.Series) string {
	if s.Dim == "" {
		return r.All
	}
	return fmt.Sprintf(r.Segment, r.segment(s))
}

func (r renderer) value(s string) string {
	if s = clean(s, maxValue); s == "" {
		return r.Nothing
	}
	return s
}

// level is a mean, or the share of bad answers where the series is one.
func (r renderer) level(f drift.Finding, l drift.Level) string {
	if isShare(f) {
		return r.percent(1 - l.Mean)
	}
	return score(l.Mean)
}

func (r renderer) percent(share float64) string {
	digits := 0
	if share > 0 && share < 0.1 {
		digits = 1
	}
	return fmt.Sprintf(r.Percent, decimals(100*share, digits))
}

func (r renderer) at(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.In(r.location).Format("2006-01-02 15:04 MST")
}

func (r renderer) duration(d time.Duration) string {
	d = max(d, 0).Round(time.Minute)
	if d >= 48*time.Hour {
		return fmt.Sprintf(r.Days, int(d.Hours())/24)
	}
	return fmt.Sprintf(r.Hours, int(d.Hours()), int(d.Minutes())%60)
}

func score(x float64) string { return decimals(x, 2) }

// decimals writes a minus sign, and never a negative zero.
func decimals(x float64, digits int) string {
	if math.Abs(x) < math.Pow(10, -float64(digits))/2 {
		x = 0
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1)
}

func signed(x float64, digits int) string {
	text := decimals(x, digits)
	if x > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

func decades(ln float64) string { return decimals(ln/math.Ln10, 1) }

// count groups thousands: 1,312.
func count(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
