package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/schollz/progressbar/v3"

	"leadline/backtest"
	"leadline/config"
	"leadline/report"
	"leadline/schedule"
	"leadline/server"
)

// replayFlags are the flags of `leadline backtest` on a store.
type replayFlags struct {
	with, since string
	drops       []string
}

// replayed is what `leadline backtest -o json` prints of a store.
type replayed struct {
	backtest.Replayed
	// Changed are the settings that differ from those in force and were replayed; Fixed are
	// those that differ from what the rows were made with, which a replay cannot show.
	Changed []changedSetting `json:"changed"`
	Fixed   []changedSetting `json:"not_replayed"`
	file    string
}

type changedSetting struct {
	Path string `json:"path"`
	Here string `json:"here"`
	Live string `json:"live"`
}

// replay decides the runs of a store again, under the drift section of a file.
func (a *app) replay(ctx context.Context, f replayFlags, form string) error {
	since, before, err := parseSince(f.since)
	drops, dropsErr := parseDrops(f.drops)
	if err := errors.Join(checkOutput(form), err, dropsErr); err != nil {
		return err
	}
	cfg, err := a.tried(f.with)
	if err != nil {
		return err
	}
	kept, err := a.kept(ctx)
	if err != nil {
		return err
	}
	newest := newestRun(kept)
	if newest.IsZero() {
		return exitError{exitNotEnoughData, errors.New("no run was decided yet, so there is nothing to decide again; leadline status shows how far it is")}
	}
	if before > 0 {
		since = newest.Add(-before)
	}
	if since.After(newest) {
		return exitError{exitUsage, fmt.Errorf("--since %s: is after the newest run, %s", f.since, shortTime(newest))}
	}
	out := replayed{file: cmp.Or(f.with, a.configPath()), Changed: settingDifferences(config.Flat("drift", kept.Drift), config.Flat("drift", cfg.Drift)), Fixed: settingDifferences(kept.Made, fixedSettings(cfg))}
	out.Changed = slices.DeleteFunc(out.Changed, func(c changedSetting) bool { return c.Path == noDataPath })
	a.tellFixed(out.Fixed)
	out.Replayed, err = backtest.Replay(ctx, kept, backtest.Settings{
		Drift: cfg.Drift, Every: everyOf(kept, cfg), Since: since, Drops: drops, Progress: a.replayProgress(),
	})
	if err != nil {
		return err
	}
	if !out.Ready {
		return exitError{exitNotEnoughData, fmt.Errorf("%s: no score had a baseline of %d in any run, so nothing can be said yet; leadline status shows from when", runsFrom(out.Replayed), cfg.Drift.MinBaseline)}
	}
	if form == "json" {
		return writeJSON(a.io.out, out)
	}
	return a.printReplay(out, report.NewWords("en", time.UTC), form)
}

// tried is the configuration whose drift section is tried: that of --with, or the usual one.
func (a *app) tried(path string) (config.Config, error) {
	if path == "" {
		return a.config()
	}
	return (&app{env: a.env, io: a.io, path: &path}).config()
}

func (a *app) kept(ctx context.Context) (backtest.Kept, error) {
	client, err := a.connect(ctx)
	if err != nil {
		return backtest.Kept{}, err
	}
	defer client.close()
	k, err := client.Kept(ctx)
	if errors.Is(err, server.ErrNotFound) {
		err = fmt.Errorf("the daemon does not tell its history; it may be older than this leadline, and needs a restart: %w", err)
	}
	return k, err
}

func newestRun(k backtest.Kept) (newest time.Time) {
	for _, r := range k.Rows {
		newest = later(newest, r.Due)
	}
	for _, t := range k.Tallies {
		newest = later(newest, t.Due)
	}
	return newest
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// everyOf is the distance of runs by the schedule they were made with, where that is known.
func everyOf(k backtest.Kept, cfg config.Config) func(time.Time) time.Duration {
	for _, from := range []map[string]string{k.Made, fixedSettings(cfg)} {
		location, err := time.LoadLocation(from[timezonePath])
		if err != nil {
			continue
		}
		if when, err := schedule.Parse(from[schedulePath], location); err == nil {
			return func(run time.Time) time.Duration { return when.Next(run).Sub(run) }
		}
	}
	return func(time.Time) time.Duration { return 24 * time.Hour }
}

// settingDifferences are the settings that are not the same, in order.
func settingDifferences(live, here map[string]string) []changedSetting {
	all := maps.Clone(live)
	maps.Copy(all, here)
	out := []changedSetting{}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if live[path] != here[path] {
			out = append(out, changedSetting{path, here[path], live[path]})
		}
	}
	return out
}

func (c changedSetting) String() string {
	say := func(value string) string {
		if value == "" {
			return "not set"
		}
		return value
	}
	return fmt.Sprintf("%s %s (live: %s)", c.Path, say(c.Here), say(c.Live))
}

func join(all []changedSetting) string {
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.String()
	}
	return strings.Join(texts, ", ")
}

// tellFixed says which settings the replay knows nothing of.
func (a *app) tellFixed(fixed []changedSetting) {
	if len(fixed) > 0 {
		fmt.Fprintf(a.io.err, "leadline: not shown by a replay, which decides the scores that are there: %s\n", join(fixed))
	}
}

