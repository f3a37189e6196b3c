package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/store"
)

// daily closes a window at each midnight.
func daily(t time.Time) (from, due time.Time) {
	due = t.UTC().Truncate(24 * time.Hour)
	if due.Before(t) {
		due = due.AddDate(0, 0, 1)
	}
	return due.AddDate(0, 0, -1), due
}

// weeks makes a store as a daemon leaves it after some days that end with the last midnight:
//
//	weeks FILE DAYS [sick]
//
// A day has 24 answers, of hr and it in turn, and a release comes every week. Of twelve
// answers in a row one has no supported statement of four, two have three, the others all;
// one does not answer. When sick, those of it have none in the last five days.
func weeks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: weeks FILE DAYS [sick]")
	}
	days, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(writeWeeks(ts.MkAbs(args[0]), days, len(args) > 2))
}

func writeWeeks(path string, days int, sick bool) error {
	s, err := store.Open(path, store.Plan{Window: daily, Rate: 1, Salt: "s", PerRun: 1000, Floor: 1})
	if err != nil {
		return err
	}
	defer s.Close()
	cfg := config.Default().Drift
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -days)
	for day := range days {
		if err := writeDay(s, cfg, first.AddDate(0, 0, day), day, sick && day >= days-5); err != nil {
			return err
		}
	}
	return nil
}

func writeDay(s *store.Store, cfg config.Drift, start time.Time, day int, sick bool) error {
	const perDay = 24
	r := sampler.Range{Topic: "t", From: int64(day * perDay), Next: int64((day + 1) * perDay),
		Offsets: map[sampler.OffsetState]int64{sampler.OffsetContributed: perDay}}
	var in store.Scored
	w := sampler.Window{Start: start, Due: start.AddDate(0, 0, 1)}
	for i := range perDay {
		k, score := answerOf(w, day, i, sick)
		k.Sample.Origin = sampler.Origin{Topic: "t", Offset: r.From + int64(i)}
		r.Kept, in.Scores = append(r.Kept, k), append(in.Scores, score)
	}
	in.Run = scorer.Run{Window: w.Due, Samples: perDay, Scored: map[scorer.Metric]int{scorer.Faithfulness: perDay, scorer.AnswerRelevancy: perDay}}
	if err := s.Add(context.Background(), []sampler.Range{r}); err != nil {
		return err
	}
	if err := s.CloseWindow(w); err != nil {
		return err
	}
	if err := s.SaveScores(w.Due, in); err != nil {
		return err
	}
	return decideDay(s, cfg, w, in.Scores)
}

func decideDay(s *store.Store, cfg config.Drift, w sampler.Window, scores []scorer.Score) error {
	h, _, err := s.History()
	if err != nil {
		return err
	}
	tally, controls, err := s.WindowFacts(w.Due)
	if err != nil {
		return err
	}
	rows := drift.Rows(w, scores)
	// Clipped, so that the history in memory is not written through.
	h.Rows, h.Tallies = append(slices.Clip(h.Rows), rows...), append(slices.Clip(h.Tallies), tally)
	h.Controls = append(slices.Clip(h.Controls), controls...)
	return s.SaveDecision(w.Due, store.Decision{Rows: rows, Result: drift.Evaluate(h, cfg)})
}

// answerOf is the i-th answer of a day and its score.
func answerOf(w sampler.Window, day, i int, sick bool) (sampler.Kept, scorer.Score) {
	department := []string{"hr", "it"}[i%2]
	supported, relevancy := 4, 0.8+0.01*float64((day+i)%3)
	switch n := (day*24 + i) % 12; {
	case n == 5, sick && department == "it":
		supported = 0
	case n == 2, n == 9:
		supported = 3
	case n == 7:
		relevancy = 0
	}
	id, at := fmt.Sprintf("q-%03d-%02d", day, i), w.Start.Add(time.Duration(i+1)*time.Minute)
	channels := map[sampler.Channel]string{sampler.ChannelRelease: fmt.Sprintf("1.%d", day/7)}
	k := sampler.Kept{Sample: sampler.Sample{
		Record: sampler.Record{ID: id, Time: at, Question: "How many days?", Answer: "Ten days.", Contexts: []string{"Ten."},
			Segments: map[string]string{"department": department}, Channels: channels},
		U: sampler.Hash("s", id), Rate: 1,
	}}
	score := scorer.Score{
		SampleID: id, Time: at, Window: w.Due, Cell: sampler.CellOf(k.Sample.Segments), Inclusion: 1, Channels: channels,
		Judges: map[scorer.Metric]string{scorer.Faithfulness: "j", scorer.AnswerRelevancy: "j"},
		Outcomes: map[scorer.Metric]scorer.Outcome{
			scorer.Faithfulness:    {Scored: true, Value: float64(supported) / 4},
			scorer.AnswerRelevancy: {Scored: true, Value: relevancy},
		},
	}
	for n := range 4 {
		verdict := 0
		if n < supported {
			verdict = 1
		}
		score.Statements = append(score.Statements, scorer.Statement{Text: fmt.Sprintf("Statement %d.", n), Verdict: verdict})
	}
	return k, score
}

func TestWeeksAreDecidedAsADaemonDoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	if err := writeWeeks(path, 30, true); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path, store.Plan{Window: daily})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, result, err := s.History()
	if err != nil || len(h.Tallies) != 30 || h.Tallies[0].Decoded != 24 || len(result.Episodes) == 0 {
		t.Errorf("%d tallies, %d episodes, %v", len(h.Tallies), len(result.Episodes), err)
	}
}
