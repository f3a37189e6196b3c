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
	var texts []string
	var seed uint64
	c := &cobra.Command{
		Use:   "standin",
		Short: "Serve the stand-in judge, which only compares words (for trials and tests)",
		Long: "Standin serves chat completions and embeddings by word overlap. With --fault it misbehaves, to see what a daemon does then:\n" +
			"\n" +
			"  leadline standin --fault error_503:0.3 --fault verdict_strict:0.2,since=2026-12-01T00:00:00Z\n" +
			"\n" +
			"A fault is MODE[:RATE][,first=N][,task=T][,value=V][,since=TIME]. RATE is the share of requests hit (default 1); first=N hits the\n" +
			"first N tries of a request and lets later ones pass; task is statements, verdicts, question, embeddings or models; value is the\n" +
			"wait of rate_limit_* or the name that model_swapped reports. POST /standin/faults changes them, GET /standin/stats counts.\n" +
			"\n" +
			"Modes: " + modeList(),
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			log := newLog(config.Log{Level: "info", Format: "auto"}, a.io.err)
			faults, err := standin.ParseFaults(texts)
			if err != nil {
				return exitError{exitUsage, fmt.Errorf("--%w", err)}
			}
			server, err := standin.New(standin.Options{Faults: faults, Seed: seed, Profile: profile, Latency: latency})
			if err != nil {
				return exitError{exitUsage, fmt.Errorf("--%w", err)}
			}
			return server.Listen(c.Context(), listen, anywhere, log)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8143", "address to listen on")
	c.Flags().StringArrayVar(&texts, "fault", nil, "misbehave: MODE[:RATE][,first=N][,task=T][,value=V][,since=TIME]; may be repeated")
	c.Flags().Uint64Var(&seed, "seed", 0, "decides which requests a fault hits")
	c.Flags().StringVar(&profile, "profile", "", "behave like a kind of server: "+strings.Join(standin.Profiles(), ", "))
	c.Flags().DurationVar(&latency, "latency", 0, "how long each reply takes")
	c.Flags().BoolVar(&anywhere, "allow-non-loopback", false, "listen on an address that others can reach")
	return c
}

// modeList is all ways to misbehave, in lines of a usual terminal.
func modeList() string {
	list, width := "", 0
	for i, mode := range standin.Modes() {
		if i > 0 {
			list += ", "
		}
		if width += len(mode) + 2; width > 100 {
			list, width = list+"\n", len(mode)
		}
		list += mode
	}
	return list
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
