package main

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// shareOfRelease returns the share of the records of some runs that carry a release.
func shareOfRelease(w world, release string, from, to int) float64 {
	with, all := 0, 0
	for i := from; i < to; i++ {
		t := w.run(i).tally
		with, all = with+t.Channels[sampler.ChannelRelease][release], all+t.Decoded
	}
	return float64(with) / float64(all)
}

func TestCanaryHasItsSharesAndItsRowsAreSplit(t *testing.T) {
	w := canaryWorld(faultF(-0.20), 0)
	near(t, "share before", shareOfRelease(w, "bad", -5, releaseAt), 0, 0)
	near(t, "share on the first step", shareOfRelease(w, "bad", releaseAt, releaseAt+canaryDays), 0.10, 0.02)
	near(t, "share on the second", shareOfRelease(w, "bad", releaseAt+canaryDays, releaseAt+2*canaryDays), 0.50, 0.03)
	near(t, "share at last", shareOfRelease(w, "bad", releaseAt+2*canaryDays, releaseAt+3*canaryDays), 1, 0)

	var with, without drift.Moments
	for range 100 { // the same day again and again
		for _, r := range w.run(releaseAt + canaryDays).rows {
			var all drift.Moments
			for _, m := range r.Releases {
				all = all.Merge(m)
			}
			if all.N != r.N || all.Zeros != r.Zeros || math.Abs(all.Mean-r.Mean) > 1e-9 {
				t.Fatalf("releases add up to %+v, the row is %+v", all, r.Moments)
			}
			if r.Metric == scorer.Faithfulness {
				with, without = with.Merge(r.Releases["bad"]), without.Merge(r.Releases["v999"])
			}
		}
	}
	near(t, "fall from the old release to the new in the same runs", without.Level().Mean-with.Level().Mean, 0.20, 0.025)
	for _, r := range w.run(releaseAt + 3*canaryDays).rows {
		if r.Releases != nil {
			t.Errorf("%s of one release is split: %v", r.Metric, r.Releases)
		}
	}
}

// What releases cost is the difference to the same scores under none.
func TestScoresAreTheSameUnderOtherReleases(t *testing.T) {
	worlds := []*rollout{newRollout(1, 0, nullNever()), newRollout(1, 0, nullWeekly()), newRollout(1, 0, nullCanaries()), newRollout(1, 0, nullSeveral(0))}
	for i := range 30 {
		want := worlds[0].run(i)
		for k, w := range worlds[1:] {
			got := w.run(i)
			for j, r := range got.rows {
				o := want.rows[j]
				if r.N != o.N || r.Zeros != o.Zeros || math.Abs(r.Mean-o.Mean) > 1e-9 || math.Abs(r.M2-o.M2) > 1e-9 {
					t.Fatalf("run %d under releases %d is %+v, under none %+v", i, k+1, r.Moments, o.Moments)
				}
			}
			if got.tally.Refusals != want.tally.Refusals {
				t.Fatalf("run %d has other refusals", i)
			}
		}
	}
}

func TestSeveralReleasesFollowEachOther(t *testing.T) {
	next := nullSeveral(3)
	last := ""
	seen := map[string]bool{}
	runs := 200
	for i := range runs {
		parts := next(i)
		if len(parts) < 3 || len(parts) > 5 {
			t.Fatalf("%d releases in run %d", len(parts), i)
		}
		if last != "" && parts[0].release != last {
			t.Fatalf("run %d begins with %s, the one before ended with %s", i, parts[0].release, last)
		}
		sum := 0.0
		for _, p := range parts {
			sum += p.share
			seen[p.release] = true
		}
		near(t, "sum of shares", sum, 1, 1e-9)
		last = parts[len(parts)-1].release
	}
	near(t, "new releases a run", float64(len(seen)-1)/float64(runs), 3, 0.2)
}

func TestBadReleasesFallWhenTheyCome(t *testing.T) {
	for _, c := range badReleaseCases() {
		w := c.world(0)
		before := meanOf(w, c.metric, releaseAt-200, releaseAt)
		after := meanOf(w, c.metric, releaseAt, releaseAt+200)
		near(t, c.id()+": fall", before-after, map[string]float64{"F -0.05": 0.05, "F -0.10": 0.10, "R -0.05": 0.05}[c.name], 0.015)
		values := func(from, to int) int {
			seen := map[string]int{}
			for i := from; i < to; i++ {
				maps.Copy(seen, w.run(i).tally.Channels[sampler.ChannelRelease])
			}
			return len(seen)
		}
		if got := values(releaseAt-28, releaseAt); got != 4 {
			t.Errorf("%s: %d releases in the four weeks before", c.id(), got)
		}
		want := 1
		if c.weekly {
			want = 4
		}
		if got := values(releaseAt, releaseAt+28); got != want {
			t.Errorf("%s: %d releases in the four weeks after, want %d", c.id(), got, want)
		}
	}
}

