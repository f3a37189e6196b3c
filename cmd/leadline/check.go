package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"leadline/config"
	"leadline/sampler/kafka"
	"leadline/schedule"
	"leadline/scorer/openai"
)

func (a *app) checkCommand() *cobra.Command {
	var live bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Validate the configuration, and with --live ask Kafka and the judge",
		Args:  takes(),
	}
	c.Flags().BoolVar(&live, "live", false, "connect to Kafka and send the judge a few small requests")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := a.ownConfig()
		if err != nil {
			return err
		}
		if err := a.printPlan(cfg); err != nil || !live {
			return err
		}
		return a.checkLive(c.Context(), cfg)
	}
	return c
}

// printPlan says what the daemon would do.
func (a *app) printPlan(cfg config.Config) error {
	location, err := time.LoadLocation(cfg.Service.Timezone)
	if err != nil {
		return err
	}
	when, err := schedule.Parse(cfg.Score.Schedule, location)
	if err != nil {
		return err
	}
	lines := []string{
		fmt.Sprintf("%s is valid", a.configPath()),
		fmt.Sprintf("reads     %v from %v, starting at %s", cfg.Kafka.Topics, cfg.Kafka.Brokers, cfg.Kafka.InitialOffset),
		fmt.Sprintf("samples   %g of the %s, at most %d per run%s; next run due %s", cfg.Sample.Rate, sampled(cfg.Sample), cfg.Sample.PerRun, whileOnWatch(cfg.Sample), when.Next(time.Now()).In(location).Format(time.RFC3339)),
	}
	for _, d := range destinations(cfg) {
		lines = append(lines, d.String())
	}
	lines = append(lines, promptsLine(cfg.Judge),
		"price     "+priceText(cfg.Judge), "budget    "+budgetText(cfg.Judge.Limits()),
		fmt.Sprintf("keeps     text %s and scores %s in %s", retention(cfg.Store.TextRetention), retention(cfg.Store.RowRetention), cfg.Store.Path),
		fmt.Sprintf("tells     %s; at most a %g%% chance of a false page per %s over all series", receivers(cfg.Alert), 100*cfg.Drift.FalseAlarms, days(cfg.Drift.Period)))
	return a.printf("%s\n", strings.Join(lines, "\n"))
}

// sampled names what is picked or left as a whole.
func sampled(s config.Sample) string {
	if s.By == "session" {
		return "conversations"
	}
	return "records"
}

// whileOnWatch says how many samples a run may have while something is on watch.
func whileOnWatch(s config.Sample) string {
	if s.WatchFactor <= 1 {
		return ""
	}
	return fmt.Sprintf(" (%d while a series is on watch)", s.WatchFactor*s.PerRun)
}

// retention says for how long something is kept; zero is for ever.
func retention(d time.Duration) string {
	if d == 0 {
		return "for ever"
	}
	return "for " + days(d)
}

// days writes a duration as the file does: 30d.
func days(d time.Duration) string {
	if day := 24 * time.Hour; d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return d.String()
}

func receivers(cfg config.Alert) string {
	names := make([]string, len(cfg.Receivers))
	for i, r := range cfg.Receivers {
		names[i] = r.Name
	}
	return cmp.Or(strings.Join(names, ", "), "nobody (alert.receivers is empty)")
}

// kafkaTimeout and judgeTimeout are for how long each part is asked. A judge on a small machine
// takes minutes to read a long prompt.
const (
	kafkaTimeout = 2 * time.Minute
	judgeTimeout = 15 * time.Minute
)

// checkLive asks Kafka and the judge. Both are asked even when the first one fails.
func (a *app) checkLive(ctx context.Context, cfg config.Config) error {
	failed := 0
	for _, part := range []struct {
		name    string
		timeout time.Duration
		ask     func(context.Context) error
	}{
		{"kafka", kafkaTimeout, func(ctx context.Context) error { return a.checkKafka(ctx, cfg.Kafka) }},
		{"judge", judgeTimeout, func(ctx context.Context) error { return a.checkJudge(ctx, cfg) }},
	} {
		err := inTime(ctx, part.timeout, part.ask)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			continue
		}
		failed++
		if err := a.printf("%-9s FAILED: %v\n", part.name, err); err != nil {
			return err
		}
	}
	if failed > 0 {
		return exitError{exitFailed, fmt.Errorf("%d of 2 live checks failed", failed)}
	}
	return nil
}

func inTime(ctx context.Context, timeout time.Duration, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := ask(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s: %w", timeout, err)
	}
	return err
}

// progress says on standard error what is being done; calls that are tried again say so from
// several goroutines.
func (a *app) progress(format string, args ...any) {
	a.saying.Lock()
	defer a.saying.Unlock()
	fmt.Fprintf(a.io.err, format+"\n", args...)
}

// attendedOptions are those of a judge that a person waits for.
func (a *app) attendedOptions() openai.Options {
	return openai.Options{Log: zerolog.Nop(), FailFast: true, OnRetry: func(r openai.Retry) {
		a.progress("%-9s %s; try %d of %d in %s, until %s at the latest", r.Endpoint, r.Cause, r.Try, r.Tries,
			r.Wait.Round(100*time.Millisecond), r.Until.Format(time.TimeOnly))
	}}
}

func (a *app) checkKafka(ctx context.Context, cfg config.Kafka) error {
	a.progress("kafka     asking %s", strings.Join(cfg.Brokers, ", "))
	topics, err := kafka.Check(ctx, cfg)
	if err != nil {
		return fmt.Errorf("%w; check kafka.brokers, and that this machine may read kafka.topics", err)
	}
	var missing []string
	for _, t := range topics {
		if !t.Exists {
			missing = append(missing, t.Topic)
			continue
		}
		err := a.printf("kafka     %s: %d partitions, %d of them without a leader; about %d messages\n", t.Topic, t.Partitions, t.Leaderless, t.Offsets)
		if err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s does not exist yet; the daemon would wait for it", strings.Join(missing, ", "))
	}
	return nil
}
