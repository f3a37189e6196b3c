package drift_test

import (
	"slices"
	"testing"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

const fallsAt = 30

// fall is a service whose answers get worse in run 30.
func fall(seed uint64) *world {
	w := plain(seed)
	w.runs = 40
	w.broken = func(run, _ int) float64 {
		if run >= fallsAt {
			return 0.4
		}
		return 0
	}
	return w
}

func since(run int, before, after string) func(int) string {
	return func(r int) string {
		if r >= run {
			return after
		}
		return before
	}
}

func one(t *testing.T, r drift.Result) drift.Episode {
	t.Helper()
	if len(r.Episodes) != 1 {
		t.Fatalf("%d episodes, want 1", len(r.Episodes))
	}
	return r.Episodes[0]
}

func TestFallWithoutAChangeIsSilent(t *testing.T) {
	w := fall(1)
	_, r := w.play(w.history(0, 20), 20)
	e := one(t, r)
	f := e.Finding
	if e.Kind != drift.KindSilent || e.Series.Metric != scorer.Faithfulness || !e.Opened.Before(w.due(fallsAt+4)) {
		t.Fatalf("%s of %s opened %v", e.Kind, e.Series.Metric, e.Opened)
	}
	if got := e.From.Sub(w.due(fallsAt)); got.Abs() > 24*time.Hour {
		t.Errorf("since %v, want %v or a run off", e.From, w.due(fallsAt))
	}
	if f.From.After(w.due(fallsAt)) || f.To.Before(w.due(fallsAt)) {
		t.Errorf("change set %v to %v does not hold %v", f.From, f.To, w.due(fallsAt))
	}
	// Broken answers score 0.225 on average, others 0.886: 0.4 of them take 0.264.
	if f.Low > 0.264 || f.High < 0.264 || f.Drop < 0.2 || f.Drop > 0.34 {
		t.Errorf("fell by %.3f [%.3f, %.3f], want about 0.264", f.Drop, f.Low, f.High)
	}
	if !near(f.Before.Mean-f.After.Mean, f.Drop) || f.LnEvidence < f.LnNeeded || f.LnMean <= 0 {
		t.Errorf("finding does not add up: %+v", f)
	}
	if f.Evidence.Release.State != drift.ChannelSame || len(f.Evidence.Channels) != 6 {
		t.Errorf("release %+v and %d channels, want the same and 6", f.Evidence.Release, len(f.Evidence.Channels))
	}
	if s := state(t, r, scorer.Faithfulness); s.Status != "down" {
		t.Errorf("status %s, want down", s.Status)
	}
}

func TestFallWithAReleaseIsARegressionUntilItIsGone(t *testing.T) {
	w := fall(2)
	w.release = since(fallsAt, "v1", "v2")
	h, r := w.play(w.history(0, 20), 20)
	e := one(t, r)
	if e.Kind != drift.KindRegression || e.Channel != sampler.ChannelRelease || e.Value != "v2" || !e.From.Equal(w.due(fallsAt)) {
		t.Fatalf("%s with %s %q from %v, want a regression with v2 from %v", e.Kind, e.Channel, e.Value, e.From, w.due(fallsAt))
	}
	if c := e.Finding.Evidence.Release; c.State != drift.ChannelChanged || c.Old != "v1" || c.New != "v2" || c.Weight < 0.5 {
		t.Errorf("release evidence is %+v", c)
	}
	w.release, w.broken = since(0, "", "v1"), func(int, int) float64 { return 0 }
	w.runs = 60
	_, r = w.play(h, 40)
	if e := one(t, r); !e.Resolved.Equal(w.due(40)) {
		t.Errorf("resolved %v, want in the first run without v2, %v", e.Resolved, w.due(40))
	}
	if s := state(t, r, scorer.Faithfulness); s.Baseline.Mean < 0.865 {
		t.Errorf("baseline is %.3f: the bad release is still in it", s.Baseline.Mean)
	}
}

func TestReleaseOnTrialIsFoundSoonerThanByTheScan(t *testing.T) {
	sooner := 0
	for seed := range uint64(3) {
		opened := [2]time.Time{}
		for i, release := range []string{"v2", "v1"} {
			w := fall(10 + seed)
			w.broken = func(run, _ int) float64 {
				if run >= fallsAt {
					return 0.12
				}
				return 0
			}
			w.release = since(fallsAt, "v1", release)
			_, r := w.play(w.history(0, fallsAt), fallsAt)
			opened[i] = w.due(w.runs)
			if len(r.Episodes) > 0 {
				opened[i] = r.Episodes[0].Opened
			}
		}
		if opened[0].After(opened[1]) {
			t.Errorf("seed %d: found at %v with a release, at %v without", seed, opened[0], opened[1])
		}
		if opened[0].Before(opened[1]) {
			sooner++
		}
	}
	if sooner == 0 {
		t.Error("the trial of a release never helped")
	}
}

func TestHarmlessReleaseIsNothing(t *testing.T) {
	w := plain(3)
	w.runs = 40
	w.release = since(20, "v1", "v2")
	if _, r := w.play(w.history(0, 20), 20); len(r.Episodes) > 0 {
		t.Errorf("%d episodes", len(r.Episodes))
	}
}

func TestFallLongAfterAReleaseIsSilent(t *testing.T) {
	w := fall(4)
	w.release = since(18, "v1", "v2")
	_, r := w.play(w.history(0, 25), 25)
	if e := one(t, r); e.Kind != drift.KindSilent || e.Finding.Evidence.Release.New != "v2" {
		t.Errorf("%s, last release %+v", e.Kind, e.Finding.Evidence.Release)
	}
}

// A tenth of the traffic gets the new release, and only those answers are worse.
func TestOldAndNewSideBySideShowARegression(t *testing.T) {
	w := plain(5)
	h := w.history(0, 20)
	for run := 20; run < 36; run++ {
		due := w.due(run)
		old, canary := moments(), moments()
		for range 40 {
			old = old.Add(w.faithfulness(false))
			canary = canary.Add(w.faithfulness(w.rng.Float64() < 0.7))
		}
		row := drift.Row{Start: w.due(run - 1), Due: due, Metric: scorer.Faithfulness, Judge: "j1", Cell: "department=a,language=en",
			Moments: old.Merge(canary), Releases: map[string]drift.Moments{"v1": old, "v2": canary}}
		h.Rows = append(h.Rows, row)
		h.Tallies = append(h.Tallies, sampler.Tally{Start: row.Start, Due: due, Decoded: 80,
			Channels: map[sampler.Channel]map[string]int{sampler.ChannelRelease: {"v1": 40, "v2": 40}}})
		r := drift.Evaluate(h, defaults())
		h.Episodes = r.Episodes
	}
	e := h.Episodes[0]
	if e.Kind != drift.KindRegression || e.Value != "v2" || len(h.Episodes) != 1 {
		t.Fatalf("%d episodes, the first %s with %q", len(h.Episodes), e.Kind, e.Value)
	}
	if f := e.Finding; f.Drop < 0.35 || f.Drop > 0.57 { // of the canary's answers, 0.7 × 0.66
		t.Errorf("answers of v2 are worse by %.3f, want about 0.46", f.Drop)
	}
}

func without(h drift.History) drift.History {
	for i := range h.Tallies {
		h.Tallies[i].Channels = nil
	}
	return h
}

func TestFallWithoutAReleaseFieldIsADropUntilSomeoneSays(t *testing.T) {
	w := fall(6)
	h := without(w.history(0, 36))
	r := drift.Evaluate(h, defaults())
	if e := one(t, r); e.Kind != drift.KindDrop || e.Finding.Evidence.Release.State != drift.ChannelNotObserved {
		t.Fatalf("%s with %+v", e.Kind, e.Finding.Evidence.Release)
	}
	h.Episodes = r.Episodes
	none := h
	none.Marks = []drift.Mark{{Channel: sampler.ChannelRelease, At: w.due(36), Through: w.due(36), Source: "cli"}}
	if e := one(t, drift.Evaluate(none, defaults())); e.Kind != drift.KindSilent {
		t.Errorf("after \"no release until then\": %s, want silent", e.Kind)
	}
	told := h
	told.Marks = []drift.Mark{{Channel: sampler.ChannelRelease, Value: "v7", At: w.due(fallsAt - 1).Add(time.Hour), Source: "cli"}}
	if e := one(t, drift.Evaluate(told, defaults())); e.Kind != drift.KindRegression || e.Value != "v7" || !e.From.Equal(w.due(fallsAt)) {
		t.Errorf("after the release was added: %s with %q from %v, want a regression with v7", e.Kind, e.Value, e.From)
	}
}

// The run after the change set is looked at too; a word given up to the alarm, when that
// run is not there yet, must not lose its force once it is.
func TestNoReleaseUntilTheAlarmIsEnoughLaterToo(t *testing.T) {
	w := fall(4)
	h := without(w.history(0, fallsAt))
	for run := fallsAt; run < fallsAt+6; run++ {
		rows, tally := w.run(run)
		tally.Channels = nil
		h.Rows, h.Tallies = append(h.Rows, rows...), append(h.Tallies, tally)
		h.Episodes = drift.Evaluate(h, defaults()).Episodes
	}
	e := h.Episodes[0]
	if e.Kind != drift.KindDrop || !e.Finding.To.Equal(e.Opened) || !e.Opened.Before(w.due(fallsAt+5)) {
		t.Fatalf("%s until %v opened %v, want a drop whose change set ends with the alarm", e.Kind, e.Finding.To, e.Opened)
	}
	h.Marks = []drift.Mark{{Channel: sampler.ChannelRelease, At: w.due(fallsAt + 5), Through: e.Opened, Source: "cli"}}
	if e := one(t, drift.Evaluate(h, defaults())); e.Kind != drift.KindSilent {
		t.Errorf("after \"no release until then\": %s, want silent", e.Kind)
	}
	h.Marks[0].Through = e.Finding.From.Add(-time.Hour)
	if e := one(t, drift.Evaluate(h, defaults())); e.Kind != drift.KindDrop {
		t.Errorf("after a word that ends before the change: %s, want a drop", e.Kind)
	}
}

func TestPromptChangeIsACodeChangeAndIndexIsNot(t *testing.T) {
	for channel, want := range map[sampler.Channel]drift.Kind{
		sampler.ChannelPrompt: drift.KindRegression, sampler.ChannelIndex: drift.KindSilent, sampler.ChannelResponseModel: drift.KindSilent,
	} {
		w := fall(7)
		h := w.history(0, 36)
		for run := range h.Tallies {
			h.Tallies[run].Channels[channel] = map[string]int{since(fallsAt, "a", "b")(run): h.Tallies[run].Decoded}
		}
		e := one(t, drift.Evaluate(h, defaults()))
		if e.Kind != want {
			t.Errorf("%s changed: %s, want %s", channel, e.Kind, want)
		}
		i := slices.IndexFunc(e.Finding.Evidence.Channels, func(c drift.ChannelEvidence) bool { return c.Channel == channel })
		if c := e.Finding.Evidence.Channels[i]; c.State != drift.ChannelChanged || c.Old != "a" || c.New != "b" || c.Code != (want == drift.KindRegression) {
			t.Errorf("evidence of %s is %+v", channel, c)
		}
	}
}
