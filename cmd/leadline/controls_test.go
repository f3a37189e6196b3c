package main

import (
	"strings"
	"testing"
	"time"

	"leadline/drift"
	"leadline/scorer"
	"leadline/server"
)

// yesToAll is a judge's score of 1 for every item, in so many runs.
func yesToAll(runs int) (out []scorer.ControlScore) {
	for run := range runs {
		for _, c := range scorer.Controls() {
			out = append(out, scorer.ControlScore{Item: c.ID, Window: time.Unix(int64(run)*3600, 0), Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: 1}}})
		}
	}
	return out
}

// A judge that says yes to all from its first run never moves; what it is wrong about is counted,
// as the list marks it.
func TestStatusCountsControlsOutsideTheirBand(t *testing.T) {
	scores, marked := yesToAll(3), 0
	for _, c := range scorer.Controls() {
		if standing(c, false, scores).Outside {
			marked++
		}
	}
	bands := bandsOf(scorer.Controls(), scores)
	if marked == 0 || bands != (server.ControlBands{Scored: len(scorer.Controls()), Outside: marked}) {
		t.Errorf("%+v, the list marks %d", bands, marked)
	}
	st := server.Status{Rulers: []drift.Ruler{{Metric: scorer.Faithfulness, Status: "ok"}, {Metric: scorer.AnswerRelevancy, Status: "ok"}}, Bands: bands}
	lines := rulerLines(st)
	if !strings.Contains(lines[0], "items outside their expected band") || strings.Contains(lines[1], "band") {
		t.Errorf("%q", lines)
	}
	st.Bands.Outside = 0
	if got := rulerLines(st)[0]; strings.Contains(got, "band") {
		t.Errorf("all are inside: %q", got)
	}
}

func TestStatusSaysWhyControlsTookMoreThanATenth(t *testing.T) {
	if got := shareText(0.584, 100); !strings.Contains(got, "58.4 %") || !strings.Contains(got, "in the last 100 runs") || !strings.Contains(got, "remembered") {
		t.Errorf("%q", got)
	}
	if got := shareText(0.064, 100); strings.Contains(got, "above") {
		t.Errorf("%q", got)
	}
}

// The first runs of a judge and those before it are no part of what is held to the cap.
func TestRecentControlsLeaveOutAJudgesFirstRuns(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(n)*3600, 0).UTC() }
	var runs []scorer.Run
	of := map[time.Time]bool{}
	for n := range 6 {
		runs = append(runs, scorer.Run{Window: at(n), Samples: 12, OverBudget: 2, ControlItems: 1 + n})
		if n >= 2 { // another judge scored the first two runs
			of[at(n)] = true
		}
	}
	if got, want := recentControls(runs, of), (scorer.ControlsRecent{Runs: 2, Samples: 20, Items: 5 + 6}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := recentControls(runs[:4], map[time.Time]bool{at(2): true, at(3): true}); got != (scorer.ControlsRecent{}) {
		t.Errorf("a new judge has %+v", got)
	}
}
