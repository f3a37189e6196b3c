package drift_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"leadline/drift"
	"leadline/scorer"
)

func baselineOf(t *testing.T, all []drift.Baseline, metric scorer.Metric, segment string) drift.Baseline {
	t.Helper()
	at := slices.IndexFunc(all, func(b drift.Baseline) bool {
		return b.Series.Metric == metric && b.Series.Segment() == segment
	})
	if at < 0 {
		t.Fatalf("no baseline of %s %s", metric, segment)
	}
	return all[at]
}

// scored counts the scores of a series over all runs.
func scored(h drift.History, s drift.Series) int {
	n := 0
	for _, r := range append(slices.Clone(h.Rows), drift.ShareRows(h.Tallies)...) {
		if r.Metric == s.Metric && (s.Dim == "" || r.Cell.Values()[s.Dim] == s.Value) {
			n += r.N
		}
	}
	return n
}

func TestEveryScoreIsInTheBaselineOrLeftOutForOneReason(t *testing.T) {
	w := demo(1)
	h, r := w.play(w.history(0, 10), 10)
	all := drift.Baselines(h, defaults())
	if len(all) != len(r.States) {
		t.Fatalf("%d baselines of %d series", len(all), len(r.States))
	}
	reasons := map[drift.Reason]bool{}
	for i, b := range all {
		sum := b.Samples
		for _, l := range b.LeftOut {
			reasons[l.Why] = true
			if l.Why != drift.LeftSmallCell { // in the baseline, not compared yet
				sum += l.Samples
			}
		}
		if want := scored(h, b.Series); sum != want {
			t.Errorf("%s %s: baseline and what is left out are %d samples of %d: %+v", b.Series.Metric, b.Series.Segment(), sum, want, b)
		}
		if st := r.States[i]; b.Series != st.Series || b.Samples != st.Baseline.N || b.Status != st.Status {
			t.Errorf("%s %s: %d samples, %s; the state says %d, %s", b.Series.Metric, b.Series.Segment(), b.Samples, b.Status, st.Baseline.N, st.Status)
		}
	}
	// The release that was taken back is out of everything; of the department whose documents
	// are lost, what came after is compared, and the pooled series leaves it out.
	for _, why := range []drift.Reason{drift.LeftEpisode, drift.LeftDown} {
		if !reasons[why] {
			t.Errorf("nothing is left out for reason %s", why)
		}
	}
}

func TestBaselineTellsItsFigures(t *testing.T) {
	w := plain(2)
	w.runs = 20
	h := w.history(0, 20)
	b := baselineOf(t, drift.Baselines(h, defaults()), scorer.Faithfulness, "all")
	var all drift.Moments
	for _, r := range h.Rows {
		if r.Metric == scorer.Faithfulness {
			all = all.Merge(r.Moments)
		}
	}
	// The variance of all scores from the moments of those above zero.
	mean := all.Level().Mean
	up := float64(all.N - all.Zeros)
	variance := (all.M2 + up*(all.Mean-mean)*(all.Mean-mean) + float64(all.Zeros)*mean*mean) / float64(all.N)
	if b.Runs != 20 || b.Samples != all.N || !b.From.Equal(w.due(0)) || !b.To.Equal(w.due(19)) ||
		math.Abs(b.Mean-mean) > 1e-9 || math.Abs(b.SD-math.Sqrt(variance)) > 1e-3 || math.Abs(b.Zeros-all.Level().Zeros) > 1e-9 {
		t.Errorf("got %+v, want %d runs, %d samples, mean %.4f, sd %.4f", b, 20, all.N, mean, math.Sqrt(variance))
	}
	if len(b.LeftOut) != 0 {
		t.Errorf("left out: %+v", b.LeftOut)
	}
	// 45 to 75 samples a run: the second or third run completes 100.
	if b.Ready.Before(w.due(1)) || b.Ready.After(w.due(2)) {
		t.Errorf("ready since %v", b.Ready)
	}
	refusals := baselineOf(t, drift.Baselines(h, defaults()), drift.ShareRefusal, "all")
	if refusals.Mean > 0.1 {
		t.Errorf("the share of refusals is shown turned: %.3f", refusals.Mean)
	}
}

