package store_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"leadline/config"
	"leadline/scorer"
	"leadline/store"
)

func tokens(n int64) scorer.Usage         { return scorer.Usage{PromptTokens: n} }
func atMost(n int64) scorer.Spend         { return scorer.Spend{Tokens: n} }
func fixed(t *time.Time) func() time.Time { return func() time.Time { return *t } }

// reserve sets aside and settles in one go.
func spendNow(ctx context.Context, b *store.Budget, most scorer.Spend, used scorer.Usage) error {
	settle, err := b.Reserve(ctx, most)
	if err != nil {
		return err
	}
	return settle(used)
}

func TestTheBudgetStopsBeforeItIsOverspent(t *testing.T) {
	s, now := fresh(t, 1), monday
	b := s.Budget(config.Budget{TokensPerDay: 100}, fixed(&now))
	if err := spendNow(t.Context(), b, atMost(80), tokens(50)); err != nil {
		t.Fatal(err)
	}
	if err := spendNow(t.Context(), b, atMost(51), tokens(1)); !errors.Is(err, scorer.ErrOverBudget) {
		t.Errorf("got %v, want ErrOverBudget", err)
	}
	if err := spendNow(t.Context(), b, atMost(50), tokens(50)); err != nil {
		t.Errorf("what was not used cannot be set aside again: %v", err)
	}
	now = monday.AddDate(0, 0, 1)
	if err := spendNow(t.Context(), b, atMost(100), tokens(1)); err != nil {
		t.Errorf("the next day has no budget of its own: %v", err)
	}
}

func TestEachLimitHoldsByItself(t *testing.T) {
	most := scorer.Spend{Tokens: 60, Dollars: 0.6}
	for name, c := range map[string]struct {
		limits config.Budget
		days   int // between the two
	}{
		"tokens of the day": {config.Budget{TokensPerDay: 100}, 0}, "dollars of the day": {config.Budget{DollarsPerDay: 1}, 0},
		"tokens of the month": {config.Budget{TokensPerMonth: 100}, 5}, "dollars of the month": {config.Budget{DollarsPerMonth: 1}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			s, now := fresh(t, 1), time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
			b := s.Budget(c.limits, fixed(&now))
			used := scorer.Usage{PromptTokens: 60, Dollars: 0.6}
			if err := spendNow(t.Context(), b, most, used); err != nil {
				t.Fatal(err)
			}
			now = now.AddDate(0, 0, c.days)
			if err := spendNow(t.Context(), b, most, used); !errors.Is(err, scorer.ErrOverBudget) {
				t.Errorf("got %v, want ErrOverBudget", err)
			}
			now = now.AddDate(0, 1, 0)
			if err := spendNow(t.Context(), b, most, used); err != nil {
				t.Errorf("a month later: %v", err)
			}
		})
	}
}

func TestWhatIsSpentIsCountedByKindWithoutLimitsToo(t *testing.T) {
	s, now := fresh(t, 1), monday
	b := s.Budget(config.Budget{}, fixed(&now))
	ctx := scorer.For(t.Context(), scorer.KindControl)
	used := scorer.Usage{PromptTokens: 100, CompletionTokens: 20, EmbeddingTokens: 5, Dollars: 0.5, RepairTokens: 30, RepairDollars: 0.125}
	if err := errors.Join(spendNow(ctx, b, atMost(500), used), spendNow(t.Context(), b, atMost(500), tokens(7))); err != nil {
		t.Fatal(err)
	}
	now = now.AddDate(0, 0, 1)
	if err := spendNow(t.Context(), b, atMost(500), tokens(1)); err != nil {
		t.Fatal(err)
	}
	got, err := b.Standing()
	if err != nil {
		t.Fatal(err)
	}
	want := store.Day{Spend: scorer.Spend{Tokens: 133, Dollars: 0.5}, Kinds: map[scorer.Kind]scorer.Spend{
		scorer.KindControl: {Tokens: 95, Dollars: 0.375}, scorer.KindRepair: {Tokens: 30, Dollars: 0.125}, scorer.KindSample: {Tokens: 8},
	}}
	if d := cmp.Diff(want, got.Month); d != "" {
		t.Errorf("month (-want +got):\n%s", d)
	}
	if got.Today.Tokens != 1 {
		t.Errorf("today %d tokens, want 1", got.Today.Tokens)
	}
}

func TestWhatACrashLeftUnsettledStaysCounted(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "store.db"), monday
	s := open(t, path, plan(1))
	b := s.Budget(config.Budget{TokensPerDay: 100}, fixed(&now))
	if _, err := b.Reserve(t.Context(), atMost(70)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, path, plan(1)).Budget(config.Budget{TokensPerDay: 100}, fixed(&now))
	if err := spendNow(t.Context(), b, atMost(40), tokens(1)); !errors.Is(err, scorer.ErrOverBudget) {
		t.Errorf("got %v, want ErrOverBudget", err)
	}
	if err := spendNow(t.Context(), b, atMost(30), tokens(30)); err != nil {
		t.Error(err)
	}
}

func TestALedgerOfEarlierVersionsIsRead(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "store.db"), monday
	s := open(t, path, plan(1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	old := func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("budget")).Put([]byte(monday.UTC().Format(time.DateOnly)), []byte("90"))
	}
	if err := errors.Join(db.Update(old), db.Close()); err != nil {
		t.Fatal(err)
	}
	b := open(t, path, plan(1)).Budget(config.Budget{TokensPerDay: 100}, fixed(&now))
	if err := spendNow(t.Context(), b, atMost(11), tokens(1)); !errors.Is(err, scorer.ErrOverBudget) {
		t.Errorf("got %v, want ErrOverBudget", err)
	}
	if err := spendNow(t.Context(), b, atMost(10), tokens(10)); err != nil {
		t.Error(err)
	}
	if st, err := b.Standing(); err != nil || st.Today.Tokens != 100 {
		t.Errorf("%d tokens today, %v; want 100", st.Today.Tokens, err)
	}
}

// Many at once set aside far more than they use: none may be turned away while others hold
// what they will give back, and all together never go over.
func TestManyAtOnceNeverOverrunAndUseWhatThereIs(t *testing.T) {
	s, now := fresh(t, 1), monday
	const limit, most = 4000, 400
	b := s.Budget(config.Budget{TokensPerDay: limit}, fixed(&now))
	var spent atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for {
				settle, err := b.Reserve(t.Context(), atMost(most))
				if err != nil {
					if !errors.Is(err, scorer.ErrOverBudget) {
						t.Error(err)
					}
					return
				}
				n := 20 + rand.Int64N(100)
				if spent.Add(n) > limit {
					t.Error("more is spent than the limit")
				}
				if err := settle(tokens(n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := spent.Load(); got <= limit-most {
		t.Errorf("only %d of %d tokens were used", got, limit)
	}
	if st, err := b.Standing(); err != nil || st.Today.Tokens != spent.Load() || math.Abs(st.Today.Dollars) > 0 {
		t.Errorf("the ledger says %+v, %v; %d were spent", st.Today.Spend, err, spent.Load())
	}
}

func TestDaysLeftOfAMonth(t *testing.T) {
	for at, want := range map[string]int{"2026-11-01": 30, "2026-11-30": 1, "2026-12-01": 31, "2028-02-28": 2} {
		day, err := time.Parse(time.DateOnly, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := (store.Standing{At: day}).DaysLeft(); got != want {
			t.Errorf("%s: %d days left, want %d", at, got, want)
		}
	}
}
