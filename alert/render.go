package alert

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"leadline/drift"
)

// Most runes of what comes from logs and operators, so that every message fits.
const (
	maxName    = 80
	maxValue   = 60
	maxDetail  = 400
	maxExcerpt = 280
	maxTitle   = 150
	maxSeries  = 8
	maxSamples = 3
	maxLines   = 8
)

// Render returns what a message says. It is pure but for the time zone database; an
// unknown zone is shown as UTC.
func Render(m Message) Text {
	r := newRenderer(m)
	switch {
	case m.Report != nil:
		return r.digest(*m.Report)
	case m.Incident == nil:
		return Text{}
	case len(m.Incident.Alerts) == 0:
		return r.trouble(*m.Incident)
	}
	return r.fall(*m.Incident)
}

type renderer struct {
	words
	m        Message
	location *time.Location
}

func newRenderer(m Message) renderer {
	location, err := time.LoadLocation(m.Timezone)
	if err != nil {
		location = time.UTC
	}
	return renderer{words: wordsOf(m.Language), m: m, location: location}
}

// fall renders an incident of scores.
func (r renderer) fall(i Incident) Text {
	head, _ := i.headline()
	t := r.frame(i)
	metric, segment := r.metric(head.Finding), r.segment(head.Finding.Series)
	t.Title = cut(fmt.Sprintf(r.Title, r.status(i), r.Kinds[i.Kind], metric, segment, clean(i.Service, maxName)), maxTitle)
	t.Verdict = r.verdict(i, head)
	t.Scope = r.Scope
	add(&t, r.Figures, false, r.figures(i, head))
	add(&t, fmt.Sprintf(r.Series, len(i.Alerts)-1), false, r.series(i, head))
	add(&t, r.Causes, false, r.causes(head.Finding))
	if i.Open() {
		add(&t, r.Lowest, true, r.lowest())
	}
	add(&t, r.Next, false, r.next(i, head))
	return t
}

func (r renderer) frame(i Incident) Text {
	t := Text{Status: r.m.Transition, Severity: severityOf(i.Kind), Icon: "🔴"}
	switch {
	case !i.Open():
		t.Icon = "✅"
	case t.Severity == Warning:
		t.Icon = "🟠"
	}
	if i.Standin {
		t.Banner = r.Banner
	}
	t.Footer = fmt.Sprintf(r.Footer, i.ID, r.at(i.Updated))
	link(&t, r.LinkIncident, r.m.BaseURL, "/incidents/"+url.PathEscape(i.ID))
	if len(i.Alerts) > 0 {
		link(&t, r.LinkSamples, r.m.BaseURL, "/samples?incident="+url.QueryEscape(i.ID))
	}
	return t
}

func severityOf(k drift.Kind) Severity {
	if k == drift.KindBlind || k == drift.KindDelivery {
		return Critical
	}
	return Warning
}

// status is Alertmanager's way of saying it, in any language.
func (r renderer) status(i Incident) string {
	open := 0
	for _, a := range i.Alerts {
		if a.Open() {
			open++
		}
	}
	word := strings.ToUpper(string(r.m.Transition))
	if open > 0 {
		return fmt.Sprintf("%s:%d", word, open)
	}
	return word
}

func (r renderer) verdict(i Incident, head Alert) string {
	f := head.Finding
	metric, segment := r.metric(f), r.within(f.Series)
	before, after := r.level(f, f.Before), r.level(f, f.After)
	switch {
	case i.MergedInto != "":
		return fmt.Sprintf(r.Merged, i.MergedInto)
	case i.Accepted != nil:
		return fmt.Sprintf(r.AcceptedBy, metric, segment, clean(i.Accepted.By, maxValue))
	case !i.Open():
		return fmt.Sprintf(r.Ended, metric, segment, r.duration(i.Resolved.Sub(i.Since)), before, after)
	}
	movement := fmt.Sprintf(r.Fell, metric, segment, before, after)
	if isShare(f) {
		movement = fmt.Sprintf(r.Rose, metric, segment, before, after)
	}
	if i.Kind == drift.KindSilent && !f.Evidence.OtherCode() {
		return fmt.Sprintf(r.SilentRelease, movement)
	}
	suspect, weight := r.suspect(head)
	return format(r.Said[i.Kind], movement, suspect, r.percent(weight))
}

// suspect names the changed channel with the largest weight, and its value.
func (r renderer) suspect(a Alert) (string, float64) {
	best := suspectOf(a)
	if best.Channel == "" {
		return r.Nothing, 0
	}
	return r.channel(best.Channel) + " " + r.value(best.New), best.Weight
}

