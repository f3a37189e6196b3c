package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/server"
	"leadline/store"
)

// connection is who answers a command: the daemon, or when none runs the same handler in
// this process, from the store.
type connection struct {
	*server.Client
	stored *store.Store // nil: the daemon answers
}

func (c *connection) close() {
	if c.stored != nil {
		_ = c.stored.Close()
	}
}

// show checks the form in which a command prints, and lets it ask and print.
func (a *app) show(ctx context.Context, form string, ask func(*connection) error) error {
	if err := checkOutput(form); err != nil {
		return err
	}
	client, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer client.close()
	return ask(client)
}

// connect finds who answers. The caller closes the connection.
func (a *app) connect(ctx context.Context) (*connection, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	path := cfg.Store.Path
	if socket := socketPath(path); reachable(ctx, socket) {
		return &connection{Client: server.NewClient(socket)}, nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, exitError{exitNotReachable, fmt.Errorf("no store at %s: has the daemon run yet? (store.path of %s)", path, a.configPath())}
	}
	s, err := openStored(cfg)
	if errors.Is(err, store.ErrLocked) {
		return nil, exitError{exitNotReachable, errors.New("a daemon has the store open but does not answer on its socket; see its log")}
	}
	if err != nil {
		return nil, err
	}
	a.addJudge(s.runner)
	handler := server.NewHandler(server.Options{Source: s, Operator: s, Archive: s, Bridger: s, Keeper: s, Baselines: s, Reviewer: s, Log: zerolog.Nop()})
	return &connection{server.ClientOf(handler), s.runner.store}, nil
}

// addJudge lets the configured judge be asked from the store of a daemon that does not run.
// It is made when it is needed.
func (a *app) addJudge(r *runner) {
	d := &daemon{cfg: r.cfg, log: zerolog.Nop(), registry: prometheus.NewRegistry(), store: r.store, attended: a.attendedOptions()}
	made := sync.OnceValue(d.connectJudge)
	r.scoring = func(ctx context.Context) (*scorer.Scorer, error) {
		if err := made(); err != nil {
			return nil, err
		}
		return d.scoring(ctx)
	}
	r.judge = func() map[scorer.Metric]scorer.JudgeID {
		if made() != nil {
			return nil
		}
		return d.identity()
	}
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
