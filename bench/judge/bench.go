package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
	"leadline/store"
)

// bench is a judge and what it has answered.
type bench struct {
	standin bool
	data    string
	memo    string
	ids     map[scorer.Metric]scorer.JudgeID
	scorer  *scorer.Scorer
	scores  map[string]scorer.Score
	began   time.Time
	stderr  io.Writer
	closers []func()
}

func newBench(ctx context.Context, o options, stderr io.Writer) (*bench, error) {
	b := &bench{standin: o.standin, data: o.data, memo: o.memo, scores: map[string]scorer.Score{}, began: time.Now(), stderr: stderr}
	cfg, err := b.config(ctx, o)
	if err == nil {
		err = b.connect(ctx, cfg)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// config is the judge to ask.
func (b *bench) config(ctx context.Context, o options) (config.Judge, error) {
	if !o.standin {
		cfg, err := config.Load(o.config, os.LookupEnv)
		return cfg.Judge, err
	}
	server, err := standin.New(standin.Options{})
	if err != nil {
		return config.Judge{}, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return config.Judge{}, fmt.Errorf("start the stand-in: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(ctx, l) // its requests then fail, and say so
	}()
	b.closers = append(b.closers, func() { cancel(); <-done })
	judge := config.Default().Judge
	judge.BaseURL, judge.Model, judge.Embeddings.Model = "http://"+l.Addr().String()+"/v1", standin.Model, standin.Model
	return judge, nil
}

func (b *bench) connect(ctx context.Context, cfg config.Judge) error {
	o := openai.Options{Log: zerolog.Nop(), FailFast: true, OnRetry: func(r openai.Retry) {
		fmt.Fprintf(b.stderr, "%s: %s; try %d of %d\n", r.Endpoint, r.Cause, r.Try, r.Tries)
	}}
	if !b.standin {
		s, err := store.Open(b.memo, store.Plan{})
		if err != nil {
			return fmt.Errorf("open the memo: %w", err)
		}
		b.closers = append(b.closers, func() { _ = s.Close() })
		o.Memo = s.Memo(time.Now)
	}
	judge, err := openai.New(cfg, o)
	if err != nil {
		return err
	}
	if _, err := judge.Probe(ctx); err != nil {
		return err
	}
	b.ids = judge.IDs()
	options := scorer.Options{Judge: judge, IDs: b.ids, Strictness: cfg.Strictness, Concurrency: cfg.Concurrency, Log: zerolog.Nop()}
	if cfg.Embeddings.Model != "" {
		options.Embedder = judge.Embedder()
	}
	b.scorer, err = scorer.New(options)
	return err
}

// close stops what was started, the last first.
func (b *bench) close() {
	for _, stop := range slices.Backward(b.closers) {
		stop()
	}
	b.closers = nil
}

func (b *bench) score(ctx context.Context, records []record) error {
	samples := make([]sampler.Sample, len(records))
	for i, r := range records {
		samples[i] = r.Sample()
	}
	return b.scorer.ScoreAll(ctx, samples, func(s scorer.Score) error {
		b.scores[s.SampleID] = s
		if n := len(b.scores); n%100 == 0 || n == len(samples) {
			fmt.Fprintf(b.stderr, "%d of %d answers scored\n", n, len(samples))
		}
		return nil
	})
}

// interrupted says what is kept of a run that did not end.
func (b *bench) interrupted(err error) error {
	if b.standin {
		return err
	}
	return fmt.Errorf("%w; %d answers are scored, and every reply is in %s: the same command goes on from there", err, len(b.scores), b.memo)
}
