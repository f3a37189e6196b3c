package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"leadline/scorer/standin"
)

// result is a line of either side: of a record, or the last one with what all took.
type result struct {
	ID           string            `json:"id,omitempty"`
	Faithfulness outcome           `json:"faithfulness"`
	Relevancy    outcome           `json:"answer_relevancy"`
	Usage        *usage            `json:"usage,omitempty"`
	Versions     map[string]string `json:"versions,omitempty"`
}

// outcome is a score, Ragas's NaN, or why there is none: a reason of Leadline or the name of
// an exception.
type outcome struct {
	Value *float64 `json:"value,omitempty"`
	NaN   bool     `json:"nan,omitempty"`
	Error string   `json:"error,omitempty"`
}

// usage is what scoring took: seconds, seconds of all cores, KiB of the process at most; and of
// Leadline the second calls, made because a first reply could not be used.
type usage struct {
	Wall   float64 `json:"wall_s"`
	CPU    float64 `json:"cpu_s"`
	MaxRSS int64   `json:"max_rss_kib"`

	Repairs int `json:"repairs,omitempty"`
}

// run is what one side made of the records.
type run struct {
	Results  map[string]result `json:"-"`
	Usage    usage             `json:"usage"`
	Traffic  traffic           `json:"traffic"`
	Versions map[string]string `json:"versions,omitempty"`
}

// ours runs Leadline's scorer in a process of its own.
func ours(ctx context.Context, records, url string, inFlight int) (run, error) {
	self, err := os.Executable()
	if err != nil {
		return run{}, fmt.Errorf("find the own program: %w", err)
	}
	return runSide(exec.CommandContext(ctx, self, "-worker", records, "-url", url+ourPath, "-in-flight", strconv.Itoa(inFlight)))
}

// theirs runs Ragas.
func theirs(ctx context.Context, peers, env, records, url string, inFlight int) (run, error) {
	python := filepath.Join(env, "bin", "python")
	return runSide(exec.CommandContext(ctx, python, filepath.Join(peers, "ragas_score.py"), records, url+theirPath, standin.Model, strconv.Itoa(inFlight)))
}

func runSide(cmd *exec.Cmd) (run, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return run{}, fmt.Errorf("run %s: %w: %s", filepath.Base(cmd.Path), err, tail(errs.String()))
	}
	r := run{Results: map[string]result{}}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line result
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return run{}, fmt.Errorf("read a line of %s: %w", filepath.Base(cmd.Path), err)
		}
		if line.Usage != nil {
			r.Usage, r.Versions = *line.Usage, line.Versions
			continue
		}
		r.Results[line.ID] = line
	}
	return r, lines.Err()
}

func tail(text string) string {
	const most = 600
	return text[max(0, len(text)-most):]
}
