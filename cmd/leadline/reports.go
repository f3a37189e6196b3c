package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

// report makes the weekly report that fell due in a window: when the window is decided,
// so is the week. After downtime the missed weeks come in order; each is made once.
func (r *runner) report(w sampler.Window) error {
	due := r.reports.Next(w.Start.Add(-time.Nanosecond))
	if w.Start.IsZero() || due.After(w.Due) {
		return nil
	}
	week, from, _ := report.WeekOf(due.AddDate(0, 0, -7), r.location)
	last, err := r.store.LastReport()
	if err != nil || week <= last {
		return err
	}
	h, _, err := r.store.History()
	if err != nil {
		return err
	}
	if len(h.Rows) == 0 || h.Rows[0].Due.After(from.AddDate(0, 0, 7)) {
		return nil // nothing was watched in that week
	}
	made, err := r.week(from)
	if err != nil {
		return fmt.Errorf("make the report of %s: %w", week, err)
	}
	if err := writeReport(r.reportDir(), made); err != nil {
		// The report can be made again at any time; a full disk must not stop scoring.
		r.log.Error().Err(err).Str("week", week).Msg("report not written")
	}
	digest := made.Digest()
	deliveries := alert.ReportDeliveries(&digest, r.deliveryOptions(), time.Now())
	r.log.Info().Str("week", week).Str("verdict", digest.Verdict).Msg("report made")
	return r.store.SaveReport(week, deliveries)
}

// catchUpReport makes the report that a crash between a decision and its report left out.
func (r *runner) catchUpReport() error {
	w, ok, err := r.store.LastDecided()
	if err != nil || !ok {
		return err
	}
	return r.report(w)
}

// week makes the report of the week that begins at from.
func (r *runner) week(from time.Time) (report.Week, error) {
	in, err := r.reportInput(from)
	if err != nil {
		return report.Week{}, err
	}
	return report.Make(in), nil
}

func (r *runner) reportInput(from time.Time) (in report.Input, err error) {
	to := from.AddDate(0, 0, 7)
	in = report.Input{
		Service: r.cfg.Service.Name, Environment: r.cfg.Service.Environment, Language: r.cfg.Service.Language,
		Location: r.location, From: from, To: to, Standin: r.standin, Version: version(), SampleRate: r.cfg.Sample.Rate,
	}
	if in.History, in.Result, err = r.store.History(); err != nil {
		return in, err
	}
	in.History.Marks = drift.Changes(in.History)
	if in.Incidents, err = r.store.Incidents(); err != nil {
		return in, err
	}
	if in.Scores, err = r.store.Scores(from.AddDate(0, 0, -7*report.ChartWeeks), to, nil); err != nil {
		return in, err
	}
	if in.Runs, err = r.store.Runs(0); err != nil {
		return in, err
	}
	if in.Floors, err = rememberedFloors(r.store, r.cfg.Judge); err != nil {
		return in, err
	}
	if in.SpentWeek, err = spentIn(r.store, from, to); err != nil {
		return in, err
	}
	end := to.Add(-1).UTC()
	if in.SpentMonth, err = spentIn(r.store, time.Date(end.Year(), end.Month(), 1, 0, 0, 0, 0, time.UTC), to); err != nil {
		return in, err
	}
	limits := r.cfg.Judge.Limits()
	in.SpentMonth.Limit = scorer.Spend{Tokens: limits.TokensPerMonth, Dollars: limits.DollarsPerMonth}
	ledgers, err := r.store.Ledgers()
	if err != nil {
		return in, err
	}
	in.Offsets, in.Records = ledgers.Offsets, ledgers.Records
	for _, metric := range scorer.Metrics {
		lowest, err := r.store.Lowest(metric, from.Add(-time.Nanosecond), to, nil, r.cfg.Report.Samples)
		if err != nil {
			return in, err
		}
		in.Lowest = append(in.Lowest, lowest...)
	}
	return in, nil
}

func (r *runner) reportDir() string {
	if r.cfg.Report.Dir != "" {
		return r.cfg.Report.Dir
	}
	return filepath.Join(filepath.Dir(r.cfg.Store.Path), "reports")
}

// sentReport returns the report of a week as it was told; ok is false when there is none.
func sentReport(dir, id string) (week report.Week, ok bool, err error) {
	b, err := os.ReadFile(filepath.Join(dir, id+".json"))
	if errors.Is(err, os.ErrNotExist) {
		return week, false, nil
	}
	if err != nil {
		return week, false, fmt.Errorf("read report %s: %w", id, err)
	}
	if err := json.Unmarshal(b, &week); err != nil {
		return week, false, fmt.Errorf("read report %s: %w", id, err)
	}
	return week, true, nil
}

// forgetTexts takes the users' texts out of the reports of weeks that ended before a time.
func forgetTexts(dir string, before time.Time) error {
	for _, id := range reportsIn(dir) {
		week, ok, err := sentReport(dir, id)
		if err != nil {
			return err
		}
		if !ok || !week.To.Before(before) || !week.HasTexts() {
			continue
		}
		if err := writeReport(dir, week.WithoutTexts()); err != nil {
			return err
		}
	}
	return nil
}

// reportsIn lists the weeks that a folder has reports of, newest first.
func reportsIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var weeks []string
	for _, e := range slices.Backward(entries) {
		if id, ok := strings.CutSuffix(e.Name(), ".html"); ok {
			weeks = append(weeks, id)
		}
	}
	return weeks
}

// writeReport writes both files of a report. Each is complete or not there.
func writeReport(dir string, week report.Week) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of reports: %w", err)
	}
	for ext, write := range map[string]func(io.Writer, report.Week) error{"html": report.WriteHTML, "json": report.WriteJSON} {
		var b bytes.Buffer
		if err := write(&b, week); err != nil {
			return fmt.Errorf("write report %s: %w", week.ID, err)
		}
		path := filepath.Join(dir, week.ID+"."+ext)
		if err := os.WriteFile(path+".new", b.Bytes(), 0o600); err != nil {
			return fmt.Errorf("write report %s: %w", week.ID, err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return fmt.Errorf("write report %s: %w", week.ID, err)
		}
	}
	return nil
}
