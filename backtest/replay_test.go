package backtest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/alert"
	"leadline/backtest"
	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

const day = 24 * time.Hour

var first = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func due(run int) time.Time { return first.Add(time.Duration(run+1) * day) }

// service makes the rows of a run a day of a service of two departments; broken is the share
// of bad answers of each.
func service(runs int, broken func(run, dept int) float64) backtest.Kept {
	rng := rand.New(rand.NewPCG(5, 6))
	k := backtest.Kept{Service: "helpdesk", Drift: config.Default().Drift}
	for run := range runs {
		w := sampler.Window{Start: due(run - 1), Due: due(run)}
		tally := sampler.Tally{Start: w.Start, Due: w.Due}
		var scores []scorer.Score
		for i := range 60 {
			cell := sampler.CellOf(map[string]string{"department": strconv.Itoa(i % 2)})
			f := 1.0
			if u := rng.Float64(); u < 0.05 || rng.Float64() < broken(run, i%2) {
				f = 0
			} else if u < 0.25 {
				f = float64(1+rng.IntN(4)) / 5
			}
			scores = append(scores, scorer.Score{SampleID: fmt.Sprintf("%02d", i), Cell: cell, Window: w.Due,
				Channels: map[sampler.Channel]string{sampler.ChannelRelease: "1"},
				Judges:   map[scorer.Metric]string{scorer.Faithfulness: "j", scorer.AnswerRelevancy: "j"},
				Outcomes: map[scorer.Metric]scorer.Outcome{
					scorer.Faithfulness:    {Scored: true, Value: f},
					scorer.AnswerRelevancy: {Scored: true, Value: min(max(0.8+0.1*rng.NormFloat64(), 0), 1)},
				}})
			tally.Add(sampler.Record{ID: strconv.Itoa(i), Time: w.Due, Contexts: []string{""}, Channels: map[sampler.Channel]string{sampler.ChannelRelease: "1"}}, cell)
		}
		k.Rows = append(k.Rows, drift.Rows(w, scores)...)
		k.Tallies = append(k.Tallies, tally)
	}
	return k
}

// live decides the runs as the daemon does, and puts what came of it beside them. After the
// runs in words it looks again with all that operators told.
func live(k backtest.Kept, words map[int]func(*backtest.Kept)) backtest.Kept {
	told := backtest.Kept{}
	for run := range len(k.Tallies) {
		step := func(at time.Time) {
			h := drift.History{Marks: told.Marks, Acceptances: told.Acceptances, Episodes: k.Episodes}
			for _, r := range k.Rows {
				if !r.Due.After(due(run)) {
					h.Rows = append(h.Rows, r)
				}
			}
			h.Tallies = k.Tallies[:run+1]
			k.Episodes = drift.Evaluate(h, k.Drift).Episodes
			k.Incidents, _ = alert.Step(k.Incidents, alert.Input{Run: at, Every: day, Episodes: k.Episodes, Acceptances: told.Acceptances, Unwatched: true})
		}
		step(due(run))
		if word := words[run]; word != nil {
			told.Episodes = k.Episodes
			word(&told)
			step(due(run).Add(time.Hour))
		}
	}
	k.Marks, k.Acceptances = told.Marks, told.Acceptances
	return k
}

// accept takes what is down for the new normal, an hour after a run.
func accept(run int) func(*backtest.Kept) {
	return func(k *backtest.Kept) {
		for _, e := range k.Episodes {
			if e.Resolved.IsZero() {
				k.Acceptances = append(k.Acceptances, drift.Acceptance{Series: e.Series, From: e.From.Add(-1), By: "yuki", At: due(run).Add(time.Hour)})
			}
		}
	}
}

// from is a share of bad answers in a department from a run on.
func from(start int, share float64) func(run, dept int) float64 {
	return func(run, dept int) float64 {
		if run >= start && dept == 0 {
			return share
		}
		return 0
	}
}

