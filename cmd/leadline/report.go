package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"leadline/report"
)

func (a *app) reportCommand() *cobra.Command {
	var week, form, failOn string
	c := &cobra.Command{
		Use:   "report",
		Short: "Print the report of a week",
		Args:  cobra.NoArgs,
	}
	c.Flags().StringVar(&week, "week", "", "ISO week, as 2026-W48 (default: the last full week)")
	c.Flags().StringVarP(&form, "output", "o", "html", "html or json")
	c.Flags().StringVar(&failOn, "fail-on", "", `exit 3 when the verdict is "drift" or, with "watch", watch or worse`)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if form != "html" && form != "json" {
			return exitError{exitUsage, fmt.Errorf("-o %s: must be html or json", form)}
		}
		if err := checkFailOn(failOn); err != nil {
			return err
		}
		cfg, err := a.config()
		if err != nil {
			return err
		}
		if week == "" {
			location, err := time.LoadLocation(cfg.Service.Timezone)
			if err != nil {
				return err
			}
			week, _, _ = report.WeekOf(time.Now().AddDate(0, 0, -7), location)
		}
		client, done, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer done()
		made, err := client.Week(c.Context(), week)
		if err != nil {
			return err
		}
		write := report.WriteHTML
		if form == "json" {
			write = report.WriteJSON
		}
		if err := write(a.io.out, made); err != nil {
			return err
		}
		return verdictExit(made.Verdict, failOn)
	}
	return c
}
