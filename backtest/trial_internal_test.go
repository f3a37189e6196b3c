package backtest

import (
	"math"
	"testing"
	"time"

	"leadline/drift"
	"leadline/scorer"
)

func rowOf(due time.Time, scores ...float64) drift.Row {
	r := drift.Row{Due: due, Metric: scorer.Faithfulness}
	for _, x := range scores {
		r.Moments = r.Add(x)
	}
	return r
}

func TestSpoiledRowsLoseTheShareThatWasAsked(t *testing.T) {
	scores := []float64{1, 1, 1, 1, 1, 1, 0.5, 0.75, 0.25, 0}
	mean := 7.5 / 10
	const drop = 0.1
	var after drift.Moments
	const rows = 4000
	for i := range rows {
		r := spoiledRow(rowOf(time.Unix(int64(i)*3600, 0), scores...), drop/(lost*mean))
		if r.N != len(scores) {
			t.Fatalf("%d scores, want %d", r.N, len(scores))
		}
		after = after.Merge(r.Moments)
	}
	// An answer loses at most all of 1, in a share of 0.18: the mean of 40,000 has a
	// standard error below 0.002.
	if got := mean - after.Level().Mean; math.Abs(got-drop) > 0.008 {
		t.Errorf("the mean fell by %.4f, want %.2f", got, drop)
	}
}

// With a share of 1 every score above 0 is 0 or two fifths of what it was.
func TestSpoiledMomentsAreThoseOfWorseScores(t *testing.T) {
	before := rowOf(first(), 1, 1, 0.5, 0.5, 1, 0.5, 1, 0.5, 1, 0.5, 0)
	after := spoiledRow(before, 1)
	left := float64(after.N - after.Zeros)
	if left == 0 || left == 10 {
		t.Fatalf("%v scores are above 0, want some of the ten", left)
	}
	// Before: mean 0.75 and distances of 0.25 on both sides.
	for name, c := range map[string][2]float64{
		"mean": {after.Mean, 0.4 * 0.75}, "m2": {after.M2 / left, 0.1 * 0.1}, "m3": {after.M3, 0}, "m4": {after.M4 / left, 0.1 * 0.1 * 0.1 * 0.1},
	} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%s is %g, want %g", name, c[0], c[1])
		}
	}
	if again := spoiledRow(before, 1); again.Moments != after.Moments {
		t.Error("the same row was spoiled in two ways")
	}
}

func TestSpoiledReleasesSumToTheirRow(t *testing.T) {
	r := rowOf(first(), 1, 1, 0.5, 0.5, 1, 0)
	r.Releases = map[string]drift.Moments{"1": rowOf(first(), 1, 1, 0.5).Moments, "2": rowOf(first(), 0.5, 1, 0).Moments}
	out := spoiledRow(r, 0.5)
	if sum := out.Releases["1"].Merge(out.Releases["2"]); sum != out.Moments {
		t.Errorf("releases sum to %+v, the row is %+v", sum, out.Moments)
	}
	if r.Releases["1"].Zeros != 0 {
		t.Error("the row that was given has changed")
	}
}

func first() time.Time { return time.Unix(0, 0).UTC() }

func TestAMedianCountsWhatWasNotFound(t *testing.T) {
	in := func(n int) reach { return reach{put: true, found: true, runs: n, samples: 10 * n} }
	missed := reach{put: true}
	for _, c := range []struct {
		all                         []reach
		places, found, runs, median int
	}{
		{[]reach{in(3), in(1), in(2), missed, missed}, 5, 3, 3, 30},
		{[]reach{in(3), missed, in(2), missed, missed}, 5, 2, 0, 0},
		{[]reach{{}, in(4), {}, in(2), in(3)}, 3, 3, 3, 30},
		{[]reach{{}, {}}, 0, 0, 0, 0},
	} {
		got := medianOf(scorer.Faithfulness, 0.1, c.all)
		if got.Places != c.places || got.Found != c.found || got.Runs != c.runs || got.Samples != c.median {
			t.Errorf("%+v: %+v", c.all, got)
		}
	}
}
