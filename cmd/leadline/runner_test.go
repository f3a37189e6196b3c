package main

import (
	"testing"
	"time"

	"leadline/sampler"
	"leadline/scorer"
)

func TestCoverageIsThatOfTheWorseMetric(t *testing.T) {
	run := scorer.Run{
		Scored: map[scorer.Metric]int{scorer.Faithfulness: 80, scorer.AnswerRelevancy: 50},
		Unscorable: map[scorer.Metric]map[scorer.Reason]int{
			scorer.Faithfulness:    {scorer.ReasonNoContext: 30, scorer.ReasonTruncated: 2},
			scorer.AnswerRelevancy: {scorer.ReasonBadEmbedding: 50},
		},
	}
	got := coverage([]scorer.Run{run})
	if got.metric != scorer.AnswerRelevancy || got.scored != 50 || got.samples != 100 {
		t.Errorf("got %+v, want relevancy, 50 of 100", got)
	}
}

func TestCoverageLooksAtTheNewestSamples(t *testing.T) {
	bad := scorer.Run{Unscorable: map[scorer.Metric]map[scorer.Reason]int{scorer.Faithfulness: {scorer.ReasonBadReply: 100}}}
	good := scorer.Run{Scored: map[scorer.Metric]int{scorer.Faithfulness: 120, scorer.AnswerRelevancy: 120}}
	if got := coverage([]scorer.Run{bad, good}); got.share() != 1 {
		t.Errorf("old failures count: %+v", got)
	}
	if got := coverage(nil); got.samples != 0 || got.share() != 1 {
		t.Errorf("no samples: %+v", got)
	}
}

func TestTheLowWatermarkWaitsForEveryPartition(t *testing.T) {
	now := epoch.Add(48 * time.Hour)
	c := newClock(func() time.Time { return now })
	if !c.low().IsZero() {
		t.Error("nothing was read, and the watermark is not zero")
	}
	c.observe(sampler.Range{Topic: "t", Partition: 0})
	c.observe(sampler.Range{Topic: "t", Partition: 1, Watermark: epoch.Add(time.Hour)})
	if !c.low().IsZero() {
		t.Errorf("low is %s although partition 0 was not read", c.low())
	}
	c.observe(sampler.Range{Topic: "t", Partition: 0, Watermark: epoch, AtEnd: true})
	if want := epoch.Add(time.Hour); !c.low().Equal(want) {
		t.Errorf("low is %s, want %s: a partition at its end counts as now", c.low(), want)
	}
	c.observe(sampler.Range{Topic: "t", Partition: 1, Watermark: epoch})
	if want := epoch.Add(time.Hour); !c.low().Equal(want) {
		t.Errorf("low went back to %s", c.low())
	}
}

func TestByTheLogsOwnTimeAnEndIsNotNow(t *testing.T) {
	c := newClock(nil)
	c.observe(sampler.Range{Topic: "t", Watermark: epoch, AtEnd: true})
	if !c.low().Equal(epoch) || !c.now().Equal(epoch) {
		t.Errorf("low %s, now %s, want %s", c.low(), c.now(), epoch)
	}
}
