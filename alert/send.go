package alert

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"leadline/config"
)

const (
	sendTimeout   = 15 * time.Second
	maxRetryAfter = time.Hour
	maxReply      = 64 << 10 // bytes
)

// Class says in a word why a message did not arrive.
type Class string

// The classes.
const (
	ClassRateLimited Class = "rate_limited"
	ClassServerError Class = "server_error"
	ClassTimeout     Class = "timeout"
	ClassUnreachable Class = "unreachable"
	ClassCertificate Class = "certificate"
	ClassBadAnswer   Class = "bad_answer"   // 2xx, but not the words that mean delivered
	ClassRejected    Class = "rejected"     // this message is not taken; another may be
	ClassAuth        Class = "auth"         // credentials are not taken
	ClassGone        Class = "gone"         // the address is no longer served
	ClassRedirect    Class = "redirect"     // the address has moved; it is not followed
	ClassSecret      Class = "secret"       // the file of the address or key cannot be read
	ClassConfig      Class = "config"       // address or key is not valid
	ClassForbidden   Class = "forbidden_ip" // link-local and metadata addresses are never called
	ClassExpired     Class = "expired"      // given up
)

// SendError is why a message did not arrive. It holds no address, no secret and none of
// the receiver's words.
type SendError struct {
	Class  Class
	Status int // HTTP status; 0 without an answer
	// RetryAfter is how long the receiver asked to wait, at most an hour; 0: it did not.
	RetryAfter time.Duration
}

// Error names the class and the status.
func (e *SendError) Error() string {
	if e.Status == 0 {
		return "send message: " + string(e.Class)
	}
	return fmt.Sprintf("send message: %s (HTTP %d)", e.Class, e.Status)
}

// Retry says whether the same message may arrive later.
func (e *SendError) Retry() bool {
	switch e.Class {
	case ClassRateLimited, ClassServerError, ClassTimeout, ClassUnreachable, ClassCertificate, ClassBadAnswer,
		ClassSecret:
		return true
	case ClassRejected, ClassAuth, ClassGone, ClassRedirect, ClassConfig, ClassForbidden, ClassExpired:
	}
	return false
}

// Broken says whether no message can arrive until somebody changes the configuration.
func (e *SendError) Broken() bool {
	return !e.Retry() && e.Class != ClassRejected && e.Class != ClassExpired
}

// poster sends bodies to one address. It is the one place that handles the address, so
// that it shows in no error.
type poster struct {
	client *http.Client
	inline config.Secret
	file   string
}

// newPoster uses client's transport, or one of its own that refuses link-local addresses.
func newPoster(client *http.Client, inline config.Secret, file string) poster {
	c := &http.Client{Transport: guardedTransport()}
	if client != nil {
		*c = *client
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return poster{client: c, inline: inline, file: file}
}

type reply struct {
	status int
	header http.Header
	body   string
}

// post sends one body and reads at most maxReply bytes of the answer. The address is
// read anew each time, so that a changed file needs no restart.
func (p poster) post(ctx context.Context, header http.Header, body []byte) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	address, err := config.ReadSecret(p.inline, p.file)
	if err != nil {
		return reply{}, &SendError{Class: ClassSecret}
	}
	if err := checkAddress(address.Reveal()); err != nil {
		return reply{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address.Reveal(), bytes.NewReader(body))
	if err != nil {
		return reply{}, &SendError{Class: ClassConfig}
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "leadline")
	resp, err := p.client.Do(req)
	if err != nil {
		return reply{}, classify(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	r := reply{status: resp.StatusCode, header: resp.Header, body: string(text)}
	if err != nil {
		return r, classify(err)
	}
	return r, nil
}

// classify drops the error and keeps its class: an *url.Error prints the address.
func classify(err error) *SendError {
	var forbidden *SendError
	var certificate *tls.CertificateVerificationError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &forbidden):
		return forbidden
	case errors.As(err, &certificate):
		return &SendError{Class: ClassCertificate}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &SendError{Class: ClassTimeout}
	}
	return &SendError{Class: ClassUnreachable}
}

// statusError classes an answer by its status; nil for 2xx.
func statusError(r reply, now time.Time) *SendError {
	e := &SendError{Status: r.status}
	switch s := r.status; {
	case s >= 200 && s < 300:
		return nil
	case s == http.StatusTooManyRequests:
		e.Class = ClassRateLimited
	case s == http.StatusRequestTimeout:
		e.Class = ClassTimeout
	case s >= 500, s == http.StatusTooEarly:
		e.Class = ClassServerError
	case s >= 300 && s < 400:
		e.Class = ClassRedirect
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusProxyAuthRequired:
		e.Class = ClassAuth
	case s == http.StatusNotFound, s == http.StatusGone:
		e.Class = ClassGone
	default:
		e.Class = ClassRejected
	}
	if e.Retry() {
		e.RetryAfter = retryAfter(r.header.Get("Retry-After"), now)
	}
	return e
}

// retryAfter reads seconds or an HTTP date; 0 when there is neither.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	bound := func(d time.Duration) time.Duration { return min(max(d, time.Second), maxRetryAfter) }
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 {
		return bound(time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second)))
	}
	if at, err := http.ParseTime(value); err == nil {
		return bound(at.Sub(now))
	}
	return 0
}

// checkAddress refuses what no receiver may be, before a proxy hides it.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return &SendError{Class: ClassConfig}
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && isForbidden(ip) {
		return &SendError{Class: ClassForbidden}
	}
	return nil
}

// isForbidden is true for link-local and metadata addresses. Private ranges are
// allowed: receivers live there.
func isForbidden(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsLinkLocalUnicast() || ip.IsLinkLocalMulticast() || ip == netip.MustParseAddr("fd00:ec2::254")
}

// guardedTransport checks each address after its name was resolved.
func guardedTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: sendTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(address); err == nil && isForbidden(at.Addr()) {
			return &SendError{Class: ClassForbidden}
		}
		return nil
	}}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: sendTimeout, ResponseHeaderTimeout: sendTimeout, IdleConnTimeout: time.Minute,
		MaxIdleConnsPerHost: 1, MaxResponseHeaderBytes: maxReply,
	}
}