func suspectOf(a Alert) drift.ChannelEvidence {
	best := drift.ChannelEvidence{Channel: a.Channel, New: a.Value}
	ev := a.Finding.Evidence
	for _, c := range append([]drift.ChannelEvidence{ev.Release}, ev.Channels...) {
		named := a.Channel != "" && c.Channel == a.Channel
		if c.State == drift.ChannelChanged && (named || a.Channel == "") && c.Weight >= best.Weight {
			best = c
		}
	}
	if a.Value != "" {
		best.New = a.Value
	}
	return best
}

func (r renderer) next(i Incident, head Alert) []Line {
	if !i.Open() {
		return []Line{{Text: r.NextEnded}}
	}
	lines := []Line{}
	if gone := head.Finding.Evidence.Corpus.Gone; len(gone) > 0 {
		lines = append(lines, Line{Text: fmt.Sprintf(r.NextGone, clean(gone[0], maxValue))})
	}
	value := r.value(suspectOf(head).New)
	through := head.Finding.To.UTC().Format(time.RFC3339)
	for _, f := range r.NextFor[i.Kind] {
		lines = append(lines, Line{Text: format(f, value, through, i.ID)})
	}
	return lines
}

func (r renderer) lowest() []Line {
	lines := []Line{}
	for _, s := range r.m.Samples[:min(len(r.m.Samples), maxSamples)] {
		text := fmt.Sprintf(r.LowestIs, score(s.Score), clean(s.ID, maxName), clean(s.Excerpt, maxExcerpt))
		lines = append(lines, Line{Text: strings.TrimSpace(text)})
	}
	return lines
}

// trouble renders a blind or delivery incident.
func (r renderer) trouble(i Incident) Text {
	t := r.frame(i)
	p := r.Problems[i.Problem]
	name := cmp.Or(p.Name, clean(i.Problem, maxName))
	t.Title = cut(fmt.Sprintf(r.TitleShort, r.status(i), r.Kinds[i.Kind], name, clean(i.Service, maxName)), maxTitle)
	t.Verdict = cmp.Or(p.Verdict, name)
	lines := []Line{}
	for _, q := range i.Problems[:min(len(i.Problems), maxLines)] {
		lines = append(lines, Line{Label: cmp.Or(r.Problems[q.Problem].Name, clean(q.Problem, maxName)),
			Text: strings.TrimSpace(clean(q.Detail, maxDetail) + " (" + fmt.Sprintf(r.SinceOnly, r.at(q.Since)) + ")")})
	}
	add(&t, r.Detail, false, lines)
	if !i.Open() {
		t.Verdict = fmt.Sprintf(r.Over, name, r.duration(i.Resolved.Sub(i.Since)))
		return t
	}
	if p.Next != "" {
		add(&t, r.Next, false, []Line{{Text: p.Next}})
	}
	return t
}

func (r renderer) digest(d Digest) Text {
	v := r.Verdicts[d.Verdict]
	t := Text{Status: StatusReport, Severity: Warning, Icon: "📏", Scope: r.Scope,
		Title:   cut(fmt.Sprintf(r.TitleShort, "REPORT", clean(d.Week, maxName), cmp.Or(v.Name, clean(d.Verdict, maxName)), clean(d.Service, maxName)), maxTitle),
		Verdict: cmp.Or(v.Verdict, clean(d.Verdict, maxName)), Footer: clean(d.Week, maxName) + " · Leadline"}
	if d.Verdict == "stable" {
		t.Severity = Info
	}
	if d.Standin {
		t.Banner = r.Banner
	}
	lines := []Line{}
	for _, l := range d.Lines[:min(len(d.Lines), maxLines)] {
		lines = append(lines, Line{Text: clean(l, maxDetail)})
	}
	if more := len(d.Lines) - maxLines; more > 0 {
		lines = append(lines, Line{Text: fmt.Sprintf(r.More, more)})
	}
	add(&t, "", false, lines)
	link(&t, r.LinkReport, r.m.BaseURL, "/reports/"+url.PathEscape(d.Week))
	return t
}

func add(t *Text, heading string, quote bool, lines []Line) {
	if len(lines) > 0 {
		t.Parts = append(t.Parts, Part{Heading: heading, Lines: lines, Quote: quote})
	}
}

func link(t *Text, text, base, path string) {
	if base == "" {
		return
	}
	t.Links = append(t.Links, Link{Text: text, URL: strings.TrimRight(base, "/") + path})
}

// format is Sprintf for a format that may use none of its arguments.
func format(f string, args ...any) string {
	if !strings.Contains(f, "%[") {
		return f
	}
	return fmt.Sprintf(f, args...)
}
