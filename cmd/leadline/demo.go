package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"leadline/alert"
	"leadline/config"
	"leadline/demo"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// defaultSeed is the demo that the README shows.
const defaultSeed = 1

// demoFlags are the flags of `leadline demo`.
type demoFlags struct {
	seed   uint64
	exit   bool
	json   bool
	listen string
	lang   string
	level  string
}

func (a *app) demoCommand() *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch twelve weeks of a made-up help desk in a minute: no broker, no key, no set-up",
		Args:  takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.lang != "en" && f.lang != "ja" {
				return exitError{exitUsage, fmt.Errorf("--language %s: must be en or ja", f.lang)}
			}
			return a.demo(c.Context(), f)
		},
	}
	c.Flags().Uint64Var(&f.seed, "seed", defaultSeed, "which traffic")
	c.Flags().BoolVar(&f.exit, "exit", false, "stop at the end instead of serving the page")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object instead of text")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8480", "where the page is served at the end")
	c.Flags().StringVar(&f.lang, "language", "en", "language of messages, reports and page: en or ja")
	c.Flags().StringVar(&f.level, "log-level", "warn", "of the daemon's log on standard error")
	return c
}

// demo runs the daemon on the demo's world. Everything is kept in a folder of its own,
// which goes at the end.
func (a *app) demo(ctx context.Context, f demoFlags) (err error) {
	began := time.Now()
	dir, err := os.MkdirTemp("", "leadline-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	world, err := demo.Start(ctx, demo.Options{Seed: f.seed})
	if err != nil {
		return err
	}
	defer world.Close()
	judge, stop, err := startStandin(ctx)
	if err != nil {
		return err
	}
	defer stop()
	cfg, err := config.Decode("the demo's configuration", []byte(demo.YAML(world, judge, dir)), a.env)
	if err != nil {
		return err
	}
	cfg.Service.Language = f.lang
	cfg.Server.Listen, cfg.Server.ExternalURL = f.listen, "http://"+f.listen
	if f.exit {
		cfg.Server.Listen = "127.0.0.1:0"
	}
	d, err := newDaemon(cfg, newLog(config.Log{Level: f.level, Format: "auto"}, a.io.err), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return a.watchDemo(ctx, d, world, f, began)
}

// watchDemo runs world and daemon side by side until all of the log is decided, then shows
// what came of it.
func (a *app) watchDemo(ctx context.Context, d *daemon, world *demo.World, f demoFlags, began time.Time) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	group, running := errgroup.WithContext(running)
	group.Go(func() error { return d.run(running) })
	group.Go(func() error {
		if err := world.Produce(running, nil); err != nil {
			return err
		}
		if err := d.settle(running, demo.Count(f.seed), a.demoProgress(f)); err != nil {
			return err
		}
		defer stop()
		if err := a.showDemo(d, world, f, time.Since(began)); err != nil || f.exit {
			return err
		}
		<-running.Done()
		return nil
	})
	err := group.Wait()
	switch {
	case !errors.Is(err, context.Canceled):
		return err
	case ctx.Err() == nil:
		return nil
	}
	return ctx.Err()
}

// settle waits until all records are read and every window that can close is decided, and
// every message is delivered.
func (d *daemon) settle(ctx context.Context, records int, progress func(decided time.Time)) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		done, decided, err := d.settled(int64(records))
		if err != nil {
			return err
		}
		progress(decided)
		if done {
			return d.teller.Flush(ctx)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// settled says whether all records are read and every window that can close is decided.
func (d *daemon) settled(records int64) (done bool, decided time.Time, err error) {
	d.adding.Lock()
	defer d.adding.Unlock()
	ledgers, err := d.store.Ledgers()
	if err != nil {
		return false, decided, err
	}
	w, ok, err := d.store.NextWindow()
	if err != nil || !ok {
		return false, decided, err
	}
	open := w.State == sampler.WindowOpen && !d.runner.canClose(w.Due)
	return ledgers.Read == records && open && d.runner.idle.Load(), w.Start, nil
}

// demoProgress draws a bar on a terminal, one step a day of the log.
func (a *app) demoProgress(f demoFlags) func(time.Time) {
	if f.json || !isTerminal(a.io.err) {
		return func(time.Time) {}
	}
	span := demo.Span()
	days := int(span.To.Sub(span.From).Hours() / 24)
	bar := progressbar.NewOptions(days, progressbar.OptionSetWriter(a.io.err), progressbar.OptionSetDescription("twelve weeks"),
		progressbar.OptionSetWidth(40), progressbar.OptionClearOnFinish(), progressbar.OptionShowElapsedTimeOnFinish())
	return func(decided time.Time) {
		if decided.After(span.From) {
			_ = bar.Set(int(decided.Sub(span.From).Hours() / 24))
		}
	}
}

// demoResult is what `leadline demo --json` prints.
type demoResult struct {
	Seed          uint64         `json:"seed"`
	Records       int64          `json:"records"`
	Sampled       int            `json:"sampled"`
	Scored        int            `json:"scored"`
	Unscorable    int            `json:"unscorable"`
	Runs          int            `json:"runs"`
	Incidents     []demoIncident `json:"incidents"`
	Notes         []drift.Note   `json:"notes"`
	Notifications map[string]int `json:"notifications"`
	Reports       []string       `json:"reports"`
	Seconds       float64        `json:"seconds"`
}

type demoIncident struct {
	Kind     drift.Kind    `json:"kind"`
	Metric   scorer.Metric `json:"metric"`
	Segment  string        `json:"segment"`
	Series   []string      `json:"series"`
	Opened   time.Time     `json:"opened"`
	Resolved *time.Time    `json:"resolved"`
	// SamplesAfterChange counts the samples judged from the true change until the alarm.
	SamplesAfterChange int `json:"samples_after_change"`
}

// demoResult sums up what the daemon came to.
func (d *daemon) demoResult(world *demo.World, f demoFlags, took time.Duration) (demoResult, error) {
	slack, webhook := world.Received()
	out := demoResult{
		Seed: f.seed, Incidents: []demoIncident{}, Notes: []drift.Note{}, Seconds: took.Seconds(),
		Notifications: map[string]int{"slack": len(slack), "webhook": len(webhook)},
	}
	ledgers, err := d.store.Ledgers()
	if err != nil {
		return out, err
	}
	out.Records = ledgers.Read
	runs, err := d.store.Runs(0)
	if err != nil {
		return out, err
	}
	out.Runs = len(runs)
	for _, run := range runs {
		out.Sampled += run.Samples
		out.Scored += run.Scored[scorer.Faithfulness]
		for _, n := range run.Unscorable[scorer.Faithfulness] {
			out.Unscorable += n
		}
	}
	incidents, err := d.store.Incidents()
	if err != nil {
		return out, err
	}
	for _, i := range incidents {
		out.Incidents = append(out.Incidents, d.demoIncident(i))
	}
	_, result, err := d.store.History()
	out.Notes = append(out.Notes, result.Notes...)
	out.Reports = reportsIn(d.runner.reportDir())
	return out, err
}

// demoIncident measures an incident against the demo's truth, which the daemon never sees.
func (d *daemon) demoIncident(i alert.Incident) demoIncident {
	metric, segment := i.Headline()
	out := demoIncident{Kind: i.Kind, Metric: metric, Segment: segment, Opened: i.Opened}
	for _, a := range i.Alerts {
		out.Series = append(out.Series, string(a.Finding.Series.Metric)+" "+a.Finding.Series.Segment())
	}
	if !i.Open() {
		out.Resolved = &i.Resolved
	}
	change := i.Since
	switch i.Kind { //nolint:exhaustive // the demo's two true changes; others count from their own
	case drift.KindSilent:
		change = demo.Events().Lost.From
	case drift.KindRegression:
		change = demo.Events().BadRelease.From
	}
	out.SamplesAfterChange = d.runner.samplesSince(change, i.Opened)
	return out
}