func TestResetSaysWhatWillBeLostAndIsAsGoodAsItsWord(t *testing.T) {
	w := plain(3)
	h := w.history(0, 20)
	s := drift.Series{Metric: scorer.Faithfulness, Judge: "j1"}
	reset := drift.Acceptance{Series: s, From: w.due(19), By: "mika", At: w.due(19), Reset: true}
	lost := drift.Lost(h, []drift.Acceptance{reset}, defaults())
	if len(lost) != 1 || lost[0].Series != s || lost[0].Samples != scored(h, s) || lost[0].Left != 0 || !lost[0].Learning {
		t.Fatalf("got %+v, want all %d samples of %s alone", lost, scored(h, s), s.Metric)
	}
	// About two runs bring 100 samples.
	if at := lost[0].Ready; at.Before(w.due(20)) || at.After(w.due(22)) {
		t.Errorf("ready at %v, want one to three runs after %v", at, w.due(19))
	}
	if len(h.Acceptances) != 0 {
		t.Error("what was only asked was done")
	}
	h.Acceptances = append(h.Acceptances, reset)
	b := baselineOf(t, drift.Baselines(h, defaults()), scorer.Faithfulness, "all")
	if b.Samples != 0 || b.Status != "learning" || len(b.LeftOut) != 1 || b.LeftOut[0].Why != drift.LeftReset || b.LeftOut[0].By != "mika" {
		t.Errorf("after it was reset: %+v", b)
	}
	for run := 20; run < 24; run++ {
		rows, tally := w.run(run)
		h.Rows, h.Tallies = append(h.Rows, rows...), append(h.Tallies, tally)
	}
	if b := baselineOf(t, drift.Baselines(h, defaults()), scorer.Faithfulness, "all"); b.Status != "ok" || b.Ready.Sub(lost[0].Ready).Abs() > 24*time.Hour {
		t.Errorf("four runs later it is %s, ready since %v; %v was announced", b.Status, b.Ready, lost[0].Ready)
	}
}

func TestResetOfASegmentTakesItsCellsFromAll(t *testing.T) {
	w := newWorld(3)
	h := w.history(0, 40)
	hr := drift.Series{Metric: scorer.Faithfulness, Judge: "j1", Dim: "department", Value: "hr"}
	lost := drift.Lost(h, []drift.Acceptance{{Series: hr, From: w.due(39), By: "mika", At: w.due(39), Reset: true}}, defaults())
	got := map[string]int{}
	for _, l := range lost {
		if l.Series.Metric != scorer.Faithfulness {
			t.Errorf("%s loses %d samples", l.Series.Metric, l.Samples)
		}
		got[l.Series.Segment()] = l.Samples
	}
	n := scored(h, hr)
	// Whoever speaks a language may be of hr; the other departments are not.
	if len(got) != 4 || got["department=hr"] != n || got["all"] != n || got["language=en"]+got["language=ja"] != n {
		t.Errorf("got %v, want %d samples of hr, of all, and of both languages together", got, n)
	}
}

