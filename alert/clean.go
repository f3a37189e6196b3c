package alert

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// clean makes text from a log fit to be shown on one line: valid, without control,
// direction and invisible characters, white space collapsed, at most limit runes, cut
// between characters as people see them.
func clean(s string, limit int) string {
	return cut(strings.Join(strings.Fields(visible(s, 8*limit)), " "), limit)
}

// visible stops at most bytes, so that a line of any length costs the same. An invalid
// byte comes out of the range as U+FFFD.
func visible(s string, most int) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		if b.Len() > most {
			break
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case unicode.IsControl(r), isInvisible(r, last):
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// isInvisible lets the joiner of emoji sequences through where one is built.
func isInvisible(r, last rune) bool {
	const joiner = '\u200D'
	if r == joiner {
		return last < '\u2000'
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r == '\u115F' || r == '\u3164'
}

func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	var b strings.Builder
	room, state := limit-1, -1
	for rest := s; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if room -= utf8.RuneCountInString(cluster); room < 0 {
			break
		}
		b.WriteString(cluster)
	}
	return b.String() + "…"
}
