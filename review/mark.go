package review

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// marks and answers are what people write; compared in lower case, full-width letters as
// half-width ones (NFKC).
var (
	marks = map[string]Mark{
		"": "", "supported": Supported, "s": Supported, "yes": Supported, "y": Supported, "true": Supported, "1": Supported, "ok": Supported,
		"裏付けあり": Supported, "あり": Supported, "○": Supported, "〇": Supported, "◯": Supported, "はい": Supported,
		"unsupported": Unsupported, "not supported": Unsupported, "u": Unsupported, "n": Unsupported, "no": Unsupported, "false": Unsupported, "0": Unsupported, "x": Unsupported,
		"裏付けなし": Unsupported, "なし": Unsupported, "×": Unsupported, "✕": Unsupported, "いいえ": Unsupported,
		"unclear": Unclear, "cannot tell": Unclear, "can't tell": Unclear, "?": Unclear, "判断できない": Unclear, "不明": Unclear, "△": Unclear,
	}
	answers = map[Mark]Mark{"": "", Supported: Yes, Unsupported: No, Unclear: Unclear}
)

// readMark reads what a person wrote about a statement.
func readMark(text string) (Mark, error) {
	word := strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(uncell(text))), " "))
	if m, ok := marks[word]; ok {
		return m, nil
	}
	return "", fmt.Errorf("a mark must be supported, not supported or cannot tell (in short: y, n, ?), or empty; this one is %d characters of something else", len([]rune(word)))
}

// readAnswered reads what a person wrote about whether the question was answered.
func readAnswered(text string) (Mark, error) {
	m, err := readMark(text)
	if err != nil {
		return "", fmt.Errorf("answered must be yes, no or cannot tell (in short: y, n, ?), or empty")
	}
	return answers[m], nil
}
