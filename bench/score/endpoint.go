package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"leadline/bench/score/o200k"
	"leadline/scorer/standin"
)

// The base paths by which the endpoint knows who asks.
const (
	ourPath   = "/leadline/v1"
	theirPath = "/ragas/v1"
)

// endpoint is the judge that both sides ask: the stand-in, which answers Leadline's requests
// as they are and Ragas's after a translation. Both get the same statements for an answer,
// the same verdict for a statement and the same question for an answer.
type endpoint struct {
	standin *standin.Server
	latency time.Duration
	counter o200k.Counter

	mu       sync.Mutex
	traffic  map[string]*traffic // by base path
	asked    map[string]int      // how often Ragas asked for a question to an answer
	language map[string]string   // in which Leadline asked for questions to an answer
}

// traffic is what one side sent and got. Tokens are o200k's, of the texts of the messages, of
// the schema in the request, and of the replies.
type traffic struct {
	ChatRequests      int `json:"chat_requests"`
	EmbeddingRequests int `json:"embedding_requests"`
	PromptTokens      int `json:"prompt_tokens"`
	CompletionTokens  int `json:"completion_tokens"`
	EmbeddingTokens   int `json:"embedding_tokens"`
	MostInFlight      int `json:"most_in_flight"`
	inFlight          int
}

func newEndpoint(latency time.Duration, counter o200k.Counter) (*endpoint, error) {
	s, err := standin.New(standin.Options{})
	if err != nil {
		return nil, fmt.Errorf("make the stand-in: %w", err)
	}
	return &endpoint{standin: s, latency: latency, counter: counter, asked: map[string]int{}, language: map[string]string{},
		traffic: map[string]*traffic{ourPath: {}, theirPath: {}}}, nil
}

// serve listens on a free loopback port until stop is called.
func (e *endpoint) serve(ctx context.Context) (url string, stop func(), err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for judge requests: %w", err)
	}
	server := &http.Server{Handler: e, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // ends with Close
	}()
	return "http://" + l.Addr().String(), func() { _ = server.Close(); <-done }, nil
}

// ServeHTTP answers after the latency.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	side, path := ourPath, strings.TrimPrefix(r.URL.Path, ourPath)
	if rest, theirs := strings.CutPrefix(r.URL.Path, theirPath); theirs {
		side, path = theirPath, rest
	}
	leave := e.enter(side)
	defer leave()
	time.Sleep(e.latency)
	reply := e.answer(r.Context(), side, path, body)
	e.count(side, path, body, reply.Body.Bytes())
	maps.Copy(w.Header(), reply.Header())
	w.WriteHeader(reply.Code)
	_, _ = w.Write(reply.Body.Bytes()) // a client that went away needs no reply
}

func (e *endpoint) enter(side string) (leave func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.traffic[side]
	t.inFlight++
	t.MostInFlight = max(t.MostInFlight, t.inFlight)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		t.inFlight--
	}
}

func (e *endpoint) answer(ctx context.Context, side, path string, body []byte) *httptest.ResponseRecorder {
	switch {
	case path == "/embeddings":
		return e.embed(ctx, body)
	case side == theirPath:
		return e.answerRagas(ctx, body)
	}
	e.hear(body)
	return e.ask(ctx, path, joinContexts(body))
}

// ask hands a request to the stand-in.
func (e *endpoint) ask(ctx context.Context, path string, body []byte) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	e.standin.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1"+path, bytes.NewReader(body)))
	return w
}

func (e *endpoint) count(side, path string, body, reply []byte) {
	q, r := gjson.ParseBytes(body), gjson.ParseBytes(reply)
	prompt, completion := requestTokens(e.counter, q), replyTokens(e.counter, r)
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.traffic[side]
	if path == "/embeddings" {
		t.EmbeddingRequests++
		t.EmbeddingTokens += inputTokens(e.counter, q)
		return
	}
	t.ChatRequests++
	t.PromptTokens += prompt
	t.CompletionTokens += completion
}
