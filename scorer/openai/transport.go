package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	maxRequest           = 1 << 20
	maxChatResponse      = 1 << 20
	maxEmbeddingResponse = 64 << 20
)

var (
	errRedirect         = errors.New("the endpoint redirects")
	errRequestTooLarge  = fmt.Errorf("request is larger than %d bytes", maxRequest)
	errResponseTooLarge = errors.New("response is too large")
)

// transport adds what the client library cannot send and takes away what it would allow:
// redirects, which would carry texts and key to another host, and bodies without end.
type transport struct {
	base        http.RoundTripper
	maxResponse int64
	check       func(body []byte) error // nil: none
	key         key
}

// dialTimeout is how long a host may take to answer at all.
const dialTimeout = 10 * time.Second

// newTransport keeps a connection per worker. It sets no limit of time on the response: a
// judge thinks before it sends headers, and each call has its own.
func newTransport(concurrency int) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext,
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: max(concurrency, 2), IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
	}
}

type extraKey struct{}

// withExtra adds fields to the JSON body of the request: `"temperature":0`.
func withExtra(ctx context.Context, fields string) context.Context {
	if fields == "" {
		return ctx
	}
	return context.WithValue(ctx, extraKey{}, fields)
}

type copyKey struct{}

// withCopy lets the body of the response be kept, too: the library does not read all of it.
func withCopy(ctx context.Context, body *[]byte) context.Context {
	return context.WithValue(ctx, copyKey{}, body)
}

// RoundTrip reads the response to its end, so that the connection can be used again.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.ContentLength > maxRequest {
		return nil, errRequestTooLarge
	}
	req, err := t.complete(req)
	if err != nil {
		return nil, err
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return nil, errRedirect
	}
	body, err := readAll(resp, t.maxResponse)
	if err != nil {
		return nil, err
	}
	if t.check != nil && resp.StatusCode == http.StatusOK {
		if err := t.check(body); err != nil {
			return nil, err
		}
	}
	if keep, ok := req.Context().Value(copyKey{}).(*[]byte); ok {
		*keep = body
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func readAll(resp *http.Response, limit int64) ([]byte, error) {
	if resp.ContentLength > limit {
		return nil, errResponseTooLarge
	}
	var body bytes.Buffer
	if resp.ContentLength > 0 {
		body.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	n, err := body.ReadFrom(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, errResponseTooLarge
	}
	return body.Bytes(), nil
}

// complete returns the request with its key and its extra fields.
func (t *transport) complete(req *http.Request) (*http.Request, error) {
	key, err := t.key.read()
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if fields, ok := req.Context().Value(extraKey{}).(string); ok {
		if err := extend(req, fields); err != nil {
			return nil, err
		}
	}
	return req, mark(req)
}

// extend puts fields behind the opening brace of the request's body.
func extend(req *http.Request, fields string) error {
	defer req.Body.Close()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	text := "{" + fields + "," + strings.TrimPrefix(string(body), "{")
	setBody(req, []byte(text))
	return nil
}
