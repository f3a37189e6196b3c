package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
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
		Args:  cobra.NoArgs,
	}
	form := outputFlag(c)
	c.Flags().StringVar(&failOn, "fail-on", "", `exit 3 when the verdict is "drift" or, with "watch", watch or worse`)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := errors.Join(checkOutput(*form), checkFailOn(failOn)); err != nil {
			return err
		}
		client, done, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer done()
		st, err := client.Status(c.Context())
		if err != nil {
			return err
		}
		if err := printStatus(a.io.out, *form, st); err != nil {
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

func printStatus(w io.Writer, form string, st server.Status) error {
	if form == "json" {
		return writeJSON(w, st)
	}
	if form == "table" {
		if err := printSummary(w, st); err != nil {
			return err
		}
	}
	return render(w, form, seriesTable(st))
}

func printSummary(w io.Writer, st server.Status) error {
	lines := []string{
		fmt.Sprintf("%s (%s): %s. %s", st.Service, st.Environment, st.Verdict, st.Sentence),
		fmt.Sprintf("last run %s, next due %s; coverage %d of %d", shortTime(st.LastWindow), shortTime(st.NextDue), st.Coverage.Scored, st.Coverage.Samples),
		"offsets  " + ledgerLine(st.Offsets, sampler.OffsetStates),
		"records  " + ledgerLine(st.Records, sampler.RecordStates),
	}
	if st.Kafka.Error != "" {
		lines = append(lines, "kafka    "+st.Kafka.Error)
	}
	if st.Judge.Paused != "" {
		lines = append(lines, "judge    paused: "+st.Judge.Paused)
	}
	for _, i := range st.Incidents {
		f := headline(i)
		state := "open"
		if !i.Open() {
			state = "resolved " + shortTime(i.Resolved)
		}
		lines = append(lines, fmt.Sprintf("incident %s: %s %s, since %s, %s", i.ID, f.Series.Metric, f.Series.Segment(), shortTime(i.Since), state))
	}
	for _, n := range st.Notes {
		lines = append(lines, fmt.Sprintf("note     %s: %s%s", n.Kind, n.Document, n.Segment))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// ledgerLine lists the states that occurred, and their sum.
func ledgerLine[S ~string](counts map[S]int64, order []S) string {
	line, total := "", int64(0)
	for _, s := range order {
		total += counts[s]
		if counts[s] > 0 {
			line += fmt.Sprintf("  %s %d", s, counts[s])
		}
	}
	if total == 0 {
		return "0"
	}
	return fmt.Sprintf("%d =%s", total, line)
}

func shortTime(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

func seriesTable(st server.Status) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"metric", "segment", "status", "last", "last n", "baseline", "baseline n", "evidence", "floor", "sees −0.10"})
	for _, s := range st.Series {
		t.AppendRow(table.Row{s.Series.Metric, s.Series.Segment(), s.Status, level(s.Last), s.Last.N, level(s.Baseline), s.Baseline.N,
			fmt.Sprintf("%.1f", s.LnEvidence), fmt.Sprintf("%.3f", s.Floor), sees(s.State)})
	}
	return t
}

func level(l drift.Level) string {
	if l.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", l.Mean)
}

// sees says from when a fall of 0.10 can be told from luck.
func sees(s drift.State) string {
	switch {
	case s.Floor > 0 && s.Floor <= 0.10:
		return "now"
	case s.Sees10.IsZero():
		return "not known yet"
	}
	return s.Sees10.Format(time.DateOnly)
}
