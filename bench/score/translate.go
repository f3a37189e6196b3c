package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/tidwall/gjson"

	"leadline/scorer/standin"
)

// The titles of the schemas by which Ragas 0.4.3 says what it wants, and the stand-in's
// names for the same tasks.
var tasks = map[string]string{
	`"title": "StatementGeneratorOutput"`: "statements_v1",
	`"title": "NLIStatementOutput"`:       "verdicts_v1",
	`"title": "AnswerRelevanceOutput"`:    "question_v1",
}

// answerRagas asks the stand-in what a request of Ragas asks for, and replies in the shape
// that it wants.
func (e *endpoint) answerRagas(ctx context.Context, body []byte) *httptest.ResponseRecorder {
	messages := gjson.GetBytes(body, "messages")
	task, input := taskOf(messages.Get("0.content").String()), inputOf(messages.Get("1.content").String())
	if task == "" || !input.IsObject() {
		return refuse("the endpoint knows neither the schema nor the input of this request")
	}
	data, choice := e.data(task, input)
	w := e.ask(ctx, "/chat/completions", chatBody(task, choice+1, data))
	if w.Code != http.StatusOK {
		return w
	}
	content := gjson.GetBytes(w.Body.Bytes(), fmt.Sprintf("choices.%d.message.content", choice)).String()
	if task == "verdicts_v1" {
		content = encode(map[string]any{"statements": restate(input.Get("statements").Array(), gjson.Get(content, "verdicts").Array())})
	}
	return completion(content)
}

func taskOf(system string) string {
	for title, task := range tasks {
		if strings.Contains(system, title) {
			return task
		}
	}
	return ""
}

// inputOf finds the last JSON object after "input:" at the beginning of a line: inside of JSON
// texts no line begins.
func inputOf(user string) gjson.Result {
	at := strings.LastIndex(user, "\ninput: ")
	if at < 0 {
		return gjson.Result{}
	}
	return gjson.Parse(user[at+len("\ninput: "):])
}

// data is what the stand-in needs of an input, and which of its choices answers. Leadline gets
// several questions in one request, Ragas one in each of as many equal requests.
func (e *endpoint) data(task string, in gjson.Result) (data any, choice int) {
	switch task {
	case "verdicts_v1":
		var list []map[string]any
		for i, s := range in.Get("statements").Array() {
			list = append(list, map[string]any{"i": i + 1, "text": s.String()})
		}
		return map[string]any{"contexts": []string{in.Get("context").String()}, "statements": list}, 0
	case "question_v1":
		answer := in.Get("response").String()
		e.mu.Lock()
		defer e.mu.Unlock()
		choice = e.asked[answer] % strictness
		e.asked[answer]++
		return map[string]any{"answer": answer, "language": e.language[answer]}, choice
	}
	return map[string]any{"question": in.Get("question").String(), "answer": in.Get("answer").String()}, 0
}

// hear remembers the language in which Leadline asks for questions: Ragas names none, and the
// stand-in should write the same question for both.
func (e *endpoint) hear(body []byte) {
	for _, m := range gjson.GetBytes(body, "messages").Array() {
		user := gjson.Parse(m.Get("content").String())
		if language := user.Get("language").String(); language != "" {
			e.mu.Lock()
			e.language[user.Get("answer").String()] = language
			e.mu.Unlock()
		}
	}
}

func chatBody(task string, n int, data any) []byte {
	return []byte(encode(map[string]any{
		"model": standin.Model, "n": n,
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": task}},
		"messages":        []map[string]any{{"role": "user", "content": encode(data)}},
	}))
}

// restate gives verdicts as Ragas wants them: with the statement in place of its number.
func restate(statements, verdicts []gjson.Result) []map[string]any {
	out := []map[string]any{}
	for i, v := range verdicts {
		out = append(out, map[string]any{"statement": statements[i].String(), "reason": v.Get("reason").String(), "verdict": v.Get("verdict").Int()})
	}
	return out
}

// joinContexts makes one text of the contexts of a verdict request, as Ragas does, so that
// both sides have the stand-in compare with the same. Other requests stay as they are.
func joinContexts(body []byte) []byte {
	messages := gjson.GetBytes(body, "messages").Array()
	for i, m := range messages {
		contexts := gjson.Get(m.Get("content").String(), "contexts").Array()
		if m.Get("role").String() != "user" || len(contexts) < 2 {
			continue
		}
		var data map[string]any
		if json.Unmarshal([]byte(m.Get("content").String()), &data) != nil {
			return body
		}
		texts := make([]string, len(contexts))
		for k, c := range contexts {
			texts[k] = c.String()
		}
		data["contexts"] = []string{strings.Join(texts, "\n")}
		return withField(body, "messages", withContent(messages, i, encode(data)))
	}
	return body
}

func withContent(messages []gjson.Result, at int, content string) []any {
	out := make([]any, len(messages))
	for i, m := range messages {
		out[i] = m.Value()
	}
	out[at].(map[string]any)["content"] = content
	return out
}

// withField replaces a field of a JSON object.
func withField(body []byte, name string, value any) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	fields[name] = json.RawMessage(encode(value))
	return []byte(encode(fields))
}

// embed answers with base64 where that is asked for: Ragas's client wants it, the stand-in
// knows numbers only.
func (e *endpoint) embed(ctx context.Context, body []byte) *httptest.ResponseRecorder {
	if gjson.GetBytes(body, "encoding_format").String() != "base64" {
		return e.ask(ctx, "/embeddings", body)
	}
	w := e.ask(ctx, "/embeddings", withField(body, "encoding_format", "float"))
	if w.Code != http.StatusOK {
		return w
	}
	var data []map[string]any
	for i, item := range gjson.GetBytes(w.Body.Bytes(), "data").Array() {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": pack(item.Get("embedding").Array())})
	}
	return reply(encode(map[string]any{"object": "list", "model": standin.Model, "data": data,
		"usage": map[string]int{"prompt_tokens": 0, "total_tokens": 0}}))
}

func pack(numbers []gjson.Result) string {
	var b bytes.Buffer
	for _, x := range numbers {
		_ = binary.Write(&b, binary.LittleEndian, math.Float32bits(float32(x.Float()))) // a buffer takes all
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func completion(content string) *httptest.ResponseRecorder {
	return reply(encode(map[string]any{
		"id": "standin", "object": "chat.completion", "created": 0, "model": standin.Model,
		"choices": []map[string]any{{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": content}}},
		"usage":   map[string]int{"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
	}))
}

func reply(body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.WriteString(body) // a recorder takes all
	return w
}

func refuse(why string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.WriteString(encode(map[string]any{"error": map[string]string{"message": why}})) // a recorder takes all
	return w
}

// encode panics on what JSON does not know: only constants and texts come here.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
