package drift_test

import (
	"testing"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
)

// refusals returns tallies of runs six hours apart with 40 records each, and with so many
// refusals in the given run.
func refusals(runs int, in func(run int) int) []sampler.Tally {
	start := time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
	out := make([]sampler.Tally, runs)
	for i := range out {
		due := start.Add(time.Duration(i+1) * 6 * time.Hour)
		out[i] = sampler.Tally{Start: due.Add(-6 * time.Hour), Due: due, Decoded: 40, Refusals: in(i)}
	}
	return out
}

func TestAShareNeedsAWeekOfBaseline(t *testing.T) {
	// None in the first two days, then two in each run: by chance, for all that a first
	// day can tell.
	early := refusals(40, func(run int) int {
		if run < 8 {
			return 0
		}
		return 2
	})
	for n := range early {
		got := drift.Evaluate(drift.History{Tallies: early[:n+1]}, config.Drift{MinDrop: 0.02, MinTail: 0.03})
		if len(got.Episodes) > 0 {
			t.Fatalf("alarm in run %d, on a baseline of two days: %+v", n, got.Episodes[0].Finding)
		}
	}
	late := refusals(120, func(run int) int {
		if run < 60 {
			return 0
		}
		return 4
	})
	if got := drift.Evaluate(drift.History{Tallies: late}, config.Drift{MinDrop: 0.02, MinTail: 0.03}); len(got.Findings) != 1 {
		t.Errorf("%d findings, want one of a share that rose from 0 to 10 %% after two weeks", len(got.Findings))
	}
}

func TestAFallThatTurnsOutTrivialEnds(t *testing.T) {
	// A burst opens an episode; what stays is a rise of 1.75 points, below both limits.
	tallies := refusals(160, func(run int) int {
		switch {
		case run < 60:
			return 0
		case run < 66:
			return 2
		}
		if run%10 < 7 {
			return 1
		}
		return 0
	})
	var h drift.History
	opened := false
	for n := range tallies {
		h.Tallies = tallies[:n+1]
		h.Episodes = drift.Evaluate(h, config.Drift{MinDrop: 0.02, MinTail: 0.03}).Episodes
		opened = opened || len(h.Episodes) > 0
	}
	if !opened {
		t.Fatal("the burst opened no episode")
	}
	if h.Episodes[0].Resolved.IsZero() {
		t.Errorf("still open: %+v", h.Episodes[0].Finding)
	}
}
