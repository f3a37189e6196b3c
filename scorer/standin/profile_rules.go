package standin

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// refused is a rule that answers with status 400.
func refused(applies func(chatRequest) bool, param, text string) rule {
	return rule{applies, *badRequest(param, "%s", text)}
}

// forbidden is how servers answer that check a request against a model of it.
func forbidden(field string) rule {
	return rule{sends(field), apiError{status: http.StatusUnprocessableEntity, kind: "extra_forbidden", param: field, text: "Extra inputs are not permitted"}}
}

func sends(field string) func(chatRequest) bool {
	return func(q chatRequest) bool { return q.raw.Get(field).Exists() }
}

func format(name string) func(chatRequest) bool {
	return func(q chatRequest) bool { return q.format == name }
}

func marks(words string) func(chatRequest) bool {
	return func(q chatRequest) bool { return marked(q, words) }
}

// marked says whether the text to judge holds words that stand for something a filter stops.
func marked(q chatRequest, words string) bool { return strings.Contains(q.payload, words) }

func several(q chatRequest) bool    { return q.n > 1 }
func tierFlex(q chatRequest) bool   { return q.raw.Get("service_tier").String() == "flex" }
func effortNone(q chatRequest) bool { return q.raw.Get("reasoning_effort").String() == "none" }

func thinkingDisabled(q chatRequest) bool { return q.raw.Get("thinking.type").String() == "disabled" }

func severalGreedily(q chatRequest) bool {
	return q.n > 1 && q.temperature && q.raw.Get("temperature").Float() < 1e-5
}

func objectWithoutTheWord(q chatRequest) bool {
	return q.format == "json_object" && !strings.Contains(strings.ToLower(q.raw.Get("messages").Raw), "json")
}

// cutPrompt drops the beginning of what is too long for a window of so many tokens, and counts
// what is left, as a server does that keeps the end of a conversation.
func cutPrompt(q *chatRequest, window int) {
	over := q.prompt - window
	if over <= 0 {
		return
	}
	q.prompt = window
	payload := gjson.Parse(q.payload)
	kept := map[string]any{}
	payload.ForEach(func(key, v gjson.Result) bool {
		kept[key.String()] = v.Value()
		return true
	})
	contexts := []string{}
	payload.Get("contexts").ForEach(func(_, c gjson.Result) bool {
		if text, n := c.String(), estimateTokens(c.String()); n > over {
			runes := []rune(text)
			contexts = append(contexts, string(runes[min(len(runes), len(runes)*over/n):]))
			over = 0
		} else {
			over -= n
		}
		return true
	})
	if payload.Get("contexts").Exists() {
		kept["contexts"] = contexts
	}
	if cut, err := json.Marshal(kept); err == nil {
		q.payload = string(cut)
	}
}

// flatFault is vLLM's.
func flatFault(e *apiError) any {
	return map[string]any{"object": "error", "message": e.text, "type": "BadRequestError", "param": nil, "code": e.status}
}

// numberedFault has the status for a code: llama.cpp's.
func numberedFault(e *apiError) any {
	return map[string]any{"error": map[string]any{"code": e.status, "message": e.text, "type": e.kind}}
}

// textFault is LM Studio's.
func textFault(e *apiError) any { return map[string]any{"error": e.text} }

// listedFault is Gemini's.
func listedFault(e *apiError) any {
	return []any{map[string]any{"error": map[string]any{"code": e.status, "message": e.text, "status": "INVALID_ARGUMENT"}}}
}

// detailFault is FastAPI's.
func detailFault(e *apiError) any {
	return map[string]any{"detail": []any{map[string]any{"type": e.kind, "loc": []string{"body", e.param}, "msg": e.text}}}
}
