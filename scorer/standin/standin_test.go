package standin_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"leadline/scorer/standin"
)

func TestItNeverPassesForAJudge(t *testing.T) {
	h := newServer(t, standin.Options{})
	r := chat(t, h, "verdicts_v1", verdictPayload([]string{remote}, []string{remote}))
	if r.Header.Get(standin.Header) != "1" || r.Parsed.Model != standin.Model || r.Parsed.Fingerprint != standin.Model {
		t.Errorf("header %q, model %q, fingerprint %q", r.Header.Get(standin.Header), r.Parsed.Model, r.Parsed.Fingerprint)
	}
	other := send(t, h, "/v1/chat/completions", chatBody(t, "verdicts_v1", verdictPayload(nil, nil), map[string]any{"model": "gpt-6-luna"}))
	if other.Status != http.StatusNotFound || other.Parsed.Error == nil || other.Parsed.Error.Code != "model_not_found" || other.Header.Get(standin.Header) != "1" {
		t.Errorf("another model: status %d, %s", other.Status, other.Body)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/models", nil))
	if want := `"id":"standin-lexical-v1"`; !strings.Contains(w.Body.String(), want) || strings.Count(w.Body.String(), `"id"`) != 1 {
		t.Errorf("models %s, want only %s", w.Body, want)
	}
}

func TestTaskByFirstLineOfSystemMessage(t *testing.T) {
	h := newServer(t, standin.Options{})
	for task, want := range map[string]string{
		"statements/v1": `"statements":["Badges are free."]`,
		"verdicts/v1":   `"verdicts":[]`,
		"question/v1":   `"question":"Is it true that Badges are free?"`,
	} {
		body, err := json.Marshal(map[string]any{
			"model":           standin.Model,
			"response_format": map[string]string{"type": "json_object"},
			"messages": []map[string]any{
				{"role": "system", "content": "Task id: " + task + "\nMore text."},
				{"role": "user", "content": []map[string]string{{"type": "text", "text": `{"answer":"Badges are free.",`}, {"type": "text", "text": `"contexts":[],"statements":[]}`}}},
				{"role": "assistant", "content": "nonsense"},
				{"role": "user", "content": "Your reply was not usable."},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := send(t, h, "/v1/chat/completions", body).content(t); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s in it", task, got, want)
		}
	}
}

func TestBadRequestsSayWhatIsWrong(t *testing.T) {
	h := newServer(t, standin.Options{})
	payload := map[string]any{"answer": "x"}
	for name, tt := range map[string]struct {
		path string
		body []byte
		want string
	}{
		"not JSON":          {"/v1/chat/completions", []byte("{"), "not JSON"},
		"unknown task":      {"/v1/chat/completions", chatBody(t, "poem_v1", payload, nil), "knows only the tasks"},
		"streaming":         {"/v1/chat/completions", chatBody(t, "question_v1", payload, map[string]any{"stream": true}), "does not stream"},
		"too many choices":  {"/v1/chat/completions", chatBody(t, "question_v1", payload, map[string]any{"n": 1000}), "at most 128"},
		"no payload":        {"/v1/chat/completions", chatBody(t, "question_v1", payload, map[string]any{"messages": []any{}}), "one JSON object"},
		"a list as payload": {"/v1/chat/completions", chatBody(t, "question_v1", []string{"x"}, nil), "one JSON object"},
		"no answer":         {"/v1/chat/completions", chatBody(t, "statements_v1", map[string]any{"question": "x"}, nil), "need an answer"},
		"verdicts on prose": {"/v1/chat/completions", chatBody(t, "verdicts_v1", payload, nil), "contexts and statements"},
		"empty input":       {"/v1/embeddings", []byte(`{"model":"standin-lexical-v1","input":["a",""]}`), "none of them empty"},
		"no input":          {"/v1/embeddings", []byte(`{"model":"standin-lexical-v1","input":[]}`), "1 to 2048"},
		"other dimensions":  {"/v1/embeddings", []byte(`{"model":"standin-lexical-v1","input":"a","dimensions":64}`), "512 only"},
		"base64":            {"/v1/embeddings", []byte(`{"model":"standin-lexical-v1","input":"a","encoding_format":"base64"}`), "float only"},
	} {
		if r := send(t, h, tt.path, tt.body); r.Status != http.StatusBadRequest || r.Parsed.Error == nil || !strings.Contains(r.Parsed.Error.Message, tt.want) {
			t.Errorf("%s: status %d, %s, want 400 with %q", name, r.Status, r.Body, tt.want)
		}
	}
}

func TestStatsTellAFinishedCallThatCameAgain(t *testing.T) {
	h := newServer(t, standin.Options{Faults: []standin.Fault{{Mode: "error_503", Rate: 1, First: 1}}})
	payload := map[string]any{"question": "q", "answer": "Badges are free."}
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusOK} {
		if got := chat(t, h, "statements_v1", payload).Status; got != want {
			t.Fatalf("status %d, want %d", got, want)
		}
	}
	s := h.Stats()
	if s.Requests != 3 || s.ByTask["statements"] != 3 || s.Distinct != 1 || s.AnsweredAgain != 1 || s.Faults["error_503"] != 1 {
		t.Errorf("stats %+v, want 3 requests of 1 body, one failed, one answered and one again", s)
	}
	if len(s.Bodies) != 1 || s.Bodies[0].Requests != 3 || s.Bodies[0].Answered != 2 || s.PromptTokens == 0 || s.CompletionTokens == 0 {
		t.Errorf("bodies %+v, %d and %d tokens", s.Bodies, s.PromptTokens, s.CompletionTokens)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/standin/stats", nil))
	if got := w.Body.String(); !strings.Contains(got, `"answered_again":1`) || strings.Contains(got, "bodies") {
		t.Errorf("GET /standin/stats: %s", got)
	}
}

func TestListenRefusesAnAddressThatOthersReach(t *testing.T) {
	h := newServer(t, standin.Options{})
	err := h.Listen(t.Context(), "0.0.0.0:0", false, zerolog.New(io.Discard))
	if err == nil || !strings.Contains(err.Error(), "use 127.0.0.1") {
		t.Errorf("error %v, want it to ask for 127.0.0.1", err)
	}
}

func TestServeStopsWithItsContextThoughARequestHangs(t *testing.T) {
	arrived := make(chan struct{}, 1)
	h := newServer(t, standin.Options{
		Now:    func() time.Time { arrived <- struct{}{}; return now },
		Faults: []standin.Fault{{Mode: "hang", Rate: 1, Since: now}},
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped, answered := make(chan error, 1), make(chan error, 1)
	go func() { stopped <- h.Serve(ctx, l) }()
	go func() {
		res, err := http.Get("http://" + l.Addr().String() + "/v1/models")
		if err == nil {
			err = res.Body.Close()
		}
		answered <- err
	}()
	select {
	case <-arrived:
	case err := <-answered:
		t.Fatalf("the request did not hang: %v", err)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	<-answered
}
