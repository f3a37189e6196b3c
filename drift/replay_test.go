package drift_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/drift"
)

func TestReplayEndsWhereLiveDecisionsDid(t *testing.T) {
	w := demo(3)
	_, live := w.play(w.history(0, 10), 10)
	w = demo(3)
	all, _ := w.play(w.history(0, 10), 10)
	shuffle(all.Rows)
	shuffle(all.Tallies)
	runs := 0
	var last drift.Result
	err := drift.Replay(all, defaults(), func(_ time.Time, known drift.History, r drift.Result) error {
		runs++
		last = r
		if len(known.Rows) == 0 {
			t.Error("a run was decided without rows")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encode(t, live.Episodes), encode(t, last.Episodes)); diff != "" {
		t.Errorf("episodes (-live +replayed):\n%s", diff)
	}
	if runs != w.runs {
		t.Errorf("%d runs were decided, want %d", runs, w.runs)
	}
}
