package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/backtest"
	"leadline/config"
	"leadline/report"
	"leadline/schedule"
	"leadline/scorer"
)

// backtestFlags are the flags of `leadline backtest`.
type backtestFlags struct {
	scores, schedule  string
	perRun            int
	columns           backtest.Columns
	metrics, segments []string
	language          string
}

func (a *app) backtestCommand() *cobra.Command {
	var f backtestFlags
	var r replayFlags
	c := &cobra.Command{
		Use:   "backtest",
		Short: "Tell what would have been told with other settings, or of scores that another tool made",
		Long: "Decides the runs in the store again, one by one, with the drift section of a file: incidents beside those that\n" +
			"were raised, and how soon a drop would be found. The store is the one that --config names.\n\n" +
			"With --scores it reads scores that another tool made instead, one line per answer or one per score.",
		Args: takes(),
	}
	form := outputFlag(c)
	c.Flags().StringVar(&r.with, "with", "", "file whose drift section is tried (default: that of --config)")
	c.Flags().StringVar(&r.since, "since", "", "list incidents opened since a date (2026-11-30) or a length before the newest run (56d)")
	c.Flags().StringSliceVar(&r.drops, "drops", dropTexts(), "sizes of the drops that are put in, or none")
	c.Flags().StringVar(&f.scores, "scores", "", "CSV with a header; - reads standard input")
	c.Flags().StringVar(&f.schedule, "schedule", "@daily", "when a run ends, as score.schedule")
	c.Flags().IntVar(&f.perRun, "per-run", 0, "without times: how many lines are one run")
	c.Flags().StringVar(&f.columns.Time, "time", "", "column of times (default: time, timestamp, created_at or the like)")
	c.Flags().StringVar(&f.columns.Release, "release", "", "column of releases (default: release or version)")
	c.Flags().StringSliceVar(&f.metrics, "metric", nil, "metric and its column, as faithfulness=score (default: the usual names)")
	c.Flags().StringSliceVar(&f.segments, "segment", nil, "dimension and its column, as department=dept")
	c.Flags().StringVar(&f.language, "language", "en", "en or ja")
	c.RunE = func(c *cobra.Command, _ []string) error {
		ofFile := c.Flags().Changed("scores")
		if err := misplacedFlag(c, ofFile); err != nil {
			return err
		}
		switch {
		case ofFile && f.scores == "":
			return exitError{exitUsage, errors.New("--scores is empty: it names a CSV file of scores")}
		case ofFile:
			return a.backtest(f, *form)
		}
		return a.replay(c.Context(), r, *form)
	}
	return c
}

// misplacedFlag finds a flag that means nothing without scores of a file, or with them.
func misplacedFlag(c *cobra.Command, ofFile bool) error {
	names, why := []string{"with", "since", "drops"}, "is for the runs of a store, not for --scores"
	if !ofFile {
		names, why = []string{"schedule", "per-run", "time", "release", "metric", "segment", "language"}, "is for scores of a file; name it with --scores FILE.csv"
	}
	for _, name := range names {
		if c.Flags().Changed(name) {
			return exitError{exitUsage, fmt.Errorf("--%s %s", name, why)}
		}
	}
	return nil
}

// dropTexts are the sizes of drops unless asked otherwise.
func dropTexts() []string {
	var out []string
	for _, drop := range backtest.DefaultDrops() {
		out = append(out, fmt.Sprintf("%.2f", drop))
	}
	return out
}

func (a *app) backtest(f backtestFlags, form string) error {
	when, err := schedule.Parse(f.schedule, time.UTC)
	if err != nil {
		return exitError{exitUsage, fmt.Errorf("--schedule %q: %w", f.schedule, err)}
	}
	if err := errors.Join(checkOutput(form), f.read()); err != nil {
		return err
	}
	t, err := a.readScores(f)
	if err != nil {
		return err
	}
	if f.perRun != 0 && (f.perRun < 0 || t.Columns.Time != "") {
		return exitError{exitUsage, errors.New("--per-run is a number of lines above 0, for files without times; this file's runs are those of --schedule")}
	}
	r, err := backtest.Run(t, backtest.Clock{Window: when.Window, PerRun: f.perRun}, config.Default().Drift)
	if err != nil {
		return exitError{exitUsage, err}
	}
	if form == "json" {
		return errors.Join(writeJSON(a.io.out, r), enoughScored(r))
	}
	return a.printBacktest(r, report.NewWords(f.language, time.UTC), form)
}

