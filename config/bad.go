package config

import (
	"fmt"
	"strconv"
	"strings"
)

// bad adds a problem of a setting unless it, or the section around it, has one already.
func (d *decoder) bad(path, format string, args ...any) {
	for _, p := range d.problems {
		if p.Path == path || within(path, p.Path) {
			return
		}
	}
	d.problem(d.lineOf(path), path, format, args...)
}

// not is bad, and shows the value as the file has it, unless it may hold a password.
func (d *decoder) not(path, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s, ok := d.set[path]; ok && !strings.Contains(s.text, "@") {
		text += ", not " + quote(s.text)
	}
	d.bad(path, "%s", text)
}

// quote shortens a value, and quotes it where that makes it clearer.
func quote(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	if quoted := strconv.Quote(text); text == "" || strings.Contains(text, " ") || quoted != `"`+text+`"` {
		return quoted
	}
	return text
}

// require adds a problem when a setting is missing.
func (d *decoder) require(path string, given bool, hint string) {
	if !given {
		d.bad(path, "is required: it %s", hint)
	}
}

// pair checks that a secret is given in one way.
func (d *decoder) pair(path string, inline Secret, file string) {
	if inline.IsSet() && file != "" {
		d.bad(path, "is set, and so is %s_file; keep one", path)
	}
}

// lineOf returns the line of a setting, or else of the section that it is missing in.
func (d *decoder) lineOf(path string) int {
	for path != "" {
		if s, ok := d.set[path]; ok {
			return s.line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 1
}

func within(path, section string) bool {
	return section != "" && strings.HasPrefix(path, section) && strings.ContainsAny(path[len(section):len(section)+1], ".[")
}
