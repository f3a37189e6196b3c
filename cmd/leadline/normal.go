package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/drift"
	"leadline/scorer"
	"leadline/server"
)

// Baselines tells what series are compared with.
func (s *source) Baselines(_ context.Context, metric scorer.Metric, segment string) ([]drift.Baseline, error) {
	history, result, err := s.runner.store.History()
	if err != nil {
		return nil, err
	}
	series, err := chosen(result.States, metric, segment)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(drift.Baselines(history, s.runner.cfg.Drift), func(b drift.Baseline) bool {
		return !slices.Contains(series, b.Series)
	}), nil
}

// chosen are the live series of a metric and a segment; empty ones select all. There is at
// least one, or an error that names those there are; but none before the first run.
func chosen(states []drift.State, metric scorer.Metric, segment string) ([]drift.Series, error) {
	var fit []drift.Series
	var metrics, segments []string
	for _, st := range states {
		s := st.Series
		if !slices.Contains(metrics, string(s.Metric)) {
			metrics = append(metrics, string(s.Metric))
		}
		if metric != "" && s.Metric != metric {
			continue
		}
		if !slices.Contains(segments, s.Segment()) {
			segments = append(segments, s.Segment())
		}
		if segment == "" || s.Segment() == segment {
			fit = append(fit, s)
		}
	}
	switch {
	case len(states) == 0 || len(fit) > 0:
		return fit, nil
	case len(segments) == 0:
		return nil, fmt.Errorf("%w: there is no series of metric %s; there are: %s", server.ErrInvalid, metric, strings.Join(metrics, ", "))
	case metric == "":
		return nil, fmt.Errorf("%w: there is no series of segment %s; there are: %s", server.ErrInvalid, segment, strings.Join(segments, ", "))
	}
	return nil, fmt.Errorf("%w: there is no series of %s in segment %s; there are: %s", server.ErrInvalid, metric, segment, strings.Join(segments, ", "))
}

// Reset has series learned anew from the newest run on, or says what that would cost.
func (s *source) Reset(_ context.Context, q server.ResetRequest) (server.ResetReply, error) {
	history, result, err := s.runner.store.History()
	if err != nil {
		return server.ResetReply{}, err
	}
	if len(result.States) == 0 {
		return server.ResetReply{}, fmt.Errorf("%w: nothing was scored yet, so there is no baseline", server.ErrInvalid)
	}
	series, err := chosen(result.States, q.Metric, wholeUnless(q.Segment))
	if err != nil {
		return server.ResetReply{}, err
	}
	as := make([]drift.Acceptance, len(series))
	for i, one := range series {
		as[i] = drift.Acceptance{Series: one, From: result.States[0].Run, By: q.By, At: time.Now().UTC(), Note: q.Note, Reset: true}
	}
	reply := server.ResetReply{Lost: drift.Lost(history, as, s.runner.cfg.Drift)}
	if q.DryRun || len(reply.Lost) == 0 {
		return reply, nil
	}
	if err := s.runner.store.Accept(as); err != nil {
		return server.ResetReply{}, err
	}
	reply.Noted = as
	return reply, s.runner.reconsider()
}

// wholeUnless is the segment that is meant when none is named: the pooled series holds
// the cells of all.
func wholeUnless(segment string) string {
	if segment == "" {
		return "all"
	}
	return segment
}
