package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"leadline/scorer"
)

const (
	maxAnswerTokens  = 8_000
	maxContextTokens = 24_000 // of one call, where the configuration says nothing
)

// checkLength refuses what a judge could only read in part: cut contexts would turn
// supported statements into unsupported ones.
func checkLength(what string, limit int, texts ...string) error {
	n := 0
	for _, text := range texts {
		n += tokens(text)
	}
	if n <= limit {
		return nil
	}
	return &scorer.UnscorableError{Reason: scorer.ReasonTooLong, Detail: fmt.Sprintf("%s of about %d tokens, limit %d", what, n, limit)}
}

// tokens estimates: four ASCII characters are one token, and four others are three.
func tokens(text string) int {
	ascii := 0
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			ascii++
		}
	}
	if ascii == len(text) {
		return ascii / 4
	}
	return ascii/4 + (utf8.RuneCountInString(text)-ascii)*3/4
}

// clean makes text safe to show to a model without changing what it says: valid UTF-8,
// no invisible characters that carry hidden text, and no marks that a self-hosted chat
// template would take for its own.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\u200B', r == '\u2060', r == '\uFEFF', r >= 0xE0000 && r <= 0xE007F:
			return -1
		}
		return r
	}, text)
	if !strings.ContainsAny(text, "<[") {
		return text
	}
	return strings.NewReplacer("<|", "< |", "[INST]", "[ INST]", "[/INST]", "[ /INST]", "<think>", "< think>",
		"</think>", "< /think>", "<s>", "< s>", "</s>", "< /s>").Replace(text)
}

// userMessage puts the data into one JSON object, where quotes and line ends are escaped:
// no text can end its field.
func userMessage(data any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return "", fmt.Errorf("write user message: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// normalise is what happens to both sides of a cosine before they are embedded.
func normalise(prefix, text string) string {
	text = strings.Join(strings.Fields(norm.NFKC.String(strings.ToValidUTF8(text, "\uFFFD"))), " ")
	if text == "" {
		return ""
	}
	return prefix + text
}
