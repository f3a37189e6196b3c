package main

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"leadline/backtest"
	"leadline/config"
	"leadline/sampler"
)

// Kept returns all that decisions rest on, and what they came to.
func (s *source) Kept(context.Context) (backtest.Kept, error) {
	r := s.runner
	r.incidents.Lock() // a run must not be decided between the two
	defer r.incidents.Unlock()
	h, _, err := r.store.History()
	if err != nil {
		return backtest.Kept{}, err
	}
	incidents, err := r.store.Incidents()
	if err != nil {
		return backtest.Kept{}, err
	}
	last, _, err := r.store.LastDecided()
	if err != nil {
		return backtest.Kept{}, err
	}
	return backtest.Kept{
		Service: r.cfg.Service.Name, Rows: h.Rows, Tallies: h.Tallies, Controls: h.Controls, Marks: h.Marks,
		Acceptances: h.Acceptances, Episodes: h.Episodes, Incidents: incidents,
		Drift: r.cfg.Drift, Made: s.made(last),
	}, nil
}

// made are the settings that the rows were made with. Of the newest window it is stored how
// it was sampled; the rest is what is configured.
func (s *source) made(last sampler.Window) map[string]string {
	out := fixedSettings(s.runner.cfg)
	if last.Rate > 0 {
		in := s.runner.cfg.Sample
		in.Rate, in.Salt, in.PerRun, in.Floor = last.Rate, last.Salt, last.PerRun, last.Floor
		if last.WatchFactor > 0 {
			in.WatchFactor = last.WatchFactor
		}
		for path, value := range config.Flat("sample", in) {
			if _, shown := out[path]; shown {
				out[path] = value
			}
		}
	}
	start, due := s.runner.when.Window(last.Due)
	if !last.Start.IsZero() && (!start.Equal(last.Start) || !due.Equal(last.Due)) {
		out[schedulePath] = fmt.Sprintf("something else (the newest run is from %s to %s)", shortTime(last.Start), shortTime(last.Due))
	}
	return out
}

const (
	schedulePath = "score.schedule"
	timezonePath = "service.timezone"
	noDataPath   = "drift.no_data_after"
)

// fixedSettings are those that rows were made with or that are of now: a replay cannot show
// what a change of them does.
func fixedSettings(cfg config.Config) map[string]string {
	out := map[string]string{timezonePath: cfg.Service.Timezone, noDataPath: config.Flat("drift", cfg.Drift)[noDataPath]}
	for path, section := range map[string]any{"record": cfg.Record, "sample": cfg.Sample, "judge": cfg.Judge, "score": cfg.Score} {
		maps.Copy(out, config.Flat(path, section))
	}
	// How requests are paid, paced and proven, and how much is read at once, changes no score.
	for _, path := range []string{"judge.api_key_file", "judge.embeddings.api_key_file", "judge.timeout", "judge.concurrency",
		"judge.service_tier", "judge.flex_fallback", "judge.prompt_cache", "judge.tokens_per_day", "judge.response_models", "record.max_size", "record.max_age", "sample.second_look"} {
		delete(out, path)
	}
	for path := range out {
		if strings.HasPrefix(path, "judge.budget.") || strings.HasPrefix(path, "judge.prices.") {
			delete(out, path)
		}
	}
	return out
}

// parseSince reads a date, a time, or a length of time before the newest run.
func parseSince(text string) (at time.Time, before time.Duration, err error) {
	if text == "" {
		return at, 0, nil
	}
	if d, ok := config.ParseDuration(text); ok && d > 0 {
		return at, d, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err = time.Parse(layout, text); err == nil {
			return at.UTC(), 0, nil
		}
	}
	return at, 0, exitError{exitUsage, fmt.Errorf("--since %q: write a date as 2026-11-30, a time as 2026-11-30T09:00:00Z, or a length as 56d", text)}
}

// parseDrops reads the sizes of drops.
func parseDrops(texts []string) ([]float64, error) {
	var out []float64
	for _, text := range texts {
		if text == "none" && len(texts) == 1 {
			return nil, nil
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0 && v < 1) {
			return nil, exitError{exitUsage, fmt.Errorf("--drops %s: must be sizes above 0 and below 1 as 0.05,0.10, or none", text)}
		}
		out = append(out, v)
	}
	return out, nil
}
