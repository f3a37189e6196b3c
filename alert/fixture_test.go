package alert_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/name, or writes it there with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

const every = 6 * time.Hour

// run is the n-th six-hourly run.
func run(n int) time.Time {
	return time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * every)
}

func series(value string) drift.Series {
	if value == "" {
		return drift.Series{Metric: scorer.Faithfulness, Judge: "j1"}
	}
	return drift.Series{Metric: scorer.Faithfulness, Dim: "department", Value: value, Judge: "j1"}
}

// episode is a fall at run since, found at run opened, with a change set of one run to
// each side.
func episode(kind drift.Kind, s drift.Series, since, opened int) drift.Episode {
	return drift.Episode{
		Series: s, Kind: kind, From: run(since), Opened: run(opened),
		Finding: drift.Finding{
			Series: s, Kind: kind, Run: run(opened), Since: run(since), From: run(since - 1), To: run(since + 1),
			Before: drift.Level{N: 1312, Mean: 0.91, Zeros: 0.04}, After: drift.Level{N: 61, Mean: 0.74, Zeros: 0.18},
			Drop: 0.17, Low: 0.12, High: 0.21, LnEvidence: 6.7, LnNeeded: 3.2, Floor: 0.027, DesignEffect: 1.3,
			Evidence: drift.Evidence{
				Judge: drift.JudgeEvidence{Items: 24, Shift: 0.004, SE: 0.008, Verdict: "cleared", CanSee: 0.02, Low: -0.012, High: 0.02, Excludes: 0.009},
				Mix: drift.MixEvidence{Explains: 0.006, Within: 0.164, SE: 0.004, Worst: "department=hr",
					WorstDrop: 0.48, WorstN: 61},
				Release: drift.ChannelEvidence{Channel: sampler.ChannelRelease, State: drift.ChannelSame, Old: "v41",
					At: run(since - 48)},
				Channels: []drift.ChannelEvidence{
					{Channel: sampler.ChannelPrompt, State: drift.ChannelSame, Old: "9f3c", Code: true},
					{Channel: sampler.ChannelModel, State: drift.ChannelNotObserved},
				},
				Corpus: drift.CorpusEvidence{Observed: true, Overlap: 0.41, Usual: 0.78, New: 0.37, Vanished: 0.31,
					Gone: []string{"hr-travel-07", "hr-leave-02"}},
			},
		},
	}
}

func input(n int, episodes ...drift.Episode) alert.Input {
	return alert.Input{
		Run: run(n), Service: "helpdesk", Environment: "production", Every: every, Episodes: episodes,
		SamplesSince: func(since, until time.Time) int { return 15 * (int(until.Sub(since)/every) + 1) },
	}
}

// released turns an episode into one with release v42 an hour before its change.
func released(e drift.Episode, kind drift.Kind, weight float64) drift.Episode {
	e.Kind, e.Finding.Kind = kind, kind
	e.Finding.Evidence.Release = drift.ChannelEvidence{Channel: sampler.ChannelRelease, State: drift.ChannelChanged,
		Old: "v41", New: "v42", At: e.From.Add(-time.Hour), Weight: weight}
	if kind == drift.KindRegression {
		e.Channel, e.Value = sampler.ChannelRelease, "v42"
	}
	return e
}

func only(t *testing.T, changes []alert.Change) alert.Change {
	t.Helper()
	if len(changes) != 1 {
		t.Fatalf("got %d changes, want 1: %+v", len(changes), changes)
	}
	return changes[0]
}
