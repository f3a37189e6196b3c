// Package backtest says what Leadline would have told, from scores that are there already:
// no judge, no log, an answer in a minute.
package backtest

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/scorer"
)

// Columns name the columns of a table of scores. Empty fields are found by their usual
// names; segments are only read where named.
type Columns struct {
	Time    string
	Release string
	// Metrics maps a metric to its column.
	Metrics map[scorer.Metric]string
	// Segments maps a dimension to its column.
	Segments map[string]string
}

// Answer is one line of a table: an answer that was scored.
type Answer struct {
	Line     int       // in the file, from 1
	Time     time.Time // zero without a time column
	Release  string
	Segments map[string]string
	// Scores are within [-1, 1]. An empty cell, or one that says that there is no number,
	// has no score.
	Scores map[scorer.Metric]float64
}

// Table is what a file of scores holds.
type Table struct {
	Answers []Answer // in order of time, or of the file without times
	Columns Columns  // as they were found
	Missing map[scorer.Metric]int
}

// The usual names of columns, in lower case with underscores.
var (
	timeNames    = []string{"time", "timestamp", "created_at", "start_time", "date", "datetime"}
	releaseNames = []string{"release", "version", "app_version"}
	metricNames  = map[scorer.Metric][]string{
		scorer.Faithfulness:    {"faithfulness", "groundedness"},
		scorer.AnswerRelevancy: {"answer_relevancy", "response_relevancy", "answer_relevance", "relevancy", "relevance"},
	}
	nameColumns  = []string{"name", "score_name", "metric"}
	valueColumns = []string{"value", "score", "score_value"}
)

// Read reads CSV with a header: one line per answer with a column for each metric, as Ragas
// writes it, or one line per score with its name and value, as Langfuse does. The error
// names the line and what to do.
func Read(in io.Reader, want Columns) (Table, error) {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return Table{}, errors.New("the file is empty; its first line must name the columns")
	}
	if err != nil {
		return Table{}, fmt.Errorf("read the header: %w", err)
	}
	l, err := newLayout(header, want)
	if err != nil {
		return Table{}, err
	}
	t := Table{Columns: l.found, Missing: map[scorer.Metric]int{}}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Table{}, fmt.Errorf("read the scores: %w", err)
		}
		line, _ := r.FieldPos(0)
		if err := t.add(l, line, record); err != nil {
			return Table{}, fmt.Errorf("line %d: %w", line, err)
		}
	}
	slices.SortStableFunc(t.Answers, func(a, b Answer) int { return a.Time.Compare(b.Time) })
	return t, nil
}

func (t *Table) add(l layout, line int, record []string) error {
	a := Answer{Line: line, Scores: map[scorer.Metric]float64{}, Segments: map[string]string{}}
	var err error
	if l.time >= 0 {
		if a.Time, err = parseTime(record[l.time]); err != nil {
			return err
		}
	}
	if l.release >= 0 {
		a.Release = strings.TrimSpace(record[l.release])
	}
	for dim, at := range l.segments {
		a.Segments[dim] = strings.TrimSpace(record[at])
	}
	metrics := l.metrics
	if l.name >= 0 {
		metrics = map[scorer.Metric]int{}
		if m, ok := metricCalled(record[l.name]); ok {
			metrics[m] = l.value
		}
	}
	for m, at := range metrics {
		v, ok, err := parseScore(record[at])
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if !ok {
			t.Missing[m]++
			continue
		}
		a.Scores[m] = v
	}
	if len(metrics) > 0 {
		t.Answers = append(t.Answers, a)
	}
	return nil
}

// noNumber are the ways to write that there is no score.
var noNumber = []string{"", "nan", "none", "null", "na", "n/a", "-"}

func parseScore(text string) (v float64, ok bool, err error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if slices.Contains(noNumber, text) {
		return 0, false, nil
	}
	v, err = strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(v, 0):
		return 0, false, errors.New("not a number; leave the cell empty where there is no score")
	case v < -1 || v > 1:
		return 0, false, fmt.Errorf("%g is no score from 0 to 1; divide what is in percent by 100", v)
	}
	return v, true, nil
}

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04", time.DateOnly}

// parseTime reads a time, UTC where it names no zone, or a number of seconds, milli-, micro-
// or nanoseconds since 1970.
func parseTime(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 1e8 || v > 1e19 {
		return time.Time{}, errors.New("its time cannot be read; write it as 2026-11-30T09:00:00Z")
	}
	for v < 1e17 { // nanoseconds have 19 digits, seconds 10
		v *= 1000
	}
	return time.Unix(0, int64(v)).UTC(), nil
}
