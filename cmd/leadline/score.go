package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"leadline/config"
	"leadline/sampler"
	"leadline/sampler/format"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
)

// scored is one line of `leadline score`.
type scored struct {
	ID              string   `json:"id"`
	Faithfulness    *float64 `json:"faithfulness"`
	AnswerRelevancy *float64 `json:"answer_relevancy"`
	// Floor is what unrelated questions have in the language of this one; AboveFloor is the
	// relevancy on a scale where they have 0. Both are extras beside the raw cosine.
	Floor         *float64                        `json:"relevancy_floor,omitempty"`
	AboveFloor    *float64                        `json:"relevancy_above_floor,omitempty"`
	CrossLanguage bool                            `json:"cross_language,omitempty"`
	Noncommittal  bool                            `json:"noncommittal,omitempty"`
	Statements    []scorer.Statement              `json:"statements"`
	Questions     []scorer.Question               `json:"questions"`
	Unscorable    map[scorer.Metric]scorer.Reason `json:"unscorable"`
	Judge         map[scorer.Metric]string        `json:"judge"`
	Usage         scorer.Usage                    `json:"usage"`
	Error         string                          `json:"error,omitempty"`
}

// unread is the line of a record that could not be scored.
func unread(id, why string) scored {
	out := lineOf(scorer.Score{SampleID: id})
	out.Error = why
	return out
}

func (a *app) scoreCommand() *cobra.Command {
	var lexical bool
	var labels labelCheck
	c := &cobra.Command{
		Use:   "score [--config FILE | --standin] [--labels FIELD] < records.jsonl",
		Short: "Score records from standard input, one JSON line each",
		Args:  takes(),
	}
	c.Flags().BoolVar(&lexical, "standin", false, "use the built-in stand-in, which only compares words; needs no configuration")
	c.Flags().StringVar(&labels.field, "labels", "", "a `field` of each line that says faithful or unfaithful: how well the judge agrees is told at the end")
	c.RunE = func(c *cobra.Command, _ []string) error {
		judge, record, done, err := a.scoreConfig(c.Context(), lexical)
		if err != nil {
			return err
		}
		defer done()
		s, err := a.looseScorer(c.Context(), judge)
		if err != nil {
			return err
		}
		decoder, err := format.New(record)
		if err != nil {
			return err
		}
		floors, err := s.Floors(c.Context())
		if err != nil { // an extra beside the scores
			a.progress("relevancy floor not measured: %v", err)
		}
		err = scoreLines(c.Context(), a.io.in, a.io.out, lineScorer{decoder, s, floors}, labels.see)
		if labels.field != "" {
			a.progress("%s", labels.text(lexical))
		}
		return err
	}
	return c
}

// scoreConfig says which judge scores, and how lines are read.
func (a *app) scoreConfig(ctx context.Context, lexical bool) (config.Judge, config.Record, func(), error) {
	if !lexical {
		cfg, err := a.config()
		return cfg.Judge, cfg.Record, func() {}, err
	}
	url, stop, err := startStandin(ctx)
	if err != nil {
		return config.Judge{}, config.Record{}, nil, err
	}
	cfg := config.Default()
	cfg.Judge.BaseURL, cfg.Judge.Model, cfg.Judge.Embeddings.Model = url, standin.Model, standin.Model
	return cfg.Judge, cfg.Record, stop, nil
}

// looseScorer is a scorer without a store behind it.
func (a *app) looseScorer(ctx context.Context, cfg config.Judge) (*scorer.Scorer, error) {
	judge, err := openai.New(cfg, a.attendedOptions())
	if err != nil {
		return nil, err
	}
	if _, err := judge.Probe(ctx); err != nil {
		return nil, err
	}
	return newScorer(cfg, judge, nil, zerolog.Nop())
}

// maxLine is the longest line read, in bytes.
const maxLine = 16 << 20

