package main

import (
	"errors"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/drift"
	"leadline/scorer"
	"leadline/server"
)

func (a *app) baselineResetCommand() *cobra.Command {
	var q server.ResetRequest
	var metric string
	var yes bool
	c := &cobra.Command{
		Use:   "reset (--metric M [--segment DIM=VALUE] | --all) --by NAME --yes",
		Short: "Forget what a series is compared with, and learn it anew from now on",
		Long: `What the series had until the newest run leaves its baseline, and for the cells that
they share that of every other series of the metric. Without --yes nothing is changed:
it prints what would be lost. Nothing is deleted, and the decision is kept for ever
(baseline list).`,
		Args: takes(),
	}
	c.Flags().StringVar(&metric, "metric", "", "which: faithfulness, answer_relevancy, empty_retrieval, refusal, truncated or error_answer")
	c.Flags().StringVar(&q.Segment, "segment", "", `only one, as "department=hr"; all of the metric unless given`)
	c.Flags().BoolVar(&q.All, "all", false, "every series of the service")
	c.Flags().StringVar(&q.By, "by", "", "who decides this (baseline list shows it)")
	c.Flags().StringVar(&q.Note, "note", "", "why")
	c.Flags().BoolVar(&yes, "yes", false, "do it")
	c.RunE = func(c *cobra.Command, _ []string) error {
		q.Metric, q.DryRun = scorer.Metric(metric), !yes
		if err := errors.Join(checkReset(q), checkSeries(metric, q.Segment)); err != nil {
			return err
		}
		client, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer client.close()
		reply, err := client.Reset(c.Context(), q)
		if err != nil {
			return err
		}
		return a.printReset(reply, yes)
	}
	return c
}

func checkReset(q server.ResetRequest) error {
	switch {
	case q.By == "":
		return exitError{exitUsage, errors.New("--by is missing: it is kept who decided this")}
	case q.All && (q.Metric != "" || q.Segment != ""):
		return exitError{exitUsage, errors.New("--all is every series: leave out --metric and --segment")}
	case !q.All && q.Metric == "":
		return exitError{exitUsage, errors.New("say which series: --metric M, with or without --segment DIM=VALUE, or --all")}
	}
	return nil
}

func (a *app) printReset(reply server.ResetReply, done bool) error {
	if len(reply.Lost) == 0 {
		return exitError{exitNotEnoughData, errors.New("there is no baseline to lose: nothing was scored since it was last learned anew")}
	}
	t := table.NewWriter()
	t.AppendHeader(table.Row{"metric", "segment", "samples lost", "samples left", "can alarm from", ""})
	for _, l := range reply.Lost {
		t.AppendRow(table.Row{l.Series.Metric, l.Series.Segment(), l.Samples, l.Left, againFrom(l), ending(l)})
	}
	if err := render(a.io.out, "table", t); err != nil {
		return err
	}
	if !done {
		return exitError{exitUsage, errors.New("nothing was changed; with --yes these samples leave the baselines, and no series sees a fall before the time beside it")}
	}
	return a.printf("reset: %d series lost samples, %d of them learn anew\n", len(reply.Lost), learning(reply.Lost))
}

// learning counts the series that have too little left to alarm.
func learning(lost []drift.Loss) int {
	n := 0
	for _, l := range lost {
		if l.Learning {
			n++
		}
	}
	return n
}

// againFrom is when a series that lost its baseline can alarm again.
func againFrom(l drift.Loss) string {
	switch {
	case !l.Learning:
		return "now"
	case l.Ready.IsZero():
		return "not known"
	}
	return "about " + shortTime(l.Ready)
}

func ending(l drift.Loss) string {
	if l.Ended {
		return "is down: its alarm ends"
	}
	return ""
}
