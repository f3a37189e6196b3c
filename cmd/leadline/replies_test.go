package main

import (
	"strings"
	"testing"

	"leadline/scorer"
	"leadline/server"
)

func TestStatusWarnsOfUnusableReplies(t *testing.T) {
	run := func(replies, repairs int) scorer.Run {
		return scorer.Run{Usage: scorer.Usage{Replies: replies / 2, Repairs: repairs}, Controls: scorer.Usage{Replies: replies - replies/2}}
	}
	for name, c := range map[string]struct {
		runs []scorer.Run
		want string
	}{
		"nothing yet":       {nil, ""},
		"of before":         {[]scorer.Run{{Usage: scorer.Usage{ChatRequests: 500}}}, ""},
		"too few to tell":   {[]scorer.Run{run(30, 10)}, ""},
		"five in a hundred": {[]scorer.Run{run(100, 5)}, ""},
		"six in a hundred":  {[]scorer.Run{run(100, 6)}, "6 of 100 replies (6.0 %)"},
		"long ago":          {[]scorer.Run{run(200, 90), run(220, 1)}, ""},
		"of late":           {[]scorer.Run{run(400, 0), run(220, 22)}, "22 of 220 replies (10.0 %)"},
	} {
		got := strings.Join(replyLines(server.Status{Judge: server.JudgeStatus{Replies: newestReplies(c.runs)}}), "\n")
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCoverageSaysWhyScoresAreMissing(t *testing.T) {
	run := scorer.Run{Scored: map[scorer.Metric]int{scorer.Faithfulness: 90}, Unscorable: map[scorer.Metric]map[scorer.Reason]int{
		scorer.Faithfulness: {scorer.ReasonTruncated: 2, scorer.ReasonRefusal: 8, scorer.ReasonNoContext: 5}}}
	c := coverage([]scorer.Run{run})
	got := coverageLine(server.CoverageStatus{Samples: c.samples, Scored: c.scored, Reasons: c.reasons})
	if want := "coverage 90 of 100 (refusal 8, truncated 2)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