// A department fell, and with it the series that hold its answers. When it is learned anew
// they are no longer down, and nothing else is blamed for what they showed.
func TestResetOfADepartmentEndsWhatItAlonePulledDown(t *testing.T) {
	w := newWorld(1)
	w.runs, w.depts = 50, []string{"hr", "it", "law"}
	w.release = since(20, "v1", "v2")
	w.broken = func(run, dept int) float64 {
		if run >= 40 && dept == 0 {
			return 0.9
		}
		return 0
	}
	h, r := w.play(w.history(0, 38), 38)
	down := map[string]bool{}
	for _, p := range r.Episodes {
		if p.Resolved.IsZero() {
			down[p.Series.Segment()] = true
		}
	}
	if !down["department=hr"] || len(down) < 2 {
		t.Fatalf("down: %v; want hr and a language at least", down)
	}
	hr := drift.Series{Metric: scorer.Faithfulness, Judge: "j1", Dim: "department", Value: "hr"}
	reset := drift.Acceptance{Series: hr, From: w.due(49), By: "mika", At: w.due(49), Reset: true}
	for _, l := range drift.Lost(h, []drift.Acceptance{reset}, defaults()) {
		if l.Series.Metric != scorer.Faithfulness || l.Series.Dim == "department" && l.Series.Value != "hr" {
			t.Errorf("%s %s would lose %d samples", l.Series.Metric, l.Series.Segment(), l.Samples)
		}
	}
	h.Acceptances = []drift.Acceptance{reset}
	after := drift.Evaluate(h, defaults())
	for i, p := range after.Episodes {
		if p.Resolved.IsZero() || p.Kind != r.Episodes[i].Kind {
			t.Errorf("%s of %s is a %s now, resolved %v", r.Episodes[i].Kind, p.Series.Segment(), p.Kind, p.Resolved)
		}
	}
}

func TestALearningSeriesSaysAboutWhenItCanAlarm(t *testing.T) {
	w := newWorld(3)
	h := w.history(0, 3)
	for _, b := range drift.Baselines(h, defaults()) {
		if b.Status != "learning" || !b.Ready.After(w.due(2)) {
			t.Errorf("%s %s after three days: %s, ready %v", b.Series.Metric, b.Series.Segment(), b.Status, b.Ready)
		}
	}
	all := drift.Baselines(h, defaults())
	// A share takes a week from its first run on.
	if got := baselineOf(t, all, drift.ShareRefusal, "all").Ready; !got.Equal(w.due(7)) {
		t.Errorf("refusals from %v, want %v", got, w.due(7))
	}
	announced := map[drift.Series]time.Time{}
	for _, b := range all {
		announced[b.Series] = b.Ready
	}
	for _, b := range drift.Baselines(w.with(h, 3, 60), defaults()) {
		// By three runs the pace of a small cell is known roughly; a late one is a third off.
		days, said := b.Ready.Sub(w.start).Hours()/24, announced[b.Series].Sub(w.start).Hours()/24
		if b.Series.Dim == "" && math.Abs(days-said) > 2 || math.Abs(days-said) > 0.6*days {
			t.Errorf("%s %s: ready after %.0f days, %.0f were announced", b.Series.Metric, b.Series.Segment(), days, said)
		}
	}
}

func TestScoresOfAnotherJudgeAreLeftOut(t *testing.T) {
	w := plain(3)
	h := w.history(0, 20)
	n := 0
	for i := range h.Rows {
		if h.Rows[i].Due.Before(w.due(10)) && h.Rows[i].Metric == scorer.Faithfulness {
			h.Rows[i].Judge = "j0"
			n += h.Rows[i].N
		}
	}
	b := baselineOf(t, drift.Baselines(h, defaults()), scorer.Faithfulness, "all")
	if len(b.LeftOut) != 1 || b.LeftOut[0].Why != drift.LeftOtherJudge || b.LeftOut[0].Samples != n || !b.LeftOut[0].To.Equal(w.due(9)) {
		t.Errorf("got %+v, want %d samples of the judge before", b.LeftOut, n)
	}
}

func TestSmallCellsAreNamed(t *testing.T) {
	w := newWorld(3)
	w.depts, w.langs = []string{"a", "b"}, []string{"en"}
	w.share = func(_, dept int) float64 { return []float64{1, 0.01}[dept] }
	h := w.history(0, 20)
	b := baselineOf(t, drift.Baselines(h, defaults()), scorer.Faithfulness, "all")
	rare := scored(h, drift.Series{Metric: scorer.Faithfulness, Dim: "department", Value: "b"})
	if rare == 0 || rare >= 30 {
		t.Fatalf("%d samples of the rare department", rare)
	}
	if len(b.LeftOut) != 1 || b.LeftOut[0].Why != drift.LeftSmallCell || b.LeftOut[0].Samples != rare || b.LeftOut[0].Cells != 1 {
		t.Errorf("got %+v, want one cell with %d samples", b.LeftOut, rare)
	}
}
