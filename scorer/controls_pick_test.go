package scorer_test

import (
	"math"
	"testing"
	"time"

	"leadline/scorer"
)

// Sixty samples a run pay for a few items; over many runs each item has its turn, every
// language and kind alike, and the share is kept.
func TestEveryControlHasItsTurn(t *testing.T) {
	items, last, count := scorer.Controls(), map[string]time.Time{}, map[string]int{}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const runs = 400
	total := 0
	for run := range runs {
		window := start.Add(time.Duration(run) * 6 * time.Hour)
		plan := scorer.ControlPlan{Samples: 60, Each: 0.5, Runs: 10}
		picked := plan.Pick(items, last, window)
		total += len(picked)
		for _, c := range picked {
			last[c.ID] = window
			count[c.ID]++
		}
	}
	want := scorer.ControlShare * 60 / 0.5 * runs
	if math.Abs(float64(total)-want) > 0.03*want {
		t.Errorf("%d items scored, want about %.0f", total, want)
	}
	for _, c := range items {
		if n, even := count[c.ID], float64(total)/float64(len(items)); math.Abs(float64(n)-even) > 0.1*even {
			t.Errorf("%s was scored %d times, want %.1f", c.ID, n, even)
		}
	}
}

func TestAPartOfTheControlsHoldsEveryLanguageAndSide(t *testing.T) {
	picked := scorer.ControlPlan{Samples: 100, Each: 0.5, Runs: 10}.Pick(scorer.Controls(), nil, time.Unix(0, 0))
	seen := map[string]int{}
	for _, c := range picked {
		seen[c.Language]++
		seen[c.Expected]++
	}
	if len(picked) > 20 || seen["en"] < 4 || seen["ja"] < 4 || seen[scorer.ExpectSupported] < 3 || seen[scorer.ExpectUnsupported] < 3 {
		t.Errorf("%d items: %v", len(picked), seen)
	}
}

func TestAllControlsAreScoredWhenItMatters(t *testing.T) {
	all := len(scorer.Controls())
	for name, p := range map[string]scorer.ControlPlan{
		"new judge": {Samples: 5}, "suspicion": {Samples: 60, Each: 0.5, Runs: 9, Passes: 1}, "a fall in small runs": {Samples: 5, Runs: 9, Passes: 3}, "large run": {Samples: 5000, Runs: 9},
	} {
		if n := len(p.Pick(scorer.Controls(), nil, time.Unix(0, 0))); n != all {
			t.Errorf("%s: %d of %d", name, n, all)
		}
	}
	if n := len(scorer.ControlPlan{Runs: 9}.Pick(scorer.Controls(), nil, time.Unix(0, 0))); n > 1 {
		t.Errorf("a run without samples scores %d items", n)
	}
}

// However long suspicion lasts, and in runs of any size, 100 runs after the first ones stay
// within a tenth; and where it comes once, all items are scored in that run.
func TestSuspicionOfControlsKeepsToTheCap(t *testing.T) {
	items := scorer.Controls()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, samples := range []int{8, 15, 60, 150} {
		const each, runs = 0.5, 400
		last, scored := map[string]time.Time{}, make([]int, runs)
		for run := range runs {
			recent := scorer.ControlsRecent{}
			for _, n := range scored[max(0, run-scorer.ControlRuns):run] {
				recent.Runs, recent.Samples, recent.Items = recent.Runs+1, recent.Samples+samples, recent.Items+n
			}
			plan := scorer.ControlPlan{Samples: samples, Each: each, Runs: 10 + run, Passes: 1, Recent: recent}
			window := start.Add(time.Duration(run) * 6 * time.Hour)
			picked := plan.Pick(items, last, window)
			for _, c := range picked {
				last[c.ID] = window
			}
			scored[run] = len(picked)
			if recent.Runs < scorer.ControlRuns {
				continue
			}
			cost := each * float64(recent.Items)
			if share := cost / (cost + float64(recent.Samples)); share > scorer.ControlCap+0.005 { // parts are rounded up by chance
				t.Fatalf("%d samples a run: run %d brings the share of 100 to %.3f", samples, run, share)
			}
		}
		if samples >= 15 && scored[0] != len(items) {
			t.Errorf("%d samples a run: the first suspicion scores %d items", samples, scored[0])
		}
	}
}

func TestOwnControlsAreNamedByTheirTexts(t *testing.T) {
	a, err := scorer.OwnControl("faq 7", "", "When do you open?", "At nine.", []string{"We open at nine."}, scorer.ExpectSupported)
	b, _ := scorer.OwnControl("faq 7", "", "When do you open?", "At ten.", []string{"We open at nine."}, "")
	if err != nil || a.ID == b.ID || a.Language != "en" || a.Faithfulness != [2]float64{0.8, 1} {
		t.Errorf("%+v and %+v, %v", a, b, err)
	}
	if c, _ := scorer.OwnControl("", "", "何時に開きますか", "9時です。", nil, ""); c.Language != "ja" {
		t.Errorf("language %s, want ja", c.Language)
	}
	for name, bad := range map[string][3]string{"question": {" ", "x", ""}, "answer": {"x", "", ""}, "expectation": {"x", "y", "fine"}} {
		if _, err := scorer.OwnControl("n", "", bad[0], bad[1], nil, bad[2]); err == nil {
			t.Errorf("an item with a bad %s was taken", name)
		}
	}
}
