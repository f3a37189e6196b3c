// Command trust measures whether Leadline tells a judge that moved from a service that got
// worse: each truth is simulated over many seeds, decided run by run by the real evaluator with
// the real choice of control items, and the verdicts are counted. (That the daemon does the same
// from end to end is a test of cmd/leadline.) It prints the matrix of truth and verdict, and with -json one object with the
// goals and all figures behind them.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "trust:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	quick, json  bool
	seeds        int
	perRun       int
	before, past int
}

func run(args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("trust", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.quick, "quick", false, "the tier for continuous integration: few seeds")
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of tables")
	flags.IntVar(&o.seeds, "seeds", 200, "seeds of each truth")
	flags.IntVar(&o.perRun, "per-run", 60, "answers judged in a run")
	flags.IntVar(&o.before, "before", 120, "runs before the change")
	flags.IntVar(&o.past, "past", 30, "runs after it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.quick {
		o.seeds = min(o.seeds, 8)
	}
	r := measure(o)
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", " ")
		return e.Encode(r)
	}
	r.print(stdout)
	return nil
}
