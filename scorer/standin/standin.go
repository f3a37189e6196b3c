// Package standin is an OpenAI-compatible endpoint that answers by word overlap, for
// demonstrations and tests. It is not a judge and cannot be made to look like one: the
// model, the fingerprint, a header and every reason say so. It knows the three tasks of
// the scorer and no others, keeps nothing on disk, and misbehaves on request.
package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// Model is the only model served, for chat and for embeddings, and the fingerprint.
	Model = "standin-lexical-v1"
	// Header is on every response, with the value 1.
	Header = "X-Leadline-Standin"
	// ReasonPrefix begins the reason of every verdict.
	ReasonPrefix = "[stand-in: word overlap, not a judgement]"
	// Dimensions is the length of every embedding.
	Dimensions = 512

	maxBody = 4 << 20
)

// Options say how a stand-in behaves. The zero value is a well-behaved one.
type Options struct {
	// Faults are in force from the start; SetFaults and POST /standin/faults replace them.
	Faults []Fault
	// Seed decides which requests a fault with a rate hits.
	Seed uint64
	// Latency is how long each reply takes. A request whose client goes away meanwhile is
	// answered all the same, and counted so: it would be paid for.
	Latency time.Duration
	// Now is asked only for faults that have a Since; nil means time.Now.
	Now func() time.Time
	// Profile is one of Profiles: the quirks of a kind of server; empty: none.
	Profile string
}

// Server is the endpoint. It is safe for concurrent use.
type Server struct {
	mux     *http.ServeMux
	seed    uint64
	delay   time.Duration
	now     func() time.Time
	profile profile
	ledger  ledger

	texts   cache[*digest]
	shelf   cache[*source]
	answers cache[*interview]
	// vectors are shared between replies; a fault that changes one copies it first.
	vectors cache[vector]

	mu     sync.RWMutex
	faults []Fault
}

// New returns a stand-in, or an error if a fault in o is not one it knows.
func New(o Options) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{mux: http.NewServeMux(), seed: o.Seed, delay: o.Latency, now: o.Now}
	if err := s.setProfile(o.Profile); err != nil {
		return nil, err
	}
	if err := s.SetFaults(slices.Concat(s.profile.faults, o.Faults)); err != nil {
		return nil, err
	}
	s.mux.HandleFunc("POST /v1/chat/completions", s.chat)
	s.mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	s.mux.HandleFunc("GET /v1/models", s.models)
	s.mux.HandleFunc("GET /standin/stats", s.getStats)
	s.mux.HandleFunc("GET /standin/faults", s.getFaults)
	s.mux.HandleFunc("POST /standin/faults", s.postFaults)
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(Header, "1")
	s.mux.ServeHTTP(w, r)
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	x := s.arrive(w, r, taskModels, []byte(taskModels))
	if x.takenOver() {
		return
	}
	x.finish([]byte(`{"object":"list","data":[{"id":"` + Model + `","object":"model","created":0,"owned_by":"leadline-standin"}]}`))
}

// apiError is an error in the shape OpenAI gives it.
type apiError struct {
	status int
	kind   string
	code   string
	param  string
	text   string
}

func badRequest(param, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, kind: "invalid_request_error", param: param, text: fmt.Sprintf(format, args...)}
}

func wrongModel() *apiError {
	return &apiError{
		status: http.StatusNotFound, kind: "invalid_request_error", code: "model_not_found", param: "model",
		text: "this is a stand-in, not a judge: its only model is " + Model,
	}
}

func (e *apiError) body() map[string]any {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return map[string]any{"error": map[string]any{
		"message": e.text, "type": e.kind, "code": orNull(e.code), "param": orNull(e.param),
	}}
}

// refuse sends an error in the shape of the profile.
func (s *Server) refuse(w http.ResponseWriter, e *apiError) {
	if s.profile.fault == nil {
		e.write(w)
		return
	}
	writeJSON(w, e.status, s.profile.fault(e))
}

func (e *apiError) write(w http.ResponseWriter) { writeJSON(w, e.status, e.body()) }

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "encode reply: "+err.Error(), http.StatusInternalServerError)
		return
	}
	writeBytes(w, status, b)
}

func writeBytes(w http.ResponseWriter, status int, b []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that went away needs no reply.
	_, _ = w.Write(b)
}

// readBody reads a request's body, or answers why it was not read.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	var b bytes.Buffer
	b.Grow(int(min(max(r.ContentLength, 0), maxBody)) + bytes.MinRead)
	if _, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		badRequest("", "read the body: %v", err).write(w)
		return nil, false
	}
	return b.Bytes(), true
}
