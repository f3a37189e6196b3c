package alert

import (
	"strings"

	"github.com/rivo/uniseg"
)

const terminalWidth = 92

// Terminal returns the message as a person would see it in Slack, for a terminal
// without colors: a bar beside it, lines of at most 92 columns.
func Terminal(t Text) string {
	var b strings.Builder
	write := func(first, text string) {
		indent := strings.Repeat(" ", uniseg.StringWidth(first))
		for n, line := range wrap(text, terminalWidth-2-len(indent)) {
			if n > 0 {
				first = indent
			}
			b.WriteString(strings.TrimRight("┃ "+first+line, " ") + "\n")
		}
	}
	write(t.Icon+" ", t.Title)
	if t.Banner != "" {
		write("⚠ ", t.Banner)
	}
	write("", "")
	write("", t.Verdict)
	for _, p := range t.Parts {
		write("", "")
		if p.Heading != "" {
			write("", p.Heading)
		}
		mark := "• "
		if p.Quote {
			mark = "│ "
		}
		for _, l := range p.Lines {
			write("  "+mark, l.String())
		}
	}
	write("", "")
	for _, l := range t.Links {
		write("", l.Text+": "+l.URL)
	}
	for _, s := range nonEmpty(t.Scope, t.Footer) {
		write("", s)
	}
	return b.String()
}

// wrap breaks text where its language allows, at most width columns a line.
func wrap(text string, width int) []string {
	lines := []string{""}
	state := -1
	for rest := text; rest != ""; {
		var segment string
		segment, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		last := &lines[len(lines)-1]
		if *last != "" && uniseg.StringWidth(*last+strings.TrimRight(segment, " ")) > width {
			lines = append(lines, segment)
			continue
		}
		*last += segment
	}
	return lines
}
