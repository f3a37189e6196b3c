// Command score has Leadline and Ragas 0.4.3 score the same records against the same local
// endpoint and compares scores, requests, tokens, time, processor time and memory. It prints
// tables, and with -json one object with the goals and all figures behind them. The endpoint
// only compares words: this shows formulas and wire, not that both split an answer alike.
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

	"leadline/bench/answers"
	"leadline/bench/goal"
	"leadline/bench/score/o200k"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := start(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	json, quick      bool
	records          int
	inFlight         int
	latency          time.Duration
	data, env, peers string
	worker, url      string
}

func start(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("score", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of tables")
	flags.BoolVar(&o.quick, "quick", false, "the tier for continuous integration: 60 records, scores only")
	flags.IntVar(&o.records, "n", 300, "how many `records`")
	flags.IntVar(&o.inFlight, "in-flight", 16, "requests in flight at most, on both sides")
	flags.DurationVar(&o.latency, "latency", 50*time.Millisecond, "what the endpoint waits before it answers, where speed is measured")
	flags.StringVar(&o.data, "data", "../shared/data", "the `folder` of labeled answers")
	flags.StringVar(&o.env, "env", filepath.Join(os.TempDir(), "leadline-bench-ragas"), "the Python environment with Ragas, made where it is missing")
	flags.StringVar(&o.peers, "peers", "bench/score/peers", "the `folder` of the programs compared with")
	flags.StringVar(&o.worker, "worker", "", "internal: score the records of this `file`")
	flags.StringVar(&o.url, "url", "", "internal: the endpoint of the worker")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.worker != "" {
		return work(ctx, o.worker, o.url, o.inFlight, stdout)
	}
	if o.quick {
		o.records = min(o.records, 60)
	}
	r, err := measure(ctx, o, stderr)
	if err != nil {
		return err
	}
	if err := r.write(stdout, o.json); err != nil {
		return err
	}
	if n := len(r.Parity.Parity.Different); n > 0 {
		return fmt.Errorf("%d of %d records are scored otherwise than by Ragas, for no reason that has a name", n, r.Records)
	}
	return nil
}

func (r report) write(out io.Writer, asJSON bool) error {
	if !asJSON {
		return r.print(out)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// report is all that was measured.
type report struct {
	Records  int               `json:"records"`
	InFlight int               `json:"in_flight"`
	Latency  string            `json:"latency"`
	Versions map[string]string `json:"versions"`
	Parity   *comparison       `json:"parity,omitempty"`
	Speed    *comparison       `json:"speed,omitempty"`
	Goals    []goal.Goal       `json:"goals"`
}

// comparison is both sides on the same records.
type comparison struct {
	Leadline run    `json:"leadline"`
	Ragas    run    `json:"ragas"`
	Parity   parity `json:"parity"`
}

func measure(ctx context.Context, o options, progress io.Writer) (report, error) {
	r := report{Records: o.records, InFlight: o.inFlight, Latency: o.latency.String()}
	// No two answers are the same: the endpoint tells Ragas's requests for questions apart by them.
	records, err := answers.InTurn(o.data, o.records)
	if err != nil {
		return r, err
	}
	folder, err := os.MkdirTemp("", "leadline-score-")
	if err != nil {
		return r, fmt.Errorf("make a folder for the records: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "records.jsonl")
	if err := writeRecords(path, records); err != nil {
		return r, err
	}
	setUp := exec.CommandContext(ctx, filepath.Join(o.peers, "..", "..", "make-env.sh"), filepath.Join(o.peers, "requirements.txt"), o.env)
	setUp.Stderr = progress
	if err := setUp.Run(); err != nil {
		return r, fmt.Errorf("make the Python environment: %w", err)
	}
	counter, err := o200k.NewCounter()
	if err != nil {
		return r, err
	}
	fmt.Fprintln(progress, "scores and tokens")
	if r.Parity, err = both(ctx, o, path, records, 0, counter); err != nil {
		return r, err
	}
	if !o.quick {
		fmt.Fprintln(progress, "speed")
		if r.Speed, err = both(ctx, o, path, records, o.latency, o200k.Counter{}); err != nil {
			return r, err
		}
	}
	r.Versions = r.Parity.Ragas.Versions
	r.Goals = goalsOf(r)
	return r, nil
}

// both runs one side after the other against an endpoint of its own.
func both(ctx context.Context, o options, path string, records []answers.Record, latency time.Duration, counter o200k.Counter) (*comparison, error) {
	e, err := newEndpoint(latency, counter)
	if err != nil {
		return nil, err
	}
	url, stop, err := e.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	var c comparison
	if c.Leadline, err = ours(ctx, path, url, o.inFlight); err != nil {
		return nil, err
	}
	if c.Ragas, err = theirs(ctx, o.peers, o.env, path, url, o.inFlight); err != nil {
		return nil, err
	}
	c.Leadline.Traffic, c.Ragas.Traffic = *e.traffic[ourPath], *e.traffic[theirPath]
	c.Parity = compare(records, c.Leadline, c.Ragas)
	return &c, nil
}
