package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/scorer"
)

// scenarios are streams of real, labeled traffic with a known truth: 2,000 records over
// eight weeks, changed in the middle.
var scenarios = []struct {
	name string
	// metric is what the incident must name; empty: there must be none.
	metric scorer.Metric
	// note is a note that must be there.
	note string
	// blind says that word overlap cannot see the change: what happens is logged only.
	blind bool
}{
	// The step from 8 to 25 % of unfaithful answers has a test of its own.
	{name: "stable"},
	{name: "domain-shift", note: "new_segment"},
	{name: "language-shift"},
	{name: "model-swap", metric: scorer.Faithfulness},
	{name: "ja-retrieval-miss", metric: scorer.Faithfulness},
	{name: "relevancy", metric: scorer.AnswerRelevancy},
	{name: "subtle", blind: true},
	{name: "ja-subtle", blind: true},
}

const scenarioRecords = 2000

// scenarioStream makes a stream, without the truth in it, and says when it changes.
func scenarioStream(t *testing.T, name string, seed int) (values [][]byte, change time.Time) {
	t.Helper()
	if raceEnabled {
		t.Skip("the race detector is on: twelve streams of eight weeks would take too long")
	}
	script := filepath.Join("..", "..", "..", "shared", "data", "scenario.py")
	if _, err := os.Stat(script); err != nil {
		t.Skip("../shared/data is not here: real labeled traffic is not tested")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here: the scenarios cannot be made")
	}
	const hours = 8 * 7 * 24
	out, err := exec.CommandContext(t.Context(), python, script, name, "--n", strconv.Itoa(scenarioRecords), "--hours", strconv.Itoa(hours), "--seed", strconv.Itoa(seed)).Output()
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]int{}
	for line := range bytes.Lines(out) {
		var record map[string]any
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		record["source"] = sourceOf(record)
		// The stream draws with replacement, and each draw stands for an answer of its own; word for
		// word the same it would count once a run, which is a day here.
		at, _ := record["time"].(string)
		answer, _ := record["answer"].(string)
		record["answer"] = answer + strings.Repeat(" ", drawn[at[:len(time.DateOnly)]+answer])
		drawn[at[:len(time.DateOnly)]+answer]++
		delete(record, "_truth")
		value, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	return values, start.Add(hours * time.Hour / 2)
}

// sourceOf is the data set that a record was drawn from.
func sourceOf(record map[string]any) string {
	truth, _ := record["_truth"].(map[string]any)
	replay, _ := truth["replay_of"].(string)
	source, _, _ := bytes.Cut([]byte(replay), []byte("-"))
	return string(source)
}

func TestScenariosOfRealTraffic(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			incidents, notes, change := watchScenario(t, sc.name, 1)
			if sc.blind {
				t.Logf("word overlap raised %d incidents", len(incidents))
				return
			}
			if sc.note != "" && !hasNote(notes, sc.note) {
				t.Errorf("notes %+v, want a %s", notes, sc.note)
			}
			if sc.metric == "" {
				if len(incidents) > 0 {
					t.Errorf("%d incidents, want none", len(incidents))
				}
				return
			}
			if len(incidents) != 1 {
				t.Fatalf("%d incidents, want 1", len(incidents))
			}
			if m, _ := incidents[0].Headline(); m != sc.metric {
				t.Errorf("the incident names %s, want %s", m, sc.metric)
			}
			if incidents[0].Opened.Before(change) {
				t.Errorf("opened %s, before the change at %s", incidents[0].Opened, change)
			}
		})
	}
}

// watchScenario runs the daemon on a scenario and returns what it raised.
func watchScenario(t *testing.T, name string, seed int) ([]alert.Incident, []drift.Note, time.Time) {
	t.Helper()
	values, change := scenarioStream(t, name, seed)
	f := newFixture(t)
	f.cfg.Score.Schedule = "0 0 * * *"
	produce(t, f.broker, f.topic, partitions, values)
	incidents, d := f.watch(t, len(values))
	checkLedgers(t, d, len(values))
	_, result, err := d.store.History()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range incidents {
		head, _ := i.Head()
		h := head.Finding
		t.Logf("%s %s %s opened %s drop %.3f [%.3f, %.3f]", i.Kind, h.Series.Metric, h.Series.Segment(), shortTime(i.Opened), h.Drop, h.Low, h.High)
	}
	return incidents, result.Notes, change
}

// TestScenarioStep: word overlap sees the step of 17 points as one of 5 to 9, which 1,000
// samples on each side can just about tell from luck. It must never be misread, and it must
// be found where the draw is not the weakest: docs/decisions/0007 has the figures.
func TestScenarioStep(t *testing.T) {
	found := 0
	const seeds = 4
	for seed := 1; seed <= seeds; seed++ {
		incidents, _, change := watchScenario(t, "step", seed)
		if len(incidents) > 1 {
			t.Errorf("seed %d: %d incidents, want at most 1", seed, len(incidents))
		}
		for _, i := range incidents {
			if m, _ := i.Headline(); m != scorer.Faithfulness || i.Opened.Before(change) {
				t.Errorf("seed %d: the incident names %s and opened %s, want faithfulness after %s", seed, m, i.Opened, change)
			}
			found++
		}
	}
	if found < seeds/2 {
		t.Errorf("found in %d of %d seeds, want half of them at least", found, seeds)
	}
}

func hasNote(notes []drift.Note, kind string) bool {
	for _, n := range notes {
		if n.Kind == kind {
			return true
		}
	}
	return false
}