// read takes the pairs apart.
func (f *backtestFlags) read() error {
	f.columns.Metrics, f.columns.Segments = map[scorer.Metric]string{}, map[string]string{}
	for _, pair := range f.metrics {
		metric, column, ok := strings.Cut(pair, "=")
		if m := scorer.Metric(metric); !ok || m != scorer.Faithfulness && m != scorer.AnswerRelevancy {
			return exitError{exitUsage, fmt.Errorf("--metric %s: must be faithfulness=COLUMN or answer_relevancy=COLUMN", pair)}
		}
		f.columns.Metrics[scorer.Metric(metric)] = column
	}
	for _, pair := range f.segments {
		dim, column, ok := strings.Cut(pair, "=")
		if !ok || dim == "" {
			return exitError{exitUsage, fmt.Errorf("--segment %s: must be a dimension and its column, as department=dept", pair)}
		}
		f.columns.Segments[dim] = column
	}
	return nil
}

func (a *app) readScores(f backtestFlags) (backtest.Table, error) {
	in := a.io.in
	if f.scores != "-" {
		file, err := os.Open(f.scores)
		if err != nil {
			return backtest.Table{}, exitError{exitUsage, err}
		}
		defer file.Close()
		in = file
	}
	t, err := backtest.Read(in, f.columns)
	if err != nil {
		return t, exitError{exitUsage, fmt.Errorf("%s: %w", f.scores, err)}
	}
	return t, nil
}

// printBacktest prints what came of it for a person.
// enoughScored says whether any metric has the scores that a baseline takes.
func enoughScored(r backtest.Result) error {
	least := config.Default().Drift.MinBaseline
	for _, n := range r.Scored {
		if n >= least {
			return nil
		}
	}
	return exitError{exitNotEnoughData, fmt.Errorf("no metric has %d scores: that is what a baseline takes, and nothing can be said before", least)}
}

func (a *app) printBacktest(r backtest.Result, w report.Words, form string) error {
	if form == "csv" { // for programs: the incidents are in -o json
		return render(a.io.out, form, injectedTable(r.Injected, w))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s answers in %s runs, from %s to %s\n", w.Int(int64(r.Answers)), w.Int(int64(r.Runs)), shortTime(r.From), shortTime(r.To))
	for _, m := range scorer.Metrics {
		if r.Scored[m]+r.Missing[m] > 0 {
			fmt.Fprintf(&b, "%s: %s with a score, %s without\n", w.Metric(m), w.Int(int64(r.Scored[m])), w.Int(int64(r.Missing[m])))
		}
	}
	fmt.Fprintf(&b, "\nIncidents: %d, told in %d messages\n", len(r.Incidents), r.Told)
	for _, i := range r.Incidents {
		end := "still open"
		if !i.Open() {
			end = "until " + shortTime(i.Resolved)
		}
		fmt.Fprintf(&b, "  found %s after %d answers, %s\n    %s: %s\n", shortTime(i.Opened), i.SamplesAfterChange, end, w.Kind(i.Kind), w.Incident(i, true))
	}
	if err := enoughScored(r); err != nil {
		return errors.Join(a.printf("%s", b.String()), err)
	}
	if err := a.printf("%s\nHow soon a drop would have been found (put in at %d places; none is the truth about your service):\n", b.String(), backtest.Starts); err != nil {
		return err
	}
	return render(a.io.out, form, injectedTable(r.Injected, w))
}

func injectedTable(all []backtest.Injected, w report.Words) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"metric", "drop", "found", "median days", "median answers"})
	for _, i := range all {
		days, answers := "–", "–"
		if i.Found > 0 {
			days, answers = fmt.Sprintf("%.1f", i.Days), w.Int(int64(i.Samples))
		}
		t.AppendRow(table.Row{w.Metric(i.Metric), fmt.Sprintf("−%.2f", i.Drop), fmt.Sprintf("%d of %d", i.Found, i.Starts), days, answers})
	}
	return t
}
