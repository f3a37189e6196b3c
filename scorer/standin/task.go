package standin

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// The tasks, as faults and statistics name them.
const (
	taskStatements = "statements"
	taskVerdicts   = "verdicts"
	taskQuestion   = "question"
	taskEmbeddings = "embeddings"
	taskModels     = "models"
	taskProbe      = "probe" // does a schema bind the reply?
	taskCount      = "count" // does the limit of tokens?
	taskUnknown    = "unknown"
)

// verdict is one line of a reply. Value is an integer unless a fault made it something else.
type verdict struct {
	I      int    `json:"i"`
	Reason string `json:"reason"`
	Value  any    `json:"verdict"`
}

// perform makes the content of choice i.
func (s *Server) perform(x *exchange, i int) (string, *apiError) {
	payload := gjson.Parse(x.request.payload)
	switch x.request.task {
	case taskProbe:
		return probed(x.request), nil
	case taskCount:
		return counted(), nil
	}
	if x.request.task == taskVerdicts {
		vs, bad := s.verdicts(payload)
		if bad != nil {
			return "", bad
		}
		return encode(map[string]any{"verdicts": x.verdicts(vs)})
	}
	answer := payload.Get("answer")
	if answer.Type != gjson.String {
		return "", badRequest("messages", "statements and questions need an answer, a text")
	}
	if x.request.task == taskStatements {
		return encode(map[string]any{"statements": x.statements(answer.String())})
	}
	return encode(x.question(s.answers.get(answer.String(), newInterview).question(i, payload.Get("language").String())))
}

// question lets the faults in force change it.
func (x *exchange) question(g generated) generated {
	x.spoil(func(m mode, _ Fault) bool {
		if m.question != nil {
			g.Question = m.question(g.Question)
		}
		return m.question != nil
	})
	return g
}

func encode(v any) (string, *apiError) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", badRequest("", "encode the reply: %v", err)
	}
	return string(b), nil
}

// statements lets the faults in force change the list.
func (x *exchange) statements(answer string) []string {
	list := statements(answer)
	x.spoil(func(m mode, _ Fault) bool {
		if m.statements != nil {
			list = m.statements(list)
		}
		return m.statements != nil
	})
	return list
}

// verdicts lets the faults in force change the list.
func (x *exchange) verdicts(vs []verdict) []verdict {
	x.spoil(func(m mode, f Fault) bool {
		if m.verdicts != nil {
			vs = m.verdicts(x, f, vs)
		}
		return m.verdicts != nil
	})
	return vs
}

func (s *Server) verdicts(payload gjson.Result) ([]verdict, *apiError) {
	list := payload.Get("statements")
	if !list.IsArray() || !payload.Get("contexts").IsArray() {
		return nil, badRequest("messages", "verdicts need contexts and statements, both lists")
	}
	var contexts []*source
	payload.Get("contexts").ForEach(func(_, c gjson.Result) bool {
		contexts = append(contexts, s.shelf.get(c.String(), newSource))
		return true
	})
	out := []verdict{}
	list.ForEach(func(_, v gjson.Result) bool {
		text := v.Get("text").String()
		f := compare(s.texts.get(text, newDigest), contexts)
		out = append(out, verdict{I: int(v.Get("i").Int()), Reason: reason(text, f), Value: value(f.supported())})
		return true
	})
	return out, nil
}

func value(supported bool) int {
	if supported {
		return 1
	}
	return 0
}

// reason says what was found, in the language of the statement.
func reason(text string, f finding) string {
	w := englishReason
	if hasKana(text) {
		w = japaneseReason
	}
	why := []string{fmt.Sprintf(w.coverage, 100*f.coverage)}
	if f.number {
		why = append(why, w.number)
	}
	if f.negation {
		why = append(why, w.negation)
	}
	return ReasonPrefix + " " + strings.Join(why, w.and)
}

type reasonWords struct{ coverage, number, negation, and string }

var (
	englishReason = reasonWords{
		coverage: "%.0f %% of its words are in the contexts", number: "a number is in none of them",
		negation: "the sentence nearest to it says the opposite", and: "; ",
	}
	japaneseReason = reasonWords{
		coverage: "語の%.0f%%が検索文書にある", number: "数字の一部が見当たらない",
		negation: "最も近い文は逆を述べている", and: "。",
	}
)

type generated struct {
	Question     string `json:"question"`
	Noncommittal int    `json:"noncommittal"`
}

// interview is what questions to an answer are made of.
type interview struct {
	claims []string // at least one
	evades bool
}

func newInterview(answer string) (*interview, int) {
	claims := statements(answer)
	evades := len(claims) == 0 || isNoncommittal(answer)
	if len(claims) == 0 {
		claims = []string{strings.TrimSpace(answer)}
	}
	return &interview{claims: claims, evades: evades}, 2 * len(answer)
}

// question asks for claim i; after the last one it begins again.
func (v *interview) question(i int, language string) generated {
	return generated{Question: ask(v.claims[i%len(v.claims)], language), Noncommittal: value(v.evades)}
}

// ask turns a sentence into a question. The language decides only where the script does
// not: the stand-in does not translate.
func ask(sentence, language string) string {
	s := strings.TrimRight(sentence, "。｡．.!！ "+closers)
	switch {
	case s == "":
		return ""
	case hasKana(s), language == "ja" && strings.ContainsFunc(s, isKanji):
		return s + "か"
	case strings.ContainsFunc(s, isHangul):
		return s + "까?"
	case strings.ContainsFunc(s, isKanji):
		return s + "吗?"
	}
	return "Is it true that " + s + "?"
}

func hasKana(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return isHiragana(r) || isKatakana(r) })
}

func isHangul(r rune) bool { return unicode.Is(unicode.Hangul, r) }
