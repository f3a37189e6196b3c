package standin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"
)

const shutdownGrace = 5 * time.Second

// Listen serves s on addr until ctx ends, then lets requests in flight finish. An address
// that other machines reach is refused unless allowNonLoopback is set.
func (s *Server) Listen(ctx context.Context, addr string, allowNonLoopback bool, log zerolog.Logger) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	if !allowNonLoopback && !isLoopback(l.Addr().String()) {
		return errors.Join(
			fmt.Errorf("%s: other machines reach this address and could take the stand-in for a judge; use 127.0.0.1", addr),
			l.Close(),
		)
	}
	log.Info().Stringer("address", l.Addr()).Str("model", Model).Msg("stand-in listening; it compares words and is not a judge")
	return s.Serve(ctx, l)
}

// Serve is Listen on a listener that is already open; it closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	requests, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve the stand-in: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	// Requests that hang on purpose would use up the grace.
	hangUp()
	if err := srv.Shutdown(grace); err != nil {
		return fmt.Errorf("stop the stand-in: %w", err)
	}
	return nil
}

func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
