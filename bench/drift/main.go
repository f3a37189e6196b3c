// Command drift measures how soon Leadline's drift detector sees a change and how often it
// cries wolf, beside detectors that others have described, on the same streams. It prints
// tables, and with -json one object with the goals and all figures behind them. The same
// command on any number of cores prints the same numbers.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	quick, json             bool
	only, exportTo, imports string
	data                    string
	nulls, reps             int
}

func run(args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("drift", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.quick, "quick", false, "the tier for continuous integration: few replicates and peers, delays only")
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of tables")
	flags.StringVar(&o.only, "only", "", "run only these `parts`, comma-separated: "+strings.Join(partNames(), ", ")+"; or nulls/ and the beginning of a name, or releases/ and bad, null, rollback, canary, several or later")
	flags.StringVar(&o.exportTo, "export", "", "write the streams to this `folder` and measure nothing")
	flags.StringVar(&o.imports, "import", "", "add the outcomes of other programs, JSON lines in this `file`")
	flags.StringVar(&o.data, "data", "../shared/data", "the `folder` of labeled answers")
	flags.IntVar(&o.reps, "reps", 200, "replicates of each exported file")
	flags.IntVar(&o.nulls, "nulls", 400, "replicates of each stream without a change beyond F and R")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.exportTo != "" {
		return export(o.exportTo, o.reps, stderr)
	}
	b, err := newBench(o, stderr)
	if err != nil {
		return err
	}
	if err := b.measure(); err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", " ")
		return e.Encode(b.report)
	}
	b.print(stdout)
	return nil
}
