package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"leadline/config"
	"leadline/scorer/openai"
)

// reply is what the scripted server sends: a chat reply with the contents, or Body as it is.
type reply struct {
	Contents []string
	Finish   string
	Refusal  string
	Model    string
	Prompt   int // tokens counted
	Status   int
	Header   map[string]string
	Body     string
	Err      error // of the connection
}

// vector answers a request for the vector of one text.
var vector = reply{Body: `{"data":[{"index":0,"embedding":[1]}]}`}

// capable answers as a server that can do all.
func capable(path, body string) reply {
	switch {
	case strings.HasSuffix(path, "/embeddings"):
		return vector
	case strings.Contains(body, "Task id: question/v2"):
		return says(`{"question":"When?","noncommittal":0}`, `{"question":"When?","noncommittal":0}`)
	}
	return says(good)
}

func says(contents ...string) reply { return reply{Contents: contents} }

func (r reply) body() string {
	if r.Contents == nil {
		return r.Body
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Refusal string `json:"refusal,omitempty"`
	}
	type choice struct {
		Index   int     `json:"index"`
		Message message `json:"message"`
		Finish  string  `json:"finish_reason"`
	}
	var choices []choice
	for i, c := range r.Contents {
		finish := r.Finish
		if finish == "" {
			finish = "stop"
		}
		choices = append(choices, choice{i, message{"assistant", c, r.Refusal}, finish})
	}
	model := r.Model
	if model == "" {
		model = "judge-1"
	}
	prompt := r.Prompt
	if prompt == 0 {
		prompt = 100
	}
	data, err := json.Marshal(map[string]any{"model": model, "choices": choices,
		"usage": map[string]any{"prompt_tokens": prompt, "completion_tokens": 10, "prompt_tokens_details": map[string]int{"cached_tokens": 5}}})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// script is a server without a network: it sends its replies in order, the last one again
// and again, and keeps what it was sent.
type script struct {
	replies []reply
	answer  func(path, body string) reply // instead of replies

	mu      sync.Mutex // guards what is below
	bodies  []string
	headers []http.Header
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	var err error
	if req.Body != nil {
		body, err = io.ReadAll(req.Body)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = append(s.bodies, string(body))
	s.headers = append(s.headers, req.Header)
	var r reply
	if s.answer != nil {
		r = s.answer(req.URL.Path, string(body))
	} else {
		r = s.replies[min(len(s.bodies), len(s.replies))-1]
	}
	if r.Err != nil {
		return nil, r.Err
	}
	resp := &http.Response{StatusCode: max(r.Status, 200), Header: http.Header{}, Request: req,
		Body: io.NopCloser(bytes.NewReader([]byte(r.body()))), ContentLength: -1}
	for k, v := range r.Header {
		resp.Header.Set(k, v)
	}
	return resp, nil
}

func (s *script) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

func judgeConfig() config.Judge {
	temperature := 0.01
	return config.Judge{BaseURL: "https://judge.test/v1", APIKey: secret, Model: "judge-1", Temperature: &temperature, Strictness: 3,
		Embeddings: config.Embeddings{Model: "embed-1"}}
}

const secret = "sk-planted-7c1d"

func newJudge(t testing.TB, cfg config.Judge, s *script, o openai.Options) *openai.Judge {
	t.Helper()
	o.Transport = s
	j, err := openai.New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// planJudge is a judge of the usual configuration over the replies.
func planJudge(t testing.TB, replies ...reply) (*openai.Judge, *script) {
	t.Helper()
	s := &script{replies: replies}
	return newJudge(t, judgeConfig(), s, openai.Options{}), s
}

type mapMemo struct {
	mu     sync.Mutex // guards values
	values map[string][]byte
	err    error
}

func (m *mapMemo) Get(key string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok, nil
}

func (m *mapMemo) Put(values map[string][]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string][]byte{}
	}
	maps.Copy(m.values, values)
	return m.err
}

// field decodes one field of a request body.
func field[T any](t testing.TB, body, name string) (value T, present bool) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		t.Fatalf("request is not a JSON object: %v", err)
	}
	raw, present := fields[name]
	if present {
		if err := json.Unmarshal(raw, &value); err != nil {
			t.Fatalf("field %s: %v", name, err)
		}
	}
	return value, present
}

func quote(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

var fence = strings.Repeat("`", 3)
