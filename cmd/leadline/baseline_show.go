package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/drift"
	"leadline/scorer"
)

func (a *app) baselineShowCommand() *cobra.Command {
	var metric, segment string
	c := &cobra.Command{
		Use:   "show [--metric M] [--segment DIM=VALUE]",
		Short: "Show what each series is compared with, and what is left out of it",
		Args:  takes(),
	}
	form := outputFlag(c)
	c.Flags().StringVar(&metric, "metric", "", "only one: faithfulness, answer_relevancy, empty_retrieval, refusal, truncated or error_answer")
	c.Flags().StringVar(&segment, "segment", "", `only one: "department=hr", or "all"`)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := errors.Join(checkOutput(*form), checkSeries(metric, segment)); err != nil {
			return err
		}
		client, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer client.close()
		all, err := client.Baselines(c.Context(), scorer.Metric(metric), segment)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return exitError{exitNotEnoughData, errors.New("no run is decided yet, so there is no baseline")}
		}
		return a.printBaselines(*form, all)
	}
	return c
}

// checkSeries says what is wrong with a metric or a segment that was asked for; what there
// is only the store knows.
func checkSeries(metric, segment string) error {
	if known := slices.Concat(scorer.Metrics, drift.Shares); metric != "" && !slices.Contains(known, scorer.Metric(metric)) {
		return exitError{exitUsage, fmt.Errorf("--metric %s: must be faithfulness, answer_relevancy, empty_retrieval, refusal, truncated or error_answer", metric)}
	}
	if segment != "" && segment != "all" && !strings.Contains(segment, "=") {
		return exitError{exitUsage, fmt.Errorf("--segment %s: must be a dimension and its value, as department=hr", segment)}
	}
	return nil
}

func (a *app) printBaselines(form string, all []drift.Baseline) error {
	if form == "json" {
		return writeJSON(a.io.out, all)
	}
	if err := render(a.io.out, form, baselineTable(all, form != "csv")); err != nil || form != "table" {
		return err
	}
	for _, b := range all {
		for _, l := range b.LeftOut {
			if err := a.printf("%s, %s: %s\n", b.Series.Metric, b.Series.Segment(), leftOut(l)); err != nil {
				return err
			}
		}
	}
	return nil
}

func baselineTable(all []drift.Baseline, people bool) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"metric", "segment", "status", "from", "to", "runs", "samples", "mean", "zeros", "sd", "design effect", "floor", "left out", "can alarm from"})
	for _, b := range all {
		share := drift.IsShare(b.Series.Metric)
		number := func(v float64) string {
			switch {
			case b.Samples == 0:
				return "–"
			case share && people:
				return fmt.Sprintf("%.1f %%", 100*v)
			}
			return fmt.Sprintf("%.3f", v)
		}
		zeros := number(b.Zeros)
		if share {
			zeros = "–" // a share is nothing but zeros and ones
		}
		ready := shortTime(b.Ready)
		switch {
		case b.Ready.IsZero():
			ready = "not known yet"
		case b.Status == "learning":
			ready = "about " + ready
		}
		t.AppendRow(table.Row{b.Series.Metric, b.Series.Segment(), b.Status, shortTime(b.From), shortTime(b.To), b.Runs, b.Samples,
			number(b.Mean), zeros, number(b.SD), fmt.Sprintf("%.2f", b.DesignEffect), number(b.Floor), outside(b), ready})
	}
	return t
}

// outside counts the samples that are not in a baseline.
func outside(b drift.Baseline) int {
	n := 0
	for _, l := range b.LeftOut {
		if l.Why != drift.LeftSmallCell {
			n += l.Samples
		}
	}
	return n
}

// leftOut says why samples are not in a baseline.
func leftOut(l drift.LeftOut) string {
	head := fmt.Sprintf("%d samples of %s to %s left out: ", l.Samples, shortTime(l.From), shortTime(l.To))
	by := fmt.Sprintf("%s, %s", l.By, shortTime(l.At))
	if l.Note != "" {
		by += ", " + l.Note
	}
	switch l.Why {
	case drift.LeftAccepted:
		return head + fmt.Sprintf("what came after was accepted as the new normal of %s (%s)", l.Series.Segment(), by)
	case drift.LeftReset:
		return head + fmt.Sprintf("%s is learned anew (%s)", l.Series.Segment(), by)
	case drift.LeftEpisode:
		return head + fmt.Sprintf("%s of %s in that time", l.Kind, l.Series.Segment())
	case drift.LeftPartDown:
		return head + fmt.Sprintf("%s is down, and is told by itself", l.Series.Segment())
	case drift.LeftDown:
		return head + "the series is down, and these are what is compared"
	case drift.LeftOtherJudge:
		return head + "another judge scored them, so they are another series"
	case drift.LeftSmallCell:
	}
	return fmt.Sprintf("%d samples of %d cells with under 30 each are not compared yet", l.Samples, l.Cells)
}
