package main

import (
	"errors"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/drift"
	"leadline/report"
	"leadline/server"
)

func (a *app) baselineCommand() *cobra.Command {
	return group("baseline", "See and decide what is normal", a.baselineShowCommand(), a.baselineAcceptCommand(), a.baselineResetCommand(), a.baselineListCommand())
}

func (a *app) baselineAcceptCommand() *cobra.Command {
	var q server.AcceptRequest
	c := &cobra.Command{
		Use:   "accept INCIDENT --by NAME",
		Short: "Accept the level of an incident's series as the new normal",
		Args:  takes("INCIDENT"),
	}
	c.Flags().StringVar(&q.By, "by", "", "who decides this (baseline list shows it)")
	c.Flags().StringVar(&q.Note, "note", "", "why")
	c.RunE = func(c *cobra.Command, args []string) error {
		if q.By == "" {
			return exitError{exitUsage, errors.New("--by is missing: it is kept who decided this")}
		}
		q.Incident = args[0]
		client, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer client.close()
		acceptance, err := client.Accept(c.Context(), q)
		if err != nil {
			return err
		}
		return a.printf("accepted: what came after %s is the new normal; the incident is over\n", shortTime(acceptance.From))
	}
	return c
}

func (a *app) baselineListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List what was accepted as the new normal or learned anew, by whom and why",
		Args:  takes(),
	}
	form := outputFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.show(c.Context(), *form, func(client *connection) error {
			st, err := client.Status(c.Context())
			if err != nil {
				return err
			}
			if *form == "json" {
				return writeJSON(a.io.out, append([]drift.Acceptance{}, st.Acceptances...))
			}
			return render(a.io.out, *form, acceptanceTable(st.Acceptances, wordsOf(st)))
		})
	}
	return c
}

func acceptanceTable(all []drift.Acceptance, w report.Words) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"decided", "by", "what", "metric", "segment", "normal since", "why"})
	for _, one := range all {
		what := "accepted"
		switch {
		case one.Reset:
			what = "reset"
		case one.Incident != "":
			what += " " + one.Incident
		}
		t.AppendRow(table.Row{shortTime(one.At), one.By, what, w.Metric(one.Series.Metric), one.Series.Segment(), shortTime(one.From), one.Note})
	}
	return t
}