func replay(t *testing.T, k backtest.Kept, change func(*backtest.Settings)) backtest.Replayed {
	t.Helper()
	s := backtest.Settings{Drift: k.Drift, Every: func(time.Time) time.Duration { return day }}
	change(&s)
	r, err := backtest.Replay(t.Context(), k, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func nothing(*backtest.Settings) {}

func TestReplayedEpisodesAreThoseOfTheDaemon(t *testing.T) {
	for name, words := range map[string]map[int]func(*backtest.Kept){
		"nobody said anything":        nil,
		"accepted between two runs":   {38: accept(38)},
		"accepted after the last run": {49: accept(49)},
		"a release told after the run": {49: func(k *backtest.Kept) {
			k.Marks = append(k.Marks, drift.Mark{Channel: sampler.ChannelPrompt, Value: "p2", At: due(49).Add(30 * time.Minute), Source: "cli"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			k := live(service(50, from(30, 0.5)), words)
			if len(k.Episodes) == 0 {
				t.Fatal("the daemon found nothing")
			}
			r := replay(t, k, nothing)
			if diff := cmp.Diff(k.Episodes, r.Episodes); diff != "" {
				t.Errorf("episodes (-live +replayed):\n%s", diff)
			}
			for _, c := range r.Incidents {
				if c.Verdict != backtest.Same {
					t.Errorf("%+v is %s, want same; live %+v", c.Shown(), c.Verdict, c.Live)
				}
			}
		})
	}
}

func TestReplayIsTheSameForRowsInAnyOrder(t *testing.T) {
	k := live(service(50, from(30, 0.5)), nil)
	drops := func(s *backtest.Settings) { s.Drops = []float64{0.1} }
	a, err := json.Marshal(replay(t, k, drops))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(k.Rows), func(i, j int) { k.Rows[i], k.Rows[j] = k.Rows[j], k.Rows[i] })
	rng.Shuffle(len(k.Tallies), func(i, j int) { k.Tallies[i], k.Tallies[j] = k.Tallies[j], k.Tallies[i] })
	b, err := json.Marshal(replay(t, k, drops))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Error(diff)
	}
}

func TestLessEvidenceAskedForIsNeverLater(t *testing.T) {
	k := live(service(60, from(30, 0.12)), nil)
	if len(k.Incidents) == 0 {
		t.Fatal("the daemon found nothing")
	}
	strict := replay(t, k, func(s *backtest.Settings) { s.Drift.FalseAlarms = 1e-9 })
	for _, c := range strict.Incidents {
		if c.Verdict != backtest.Later && c.Verdict != backtest.OnlyLive {
			t.Errorf("with one false alarm in a billion: %s, want later or only live", c.Verdict)
		}
		if c.Verdict == backtest.Later && !c.Here.Opened.Equal(c.Live.Opened.Add(time.Duration(c.Runs)*day)) {
			t.Errorf("%d runs later, but %s after %s", c.Runs, c.Here.Opened, c.Live.Opened)
		}
	}
	blind := replay(t, k, func(s *backtest.Settings) { s.Drift.MinDrop, s.Drift.MinTail = 0.9, 0.9 })
	if len(blind.Incidents) != 1 || blind.Incidents[0].Verdict != backtest.OnlyLive || blind.Incidents[0].Here != nil {
		t.Errorf("with min_drop 0.9: %+v, want one that is only live", blind.Incidents)
	}
	eager := replay(t, k, func(s *backtest.Settings) { s.Drift.FalseAlarms = 1 })
	for _, c := range eager.Incidents {
		if c.Verdict == backtest.Later || c.Verdict == backtest.OnlyLive {
			t.Errorf("with any number of false alarms: %s", c.Verdict)
		}
	}
}

func TestSinceLimitsWhatIsListedNotWhatIsLearned(t *testing.T) {
	k := live(service(50, func(run, dept int) float64 {
		return from(20, 0.5)(run, dept) - from(26, 0.5)(run, dept) + from(40, 0.5)(run, dept)
	}), nil)
	all := replay(t, k, nothing).Incidents
	if len(all) < 2 {
		t.Fatalf("%d incidents, want two falls", len(all))
	}
	late := replay(t, k, func(s *backtest.Settings) { s.Since = due(39) }).Incidents
	if len(late) != len(all)-1 {
		t.Fatalf("%d of %d incidents are listed since the 40th run, want all but the first", len(late), len(all))
	}
	if diff := cmp.Diff(all[1].Here.Opened, late[0].Here.Opened); diff != "" || late[0].Verdict != backtest.Same {
		t.Errorf("it is %s and opened at another time: %s", late[0].Verdict, diff)
	}
}

func TestLiveIncidentsFromBeforeTheRowsAreCountedOnly(t *testing.T) {
	k := live(service(50, from(30, 0.5)), nil)
	f := drift.Finding{Series: drift.Series{Metric: scorer.Faithfulness}}
	k.Incidents = append([]alert.Incident{{ID: "inc_old", Kind: drift.KindSilent, Opened: first.Add(-9 * day), Resolved: first.Add(-2 * day), Alerts: []alert.Alert{{Finding: f, Opened: first.Add(-9 * day), Resolved: first.Add(-2 * day)}}}}, k.Incidents...)
	r := replay(t, k, nothing)
	if r.Older != 1 || len(r.Incidents) != 1 {
		t.Errorf("%d are older and %d listed, want 1 and 1", r.Older, len(r.Incidents))
	}
}

func TestWithoutABaselineNothingIsReady(t *testing.T) {
	r := replay(t, service(1, from(9, 0)), nothing)
	if r.Ready || r.Runs != 1 || len(r.Incidents) > 0 {
		t.Errorf("got %+v, want one run and nothing ready", r)
	}
	if r = replay(t, backtest.Kept{}, nothing); r.Ready || r.Runs != 0 {
		t.Errorf("got %+v of nothing", r)
	}
}

func TestLargerDropsAreFoundSooner(t *testing.T) {
	r := replay(t, live(service(80, from(99, 0)), nil), func(s *backtest.Settings) { s.Drops = []float64{0.03, 0.10, 0.20} })
	if len(r.Simulated) != 6 || r.SimulatedLive != nil {
		t.Fatalf("%d results and %d live, want three drops of two metrics and none live", len(r.Simulated), len(r.SimulatedLive))
	}
	for i, s := range r.Simulated {
		if s.Places != backtest.Places || s.Drop >= 0.10 && s.Found != s.Places {
			t.Errorf("%+v: want %d places, and to be found in each", s, backtest.Places)
		}
		if i%3 > 0 && s.Samples > r.Simulated[i-1].Samples && r.Simulated[i-1].Samples > 0 {
			t.Errorf("%+v takes longer than %+v", s, r.Simulated[i-1])
		}
	}
}

// What was down is in no simulation: the places are those of a service that ended before.
func TestDropsArePutIntoWhatWasInControl(t *testing.T) {
	drops := func(s *backtest.Settings) { s.Drops = []float64{0.05} }
	k := live(service(80, func(run, _ int) float64 { return from(60, 0.3)(run, 0) }), nil)
	for _, e := range k.Episodes {
		if e.Series.Metric == scorer.Faithfulness && e.Series.Dim == "" && !e.From.Equal(due(60)) {
			t.Fatalf("the fall is seen from %s on, want %s", e.From, due(60))
		}
	}
	got := replay(t, k, drops).Simulated
	want := replay(t, live(service(60, from(99, 0)), nil), drops).Simulated
	if diff := cmp.Diff(want[0], got[0]); diff != "" {
		t.Errorf("faithfulness (-without the fall +with it):\n%s", diff)
	}
}

func TestDropsUnderOtherSettingsStandBesideThoseOfLive(t *testing.T) {
	k := live(service(60, from(99, 0)), nil)
	same := replay(t, k, func(s *backtest.Settings) { s.Drops = []float64{0.05} }).Simulated
	r := replay(t, k, func(s *backtest.Settings) { s.Drops, s.Drift.MinDrop, s.Drift.MinTail = []float64{0.05}, 0.5, 0.5 })
	if diff := cmp.Diff(same, r.SimulatedLive); diff != "" {
		t.Errorf("live (-alone +beside):\n%s", diff)
	}
	for _, s := range r.Simulated {
		if s.Found > 0 {
			t.Errorf("%+v is found although only falls of 0.5 are worth an alarm", s)
		}
	}
}
