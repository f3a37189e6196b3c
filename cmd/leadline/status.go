package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/drift"
	"leadline/report"
	"leadline/server"
)

// outputs are the forms that data can be printed in.
var outputs = []string{"table", "json", "csv", "markdown"} //nolint:gochecknoglobals // a constant list

// outputFlag adds -o to a command.
func outputFlag(c *cobra.Command) *string {
	return c.Flags().StringP("output", "o", "table", "table, json, csv or markdown")
}

func checkOutput(form string) error {
	if !slices.Contains(outputs, form) {
		return exitError{exitUsage, fmt.Errorf("-o %s: must be table, json, csv or markdown", form)}
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// render prints a table in the asked form.
func render(w io.Writer, form string, t table.Writer) error {
	t.SetStyle(table.StyleLight)
	draw := t.Render
	switch form {
	case "csv":
		draw = t.RenderCSV
	case "markdown":
		draw = t.RenderMarkdown
	}
	_, err := fmt.Fprintln(w, draw())
	return err
}

func (a *app) statusCommand() *cobra.Command {
	var failOn string
	c := &cobra.Command{
		Use:   "status",
		Short: "Show how the service and the monitor stand",
		Args:  takes(),
	}
	form := outputFlag(c)
	c.Flags().StringVar(&failOn, "fail-on", "", `exit 3 when the verdict is "drift" or, with "watch", watch or worse`)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := errors.Join(checkOutput(*form), checkFailOn(failOn)); err != nil {
			return err
		}
		client, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer client.close()
		st, err := client.Status(c.Context())
		if err != nil {
			return err
		}
		if err := printStatus(a.io.out, *form, st, client.stored == nil); err != nil {
			return err
		}
		return verdictExit(st.Verdict, failOn)
	}
	return c
}

func checkFailOn(failOn string) error {
	if failOn != "" && failOn != "drift" && failOn != "watch" {
		return exitError{exitUsage, fmt.Errorf("--fail-on %s: must be drift or watch", failOn)}
	}
	return nil
}

// verdictExit gives a verdict its exit code, when it was asked for.
func verdictExit(v report.Verdict, failOn string) error {
	switch {
	case failOn == "":
		return nil
	case v == report.Unknown:
		return exitError{exitNotEnoughData, nil}
	case v == report.Drift || v == report.Watch && failOn == "watch":
		return exitError{exitCondition, nil}
	}
	return nil
}

// printStatus prints how things stand; without a daemon that runs, as its store has it.
func printStatus(w io.Writer, form string, st server.Status, running bool) error {
	switch form {
	case "json":
		return writeJSON(w, st)
	case "table":
		if _, err := fmt.Fprintln(w, strings.Join(summary(st, running), "\n")); err != nil {
			return err
		}
	}
	return render(w, form, seriesTable(st, form != "csv"))
}

func shortTime(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// seriesTable lists all series. Shares are the part of the records that has the property;
// for people they are in percent, and evidence is a power of ten.
func seriesTable(st server.Status, people bool) table.Writer {
	t := table.NewWriter()
	evidence := "log10 evidence"
	if people {
		evidence = "evidence"
	}
	t.AppendHeader(table.Row{"metric", "segment", "status", "last", "last n", "baseline", "baseline n", evidence, "floor", "sees 0.10"})
	for _, s := range st.Series {
		number := func(v float64) string {
			if s.Turned() && people {
				return fmt.Sprintf("%.1f %%", 100*v)
			}
			return fmt.Sprintf("%.3f", v)
		}
		level := func(l drift.Level, mean float64) string {
			if l.N == 0 {
				return "–"
			}
			return number(mean)
		}
		status := s.Status
		if n := segmentsDown(st, s.Series); people && n > 0 && status == "ok" {
			status = fmt.Sprintf("%d segments down", n)
		}
		t.AppendRow(table.Row{s.Series.Metric, s.Series.Segment(), status, level(s.Last, s.LastMean()), s.Last.N,
			level(s.Baseline, s.UsualMean()), s.Baseline.N, evidenceOf(s, people), number(s.Floor), sees(s.State)})
	}
	return t
}

// evidenceOf is the evidence as messages show it; for programs its power of ten.
func evidenceOf(s server.SeriesStatus, people bool) string {
	switch {
	case s.Status == "learning" && people:
		return "–"
	case s.Status == "learning":
		return ""
	case people:
		return report.Decades(s.LnEvidence)
	}
	return fmt.Sprintf("%.2f", s.LnEvidence/math.Ln10)
}

// segmentsDown counts the segments of a series over all cells that are down: their cells are
// on neither side of it then.
func segmentsDown(st server.Status, of drift.Series) int {
	n := 0
	for _, s := range st.Series {
		if of.Dim == "" && s.Series.Dim != "" && s.Series.Metric == of.Metric && s.Series.Judge == of.Judge && s.Status == "down" {
			n++
		}
	}
	return n
}

// sees says from when a change of 0.10 can be told from luck.
func sees(s drift.State) string {
	switch {
	case s.Floor > 0 && s.Floor <= 0.10:
		return "now"
	case s.Sees10.IsZero():
		return "not known yet"
	}
	return s.Sees10.Format(time.DateOnly)
}
