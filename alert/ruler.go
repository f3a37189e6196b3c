package alert

import (
	"fmt"

	"leadline/drift"
)

// ruler renders a judge that moved: what the controls say, and what is held back.
func (r renderer) ruler(i Incident, head Alert) Text {
	f, m := head.Finding, *head.Finding.Ruler
	t := r.frame(i)
	t.Links = t.Links[:min(len(t.Links), 1)] // no sample shows it
	t.Title = cut(fmt.Sprintf(r.Title, r.status(i), r.Kinds[i.Kind], r.metric(f), r.Controls, clean(i.Service, maxName)), maxTitle)
	t.Verdict = r.rulerVerdict(i, head)
	add(&t, r.Figures, false, r.rulerFigures(i, f, m))
	var rest []Line
	for _, a := range others(i, head) {
		if a.Finding.Ruler != nil {
			rest = append(rest, Line{r.metric(a.Finding), fmt.Sprintf(r.ShiftIs, signed(-a.Finding.Drop, 3), signed(-a.Finding.High, 3), signed(-a.Finding.Low, 3))})
		}
	}
	add(&t, fmt.Sprintf(r.Series, len(rest)), false, rest)
	var held []Line
	for _, h := range i.HeldBack[:min(len(i.HeldBack), maxLines)] {
		held = append(held, Line{clean(h.ID, maxName), fmt.Sprintf(r.HeldIs, r.metric(drift.Finding{Series: drift.Series{Metric: h.Metric}}), r.heldSegment(h.Segment),
			signed(-h.Drop, 2), signed(-h.Without.Drop, 2), signed(-h.Without.High, 2), signed(-h.Without.Low, 2))})
	}
	add(&t, r.HeldBack, false, held)
	if i.Open() {
		var next []Line
		for _, text := range r.NextFor[drift.KindJudge] {
			next = append(next, Line{Text: format(text, "", "", i.ID)})
		}
		add(&t, r.Next, false, next)
	}
	return t
}

func (r renderer) rulerVerdict(i Incident, head Alert) string {
	f, m := head.Finding, *head.Finding.Ruler
	switch {
	case i.MergedInto != "":
		return fmt.Sprintf(r.Merged, i.MergedInto)
	case !i.Open() && i.Accepted != nil:
		return fmt.Sprintf(r.RulerAccepted, r.metric(f), clean(i.Accepted.By, maxValue))
	case !i.Open():
		return fmt.Sprintf(r.RulerEnded[m.End], r.metric(f), r.duration(i.Resolved.Sub(i.Since)))
	case m.Shift.Embedding():
		return fmt.Sprintf(r.EmbeddingSaid, r.metric(f), m.Shift.PairsMoved, m.Shift.Pairs)
	}
	way := r.Stricter
	if m.Shift.After > m.Shift.Before {
		way = r.Lenient
	}
	return fmt.Sprintf(r.RulerSaid, r.metric(f), m.Shift.Items, score(m.Shift.Before), score(m.Shift.After), way)
}

func (r renderer) rulerFigures(i Incident, f drift.Finding, m drift.Move) []Line {
	s := m.Shift
	lines := []Line{
		{r.Controls, fmt.Sprintf(r.ControlsAre, s.Items, score(s.Before), score(s.After))},
		{r.ShiftOfScores, fmt.Sprintf(r.ShiftIs, signed(s.Mean, 3), signed(s.Low, 3), signed(s.High, 3))},
	}
	for _, l := range s.Languages {
		text := fmt.Sprintf(r.LanguageIs, l.Items, signed(l.Mean, 3), decimals(l.SE, 3))
		if s.Only == l.Language {
			text += r.Also + r.OnlyHere
		}
		lines = append(lines, Line{r.Languages[l.Language], text})
	}
	if s.Pairs > 0 {
		lines = append(lines, Line{r.Pairs, fmt.Sprintf(r.PairsAre, s.PairsMoved, s.Pairs)})
	}
	return append(lines,
		Line{r.Since, r.at(f.Since)},
		Line{r.Found, r.at(i.Opened)},
		Line{r.Evidence, fmt.Sprintf(r.RulerEvidenceIs, decades(m.LnEvidence), decades(m.LnNeeded))})
}

// without says what is left of a fall without the judge's part.
func (r renderer) without(c *drift.Corrected) string {
	if c == nil {
		return ""
	}
	says := r.MayBeAll
	if c.Stands {
		says = r.Stands
	}
	return r.Also + fmt.Sprintf(says, signed(-c.Drop, 2), signed(-c.High, 2), signed(-c.Low, 2))
}

func (r renderer) heldSegment(segment string) string {
	if segment == "all" {
		return r.All
	}
	return clean(segment, maxName)
}
