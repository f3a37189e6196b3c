package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
	"leadline/store"
)

// thriftyDay is the day that thrifty limits.
var thriftyDay = time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)

// thrifty is a runner whose windows have 40 picks each: two on the day before thriftyDay, which
// are scored without a limit, and three on it.
func thrifty(t *testing.T, stand *standin.Server) *runner {
	t.Helper()
	when, err := schedule.Parse("0 */6 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(filepath.Join(t.TempDir(), "leadline.db"), store.Plan{Window: when.Window, Rate: 1, PerRun: 40, Floor: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	read := sampler.Range{Topic: "t", Offsets: map[sampler.OffsetState]int64{}}
	for i := range 299 {
		id := fmt.Sprintf("r%03d", i)
		record := sampler.Record{ID: id, Time: thriftyDay.Add(time.Duration(i-119) * 6 * time.Minute), Question: "When does desk " + id + " open?",
			Answer: fmt.Sprintf("Desk %s opens at nine. It closes at five.", id), Contexts: []string{"Desk " + id + " opens at nine."},
			Segments: map[string]string{"floor": []string{"a", "a", "b"}[i%3]}}
		read.Kept = append(read.Kept, sampler.Kept{Sample: sampler.Sample{Record: record, U: sampler.Hash("salt", id), Rate: 1}})
		read.Next++
		read.Offsets[sampler.OffsetContributed]++
	}
	if err := st.Add(t.Context(), []sampler.Range{read}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(stand)
	t.Cleanup(server.Close)
	cfg := config.Default()
	cfg.Judge.BaseURL, cfg.Judge.Model, cfg.Judge.Concurrency = server.URL+"/v1", standin.Model, 8
	cfg.Judge.Embeddings.Model = standin.Model
	r := &runner{cfg: cfg, store: st, log: zerolog.Nop(), clock: newClock(time.Now), when: when,
		metrics: newMetrics(prometheus.NewRegistry(), func() float64 { return 0 })}
	r.limit(t, config.Budget{}, thriftyDay.Add(-time.Hour))
	return r
}

// limit sets the limits, and the time on the wall.
func (r *runner) limit(t *testing.T, limits config.Budget, at time.Time) {
	t.Helper()
	r.cfg.Judge.Budget, r.budget = limits, r.store.Budget(limits, func() time.Time { return at })
	judge, err := openai.New(r.cfg.Judge, openai.Options{Memo: r.store.Memo(time.Now)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newScorer(r.cfg.Judge, judge, r.budget, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	r.scoring = func(context.Context) (*scorer.Scorer, error) { return s, nil }
}

// next scores the next window and moves on.
func (r *runner) next(t *testing.T) (sampler.Window, []sampler.Sample) {
	t.Helper()
	w, _, err := r.store.NextWindow()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.store.CloseWindow(w); err != nil {
		t.Fatal(err)
	}
	if w, _, err = r.store.NextWindow(); err != nil {
		t.Fatal(err)
	}
	picks, _, err := r.store.Picks(w.Due)
	if err != nil {
		t.Fatal(err)
	}
	r.paused = pause{}
	if done, err := r.score(t.Context(), w); err != nil || !done {
		t.Fatalf("window %s: done %t, %v, %s", w.Due, done, err, r.pauseState().Reason)
	}
	if err := r.store.SaveDecision(w.Due, store.Decision{}); err != nil {
		t.Fatal(err)
	}
	return w, picks
}

// The judge is asked by eight at once and every fourth reply is of no use: what the stand-in
// counted is never more than the budget, and each window of the day has its part of it.
func TestABudgetIsSharedByTheWindowsOfADayAndNeverOverrun(t *testing.T) {
	t.Parallel()
	const limit = 500_000
	stand := newStandin(t)
	if err := stand.SetFaults([]standin.Fault{{Mode: "think_unclosed", Rate: 0.25}}); err != nil {
		t.Fatal(err)
	}
	r := thrifty(t, stand)
	for range 2 {
		if w, picks := r.next(t); len(picks) != 40 || w.Due.After(thriftyDay) {
			t.Fatalf("window %s has %d picks", w.Due, len(picks))
		}
	}
	r.limit(t, config.Budget{TokensPerDay: limit}, thriftyDay.Add(20*time.Hour))
	before := stand.Stats()
	for range 3 {
		w, picks := r.next(t)
		runs, err := r.store.Runs(1)
		if err != nil {
			t.Fatal(err)
		}
		run := runs[len(runs)-1]
		scores, err := r.store.WindowScores(w)
		if err != nil {
			t.Fatal(err)
		}
		if len(scores) < 3 || run.OverBudget < 3 || len(scores)+run.OverBudget != len(picks) {
			t.Errorf("window %s: %d judged and %d over budget of %d", w.Due, len(scores), run.OverBudget, len(picks))
		}
		checkSmallest(t, picks, scores)
		standing, err := r.budget.Standing()
		if err != nil {
			t.Fatal(err)
		}
		paid := stand.Stats()
		t.Logf("window %s: %d of %d judged; %d tokens so far", w.Due.Format("15:04"), len(scores), len(picks), standing.Today.Tokens)
		if total := paid.PromptTokens + paid.CompletionTokens - before.PromptTokens - before.CompletionTokens; total > limit || standing.Today.Tokens > limit {
			t.Errorf("%d tokens were counted at the stand-in, %d in the ledger; the limit is %d", total, standing.Today.Tokens, limit)
		}
		if kinds := standing.Today.Kinds; kinds[scorer.KindRepair].Tokens == 0 || kinds[scorer.KindControl].Tokens == 0 || kinds[scorer.KindSample].Tokens == 0 {
			t.Errorf("kinds %v", kinds)
		}
	}
	standing, err := r.budget.Standing()
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, s := range standing.Today.Kinds {
		sum += s.Tokens
	}
	paid := stand.Stats()
	if total := paid.PromptTokens + paid.CompletionTokens - before.PromptTokens - before.CompletionTokens; sum != standing.Today.Tokens || sum < total {
		t.Errorf("the kinds sum to %d, the day to %d; the stand-in counted %d in chat", sum, standing.Today.Tokens, total)
	}
}

// checkSmallest finds a judged sample with a larger hash than one of its stratum that is not.
func checkSmallest(t *testing.T, picks []sampler.Sample, scores []scorer.Score) {
	t.Helper()
	judged := map[string]scorer.Score{}
	for _, s := range scores {
		judged[s.SampleID] = s
	}
	slices.SortFunc(picks, func(a, b sampler.Sample) int { return cmp.Compare(a.U, b.U) })
	smallest := map[sampler.Cell]float64{}
	for _, p := range picks {
		if _, ok := judged[p.ID]; !ok && smallest[p.Cell] == 0 {
			smallest[p.Cell] = p.U
		}
	}
	for _, p := range picks {
		s, ok := judged[p.ID]
		u := smallest[p.Cell]
		if ok && u > 0 && (p.U > u || s.Inclusion != min(u, p.Inclusion)) {
			t.Errorf("%s of %s: hash %.3f, inclusion %.3f; the smallest left out is %.3f", p.ID, p.Cell, p.U, s.Inclusion, u)
		}
	}
}

func TestABudgetForNoSampleLeavesTheRunBlind(t *testing.T) {
	t.Parallel()
	stand := newStandin(t)
	r := thrifty(t, stand)
	r.limit(t, config.Budget{TokensPerDay: 1000}, thriftyDay.Add(-time.Hour))
	_, picks := r.next(t)
	runs, err := r.store.Runs(1)
	if err != nil {
		t.Fatal(err)
	}
	if run := runs[0]; run.OverBudget != len(picks) || run.Samples != len(picks) || stand.Stats().Requests != 0 {
		t.Errorf("%d of %d over budget, %d requests", run.OverBudget, run.Samples, stand.Stats().Requests)
	}
	var found problems
	if err := r.addCoverage(&found); err != nil || len(found) != 1 || found[0].Problem != "no_budget" || found[0].Detail != "1,000 tokens" {
		t.Errorf("problems %+v, %v", found, err)
	}
}

// One window of those that wait is drawn, each with the same chance, though more are due later.
func TestTheLotAmongWaitingWindowsIsFairAndNeverDrawsNone(t *testing.T) {
	one := cost{sample: scorer.Spend{Tokens: 10}, controls: scorer.Spend{Tokens: 100}, full: 2}
	const waiting, later, trials = 10, 30, 5000
	r, drawn := rand.New(rand.NewPCG(1, 2)), [waiting]int{}
	for range trials {
		for i := range waiting + 1 {
			if i == waiting {
				t.Fatal("none was drawn")
			}
			if one.samples(room{tokens: 160, dollars: math.Inf(1)}, sharers{waiting + later - i, waiting - i}, 8, r.Float64()) > 0 {
				drawn[i]++
				break
			}
		}
	}
	for i, n := range drawn { // 500 each, with a standard deviation of 21
		if n < 400 || n > 600 {
			t.Errorf("window %d was drawn %d times of %d", i, n, trials)
		}
	}
}

// A new judge's first controls take most of the day, and windows wait that were due days ago:
// one of them gets samples, and the log says once that the others do not.
func TestATightBudgetScoresOneWindowOfACatchUp(t *testing.T) {
	t.Parallel()
	for _, limit := range []int64{300_000, 400_000, 1_000_000} {
		r := thrifty(t, newStandin(t))
		var log bytes.Buffer
		r.log = zerolog.New(&log)
		r.limit(t, config.Budget{TokensPerDay: limit}, thriftyDay.Add(20*time.Hour))
		judged, left := 0, 0
		for range 5 {
			_, picks := r.next(t)
			runs, err := r.store.Runs(1)
			if err != nil {
				t.Fatal(err)
			}
			run := runs[len(runs)-1]
			t.Logf("limit %d: %d of %d left out", limit, run.OverBudget, len(picks))
			judged, left = judged+len(picks)-run.OverBudget, left+run.OverBudget
		}
		standing, err := r.budget.Standing()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d judged, %d left out, %d tokens", judged, left, standing.Today.Tokens)
		if judged == 0 || standing.Today.Tokens > limit {
			t.Errorf("%d judged with %d of %d tokens", judged, standing.Today.Tokens, limit)
		}
		if lines := strings.Count(log.String(), "budget is not enough"); lines != 1 {
			t.Errorf("%d log lines about the budget, want 1:\n%s", lines, log.String())
		}
	}
}

func TestRoomOfADay(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) // ten days left
	spent := func(tokens int64, dollars float64) store.Day {
		return store.Day{Spend: scorer.Spend{Tokens: tokens, Dollars: dollars}}
	}
	for name, c := range map[string]struct {
		limits        config.Budget
		today, month  store.Day
		tokens, money float64
	}{
		"no limits":                {config.Budget{}, spent(5, 0), spent(9, 0), math.Inf(1), math.Inf(1)},
		"the day":                  {config.Budget{TokensPerDay: 100}, spent(30, 0), spent(900, 0), 70, math.Inf(1)},
		"an even share of a month": {config.Budget{TokensPerMonth: 1000}, spent(30, 0), spent(230, 0), 50, math.Inf(1)}, // 800 in ten days, 30 of 80 gone
		"the smaller of both":      {config.Budget{DollarsPerDay: 5, DollarsPerMonth: 100}, spent(0, 1), spent(0, 81), math.Inf(1), 1},
		"nothing":                  {config.Budget{TokensPerDay: 10}, spent(30, 0), spent(30, 0), 0, math.Inf(1)},
	} {
		got := roomOf(store.Standing{Limits: c.limits, Today: c.today, Month: c.month, At: at})
		if got.tokens != c.tokens || math.Abs(got.dollars-c.money) > 1e-9 && got.dollars != c.money {
			t.Errorf("%s: %+v, want %v tokens and %v dollars", name, got, c.tokens, c.money)
		}
	}
}

func TestWindowsShareADay(t *testing.T) {
	// Without their margin of a quarter, a sample takes 8 and the controls 80.
	one := cost{sample: scorer.Spend{Tokens: 10}, controls: scorer.Spend{Tokens: 100}, full: 1000}
	for name, c := range map[string]struct {
		left    float64
		windows int
		lot     float64
		want    int
		waiting int
	}{
		"enough for all":                       {100_000, 4, 0.99, 60, 0},
		"evenly":                               {1200, 4, 0.99, 20, 0},
		"a catch-up leaves the present some":   {12_000, 40, 0.5, 20, 0},
		"two windows of four: one that is":     {300, 4, 0.49, 5, 0},
		"two windows of four: one that is not": {300, 4, 0.50, 0, 0},
		"not one":                              {87, 4, 0, 0, 0},
		"fewer than make it worth, drawn":      {104, 4, 0.24, 3, 0},
		"fewer than make it worth, not drawn":  {104, 4, 0.25, 0, 0},
		"the last but one of a catch-up":       {300, 40, 0.49, 5, 2},
		"and not drawn":                        {300, 40, 0.50, 0, 2},
		"the last of a catch-up":               {104, 40, 0.99, 3, 1},
		"nothing for the last of a catch-up":   {87, 40, 0.99, 0, 1},
		"no limit":                             {math.Inf(1), 4, 0.99, 60, 0},
	} {
		if got := one.samples(room{tokens: c.left, dollars: math.Inf(1)}, sharers{c.windows, c.waiting}, 60, c.lot); got != c.want {
			t.Errorf("%s: %d samples, want %d", name, got, c.want)
		}
	}
	// A new judge: two runs with all controls, and what they leave is for the others.
	one.full = 2
	if got := one.samples(room{tokens: 2200, dollars: math.Inf(1)}, sharers{windows: 40}, 60, 0.99); got != 5 {
		t.Errorf("%d samples, want 5 of each window", got)
	}
	when, err := schedule.Parse("0 */6 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	due := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	if got := dueUntil(when, due, due.Add(12*time.Hour)); got != 2 { // 12 and 18; midnight is of the next day
		t.Errorf("%d windows, want 2", got)
	}
}
