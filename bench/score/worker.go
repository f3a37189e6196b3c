package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"leadline/bench/answers"
	"leadline/config"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
	"leadline/store"
)

// strictness is how many questions are made of an answer, on both sides.
const strictness = 3

// work scores records as the daemon does, with its memo on disk, in a process of its own. It
// prints what peers/ragas_score.py prints.
func work(ctx context.Context, path, url string, inFlight int, out io.Writer) error {
	samples, err := readSamples(path)
	if err != nil {
		return err
	}
	s, done, err := newScorer(filepath.Dir(path), url, inFlight)
	if err != nil {
		return err
	}
	defer done()
	enc := json.NewEncoder(out)
	before, start := usageNow(), time.Now()
	var scores []scorer.Score
	err = s.ScoreAll(ctx, samples, func(score scorer.Score) error {
		scores = append(scores, score)
		return nil
	})
	if err != nil {
		return fmt.Errorf("score the records: %w", err)
	}
	used := took(before, start)
	for _, score := range scores {
		used.Repairs += score.Usage.Repairs
	}
	for _, score := range scores {
		line := result{ID: score.SampleID, Faithfulness: outcomeOf(score, scorer.Faithfulness), Relevancy: outcomeOf(score, scorer.AnswerRelevancy)}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return enc.Encode(result{Usage: &used})
}

func readSamples(path string) ([]sampler.Sample, error) {
	records, err := answers.Read[answers.Record](path)
	if err != nil {
		return nil, err
	}
	samples := make([]sampler.Sample, len(records))
	for i, r := range records {
		samples[i] = r.Sample()
	}
	return samples, nil
}

func newScorer(folder, url string, inFlight int) (s *scorer.Scorer, done func(), err error) {
	kept, err := store.Open(filepath.Join(folder, fmt.Sprintf("memo-%d.db", os.Getpid())), store.Plan{})
	if err != nil {
		return nil, nil, err
	}
	cfg := config.Default().Judge
	cfg.BaseURL, cfg.Model, cfg.Embeddings.Model = url, standin.Model, standin.Model
	cfg.Concurrency, cfg.Strictness = inFlight, strictness
	judge, err := openai.New(cfg, openai.Options{Memo: kept.Memo(time.Now)})
	if err != nil {
		return nil, nil, err
	}
	s, err = scorer.New(scorer.Options{Judge: judge, Embedder: judge.Embedder(), IDs: judge.IDs(), Strictness: strictness,
		Concurrency: inFlight, Log: zerolog.Nop()})
	return s, func() { _ = kept.Close() }, err
}

func outcomeOf(score scorer.Score, m scorer.Metric) outcome {
	o := score.Outcomes[m]
	if o.Scored {
		return outcome{Value: &o.Value}
	}
	return outcome{Error: string(o.Reason)}
}

func usageNow() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for no process that runs
	return u
}

func took(before syscall.Rusage, start time.Time) usage {
	after := usageNow()
	cpu := func(u syscall.Rusage) float64 {
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	return usage{Wall: time.Since(start).Seconds(), CPU: cpu(after) - cpu(before), MaxRSS: peakMemory()}
}

// peakMemory is the most that the process held, in KiB. The kernel's other figure for it,
// ru_maxrss, is at least that of the process that started this one.
func peakMemory() (kib int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // not Linux
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(rest, &kib)
	return kib
}
