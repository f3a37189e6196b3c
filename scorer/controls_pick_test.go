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
		"new judge": {Samples: 5}, "suspicion": {Samples: 5, Runs: 9, Passes: 1}, "large run": {Samples: 5000, Runs: 9},
	} {
		if n := len(p.Pick(scorer.Controls(), nil, time.Unix(0, 0))); n != all {
			t.Errorf("%s: %d of %d", name, n, all)
		}
	}
	if n := len(scorer.ControlPlan{Runs: 9}.Pick(scorer.Controls(), nil, time.Unix(0, 0))); n > 1 {
		t.Errorf("a run without samples scores %d items", n)
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
