package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"leadline/scorer"
)

// problem says why a reply cannot be used as it is.
type problem struct {
	reason   scorer.Reason
	feedback string // for the judge, in its second chance; without users' text
	// soft is set when the value read beside the problem shows what the judge meant: it
	// is given to the caller if the second chance does no better.
	soft bool
}

func (p *problem) Error() string { return string(p.reason) + ": " + p.feedback }

func badJSON(feedback string) *problem {
	return &problem{reason: scorer.ReasonBadJSON, feedback: feedback}
}

func cutOff(feedback string) *problem {
	return &problem{reason: scorer.ReasonTruncated, feedback: feedback}
}

var errEmpty = &problem{reason: scorer.ReasonEmptyOutput, feedback: "it is empty"}

// extract finds the one JSON object with the wanted key in what a model wrote: alone, in
// a fence, among prose, after its thoughts, or encoded twice. Only a complete object is
// ever mended; an incomplete one is truncated, whatever stands before it.
func extract(text, key string) (map[string]json.RawMessage, error) {
	s := search{key: key, mendable: maxMended}
	return s.run(text)
}

// search is one look through a reply. Its time grows with the length of the reply.
type search struct {
	key      string
	mendable int // bytes that may still be mended
	scanned  int // bytes looked at for the ends of objects

	fields    map[string]json.RawMessage // of the first object with the key
	canonical []byte
	different bool // there are two, and they differ
	broken    bool // one that names the key cannot be read
}

func (s *search) run(text string) (map[string]json.RawMessage, error) {
	text, err := s.withoutThoughts(decodeTwice(text))
	if err != nil {
		return nil, err
	}
	text = decodeTwice(text)
	cut := s.objects(text)
	switch {
	case text == "":
		return nil, errEmpty
	case cut:
		return nil, cutOff("the JSON object is incomplete")
	case s.different:
		return nil, &problem{reason: scorer.ReasonAmbiguous, feedback: "it holds two different objects"}
	case s.broken:
		return nil, badJSON("the object is not valid JSON")
	case s.fields != nil:
		return s.fields, nil
	case isRefusal(text):
		return nil, &problem{reason: scorer.ReasonRefusal, feedback: "it refuses"}
	}
	return nil, badJSON(`it holds no JSON object with the key "` + s.key + `"`)
}

// objects takes every outermost object in, and says whether the last one has no end.
func (s *search) objects(text string) (cut bool) {
	for {
		start := strings.IndexByte(text, '{')
		if start < 0 {
			return false
		}
		end, complete := s.objectEnd(text[start:])
		if !complete {
			return true
		}
		s.take(text[start : start+end])
		text = text[start+end:]
	}
}

// take reads an object if it is one of those that were asked for.
func (s *search) take(raw string) {
	if !strings.Contains(raw, s.key) {
		return
	}
	fields := s.decode(raw)
	if fields == nil {
		s.broken = true
		return
	}
	if _, ok := fields[s.key]; !ok {
		return
	}
	canonical := compact(fields)
	if s.fields == nil {
		s.fields, s.canonical = fields, canonical
	}
	s.different = s.different || !bytes.Equal(s.canonical, canonical)
}

// decode decodes a complete object, mended where need be; nil if that is no use.
func (s *search) decode(raw string) map[string]json.RawMessage {
	if fields := decodeStrict(raw); fields != nil {
		return fields
	}
	if len(raw) > s.mendable {
		return nil
	}
	s.mendable -= len(raw)
	mended, ok := mend(raw)
	if !ok {
		return nil
	}
	return decodeStrict(mended)
}

// objectEnd returns the length of the object with which text begins. Braces inside of
// strings do not count.
func (s *search) objectEnd(text string) (n int, complete bool) {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				s.scanned += i + 1
				return i + 1, true
			}
		}
	}
	s.scanned += len(text)
	return 0, false
}

// withoutThoughts drops what a reasoning model says to itself before its reply. A closing
// tag without an opening one happens where the chat template ate that; one inside of an
// object is text.
func (s *search) withoutThoughts(text string) (string, error) {
	brace := strings.IndexByte(text, '{')
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		open, end := "<"+tag+">", "</"+tag+">"
		at := strings.Index(text, open)
		opened := at >= 0 && (brace < 0 || at < brace)
		closed := strings.Index(text, end)
		switch {
		case opened && closed < at:
			return "", cutOff("it ends within its thoughts")
		case opened:
			return strings.TrimSpace(text[closed+len(end):]), nil
		case closed < 0 || brace == 0:
			continue
		}
		inside, err := s.insideObject(text, closed)
		if err != nil {
			return "", err
		}
		if !inside {
			return strings.TrimSpace(text[closed+len(end):]), nil
		}
	}
	return text, nil
}

// insideObject says whether an object of text spans position at. An object with the key
// that begins before it and never ends may be the reply itself, cut off.
func (s *search) insideObject(text string, at int) (bool, error) {
	for from := 0; ; {
		start := strings.IndexByte(text[from:at], '{')
		if start < 0 {
			return false, nil
		}
		start += from
		end, complete := s.objectEnd(text[start:])
		switch {
		case !complete && strings.Contains(text[start:at], s.key):
			return false, cutOff("the JSON object is incomplete")
		case !complete:
			return false, nil
		case start+end > at:
			return true, nil
		}
		from = start + end
	}
}

// decodeTwice returns the text inside where the whole reply is one JSON string.
func decodeTwice(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "\uFEFF"))
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

func compact(fields map[string]json.RawMessage) []byte {
	data, err := json.Marshal(fields) // sorts the keys and drops the spaces
	if err != nil {
		return nil
	}
	return data
}
