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
	head, _ := i.Head()
	if head.Finding.Ruler != nil {
		return r.ruler(i, head)
	}
	t := r.frame(i)
	metric, segment := r.metric(head.Finding), r.segment(head.Finding.Series)
	t.Title = cut(fmt.Sprintf(r.Title, r.status(i), r.Kinds[i.Kind], metric, segment, clean(i.Service, maxName)), maxTitle)
	t.Verdict = r.verdict(i, head)
	t.Scope = r.Scope
	add(&t, r.Figures, false, r.figures(i, head))
	rest := others(i, head)
	add(&t, fmt.Sprintf(r.Series, len(rest)), false, r.series(i, rest))
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
	case i.MergedInto != "":
		t.Icon = "➡️"
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

func (r renderer) next(i Incident, head Alert) []Line {
	switch {
	case i.MergedInto != "":
		return []Line{{Text: fmt.Sprintf(r.NextMerged, i.MergedInto)}}
	case !i.Open() && i.Accepted != nil:
		return []Line{{Text: r.NextAccepted}}
	case !i.Open():
		return []Line{{Text: r.NextEnded}}
	}
	lines := []Line{}
	if gone := head.Finding.Evidence.Corpus.Gone; len(gone) > 0 {
		lines = append(lines, Line{Text: fmt.Sprintf(r.NextGone, clean(gone[0], maxValue))})
	}
	suspect, _ := r.suspect(head)
	through := newestAlarm(i).UTC().Format(time.RFC3339)
	for _, f := range r.NextFor[i.Kind] {
		lines = append(lines, Line{Text: format(f, suspect, through, i.ID)})
	}
	return lines
}

// newestAlarm is a time that no series' change is after, however its view may move.
func newestAlarm(i Incident) time.Time {
	var t time.Time
	for _, a := range i.Alerts {
		if a.Open() && a.Opened.After(t) {
			t = a.Opened
		}
	}
	return t
}

func (r renderer) lowest() []Line {
	lines := []Line{}
	for _, s := range r.m.Samples[:min(len(r.m.Samples), maxSamples)] {
		text := fmt.Sprintf(r.LowestIs, score(s.Score), clean(s.ID, maxName), clean(s.Excerpt, maxExcerpt))
		lines = append(lines, Line{Text: strings.TrimSpace(text)})
	}
	return lines
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
