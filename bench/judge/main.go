// Command judge measures how well a judge agrees with people on labeled answers: our prompts
// with the configured model, or the stand-in that only compares words. It scores with the
// scorer that the daemon uses. What was answered is remembered in a file of its own, so that
// a run that was interrupted does not pay twice.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	config, data, memo   string
	standin, json, fewer bool
	n                    int
}

// dataFolder holds the labeled answers of the project's own measurements.
const dataFolder = "../shared/data/"

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("judge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.config, "config", "leadline.yaml", "the configuration `file` whose judge section is asked")
	flags.BoolVar(&o.standin, "standin", false, "ask the built-in stand-in, which only compares words; needs no configuration")
	flags.StringVar(&o.data, "data", dataFolder+"rag-en.dev.jsonl,"+dataFolder+"rag-ja.dev.jsonl", "labeled answers, JSON lines in these `files`, comma-separated")
	flags.IntVar(&o.n, "n", 0, "only so many answers of each file, at random; 0: all")
	flags.BoolVar(&o.fewer, "people", false, "only answers whose label a person gave")
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of tables")
	flags.StringVar(&o.memo, "memo", "bench-judge.db", "remember replies in this `file`; the stand-in is not remembered")
	if err := flags.Parse(args); err != nil {
		return err
	}
	records, err := load(strings.Split(o.data, ","), o.n, o.fewer)
	if err != nil {
		return err
	}
	b, err := newBench(ctx, o, stderr)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.score(ctx, records); err != nil {
		return b.interrupted(err)
	}
	r := b.report(records)
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", " ")
		return e.Encode(r)
	}
	r.print(stdout)
	return nil
}
