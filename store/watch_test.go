package store_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/store"
)

func watchPlan(perRun int) store.Plan {
	p := plan(perRun)
	p.WatchFactor = 2
	return p
}

// hours are n records of three departments, one every ten minutes.
func hours(n int) []sampler.Kept {
	ks := records(n)
	for i := range ks {
		ks[i].Sample.Time = monday.Add(time.Duration(i+1) * 10 * time.Minute)
	}
	return ks
}

// status is a decision that leaves one series at a status.
func status(status string, judge string) drift.Result {
	return drift.Result{States: []drift.State{{Series: drift.Series{Metric: scorer.Faithfulness, Judge: judge}, Status: status}}}
}

// work takes a window from open to decided, and returns the samples that it judged.
func work(t *testing.T, s *store.Store, due time.Time, result drift.Result) []sampler.Sample {
	t.Helper()
	w, ok, err := s.NextWindow()
	if err != nil || !ok || !w.Due.Equal(due) {
		t.Fatalf("next window is %s (%v, %v), want %s", w.Due, ok, err, due)
	}
	if err := s.CloseWindow(w); err != nil {
		t.Fatal(err)
	}
	picks, _, err := s.Picks(w.Due)
	if err != nil {
		t.Fatal(err)
	}
	scored := store.Scored{}
	for _, p := range picks {
		scored.Scores = append(scored.Scores, scorer.Score{SampleID: p.ID, Time: p.Time, Window: w.Due, Cell: p.Cell})
	}
	if err := s.SaveScores(w.Due, scored); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveDecision(w.Due, store.Decision{Result: result}); err != nil {
		t.Fatal(err)
	}
	return picks
}

func TestOnlyAJudgedSeriesOnWatchDoublesTheSamplesOfTheNextRun(t *testing.T) {
	for name, c := range map[string]struct {
		before drift.Result
		factor int
		want   int
	}{
		"watch":              {status("watch", "j"), 2, 12},
		"watch, three times": {status("watch", "j"), 3, 18},
		"switched off":       {status("watch", "j"), 1, 6},
		"a plan of old":      {status("watch", "j"), 0, 6},
		"ok":                 {status("ok", "j"), 2, 6},
		"learning":           {status("learning", "j"), 2, 6},
		"down, told already": {status("down", "j"), 2, 6},
		"a share on watch":   {status("watch", ""), 2, 6},
	} {
		p := watchPlan(6)
		p.WatchFactor = c.factor
		s := open(t, filepath.Join(t.TempDir(), "leadline.db"), p)
		add(t, s, batch(0, hours(72)...)) // 36 in each window
		work(t, s, monday.Add(6*time.Hour), c.before)
		if got := len(work(t, s, monday.Add(12*time.Hour), drift.Result{})); got != c.want {
			t.Errorf("%s: %d samples in the next run, want %d", name, got, c.want)
		}
	}
}

// The first run leaves a series on watch, the second clears it. A monitor that was away reads
// everything before it decides anything, in another order, and is opened anew between steps.
func TestCatchingUpJudgesTheSameSamplesAsBeingThere(t *testing.T) {
	results := []drift.Result{status("watch", "j"), status("ok", "j"), status("ok", "j")}
	dues := []time.Time{monday.Add(6 * time.Hour), monday.Add(12 * time.Hour), monday.Add(18 * time.Hour)}
	all := hours(108)

	live := open(t, filepath.Join(t.TempDir(), "leadline.db"), watchPlan(6))
	var there [][]sampler.Sample
	for n, due := range dues {
		add(t, live, batch(int64(36*n), slices.Clone(all[36*n:36*n+36])...))
		there = append(there, work(t, live, due, results[n]))
	}

	path := filepath.Join(t.TempDir(), "leadline.db")
	away := open(t, path, watchPlan(6))
	add(t, away, batch(0, slices.Clone(all)...))
	for n, due := range dues {
		if err := away.Close(); err != nil {
			t.Fatal(err)
		}
		away = open(t, path, watchPlan(6))
		got := work(t, away, due, results[n])
		if diff := cmp.Diff(there[n], got); diff != "" {
			t.Errorf("run %d (-there +away):\n%s", n+1, diff)
		}
	}
	if n := []int{len(there[0]), len(there[1]), len(there[2])}; !slices.Equal(n, []int{6, 12, 6}) {
		t.Errorf("the runs judged %v samples, want 6, 12 and 6", n)
	}
	if diff := cmp.Diff(ledgers(t, live).Records, ledgers(t, away).Records); diff != "" {
		t.Errorf("ledger of records (-there +away):\n%s", diff)
	}
	want := map[sampler.RecordState]int64{sampler.RecordJudged: 24, sampler.RecordEvicted: 84, sampler.RecordWaiting: 0}
	if diff := cmp.Diff(want, ledgers(t, away).Records); diff != "" {
		t.Errorf("ledger of records (-want +got):\n%s", diff)
	}
}

func TestInclusionFollowsTheFinalCut(t *testing.T) {
	for _, c := range []struct {
		status string
		kept   int
	}{{"ok", 6}, {"watch", 12}} {
		s := open(t, filepath.Join(t.TempDir(), "leadline.db"), watchPlan(6))
		ks := hours(72)
		var us []float64
		for i := range ks {
			ks[i].Sample.Segments = map[string]string{"department": "hr"}
			if i >= 36 {
				us = append(us, ks[i].Sample.U)
			}
		}
		slices.Sort(us)
		add(t, s, batch(0, ks...))
		work(t, s, monday.Add(6*time.Hour), status(c.status, "j"))
		for _, p := range work(t, s, monday.Add(12*time.Hour), drift.Result{}) {
			if p.Inclusion != us[c.kept] || p.U >= us[c.kept] {
				t.Errorf("after %s: sample with u %g has inclusion %g, want the %dth smallest u %g", c.status, p.U, p.Inclusion, c.kept+1, us[c.kept])
			}
		}
	}
}
