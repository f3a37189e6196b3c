package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/config"
	"leadline/scorer/standin"
)

func (a *app) standinCommand() *cobra.Command {
	var listen, profile string
	var anywhere bool
	var latency time.Duration
	c := &cobra.Command{
		Use:   "standin",
		Short: "Serve the stand-in judge, which only compares words (for trials and tests)",
		Args:  takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			log := newLog(config.Log{Level: "info", Format: "auto"}, a.io.err)
			server, err := standin.New(standin.Options{Profile: profile, Latency: latency})
			if err != nil {
				return exitError{exitUsage, fmt.Errorf("--%w", err)}
			}
			return server.Listen(c.Context(), listen, anywhere, log)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8143", "address to listen on")
	c.Flags().StringVar(&profile, "profile", "", "behave like a kind of server: "+strings.Join(standin.Profiles(), ", "))
	c.Flags().DurationVar(&latency, "latency", 0, "how long each reply takes")
	c.Flags().BoolVar(&anywhere, "allow-non-loopback", false, "listen on an address that others can reach")
	return c
}

// startStandin serves a stand-in on a free loopback port until stop is called.
func startStandin(ctx context.Context) (baseURL string, stop func(), err error) {
	server, err := standin.New(standin.Options{})
	if err != nil {
		return "", nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("start the stand-in judge: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(ctx, l) // its requests then fail, and say so
	}()
	return "http://" + l.Addr().String() + "/v1", func() { cancel(); <-done }, nil
}