// replayProgress draws a bar for each part on a terminal.
func (a *app) replayProgress() func(part string, done, all int) {
	if !isTerminal(a.io.err) {
		return nil
	}
	var bar *progressbar.ProgressBar
	drawn := ""
	return func(part string, done, all int) {
		if part != drawn {
			drawn = part
			bar = progressbar.NewOptions(all, progressbar.OptionSetWriter(a.io.err), progressbar.OptionSetDescription(part),
				progressbar.OptionSetWidth(40), progressbar.OptionClearOnFinish())
		}
		_ = bar.Set(done)
	}
}

func runsFrom(r backtest.Replayed) string {
	return fmt.Sprintf("%d runs of %s from %s to %s", r.Runs, r.Service, shortTime(r.From), shortTime(r.To))
}

// printReplay prints what came of it. As CSV there are only the incidents: two tables are
// no CSV.
func (a *app) printReplay(r replayed, w report.Words, form string) error {
	incidents := replayTable(r.Incidents, w, form == "csv")
	if form == "csv" {
		return render(a.io.out, form, incidents)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, decided again with the drift section of %s\n", runsFrom(r.Replayed), r.file)
	if len(r.Changed) > 0 {
		fmt.Fprintf(&b, "Other than live: %s\n", join(r.Changed))
	}
	if r.Older > 0 {
		fmt.Fprintf(&b, "Live incidents from before these runs are left out: %d\n", r.Older)
	}
	here, live := counted(r.Incidents)
	from := ""
	if !r.Since.IsZero() {
		from = " since " + shortTime(r.Since)
	}
	if err := a.printf("%s\nIncidents%s: %d here, %d live\n", b.String(), from, here, live); err != nil {
		return err
	}
	if len(r.Incidents) > 0 {
		if err := render(a.io.out, form, incidents); err != nil {
			return err
		}
	}
	if len(r.Simulated) == 0 {
		return nil
	}
	if err := a.printf("\nHow soon a drop would be found: simulated, and not the truth about your service (docs/backtest.md).\n"); err != nil {
		return err
	}
	return render(a.io.out, form, simulatedTable(r.Simulated, r.SimulatedLive, w))
}

func counted(all []backtest.Compared) (here, live int) {
	for _, c := range all {
		if c.Here != nil {
			here++
		}
		if c.Live != nil {
			live++
		}
	}
	return here, live
}

// replayTable lists incidents here, and live ones that are not there here.
func replayTable(all []backtest.Compared, w report.Words, plain bool) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"opened", "metric", "segment", "kind", "drop", "low", "high", "since", "resolved", "live"})
	if !plain {
		t.ResetHeaders()
		t.AppendHeader(table.Row{"opened", "metric", "segment", "kind", "drop", "since", "resolved", "live"})
	}
	for _, c := range all {
		i := c.Shown()
		row := table.Row{shortTime(i.Opened), i.Metric, i.Segment, i.Kind}
		if plain {
			row = append(row, fmt.Sprintf("%.3f", i.Drop), fmt.Sprintf("%.3f", i.Low), fmt.Sprintf("%.3f", i.High))
		} else {
			row = append(row, fmt.Sprintf("%s [%s]", w.Signed(-i.Drop), w.Interval(-i.High, -i.Low, true)))
		}
		t.AppendRow(append(row, shortTime(i.Since), shortTime(i.Resolved), besides(c)))
	}
	return t
}

// besides says how an incident stands to the live one.
func besides(c backtest.Compared) string {
	switch c.Verdict {
	case backtest.OnlyHere:
		return "only here"
	case backtest.OnlyLive:
		return "only live"
	case backtest.Earlier, backtest.Later:
		return fmt.Sprintf("%s by %s", c.Verdict, runCount(c.Runs)) + unlike(c)
	case backtest.SameRun:
		return "same run" + unlike(c)
	case backtest.Same:
	}
	return "same"
}

func runCount(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// unlike names what else the live one had.
func unlike(c backtest.Compared) string {
	var out []string
	differ := func(name, here, live string) {
		if here != live {
			out = append(out, name+" "+live)
		}
	}
	differ("kind", string(c.Here.Kind), string(c.Live.Kind))
	differ("series", string(c.Here.Metric)+" "+c.Here.Segment, string(c.Live.Metric)+" "+c.Live.Segment)
	differ("since", shortTime(c.Here.Since), shortTime(c.Live.Since))
	differ("resolved", shortTime(c.Here.Resolved), shortTime(c.Live.Resolved))
	if len(out) == 0 {
		return ""
	}
	return "; live: " + strings.Join(out, ", ")
}

// simulatedTable says how soon drops are found; with others in force, there too.
func simulatedTable(here, live []backtest.Simulated, w report.Words) table.Writer {
	t := table.NewWriter()
	head := table.Row{"metric", "drop", "found", "median runs", "median samples"}
	if len(live) > 0 {
		head = append(head, "live: found", "runs", "samples")
	}
	t.AppendHeader(head)
	for i, s := range here {
		row := append(table.Row{w.Metric(s.Metric), w.Signed(-s.Drop)}, cells(s, w)...)
		if len(live) > 0 {
			row = append(row, cells(live[i], w)...)
		}
		t.AppendRow(row)
	}
	return t
}

func cells(s backtest.Simulated, w report.Words) table.Row {
	switch {
	case s.Places == 0:
		return table.Row{"–", "–", "–"}
	case s.Runs == 0:
		return table.Row{fmt.Sprintf("%d of %d", s.Found, s.Places), "–", "–"}
	}
	return table.Row{fmt.Sprintf("%d of %d", s.Found, s.Places), w.Int(int64(s.Runs)), w.Int(int64(s.Samples))}
}
