package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/server"
)

// pastOf is the status of a service with days of four runs of 15 answers, whose relevancy
// wanders by a standard deviation.
func pastOf(t *testing.T, cfg config.Config, days int, wander float64) server.Status {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	var h drift.History
	var runs []scorer.Run
	level := 0.0
	for run := range 4 * days {
		if run%4 == 0 {
			level = 0.9*level + wander*math.Sqrt(0.19)*rng.NormFloat64()
		}
		due := at.Add(6 * time.Hour)
		f := drift.Row{Start: at, Due: due, Metric: scorer.Faithfulness, Judge: "j"}
		r := drift.Row{Start: at, Due: due, Metric: scorer.AnswerRelevancy, Judge: "j"}
		for range 15 {
			f.Moments = f.Add(float64(min(rng.IntN(10), 4)) / 4)
			r.Moments = r.Add(0.7 + level + 0.08*rng.NormFloat64())
		}
		h.Rows = append(h.Rows, f, r)
		h.Tallies = append(h.Tallies, sampler.Tally{Start: at, Due: due})
		runs = append(runs, scorer.Run{Window: due, Samples: 15,
			Usage:    scorer.Usage{ChatRequests: 45, PromptTokens: 15_000, CompletionTokens: 1_500},
			Controls: scorer.Usage{ChatRequests: 96, PromptTokens: 60_000}})
		at = due
	}
	st := server.Status{Now: at, Cost: costOf(runs)}
	for _, s := range drift.Evaluate(h, cfg.Drift).States {
		st.Series = append(st.Series, server.SeriesStatus{State: s})
	}
	return st
}

func planOf(t *testing.T, cfg config.Config, st server.Status, per prices) plan {
	t.Helper()
	p, err := newPlan(cfg, st, per)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Metrics) != 2 {
		t.Fatalf("planned %d metrics, want both", len(p.Metrics))
	}
	return p
}

func testConfig() config.Config {
	cfg := config.Default()
	cfg.Service.Name, cfg.Sample.PerRun = "support-bot", 15
	return cfg
}

func TestPlanCountsWhatTheJudgeTook(t *testing.T) {
	p := planOf(t, testConfig(), pastOf(t, testConfig(), 20, 0), prices{prompt: 2, completion: 10})
	// A day is 4 runs of 15 samples of 1,100 tokens, and 4 times 60,000 of controls.
	if want := 4*15*1100.0 + 4*60_000; p.Cost.Day.Tokens != want || p.Cost.Day.Requests != 4*(45+96) {
		t.Errorf("a day takes %v, want %v tokens and 564 requests", p.Cost.Day, want)
	}
	if want := (4*(15_000+60_000)*2 + 4*1_500*10) / 1e6; math.Abs(p.Cost.Day.Price-want) > 1e-9 {
		t.Errorf("a day costs %v, want %v", p.Cost.Day.Price, want)
	}
	for _, f := range p.Metrics[0].Falls {
		if f.Samples.Most == 0 {
			continue
		}
		if want := f.Samples.Most/60*p.Cost.Day.Tokens - 1; math.Abs(f.Tokens-want) > 0.02*want {
			t.Errorf("a fall of %g takes %v tokens until it is told, want about %v", f.Fall, f.Tokens, want)
		}
	}
}

// Before a history the controls are the part of a usual run, as check --live reckons them, and
// longer prompts cost more.
func TestPlanWithoutAHistoryReckonsWithTheConfiguredPromptsAndAPartOfTheControls(t *testing.T) {
	cfg := testConfig()
	cfg.Judge.Embeddings.Model = "small-vectors"
	before := 0.0
	for _, prompts := range []string{"v1", "v2", "v2-long"} {
		cfg.Judge.Prompts = prompts
		c := planOf(t, cfg, server.Status{}, prices{prompt: 2, completion: 10, billed: true}).Cost
		if c.Sample.Tokens <= before {
			t.Errorf("a sample takes %v tokens with %s, %v with shorter prompts", c.Sample.Tokens, prompts, before)
		}
		if share := c.Controls.Tokens / (15 * c.Sample.Tokens); math.Abs(share-scorer.ControlShare) > 1e-9 {
			t.Errorf("%s: the controls take %v of the samples' tokens, want %v", prompts, share, scorer.ControlShare)
		}
		before = c.Sample.Tokens
	}
}

func TestPlanPrintsDollarsWhereThePriceIsInDollars(t *testing.T) {
	for billed, want := range map[bool]string{true: " tokens ($0.", false: " tokens (0."} {
		p := planOf(t, testConfig(), pastOf(t, testConfig(), 20, 0), prices{prompt: 2, completion: 10, billed: billed})
		if got := strings.Join(costLines(p), "\n"); !strings.Contains(got, want) {
			t.Errorf("billed %t: it lacks %q: %s", billed, want, got)
		}
		if got := fallsTable(p, false).Render(); strings.Contains(got, "$") != billed {
			t.Errorf("billed %t:\n%s", billed, got)
		}
	}
}

