package standin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// dropCitations takes out marks such as [1], [2, 3], [^4] and 【5】, which are no numbers
// of the text, and a raised number after a full stop.
func dropCitations(text string) string {
	if !strings.ContainsAny(text, "[【"+raised) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end := skipCitations(text, i)
		if end == i || strings.ContainsRune(raised, r) && !afterStop(text[:i]) {
			b.WriteString(text[i : i+size])
			i += size
			continue
		}
		i = end
		// "closes at 9 [3]." keeps no space before its full stop.
		if next, _ := utf8.DecodeRuneInString(text[i:]); i == len(text) || strings.ContainsRune(".,;:!?。、", next) {
			kept := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(kept)
		}
	}
	return b.String()
}

// raised are the numbers and daggers of footnotes.
const raised = "¹²³⁴⁵⁶⁷⁸⁹⁰†‡"

func afterStop(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".。,、!?！？)）」"+raised, r)
}

// skipCitations returns where the citations that begin at a place end; the place itself
// where none begins.
func skipCitations(text string, at int) int {
	for at < len(text) {
		end := skipCitation(text, at)
		if end == at {
			break
		}
		at = end
	}
	return at
}

func skipCitation(text string, at int) int {
	r, size := utf8.DecodeRuneInString(text[at:])
	if strings.ContainsRune(raised, r) {
		return at + size
	}
	var closer string
	switch r {
	case '[':
		closer = "]"
	case '【':
		closer = "】"
	default:
		return at
	}
	inside, _, closed := strings.Cut(text[at+size:], closer)
	if !closed || !strings.ContainsFunc(inside, unicode.IsDigit) || strings.Trim(inside, "^0123456789, -–") != "" {
		return at
	}
	return at + size + len(inside) + len(closer)
}

// links writes [text](address) as text and address.
func links(text string) string {
	before, rest, found := strings.Cut(text, "[")
	if !found {
		return text
	}
	label, rest, found := strings.Cut(rest, "](")
	address, rest, closed := strings.Cut(rest, ")")
	if !found || !closed || strings.ContainsAny(label+address, "[\n ") && !strings.Contains(address, "://") {
		return text
	}
	open, end := " (", ")"
	if strings.ContainsFunc(label, isCJK) {
		open, end = "（", "）"
	}
	return before + label + open + address + end + links(rest)
}
