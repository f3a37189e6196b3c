package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"leadline/report"
)

func (a *app) reportCommand() *cobra.Command {
	var week, form, failOn string
	c := &cobra.Command{
		Use:   "report",
		Short: "Print the report of a week",
		Args:  takes(),
	}
	c.Flags().StringVar(&week, "week", "", "ISO week, as 2026-W48 (default: the last full week)")
	c.Flags().StringVarP(&form, "output", "o", "html", "html or json")
	c.Flags().StringVar(&failOn, "fail-on", "", `exit 3 when the verdict is "drift" or, with "watch", watch or worse`)
	c.RunE = func(c *cobra.Command, _ []string) error {
		write, known := map[string]func(io.Writer, report.Week) error{"html": report.WriteHTML, "json": report.WriteJSON}[form]
		if !known {
			return exitError{exitUsage, fmt.Errorf("-o %s: must be html or json", form)}
		}
		if err := checkFailOn(failOn); err != nil {
			return err
		}
		made, err := a.week(c.Context(), week)
		if err != nil {
			return err
		}
		if err := write(a.io.out, made); err != nil {
			return err
		}
		return verdictExit(made.Verdict, failOn)
	}
	return c
}

// week asks for the report of a week, and of the last full one without an ID.
func (a *app) week(ctx context.Context, id string) (report.Week, error) {
	cfg, err := a.config()
	if err != nil {
		return report.Week{}, err
	}
	if id == "" {
		location, err := time.LoadLocation(cfg.Service.Timezone)
		if err != nil {
			return report.Week{}, err
		}
		id, _, _ = report.WeekOf(time.Now().AddDate(0, 0, -7), location)
	}
	client, err := a.connect(ctx)
	if err != nil {
		return report.Week{}, err
	}
	defer client.close()
	return client.Week(ctx, id)
}