func TestPlanOfAYoungServiceSaysUntilWhenItLearns(t *testing.T) {
	st := pastOf(t, testConfig(), 1, 0)
	p := planOf(t, testConfig(), st, prices{})
	// 60 of 100 samples are there; 40 more are two thirds of a day.
	if got, want := p.Metrics[0].LearningUntil, st.Now.Add(16*time.Hour); got.Sub(want).Abs() > time.Hour {
		t.Errorf("learning until %s, want about %s", got, want)
	}
	for _, f := range p.Metrics[0].Falls {
		if f.Now || f.SeenFrom.Before(p.Metrics[0].LearningUntil.Add(-time.Hour)) {
			t.Errorf("while it learns, a fall of %g is seen from %s", f.Fall, f.SeenFrom)
		}
	}
}

func TestPlanPromisesMoreOfMoreSamples(t *testing.T) {
	p := planOf(t, testConfig(), pastOf(t, testConfig(), 30, 0), prices{})
	for _, m := range p.Metrics {
		for i, f := range m.Falls {
			if f.TwiceFrom.After(f.SeenFrom) || f.Days.Most > 0.5 && f.TwiceDays.Most >= f.Days.Most {
				t.Errorf("%s −%g at twice the samples: %+v", m.Metric, f.Fall, f)
			}
			if before := m.Falls[max(i-1, 0)].Samples; before.Most > 0 && f.Samples.Most > before.Most {
				t.Errorf("%s: −%g takes longer than −%g", m.Metric, f.Fall, m.Falls[max(i-1, 0)].Fall)
			}
		}
	}
}

func TestPlanRecommendsATolerancePerMetricWithItsPrice(t *testing.T) {
	p := planOf(t, testConfig(), pastOf(t, testConfig(), 120, 0.02), prices{})
	f, r := p.Metrics[0].Tolerance, p.Metrics[1].Tolerance
	if f.Wander.SD != 0 || f.Recommended > 1.6*f.Wander.Bound+0.001 {
		t.Errorf("faithfulness stays where it is, and %g is recommended of %+v", f.Recommended, *f.Wander)
	}
	if r.Recommended < 0.015 || r.Recommended > 0.06 {
		t.Errorf("relevancy wanders by 0.02, and %g is recommended", r.Recommended)
	}
	for _, d := range r.Delays {
		if d.Recommended.Least > 0 && d.Recommended.Least < d.AtZero.Least {
			t.Errorf("a fall of %g is found sooner with a tolerance: %+v", d.Fall, d)
		}
	}
	var out bytes.Buffer
	if err := printPlanned(&out, "table", p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"faithfulness: 0 is set. No slow wander", "answer_relevancy: 0.0", "To set it: drift: {tolerances: {", "Twice the samples is sample.per_run: 30."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, out.String())
		}
	}
}

func TestNumbersAreRoundedForPeople(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.0123: "0.012", 0.476: "0.48", 9.96: "10", 66.4: "66", 231: "230", 963: "960", 1515.2: "1,520", 832123: "832,000", 10_300_123: "10,300,000"} {
		if got := round(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}

// What is down does not join the baseline: in the dimension in which most of it is.
func TestPlanCountsNoSamplesThatAreDownAsBaseline(t *testing.T) {
	state := func(dim, value, status string, n int) server.SeriesStatus {
		return server.SeriesStatus{State: drift.State{Series: drift.Series{Metric: scorer.Faithfulness, Dim: dim, Value: value}, Status: status, Last: drift.Level{N: n}}}
	}
	all := state("", "", "ok", 60)
	for name, c := range map[string]struct {
		segments []server.SeriesStatus
		pooled   string
		want     float64
	}{
		"nothing is down":        {[]server.SeriesStatus{state("team", "a", "ok", 60)}, "ok", 0},
		"one of two teams":       {[]server.SeriesStatus{state("team", "a", "down", 15), state("team", "b", "ok", 45), state("lang", "en", "down", 6)}, "ok", 0.25},
		"both teams":             {[]server.SeriesStatus{state("team", "a", "down", 15), state("team", "b", "down", 45)}, "ok", 1},
		"all of it is down":      {nil, "down", 1},
		"another metric is down": {[]server.SeriesStatus{{State: drift.State{Series: drift.Series{Metric: scorer.AnswerRelevancy, Dim: "team", Value: "a"}, Status: "down", Last: drift.Level{N: 60}}}}, "ok", 0},
	} {
		pooled := all.State
		pooled.Status = c.pooled
		if got := downShare(server.Status{Series: append(c.segments, all)}, pooled); got != c.want {
			t.Errorf("%s: %g of the scores do not join the baseline, want %g", name, got, c.want)
		}
	}
}
