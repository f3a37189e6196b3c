package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// healthTimeout is how long a probe waits for an answer.
const healthTimeout = 3 * time.Second

func (a *app) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Ask the running daemon whether it is well (for container health checks)",
		Args:  takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			return probe(c.Context(), cfg.Server.OpsListen)
		},
	}
}

// probe asks /-/healthy on this machine.
func probe(ctx context.Context, listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return exitError{exitNotReachable, errors.New("server.ops_listen is not set: there is nothing to ask")}
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/-/healthy", nil)
	if err != nil {
		return err
	}
	client := http.Client{}
	res, err := client.Do(req)
	if err != nil {
		return exitError{exitNotReachable, fmt.Errorf("ask the daemon at %s: %w", listen, err)}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return exitError{exitFailed, fmt.Errorf("the daemon at %s answers %s", listen, res.Status)}
	}
	return nil
}
