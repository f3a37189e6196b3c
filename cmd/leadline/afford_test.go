package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http/httptest"
	"path/filepath"
	"slices"
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
	if err := r.addCoverage(&found); err != nil || len(found) != 1 || found[0].Problem != "no_budget" {
		t.Errorf("problems %+v, %v", found, err)
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
	one := cost{sample: scorer.Spend{Tokens: 10}, controls: scorer.Spend{Tokens: 100}}
	for name, c := range map[string]struct {
		left    float64
		windows int
		lot     float64
		want    int
	}{
		"enough for all":                       {100_000, 4, 0.99, 60},
		"evenly":                               {1200, 4, 0.99, 20},
		"a catch-up leaves the present some":   {12_000, 40, 0.5, 20},
		"two windows of four: one that is":     {300, 4, 0.49, 5},
		"two windows of four: one that is not": {300, 4, 0.50, 0},
		"not one":                              {99, 4, 0, 0},
		"fewer than make it worth":             {130, 4, 0.99, 3},
		"no limit":                             {math.Inf(1), 4, 0.99, 60},
	} {
		if got := one.samples(room{tokens: c.left, dollars: math.Inf(1)}, c.windows, 60, c.lot); got != c.want {
			t.Errorf("%s: %d samples, want %d", name, got, c.want)
		}
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
