// Package server serves the pages, the API, health and metrics. GET never changes
// anything; what changes something needs a token, or the socket beside the store.
package server

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"
)

// The errors that callers and clients tell apart.
var (
	// ErrNotFound says that there is no such report, incident or sample.
	ErrNotFound = errors.New("not found")
	// ErrInvalid says that a request cannot be done as it was asked; wrap it with what to change.
	ErrInvalid = errors.New("invalid request")
	// ErrNotNow says that the same request may be served later; wrap it with what is in the way.
	ErrNotNow = errors.New("not now")
	// ErrUnreachable says that no daemon answers.
	ErrUnreachable = errors.New("daemon not reachable")
)

const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = time.Minute
	idleTimeout   = 2 * time.Minute
	drainTimeout  = 10 * time.Second
	maxHeader     = 32 << 10
)

// trustedKey marks the requests of those who may read the store anyway: over the unix
// socket, or in this process.
type trustedKey struct{}

func trust(ctx context.Context) context.Context { return context.WithValue(ctx, trustedKey{}, true) }

func trusted(ctx context.Context) bool { return ctx.Value(trustedKey{}) != nil }

// Serve answers on l until ctx ends, then finishes what was begun, for at most ten
// seconds. It closes l, and returns nil when ctx ended it.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log zerolog.Logger) error {
	base := context.WithoutCancel(ctx)
	if l.Addr().Network() == "unix" {
		base = trust(base)
	}
	s := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          stdlog.New(connectionLog{log}, "", 0),
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(base, drainTimeout)
	defer cancel()
	if err := s.Shutdown(drain); err != nil {
		return errors.Join(fmt.Errorf("drain %s: %w", l.Addr(), err), s.Close())
	}
	return nil
}

// connectionLog takes net/http's own remarks, which may quote what a client sent: only
// their number is of use.
type connectionLog struct{ log zerolog.Logger }

func (c connectionLog) Write(p []byte) (int, error) {
	c.log.Debug().Int("bytes", len(p)).Msg("broken connection")
	return len(p), nil
}
