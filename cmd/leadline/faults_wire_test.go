package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"leadline/scorer/standin"
)

// Planted in every text and in the key: neither may reach a log line, an error or a metric.
const (
	plantedText = "zxplanted"
	plantedKey  = "sk-planted-9d2f"
)

// faultWire carries requests to a stand-in without a socket, so that a bubble of synctest
// sees all waiting. Like many servers it repeats what it was sent in its error messages.
type faultWire struct {
	server  *standin.Server
	mu      sync.Mutex // guards strays
	strays  []string   // hosts that were asked and are not the judge
	latency time.Duration
}

func (f *faultWire) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != "judge.test" {
		f.mu.Lock()
		f.strays = append(f.strays, req.URL.Host)
		f.mu.Unlock()
		return nil, fmt.Errorf("no such host")
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	ctx := req.Context()
	in, err := http.NewRequestWithContext(ctx, req.Method, req.URL.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	in.Header, in.RemoteAddr = req.Header, "127.0.0.1:1"
	out := newWireReply()
	go out.serve(f.server, in)
	stop := context.AfterFunc(ctx, func() { out.body.CloseWithError(ctx.Err()) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-out.begun:
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(f.latency):
	}
	return &http.Response{StatusCode: out.status, Header: out.sent, Request: req, ContentLength: -1,
		Body: &wireBody{out.reader, stop}}, nil
}

type wireBody struct {
	*io.PipeReader
	stop func() bool
}

func (b *wireBody) Close() error {
	b.stop()
	return b.PipeReader.Close()
}

// wireReply is the server's side of a response.
type wireReply struct {
	header, sent http.Header
	status       int
	written      int
	reader       *io.PipeReader
	body         *io.PipeWriter
	begun        chan struct{}
	once         sync.Once
}

func newWireReply() *wireReply {
	r := &wireReply{header: http.Header{}, begun: make(chan struct{})}
	r.reader, r.body = io.Pipe()
	return r
}

func (r *wireReply) serve(h http.Handler, in *http.Request) {
	h.ServeHTTP(r, in)
	r.WriteHeader(http.StatusOK)
	if n, err := strconv.Atoi(r.sent.Get("Content-Length")); err == nil && r.written < n {
		r.body.CloseWithError(io.ErrUnexpectedEOF)
		return
	}
	r.body.Close()
}

func (r *wireReply) Header() http.Header { return r.header }

func (r *wireReply) WriteHeader(status int) {
	r.once.Do(func() {
		r.status, r.sent = status, r.header.Clone()
		close(r.begun)
	})
}

func (r *wireReply) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.written += len(b)
	said := []byte(`"message":"you sent ` + plantedText + ` with ` + plantedKey + `: `)
	told := bytes.Replace(b, []byte(`"message":"`), said, 1)
	told = bytes.Replace(told, []byte("<h1>"), []byte("<h1>"+plantedText+" "+plantedKey), 1)
	if _, err := r.body.Write(told); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush makes the reply one that can be sent in drops.
func (r *wireReply) Flush() {}
