package scorer_test

import (
	"testing"

	"leadline/sampler"
	"leadline/scorer"
)

func TestTheJudgeSeesTheSameTextOnce(t *testing.T) {
	judge := &wordJudge{}
	s, err := scorer.New(scorer.Options{Judge: judge, Concurrency: 4, IDs: map[scorer.Metric]scorer.JudgeID{scorer.Faithfulness: {Model: "m"}}})
	if err != nil {
		t.Fatal(err)
	}
	sample := func(id, text, hash string, cell sampler.Cell) sampler.Sample {
		return sampler.Sample{Record: sampler.Record{ID: id, Question: "q", Answer: text, Contexts: []string{text}}, TextHash: hash, Cell: cell, SessionHash: "of " + id}
	}
	var samples []sampler.Sample
	for i := range 150 { // more than one batch
		samples = append(samples, sample("hot"+string(rune(i)), "Always this", "h", "d=x"))
	}
	samples = append(samples, sample("a", "Only here", "i", "d=y"), sample("b", "No hash", "", "d=y"), sample("c", "No hash", "", "d=y"))
	got, requests := map[string]scorer.Score{}, 0
	err = s.ScoreAll(t.Context(), samples, func(score scorer.Score) error {
		if _, twice := got[score.SampleID]; twice {
			t.Errorf("%q is handed over twice", score.SampleID)
		}
		got[score.SampleID] = score
		requests += score.Usage.ChatRequests
		return nil
	})
	if err != nil || len(got) != len(samples) {
		t.Fatalf("%d scores of %d samples, %v", len(got), len(samples), err)
	}
	if len(judge.judged) != 4 || requests != 8 {
		t.Errorf("the judge saw %q in %d requests, want four texts in eight", judge.judged, requests)
	}
	for _, sample := range samples {
		score := got[sample.ID]
		if !score.Outcomes[scorer.Faithfulness].Scored || score.Cell != sample.Cell || score.SessionHash != sample.SessionHash || len(score.Statements) != 1 {
			t.Errorf("score of %q is %+v", sample.ID, score)
		}
	}
}