// scoreLines writes a line for every line it reads. A line that cannot be read says so in
// its place; the exit code then is 1. See is told of each line and what came of it.
func scoreLines(ctx context.Context, in io.Reader, out io.Writer, with lineScorer, see func(line []byte, results []scored)) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	bad := 0
	err := eachLine(ctx, in, func(n int, line []byte) error {
		results, err := with.score(ctx, n, line)
		if err != nil {
			return err
		}
		see(line, results)
		for _, r := range results {
			if r.Error != "" {
				bad++
			}
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && bad > 0 {
		err = exitError{exitFailed, fmt.Errorf("%d lines could not be read; their output says why", bad)}
	}
	return err
}

// eachLine hands on the lines that are not blank, counted from 1, until ctx ends: a person
// who types nothing must be able to interrupt.
func eachLine(ctx context.Context, in io.Reader, do func(n int, line []byte) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, maxLine)
	lines := make(chan []byte)
	go readLines(ctx, scan, lines)
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, more := <-lines:
			if !more && scan.Err() != nil {
				return fmt.Errorf("read line %d: %w", n, scan.Err())
			}
			if !more {
				return nil
			}
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if err := do(n, line); err != nil {
				return err
			}
		}
	}
}

func readLines(ctx context.Context, scan *bufio.Scanner, lines chan<- []byte) {
	defer close(lines)
	for scan.Scan() {
		select {
		case lines <- bytes.Clone(scan.Bytes()):
		case <-ctx.Done():
			return
		}
	}
}

// lineScorer scores the records of a line.
type lineScorer struct {
	decoder *format.Decoder
	scorer  *scorer.Scorer
	floors  []scorer.Floor // nil: not measured
}

func (l lineScorer) score(ctx context.Context, n int, line []byte) ([]scored, error) {
	m := sampler.Message{Topic: "stdin", Offset: int64(n), Time: time.Now().UTC(), Value: line}
	records, err := l.decoder.Decode(m)
	if err != nil { // the line says so in its place; the others go on
		return []scored{unread(fmt.Sprintf("line-%d", n), err.Error())}, nil
	}
	var out []scored
	for _, r := range records {
		if r.ID == "" {
			r.ID = fmt.Sprintf("line-%d", n)
		}
		if missing := missingText(r); missing != "" {
			out = append(out, unread(r.ID, missing))
			continue
		}
		score, err := l.scorer.Score(ctx, sampler.Sample{Record: r})
		if err != nil {
			return nil, fmt.Errorf("score %s: %w", r.ID, err)
		}
		done := lineOf(score)
		if f, ok := scorer.FloorOfQuestion(l.floors, r); ok {
			done.beside(f)
		}
		out = append(out, done)
	}
	return out, nil
}

func missingText(r sampler.Record) string {
	switch {
	case strings.TrimSpace(r.Question) == "":
		return "it has no question"
	case strings.TrimSpace(r.Answer) == "":
		return "it has no answer"
	}
	return ""
}

func lineOf(s scorer.Score) scored {
	out := scored{
		ID: s.SampleID, Statements: append([]scorer.Statement{}, s.Statements...), Questions: append([]scorer.Question{}, s.Questions...),
		Unscorable: map[scorer.Metric]scorer.Reason{}, Judge: map[scorer.Metric]string{}, Usage: s.Usage,
	}
	maps.Copy(out.Judge, s.Judges)
	out.CrossLanguage, out.Noncommittal = s.CrossLanguage, s.Evasion == scorer.Evasive
	for metric, o := range s.Outcomes {
		switch {
		case !o.Scored:
			out.Unscorable[metric] = o.Reason
		case metric == scorer.Faithfulness:
			out.Faithfulness = &o.Value
		case metric == scorer.AnswerRelevancy:
			out.AnswerRelevancy = &o.Value
		}
	}
	return out
}

// beside shows the floor beside a relevancy.
func (out *scored) beside(f scorer.Floor) {
	if out.AnswerRelevancy == nil || out.Noncommittal || f.Unrelated >= 1 {
		return
	}
	out.Floor, out.AboveFloor = &f.Unrelated, new(f.Above(*out.AnswerRelevancy))
}

// newScorer makes a scorer over a judge.
func newScorer(cfg config.Judge, judge *openai.Judge, budget scorer.Budget, log zerolog.Logger) (*scorer.Scorer, error) {
	o := scorer.Options{Judge: judge, IDs: judge.IDs(), Strictness: cfg.Strictness, Concurrency: cfg.Concurrency, Log: log, Budget: budget,
		PromptTokens: judge.PromptTokens(), Worst: judge.Worst()}
	if cfg.Embeddings.Model != "" {
		o.Embedder = judge.Embedder()
	}
	return scorer.New(o)
}
