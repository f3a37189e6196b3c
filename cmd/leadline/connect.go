package main

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/schedule"
	"leadline/server"
	"leadline/store"
)

// connect returns a client of the running daemon, or of the same handler in this process
// when no daemon runs. The caller calls the function it returns at the end.
func (a *app) connect(ctx context.Context) (*server.Client, func(), error) {
	cfg, err := a.config()
	if err != nil {
		return nil, nil, err
	}
	if path := socketPath(cfg.Store.Path); reachable(ctx, path) {
		return server.NewClient(path), func() {}, nil
	}
	s, err := openStored(cfg)
	if errors.Is(err, store.ErrLocked) {
		return nil, nil, exitError{exitNotReachable, errors.New("a daemon has the store open but does not answer on its socket; see its log")}
	}
	if err != nil {
		return nil, nil, err
	}
	handler := server.NewHandler(server.Options{Source: s, Operator: s, Log: zerolog.Nop()})
	return server.ClientOf(handler), func() { _ = s.runner.store.Close() }, nil
}

func reachable(ctx context.Context, socket string) bool {
	d := net.Dialer{Timeout: time.Second}
	c, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return false
	}
	return c.Close() == nil
}

// openStored opens the store of a daemon that does not run, to answer from it.
func openStored(cfg config.Config) (*source, error) {
	location, err := time.LoadLocation(cfg.Service.Timezone)
	if err != nil {
		return nil, err
	}
	when, err := schedule.Parse(cfg.Score.Schedule, location)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(cfg.Store.Path, store.Plan{Window: when.Window})
	if err != nil {
		return nil, err
	}
	return &source{runner: &runner{cfg: cfg, log: zerolog.Nop(), clock: newClock(time.Now), store: st, when: when, location: location, standin: isStandin(cfg.Judge)}}, nil
}
