package standin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences splits text after 。！？．｡!? and before a newline, and after a full stop
// that a space follows. It splits no decimals, no abbreviations and no list numbers.
// Each sentence is a trimmed, non-empty part of text, in order; together they hold
// every letter and digit of it.
func sentences(text string) []string {
	var out []string
	start := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		if endsSentence(text, start, i, r, end) {
			end = skipClosers(text, end)
			out = appendTrimmed(out, text[start:end])
			start = end
		}
		i = end
	}
	return appendTrimmed(out, text[start:])
}

func endsSentence(text string, start, at int, r rune, end int) bool {
	switch r {
	case '\n', '。', '｡', '！', '？', '‼', '⁉', '⁇':
		return true
	case '!', '?':
		return !inAddress(text, end)
	case '．':
		return !digitAt(text, at, end)
	case '.':
		return stopsAt(text, start, at, end)
	}
	return false
}

// inAddress says whether a mark stands before more of an address, as in "/search?q=a".
func inAddress(text string, end int) bool {
	return end < len(text) && (isLetterOrDigit(text[end]) || text[end] == '/' || text[end] == '#')
}

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// digitAt says whether the mark from at to end stands between two digits.
func digitAt(text string, at, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return unicode.IsDigit(before) && unicode.IsDigit(after)
}

// stopsAt decides about an ASCII full stop.
func stopsAt(text string, start, at, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	// "in 1921.[1] Its first" ends a sentence as "in 1921. Its first" does.
	end = skipCitations(text, end)
	after, _ := utf8.DecodeRuneInString(text[end:])
	if isCJK(before) || isCJK(after) {
		return after != '.' && !unicode.IsDigit(before)
	}
	if end < len(text) && !unicode.IsSpace(after) && !strings.ContainsRune(closers, after) {
		return false
	}
	word := strings.TrimSpace(text[start:at])
	if isNumeral(word) {
		return false
	}
	if i := strings.LastIndexFunc(word, unicode.IsSpace); i >= 0 {
		lead := strings.TrimSpace(word[:i])
		word = word[i+1:]
		// "such as: 1. Increase" begins a list.
		if isNumeral(word) && strings.HasSuffix(lead, ":") {
			return false
		}
	}
	return !isAbbreviation(word)
}

// isNumeral says whether word, alone before a full stop, numbers an item of a list.
func isNumeral(word string) bool {
	word = strings.TrimSpace(word)
	return word != "" && len(word) <= 3 && strings.Trim(word, "0123456789") == ""
}

func isAbbreviation(word string) bool {
	word = strings.TrimLeft(word, "(\"'")
	if isInitials(word) {
		return true
	}
	if len(word) == 1 {
		return unicode.IsUpper(rune(word[0])) && word != "I"
	}
	switch strings.ToLower(word) {
	case "e.g", "i.e", "cf", "vs", "approx", "nos", "fig", "dr", "mr", "mrs", "ms", "prof", "st", "inc", "ltd", "co", "jr", "sr", "u.s", "u.k":
		return true
	}
	return word == "No"
}

// isInitials knows "C.S" of "C.S. Krishnaswami".
func isInitials(word string) bool {
	if len(word) < 3 || len(word) > 7 || len(word)%2 == 0 {
		return false
	}
	for i := range len(word) {
		if i%2 == 1 && word[i] != '.' || i%2 == 0 && (word[i] < 'A' || word[i] > 'Z') {
			return false
		}
	}
	return true
}

const closers = "」』）】〉》)]\"'”’"

// skipClosers returns where the brackets, quotes, citations and further marks after a mark
// end.
func skipClosers(text string, at int) int {
	for at < len(text) {
		if end := skipCitations(text, at); end > at {
			at = end
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if !strings.ContainsRune(closers, r) && !strings.ContainsRune("。｡！？!?", r) {
			break
		}
		at += size
	}
	return at
}

func appendTrimmed(out []string, s string) []string {
	if s = strings.TrimSpace(s); s != "" {
		out = append(out, s)
	}
	return out
}

// trimMarks takes citations and the marks of lists, headings and emphasis off a sentence.
func trimMarks(s string) string {
	s = strings.ReplaceAll(links(dropCitations(s)), "**", "")
	if !strings.Contains(s, "`") {
		s = strings.ReplaceAll(s, "__", "")
	}
	s = strings.TrimLeft(s, "-*•・#>●■◆※ \t　")
	if i := strings.IndexAny(s, ".)"); i > 0 && isNumeral(s[:i]) && i+1 < len(s) && s[i+1] == ' ' {
		s = s[i+1:]
	}
	return strings.TrimSpace(strings.TrimRight(s, "*_ "))
}

func claimsNothing(s string) bool {
	if !strings.ContainsFunc(s, isWordRune) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, closers))
	if last == '?' || last == '？' {
		return true
	}
	hasDigit := strings.ContainsFunc(s, unicode.IsDigit)
	if last == ':' || last == '：' {
		return !hasDigit
	}
	return !hasDigit && isCourtesy(plain(s))
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isCJK(r rune) bool {
	return isKanji(r) || isHiragana(r) || isKatakana(r) || unicode.Is(unicode.Hangul, r)
}

func isHiragana(r rune) bool { return r >= 0x3041 && r <= 0x309f }

func isKatakana(r rune) bool { return r >= 0x30a0 && r <= 0x30ff || r >= 0xff66 && r <= 0xff9f }

func isKanji(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r == '々' || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && unicode.Is(unicode.Han, r)
}
