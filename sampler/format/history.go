package format

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"leadline/sampler"
)

const (
	// maxTurn and maxHistory bound what is kept of a conversation, in bytes: about 500 and
	// 2,000 tokens. A pronoun refers to what was said a moment ago.
	maxTurn    = 2 << 10
	maxHistory = 8 << 10
)

// asked fills in what came before the question and its rewritten form. No format has them by
// itself: they are users' text that goes to the judge only when somebody said so.
func (d document) asked(r *sampler.Record) (err error) {
	if r.Rewritten, err = d.text(fieldRewritten); err != nil {
		return err
	}
	r.Rewritten = strings.TrimSpace(r.Rewritten)
	list, err := d.list(fieldHistory)
	if err != nil {
		return err
	}
	var turns []string
	for _, turn := range list {
		if role, text := turnText(turn); text != "" {
			turns = append(turns, joinTurn(role, text))
		}
	}
	r.History = newest(withoutLast(turns, r.Question, r.Answer))
	return nil
}

// turnText returns who said what. It is empty for what no user saw: instructions of the
// system, calls of tools and what they returned.
func turnText(turn gjson.Result) (role, text string) {
	if !turn.IsObject() {
		return "", plainText(turn)
	}
	role = strings.ToLower(clean(scalarAt(turn, "role")))
	switch role {
	case "system", "developer", "tool", "function":
		return "", ""
	}
	return role, plainText(turn.Get("content"))
}

// plainText returns a text, or the texts of a list of parts.
func plainText(r gjson.Result) string {
	if !r.IsArray() {
		if r.Type != gjson.String {
			return ""
		}
		return strings.TrimSpace(valid(r.Str))
	}
	var parts []string
	for _, part := range r.Array() {
		if part.IsObject() {
			part = part.Get("text")
		}
		if part.Type == gjson.String {
			parts = append(parts, strings.TrimSpace(valid(part.Str)))
		}
	}
	return strings.Join(parts, "\n")
}

func joinTurn(role, text string) string {
	if len(text) > maxTurn {
		end := maxTurn
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	if role == "" {
		return text
	}
	return role + ": " + text
}

// withoutLast drops the question and the answer from the end of a list of messages that
// holds the whole conversation.
func withoutLast(turns []string, question, answer string) []string {
	for _, own := range []string{answer, question} {
		if own = strings.TrimSpace(own); own == "" || len(turns) == 0 {
			continue
		}
		_, text, named := strings.Cut(turns[len(turns)-1], ": ")
		if turns[len(turns)-1] == joinTurn("", own) || named && text == joinTurn("", own) {
			turns = turns[:len(turns)-1]
		}
	}
	return turns
}

// newest returns the last turns that fit, in their order; nil for none.
func newest(turns []string) []string {
	left, from := maxHistory, len(turns)
	for from > 0 && len(turns[from-1]) <= left {
		from--
		left -= len(turns[from])
	}
	if from == len(turns) {
		return nil
	}
	return turns[from:]
}
