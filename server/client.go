package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"leadline/drift"
	"leadline/report"
)

// Client is a Source, an Operator, an Archive, a Bridger, a Baselines and a Reviewer that asks a handler: a running daemon
// over its unix socket, or one in this process. Its errors are ErrNotFound, ErrInvalid,
// ErrNotNow and ErrUnreachable where they apply.
type Client struct{ http http.Client }

var (
	_ Source    = (*Client)(nil)
	_ Operator  = (*Client)(nil)
	_ Archive   = (*Client)(nil)
	_ Bridger   = (*Client)(nil)
	_ Baselines = (*Client)(nil)
	_ Reviewer  = (*Client)(nil)
)

// NewClient asks the daemon behind a unix socket.
func NewClient(socketPath string) *Client {
	var d net.Dialer
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", socketPath)
	}
	return &Client{http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}
}

// ClientOf asks a handler in this process, as one who is trusted.
func ClientOf(h http.Handler) *Client { return &Client{http.Client{Transport: inProcess{h}}} }

// Status returns how the daemon stands.
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	err = c.do(ctx, http.MethodGet, "/api/v1/status", nil, &s)
	return s, err
}

// Samples returns scored samples, lowest first.
func (c *Client) Samples(ctx context.Context, q SampleQuery) (samples []report.Sample, err error) {
	err = c.do(ctx, http.MethodGet, "/api/v1/samples?"+q.values().Encode(), nil, &samples)
	return samples, err
}

// Week returns a report.
func (c *Client) Week(ctx context.Context, id string) (week report.Week, err error) {
	err = c.do(ctx, http.MethodGet, "/api/v1/reports/"+url.PathEscape(id), nil, &week)
	return week, err
}

// AddRelease notes a release.
func (c *Client) AddRelease(ctx context.Context, r ReleaseRequest) (bool, error) {
	var reply created
	err := c.do(ctx, http.MethodPost, "/api/v1/releases", r, &reply)
	return reply.Created, err
}

// Accept makes the present level of a series its new normal.
func (c *Client) Accept(ctx context.Context, r AcceptRequest) (a drift.Acceptance, err error) {
	err = c.do(ctx, http.MethodPost, "/api/v1/baseline/accept", r, &a)
	return a, err
}

func (c *Client) do(ctx context.Context, method, path string, body, into any) error {
	var send io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
		send = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, send)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if _, ok := errors.AsType[*net.OpError](err); ok {
			return fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		return fmt.Errorf("ask daemon: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return refusal(resp)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("read reply to %s: %w", path, err)
	}
	return nil
}

// told is an error in the server's words.
type told struct {
	text string
	kind error
}

func (t told) Error() string { return t.text }
func (t told) Unwrap() error { return t.kind }

func refusal(resp *http.Response) error {
	var p problem
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&p); err != nil || p.Error == "" {
		p.Error = resp.Status
	}
	switch resp.StatusCode {
	case http.StatusNotFound:
		return told{p.Error, ErrNotFound}
	case http.StatusBadRequest:
		return told{p.Error, ErrInvalid}
	case http.StatusServiceUnavailable:
		return told{p.Error, ErrNotNow}
	}
	return told{p.Error, nil}
}

// inProcess is a transport without a network.
type inProcess struct{ h http.Handler }

// RoundTrip lets the handler answer.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(trust(r.Context()))
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &reply{code: http.StatusOK, header: http.Header{}}
	t.h.ServeHTTP(w, r)
	return &http.Response{
		StatusCode: w.code, Status: http.StatusText(w.code), Header: w.header, Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
	}, nil
}

// reply is what a handler answers in this process.
type reply struct {
	code   int
	header http.Header
	body   bytes.Buffer
}

// Header returns the head of the reply.
func (r *reply) Header() http.Header { return r.header }

// WriteHeader keeps the status.
func (r *reply) WriteHeader(code int) { r.code = code }

// Write keeps the body.
func (r *reply) Write(p []byte) (int, error) { return r.body.Write(p) }
