// Command memory measures what the daemon holds in memory, how fast it goes and how much
// processor time it takes while a judge in another process scores a run of many samples. It
// prints a table, and with -json one object with the goals and the figures behind them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	json                 bool
	samples, few         int
	concurrency, latency int
	binary               string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	quick := false
	flags := flag.NewFlagSet("memory", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of a table")
	flags.BoolVar(&quick, "quick", false, "the tier for continuous integration: 1,000 samples")
	flags.IntVar(&o.samples, "samples", 10_000, "pending samples of the large run")
	flags.IntVar(&o.few, "few", 500, "pending samples of the small run")
	flags.IntVar(&o.concurrency, "concurrency", 16, "calls in flight")
	flags.IntVar(&o.latency, "latency", 50, "`milliseconds` that the judge takes for a reply")
	flags.StringVar(&o.binary, "binary", "", "measure this `program` instead of the one that is built")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if quick {
		o.samples, o.few = 1000, 200
	}
	r, err := measure(ctx, o, stderr)
	if err != nil {
		return err
	}
	if !o.json {
		return r.print(stdout)
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", " ")
	return e.Encode(r)
}

func measure(ctx context.Context, o options, stderr io.Writer) (*report, error) {
	dir, err := os.MkdirTemp("", "leadline-memory-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	own := filepath.Join(dir, "leadline")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", own, "./cmd/leadline").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w: %s", err, out)
	}
	l := &lab{options: o, dir: dir, standin: own, daemon: own}
	if o.binary != "" {
		l.daemon = o.binary
	}
	r := &report{}
	for _, n := range []int{o.few, o.samples} {
		fmt.Fprintf(stderr, "%s  a run of %d samples\n", time.Now().Format(time.TimeOnly), n)
		f, err := l.run(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("a run of %d samples: %w", n, err)
		}
		r.Runs = append(r.Runs, f)
	}
	r.judge(o)
	return r, nil
}
