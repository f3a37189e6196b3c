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
	if !drift.IsShare(f.Series.Metric) {
		lines = append(lines, Line{r.ZeroShare, fmt.Sprintf(r.ZeroShareIs, r.percent(f.Before.Zeros), r.percent(f.After.Zeros))})
	}
	return append(lines,
		Line{r.Samples, fmt.Sprintf(r.SamplesAre, count(f.Before.N), count(f.After.N))},
		Line{r.Since, r.since(f)},
		Line{r.Found, found},
		Line{r.Evidence, fmt.Sprintf(r.EvidenceIs, decades(f.Reached()), decades(f.LnNeeded), r.size(f, f.Floor))})
}

// size is how large a change is, without its direction.
func (r renderer) size(f drift.Finding, x float64) string {
	if drift.IsShare(f.Series.Metric) {
		return fmt.Sprintf(r.Points, decimals(100*x, 1))
	}
	return score(x)
}

// since is the first run after the change, and how sure that is.
func (r renderer) since(f drift.Finding) string {
	switch {
	case !f.From.Equal(f.To):
	case f.To.Equal(f.Since):
		return fmt.Sprintf(r.SinceOne, r.at(f.Since))
	default:
		return fmt.Sprintf(r.SinceAt, r.at(f.Since), r.at(f.To))
	}
	return fmt.Sprintf(r.SinceIs, r.at(f.Since), r.at(f.From), r.at(f.To))
}

// change is told as people see it: a score falls, a share of bad answers rises.
func (r renderer) change(f drift.Finding) string {
	if drift.IsShare(f.Series.Metric) {
		points := func(x float64) string { return signed(100*x, 0) }
		return fmt.Sprintf(r.ChangeIs, r.level(f, f.Before), r.level(f, f.After),
			fmt.Sprintf(r.Points, points(f.Drop)), points(f.Low), points(f.High))
	}
	return fmt.Sprintf(r.ChangeIs, score(f.Before.Mean), score(f.After.Mean), signed(-f.Drop, 2), signed(-f.High, 2), signed(-f.Low, 2))
}

// others are the alerts of an incident besides its headline, each series once.
func others(i Incident, head Alert) []Alert {
	var out []Alert
	for _, a := range i.Alerts {
		same := func(b Alert) bool { return a.Finding.Series == b.Finding.Series }
		if !same(head) && !slices.ContainsFunc(out, same) {
			out = append(out, a)
		}
	}
	return out
}

// series has a line for each that is down, and one for each metric of those that are back.
func (r renderer) series(i Incident, alerts []Alert) []Line {
	down, back := []Line{}, []Line{}
	names := map[string][]string{}
	for _, a := range alerts {
		f := a.Finding
		segment, metric := r.segment(f.Series), r.metric(f)
		if a.Open() {
			down = append(down, Line{segment, fmt.Sprintf(r.SeriesIs, metric, r.level(f, f.Before), r.level(f, f.After), r.at(f.Since))})
			continue
		}
		if names[metric] == nil {
			back = append(back, Line{Label: metric})
		}
		names[metric] = append(names[metric], segment)
	}
	for n, l := range back {
		back[n].Text = r.list(names[l.Label])
		if i.Open() {
			back[n].Text = fmt.Sprintf(r.SeriesBack, back[n].Text)
		}
	}
	if left := len(down) - maxSeries; left > 0 {
		down = append(down[:maxSeries], Line{Text: fmt.Sprintf(r.More, left)})
	}
	return append(down, back...)
}

// list names the first of many.
func (r renderer) list(names []string) string {
	text := strings.Join(names[:min(len(names), maxSeries)], r.Comma)
	if left := len(names) - maxSeries; left > 0 {
		text += r.Comma + fmt.Sprintf(r.More, left)
	}
	return text
}

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
	if drift.IsShare(f.Series.Metric) {
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
