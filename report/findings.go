package report

import (
	"cmp"
	"strings"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
)

// EvidenceLine is one of the lines of evidence in words. State is "same", "changed"
// or "unknown".
type EvidenceLine struct{ Name, State, Text string }

// Finding says what fell, by how much and since when; long adds the interval.
func (w Words) Finding(f drift.Finding, long bool) string {
	if f.Ruler != nil {
		return w.ruler(*f.Ruler)
	}
	verb, from, to := "fell", w.Num(f.Before.Mean), w.Num(f.After.Mean)
	if drift.IsShare(f.Series.Metric) {
		verb, from, to = "rose", w.Percent(1-f.Before.Mean), w.Percent(1-f.After.Mean)
	}
	args := []any{w.Metric(f.Series.Metric), w.Segment(f.Series.Segment()), from, to}
	if long {
		return w.T(verb, append(args, w.fall(f).Change, w.fall(f).Interval, w.Minute(f.Since))...)
	}
	return w.T(verb+"_short", append(args, w.Minute(f.Since))...)
}

// fall is a change and its interval, as they are shown.
type fall struct{ Change, Interval string }

func (w Words) fall(f drift.Finding) fall {
	if drift.IsShare(f.Series.Metric) {
		return fall{"+" + w.Percent(f.Drop), w.Span(w.Percent(f.Low), w.Percent(f.High))}
	}
	return fall{w.Signed(-f.Drop), w.Interval(-f.High, -f.Low, true)}
}

// level is a side of a finding, with its number of answers.
func (w Words) level(f drift.Finding, l drift.Level) string {
	mean := w.Num(l.Mean)
	if drift.IsShare(f.Series.Metric) {
		mean = w.Percent(1 - l.Mean)
	}
	return mean + " (n=" + w.Int(int64(l.N)) + ")"
}

// Incident says in one line what an incident is about, without its kind.
func (w Words) Incident(i alert.Incident, long bool) string {
	head, ok := i.Head()
	if !ok {
		return w.problem(i)
	}
	s := w.Finding(head.Finding, long)
	if more := len(i.Alerts) - 1; more > 0 {
		s += w.T("more_series", more)
	}
	if i.Held {
		s += w.T("ruler.held")
	}
	return s
}

func (w Words) problem(i alert.Incident) string {
	s := w.T("problem." + i.Problem)
	if i.Problem == "" {
		s = w.Kind(i.Kind)
	}
	if i.Detail != "" {
		s += " (" + i.Detail + ")"
	}
	return s
}

// Cause says what goes with an incident, and what does not; empty for kinds without causes.
func (w Words) Cause(i alert.Incident) string {
	head, ok := i.Head()
	if !ok {
		return ""
	}
	f := head.Finding
	var parts []string
	switch i.Kind {
	case drift.KindSilent, drift.KindDrop:
		parts = append(parts, w.innocent(i.Kind, f.Evidence))
	case drift.KindRegression, drift.KindUndecided:
		if c, ok := changed(f.Evidence); ok {
			name := w.Channel(c.Channel) + " " + c.New
			if i.Kind == drift.KindRegression {
				parts = append(parts, w.T("cause.regression", name))
			} else {
				parts = append(parts, w.T("cause.undecided", name, w.Percent(c.Weight)))
			}
		} else if i.Release != "" {
			parts = append(parts, w.T("cause.regression", i.Release))
		}
	case drift.KindJudge:
		for _, h := range i.HeldBack {
			parts = append(parts, w.T("ruler.holds", w.Metric(h.Metric), w.Segment(h.Segment), w.Signed(-h.Drop), w.Signed(-h.Without.Drop), w.Interval(-h.Without.High, -h.Without.Low, true)))
		}
	case drift.KindBlind, drift.KindDelivery:
	}
	if gone := f.Evidence.Corpus.Gone; len(gone) > 0 {
		parts = append(parts, w.T("cause.gone", w.List(gone, 3)))
	}
	return w.also(parts...)
}

// innocent says of a fall that no change of code goes with it, or that nobody knows.
func (w Words) innocent(kind drift.Kind, e drift.Evidence) string {
	if kind != drift.KindSilent {
		return w.T("cause." + string(kind))
	}
	if c, ok := e.NearestCode(); ok {
		return w.T("cause.silent_near", w.Channel(c.Channel)+" "+c.New, w.Percent(c.Weight))
	}
	if !e.OtherCode() {
		return w.T("cause.silent_release")
	}
	return w.T("cause.silent")
}

// changed is the changed channel with the most weight.
func changed(e drift.Evidence) (best drift.ChannelEvidence, ok bool) {
	for _, c := range append([]drift.ChannelEvidence{e.Release}, e.Channels...) {
		if c.State == drift.ChannelChanged && (!ok || c.Weight > best.Weight) {
			best, ok = c, true
		}
	}
	return best, ok
}

// Channel is a channel's name.
func (w Words) Channel(c sampler.Channel) string {
	if s := w.T("channel." + string(c)); s != "channel."+string(c) {
		return s
	}
	return string(c)
}

