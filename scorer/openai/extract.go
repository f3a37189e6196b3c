package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"leadline/scorer"
)

// maxRepair bounds what goes to the repair library, whose time grows with the square.
const maxRepair = 32 << 10

// problem says why a reply cannot be used as it is.
type problem struct {
	reason   scorer.Reason
	feedback string // for the judge, in its second chance; without users' text
	// soft is set when the value read beside the problem shows what the judge meant: it
	// is given to the caller if the second chance does no better.
	soft bool
}

func (p *problem) Error() string { return string(p.reason) + ": " + p.feedback }

func badReply(feedback string) *problem {
	return &problem{reason: scorer.ReasonBadReply, feedback: feedback}
}

// extract finds the one JSON object with the wanted key in what a model wrote: alone, in
// a fence, among prose, after its thoughts, or encoded twice. Only a complete object is
// ever repaired; an incomplete one is truncated.
func extract(text, key string) (map[string]json.RawMessage, error) {
	text, err := withoutThoughts(decodeTwice(text))
	if err != nil {
		return nil, err
	}
	var found map[string]json.RawMessage
	var first []byte
	cut := false
	for rest := text; ; {
		start := strings.IndexByte(rest, '{')
		if start < 0 {
			break
		}
		end, complete := objectEnd(rest[start:])
		if !complete {
			cut = true
			break
		}
		raw := rest[start : start+end]
		rest = rest[start+end:]
		fields := decodeObject(raw)
		if _, ok := fields[key]; !ok {
			continue
		}
		canonical := compact(fields)
		if found != nil && !bytes.Equal(first, canonical) {
			return nil, badReply("it holds two different objects")
		}
		found, first = fields, canonical
	}
	switch {
	case found != nil:
		return found, nil
	case cut:
		return nil, &problem{reason: scorer.ReasonTruncated, feedback: "the JSON object is incomplete"}
	case isRefusal(text):
		return nil, &problem{reason: scorer.ReasonRefusal, feedback: "it refuses"}
	default:
		return nil, badReply(`it holds no JSON object with the key "` + key + `"`)
	}
}

// decodeTwice returns the text inside where the whole reply is one JSON string.
func decodeTwice(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	inner, fenced := strings.CutPrefix(text, "```")
	if fenced {
		inner = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(inner, "json"), "```"))
	}
	var decoded string
	if strings.HasPrefix(inner, `"`) && json.Unmarshal([]byte(inner), &decoded) == nil {
		return strings.TrimSpace(decoded)
	}
	return text
}

// withoutThoughts drops what a reasoning model says to itself before its reply. A closing
// tag without an opening one happens where the chat template ate that.
func withoutThoughts(text string) (string, error) {
	brace := strings.IndexByte(text, '{')
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		open, end := "<"+tag+">", "</"+tag+">"
		at := strings.Index(text, open)
		opened := at >= 0 && (brace < 0 || at < brace)
		if !opened && brace == 0 {
			continue // the tag, if there is one, is part of the reply's text
		}
		_, after, closed := strings.Cut(text, end)
		switch {
		case closed:
			return strings.TrimSpace(after), nil
		case opened:
			return "", &problem{reason: scorer.ReasonTruncated, feedback: "it ends within its thoughts"}
		}
	}
	return text, nil
}

// objectEnd returns the length of the object with which s begins. Braces inside of
// strings do not count.
func objectEnd(s string) (n int, complete bool) {
	depth, inString := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// decodeObject decodes a complete object, repaired where need be; nil if that is no use.
func decodeObject(raw string) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &fields) == nil {
		return fields
	}
	if len(raw) > maxRepair {
		return nil
	}
	repaired, err := jsonrepair.Repair(raw)
	if err != nil || json.Unmarshal([]byte(repaired), &fields) != nil {
		return nil
	}
	return fields
}

func compact(fields map[string]json.RawMessage) []byte {
	data, err := json.Marshal(fields) // sorts the keys and drops the spaces
	if err != nil {
		return nil
	}
	return data
}

// isRefusal knows how models begin when they decline in prose.
func isRefusal(text string) bool {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	for _, start := range []string{"i'm sorry", "i am sorry", "sorry, ", "i can't", "i cannot", "i'm unable", "i am unable",
		"申し訳", "お答えできません", "対応できません"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
