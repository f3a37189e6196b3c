package alert

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// trouble renders a blind or delivery incident.
func (r renderer) trouble(i Incident) Text {
	t := r.frame(i)
	p := r.Problems[i.Problem]
	name := cmp.Or(p.Name, clean(i.Problem, maxName))
	t.Title = cut(fmt.Sprintf(r.TitleShort, r.status(i), r.Kinds[i.Kind], name, clean(i.Service, maxName)), maxTitle)
	t.Verdict = cmp.Or(p.Verdict, name)
	lines := []Line{}
	for _, q := range i.Problems[:min(len(i.Problems), maxLines)] {
		lines = append(lines, r.problem(q))
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

func (r renderer) problem(q Problem) Line {
	p := r.Problems[q.Problem]
	name := cmp.Or(p.Name, clean(q.Problem, maxName))
	var facts []string
	if detail := clean(q.Detail, maxDetail); detail != "" {
		if d, err := time.ParseDuration(detail); err == nil && q.Problem == ProblemNoData {
			detail = r.duration(d)
		}
		facts = append(facts, fmt.Sprintf(cmp.Or(p.Detail, "%[1]s"), detail))
	}
	if !q.Since.IsZero() {
		facts = append(facts, fmt.Sprintf(r.SinceOnly, r.at(q.Since)))
	}
	if len(facts) == 0 {
		return Line{Text: name}
	}
	return Line{Label: name, Text: strings.Join(facts, r.Comma)}
}