// Evidence puts the five lines in words, always all of them, and the length of answers
// where that is known.
func (w Words) Evidence(f drift.Finding) []EvidenceLine {
	if f.Ruler != nil {
		return w.rulerLines(f.Ruler.Shift)
	}
	e := f.Evidence
	lines := []EvidenceLine{w.judgeLine(e.Judge), w.mixLine(e.Mix)}
	if e.Length.Verdict != "" {
		lines = append(lines, w.lengthLine(e.Length))
	}
	release := w.channelLine(e.Release)
	release.Name = w.T("line.release")
	lines = append(lines, release)
	lines = append(lines, w.channelLines(e.Channels)...)
	return append(lines, w.corpusLine(e.Corpus))
}

// channelLines gives each channel that changed a line of its own, and the others one
// together, so that what moved stands out.
func (w Words) channelLines(channels []drift.ChannelEvidence) []EvidenceLine {
	var lines []EvidenceLine
	var same, unseen []string
	for _, c := range channels {
		switch c.State {
		case drift.ChannelChanged:
			lines = append(lines, w.channelLine(c))
		case drift.ChannelSame:
			same = append(same, strings.TrimSpace(w.Channel(c.Channel)+" "+cmp.Or(c.New, c.Old)))
		default:
			unseen = append(unseen, w.Channel(c.Channel))
		}
	}
	rest := EvidenceLine{Name: w.T("line.channels"), State: "unknown", Text: w.T("channel.not_observed")}
	var texts []string
	if len(same) > 0 {
		rest.State = "same"
		texts = append(texts, w.T("channels.same", w.List(same, len(same))))
	}
	if len(unseen) > 0 {
		texts = append(texts, w.T("channels.not_observed", w.List(unseen, len(unseen))))
	}
	if len(texts) > 0 {
		rest.Text = w.also(texts...)
	}
	if len(lines) > 0 && len(texts) == 0 {
		return lines
	}
	return append(lines, rest)
}

func (w Words) mixLine(m drift.MixEvidence) EvidenceLine {
	if m.Worst == "" && m.Explains == 0 && m.Within == 0 {
		return EvidenceLine{w.T("line.mix"), "unknown", w.T("mix.unseen")}
	}
	l := EvidenceLine{w.T("line.mix"), "same", w.T("mix.says", w.Num(m.Explains), w.Num(m.Within))}
	if m.Explains > m.Within && m.Explains > 0 {
		l.State = "changed"
	}
	if m.Worst != "" {
		l.Text += " · " + w.T("mix.worst", m.Worst, w.Signed(-m.WorstDrop), m.WorstN)
	}
	return l
}

func (w Words) lengthLine(e drift.LengthEvidence) EvidenceLine {
	l := EvidenceLine{Name: w.T("line.length"), State: "same"}
	text := w.T("length.statements", w.places(e.Before, 1), w.places(e.After, 1))
	switch e.Verdict {
	case drift.LengthSame:
		text = w.T("length.same", text)
	case drift.LengthExplains:
		l.State, text = "changed", w.T("length.explains", text, w.Num(e.Explains), w.Num(e.Within))
	case drift.LengthNot:
		l.State, text = "changed", w.T("length.not", text, w.Num(e.Explains), w.Num(e.Within))
	default:
		l.State, text = "unknown", w.T("length.open", text)
	}
	l.Text = text + " · " + w.T("length.support", w.Percent(e.SupportBefore), w.Percent(e.SupportAfter), w.places(100*e.SupportSE, 1))
	return l
}

func (w Words) channelLine(c drift.ChannelEvidence) EvidenceLine {
	l := EvidenceLine{Name: w.Channel(c.Channel)}
	switch c.State {
	case drift.ChannelSame:
		l.State, l.Text = "same", w.T("channel.same_none")
		if !c.At.IsZero() {
			l.Text = w.T("channel.same", cmp.Or(c.New, c.Old), w.Minute(c.At))
		}
	case drift.ChannelChanged:
		l.State = "changed"
		l.Text = w.T("channel.changed", cmp.Or(c.Old, "–"), cmp.Or(c.New, "–"), w.Minute(c.At), w.Percent(c.Weight))
	default:
		l.State, l.Text = "unknown", w.T("channel.not_observed")
	}
	return l
}

func (w Words) corpusLine(c drift.CorpusEvidence) EvidenceLine {
	l := EvidenceLine{Name: w.T("line.corpus")}
	if !c.Observed {
		l.State, l.Text = "unknown", w.T("channel.not_observed")
		return l
	}
	l.State = "same"
	if len(c.Gone) > 0 || c.Overlap < c.Usual-0.1 {
		l.State = "changed"
	}
	l.Text = w.T("corpus.says", w.Percent(c.Overlap), w.Percent(c.Usual), w.Percent(c.New), w.Percent(c.Vanished))
	if len(c.Gone) > 0 {
		l.Text += " · " + w.T("cause.gone", w.List(c.Gone, 5))
	}
	return l
}

// Note puts a note in words.
func (w Words) Note(n drift.Note) string {
	switch {
	case n.Kind == "corpus" && n.Until.IsZero():
		return w.T("note.corpus", n.Document, n.Edition, n.Newest, w.Int(int64(n.Count)), w.Minute(n.At))
	case n.Kind == "corpus":
		return w.T("note.corpus_over", n.Document, n.Edition, n.Newest, w.Int(int64(n.Count)), w.Minute(n.At), w.Minute(n.Until))
	}
	return w.T("note.new_segment", n.Segment, w.Int(int64(n.Count)), w.Minute(n.At))
}