func TestUnloggedReleasesAreInNoRecord(t *testing.T) {
	w := canaryWorld(faultF(-0.10), 0)
	w.unlogged = true
	got := w.run(releaseAt + canaryDays)
	if n := len(got.tally.Channels[sampler.ChannelRelease]); n != 0 {
		t.Errorf("%d releases in the records", n)
	}
	for _, r := range got.rows {
		if r.Releases != nil {
			t.Errorf("%s is split by release", r.Metric)
		}
	}
}

// One service of each sort from end to end: a fall of 0.10 that comes with a release and goes
// with it, and the same in no record.
func TestReleaseIsBlamedTakenBackAndToldLater(t *testing.T) {
	if got := rollingBack(faultF(-0.20), 0); got != (returned{found: true, called: true, resolved: true, ended: true}) {
		t.Errorf("a roll-back gave %+v", got)
	}
	want := []drift.Kind{drift.KindDrop, drift.KindRegression, drift.KindRegression, drift.KindSilent}
	if got := reporting(0); !slices.Equal(got, want) {
		t.Errorf("told later: %v, want %v", got, want)
	}
}

func TestDetectionCountsMissesAndLeavesOutEarlyPages(t *testing.T) {
	d := detectionOf("x", 60, []tale{
		{days: -1},
		{days: 2, kind: drift.KindUndecided, later: drift.KindRegression, pages: 3, ended: true},
		{days: 4, kind: drift.KindRegression, later: drift.KindRegression, beside: true, pages: 1},
		{},
	})
	if d.Services != 3 || d.Early != 1 {
		t.Errorf("%d services, %d early", d.Services, d.Early)
	}
	near(t, "found", float64(d.Found.Share), 2/3.0, 1e-9)
	near(t, "median days", float64(d.Days), 4, 1e-9)
	near(t, "answers", float64(d.Answers), 240, 1e-9)
	if !math.IsInf(float64(d.DaysP90), 1) {
		t.Errorf("90 %% within %v days, want never", d.DaysP90)
	}
	near(t, "regression at first", float64(d.Kinds[drift.KindRegression].Share), 0.5, 1e-9)
	near(t, "regression later", float64(d.Later[drift.KindRegression].Share), 1, 1e-9)
	near(t, "side by side", float64(d.Beside.Share), 0.5, 1e-9)
	near(t, "resolved", float64(d.Ended.Share), 0.5, 1e-9)
	near(t, "pages", float64(d.Pages), 4/3.0, 1e-9)
}

func TestNullReleasesCountWhatTheyAdd(t *testing.T) {
	n := nullsOf("x", 10, []float64{2, 0, 1, 1}, []float64{1, 0, 1, 0})
	near(t, "pages per release", float64(n.PerRelease), 0.05, 1e-9)
	near(t, "services with a page", float64(n.Paged.Share), 0.75, 1e-9)
	// Differences of 0.1, 0, 0, 0.1: standard deviation 0.0577.
	near(t, "standard error", float64(n.SE), 0.0577/2, 1e-3)
	same := nullsOf("x", 10, []float64{1, 1}, []float64{1, 1})
	near(t, "standard error without any difference", float64(same.SE), 0.05, 1e-9)
}

func TestQuantilesHaveErrors(t *testing.T) {
	var xs []float64
	for i := range 10_000 {
		xs = append(xs, float64(i)/10_000)
	}
	// Of a uniform law the error of the median is ½/√n.
	near(t, "error of the median", float64(quantileSE(xs, 0.5)), 0.005, 2e-4)
}

func TestMonitorKeepsItsPace(t *testing.T) {
	m := newMonitor(shipped())
	m.every = 6 * time.Hour
	w := costWorld(0, 60, 4, -0.05, 1)
	for i := range 9 {
		m.next(w.run(i))
	}
	rows := m.history.Rows
	if got := rows[len(rows)-1].Due.Sub(rows[0].Start); got != 54*time.Hour {
		t.Errorf("nine runs took %v, want 54 h", got)
	}
	if got := m.run(m.due(5)); got != 5 {
		t.Errorf("run 5 is taken for %d", got)
	}
}
