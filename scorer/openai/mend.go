package openai

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/kaptinlin/jsonrepair"
)

const (
	// maxMended bounds what goes to the repair library, whose time grows with the square:
	// a reply of the usual size is a tenth of it.
	maxMended = 16 << 10
	// maxDepth is far above what any reply needs; the library slows down with the depth.
	maxDepth = 8
	// maxQuotes bounds single quotes: the library tries every one of them as an end of a
	// string. 2,000 in 4 KB take it 15 s; as many as this, in all that is mended, under 1 s.
	maxQuotes = 256
)

// quotes of typography make the library try every one of them as an end of a string, which
// takes minutes for a few thousand. In a reply they are text: they are put aside.
var (
	hideQuotes = strings.NewReplacer("“", "\uE000", "”", "\uE001", "‘", "\uE002", "’", "\uE003", "´", "\uE004", "`", "\uE005")
	showQuotes = strings.NewReplacer("\uE000", "“", "\uE001", "”", "\uE002", "‘", "\uE003", "’", "\uE004", "´", "\uE005", "`")
)

// mend repairs a complete object: single quotes, commas, comments, Python's words, line
// ends and quotes within strings. It leaves alone what it would have to make up: a list
// that ends in an ellipsis is shorter than the judge meant.
func mend(raw string) (string, bool) {
	if strings.ContainsAny(raw, "\uE000\uE001\uE002\uE003\uE004\uE005") || depth(raw) > maxDepth ||
		strings.Count(raw, "'") > maxQuotes || elides(raw) {
		return "", false
	}
	mended, err := jsonrepair.Repair(hideQuotes.Replace(raw))
	return showQuotes.Replace(mended), err == nil
}

// depth is how deep brackets lie in each other, those within strings included.
func depth(raw string) int {
	now, deepest := 0, 0
	for i := range len(raw) {
		switch raw[i] {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// elides says whether an element of a list or an object is an ellipsis.
func elides(raw string) bool {
	for rest := raw; ; {
		at := strings.Index(rest, "...")
		if at < 0 {
			return strings.Contains(raw, ",…") || strings.Contains(raw, ", …") || strings.Contains(raw, "[…")
		}
		before := strings.TrimRight(rest[:at], " \t\r\n")
		if before == "" || strings.ContainsRune(",[{", rune(before[len(before)-1])) {
			return true
		}
		rest = strings.TrimLeft(rest[at:], ".")
	}
}

// decodeStrict decodes an object of valid JSON that names no key twice; nil otherwise.
func decodeStrict(raw string) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if !jsontext.Value(raw).IsValid(jsontext.AllowInvalidUTF8(true)) || json.Unmarshal([]byte(raw), &fields) != nil {
		return nil
	}
	return fields
}
