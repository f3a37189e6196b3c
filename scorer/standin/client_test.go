package standin_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"leadline/scorer/standin"
)

type verdict struct {
	I       int    `json:"i"`
	Reason  string `json:"reason"`
	Verdict any    `json:"verdict"`
}

type reply struct {
	Status int
	Header http.Header
	Body   string
	Parsed struct {
		Model       string `json:"model"`
		Fingerprint string `json:"system_fingerprint"`
		Choices     []struct {
			Index        int    `json:"index"`
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content string  `json:"content"`
				Refusal *string `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Total      int `json:"total_tokens"`
		} `json:"usage"`
		Error *struct {
			Code    any    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
}

func (r reply) content(t testing.TB) string {
	t.Helper()
	if r.Status != http.StatusOK || len(r.Parsed.Choices) == 0 {
		t.Fatalf("status %d: %s", r.Status, r.Body)
	}
	return r.Parsed.Choices[0].Message.Content
}

func newServer(t testing.TB, o standin.Options) *standin.Server {
	t.Helper()
	s, err := standin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func send(t testing.TB, h http.Handler, path string, body []byte) reply {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body)))
	return read(t, w.Result())
}

func read(t testing.TB, res *http.Response) reply {
	t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	r := reply{Status: res.StatusCode, Header: res.Header, Body: string(b)}
	// Faults send bodies that are no JSON.
	_ = json.Unmarshal(b, &r.Parsed)
	return r
}

// chatBody is a request for a task, as the scorer sends it.
func chatBody(t testing.TB, schema string, payload any, more map[string]any) []byte {
	t.Helper()
	user, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	q := map[string]any{
		"model": standin.Model,
		"messages": []map[string]string{
			{"role": "system", "content": "You read data and return JSON."},
			{"role": "user", "content": string(user)},
		},
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": schema, "strict": true}},
	}
	maps.Copy(q, more)
	b, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func chat(t testing.TB, h http.Handler, schema string, payload any) reply {
	t.Helper()
	return send(t, h, "/v1/chat/completions", chatBody(t, schema, payload, nil))
}

func askStatements(t testing.TB, h http.Handler, answer string) []string {
	t.Helper()
	var out struct {
		Statements []string `json:"statements"`
	}
	decode(t, chat(t, h, "statements_v1", map[string]any{"question": "", "answer": answer}).content(t), &out)
	return out.Statements
}

func verdictPayload(contexts, statements []string) map[string]any {
	list := []map[string]any{}
	for i, s := range statements {
		list = append(list, map[string]any{"i": i + 1, "text": s})
	}
	return map[string]any{"contexts": contexts, "statements": list}
}

func askVerdicts(t testing.TB, h http.Handler, contexts, statements []string) []verdict {
	t.Helper()
	return readVerdicts(t, chat(t, h, "verdicts_v1", verdictPayload(contexts, statements)).content(t))
}

func readVerdicts(t testing.TB, content string) []verdict {
	t.Helper()
	var out struct {
		Verdicts []verdict `json:"verdicts"`
	}
	decode(t, content, &out)
	return out.Verdicts
}

type question struct {
	Question     string `json:"question"`
	Noncommittal int    `json:"noncommittal"`
}

func askQuestion(t testing.TB, h http.Handler, answer string) question {
	t.Helper()
	var q question
	decode(t, chat(t, h, "question_v1", map[string]any{"answer": answer, "language": "en"}).content(t), &q)
	return q
}

func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// faithfulness is supported statements by statements; ok is false without statements.
func faithfulness(t testing.TB, h http.Handler, answer string, contexts []string) (value float64, ok bool) {
	t.Helper()
	list := askStatements(t, h, answer)
	if len(list) == 0 {
		return 0, false
	}
	supported := 0
	for _, v := range askVerdicts(t, h, contexts, list) {
		if v.Verdict == 1.0 {
			supported++
		}
	}
	return float64(supported) / float64(len(list)), true
}
