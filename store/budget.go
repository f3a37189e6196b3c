package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"leadline/config"
	"leadline/scorer"
)

// Day is what the judge took on one UTC day of the wall clock.
type Day struct {
	// Spend is all of it, with what is set aside for calls that were not settled yet. What a
	// crash left unsettled stays in: whether it was paid nobody knows.
	scorer.Spend
	// Kinds is what was settled, by what it was for.
	Kinds map[scorer.Kind]scorer.Spend `json:"kinds,omitempty"`
}

// UnmarshalJSON reads what earlier versions wrote, too: the tokens of the day alone.
func (d *Day) UnmarshalJSON(data []byte) error {
	if tokens, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		*d = Day{Spend: scorer.Spend{Tokens: tokens}}
		return nil
	}
	type plain Day
	return json.Unmarshal(data, (*plain)(d))
}

func (d *Day) add(b Day) {
	d.Spend = d.Plus(b.Spend)
	for k, s := range b.Kinds {
		if d.Kinds == nil {
			d.Kinds = map[scorer.Kind]scorer.Spend{}
		}
		d.Kinds[k] = d.Kinds[k].Plus(s)
	}
}

// Standing is how a budget stands at a time.
type Standing struct {
	Limits config.Budget
	Today  Day
	Month  Day // today included
	At     time.Time
}

// DaysLeft is how many days the month still has, today included.
func (s Standing) DaysLeft() int {
	at := s.At.UTC()
	return time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -1).Day() - at.Day() + 1
}

// Budget counts what the judge takes, and holds it within limits: per UTC day and calendar
// month of the wall clock. It may be used by several goroutines.
type Budget struct {
	store  *Store
	limits config.Budget
	now    func() time.Time

	trying chan struct{} // size 1: one reservation is tried at a time

	mu      sync.Mutex // guards what is below
	aside   int        // reservations of this process that are not settled
	settled chan struct{}
}

// Budget returns the budget of the store. Without limits it only counts.
func (s *Store) Budget(limits config.Budget, now func() time.Time) *Budget {
	return &Budget{store: s, limits: limits, now: now, trying: make(chan struct{}, 1), settled: make(chan struct{})}
}

// Reserve sets aside what something may take at most, on disk, before it is spent; settle
// replaces it by what was used, on the same day. Where there is no room only because others
// have set aside more than they will use, it waits for them. scorer.ErrOverBudget: there is
// no room.
func (b *Budget) Reserve(ctx context.Context, most scorer.Spend) (settle func(scorer.Usage) error, err error) {
	kind, at := scorer.KindOf(ctx), b.now()
	if b.limits == (config.Budget{}) {
		most = scorer.Spend{} // there is nothing to hold: one write less
	}
	for most != (scorer.Spend{}) {
		settled, others, err := b.try(at, most)
		if err == nil {
			break
		}
		if others == 0 || !errors.Is(err, scorer.ErrOverBudget) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-settled:
		}
	}
	return func(u scorer.Usage) error {
		used := u.Spend()
		err := b.add(at, Day{Spend: used.Minus(most), Kinds: u.By(kind)}, false)
		if most != (scorer.Spend{}) {
			b.count(-1)
		}
		return err
	}, nil
}

// try sets aside where there is room. Where there is none it returns how many reservations
// there are, and what closes when one of them is settled.
func (b *Budget) try(at time.Time, most scorer.Spend) (settled <-chan struct{}, others int, err error) {
	b.trying <- struct{}{}
	defer func() { <-b.trying }()
	settled, others = b.count(0)
	if err = b.add(at, Day{Spend: most}, true); err == nil {
		b.count(1)
	}
	return settled, others, err
}

// count adds n to the reservations.
func (b *Budget) count(n int) (settled <-chan struct{}, aside int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.aside += n
	if n < 0 {
		close(b.settled)
		b.settled = make(chan struct{})
	}
	return b.settled, b.aside
}

// add adds to a day. With check it adds nothing that a limit does not allow.
func (b *Budget) add(at time.Time, more Day, check bool) error {
	return b.store.db.Batch(func(tx *bbolt.Tx) error {
		bucket, key := tx.Bucket(budgetBucket), dayKey(at)
		var day Day
		if _, err := load(bucket, key, &day); err != nil {
			return err
		}
		if check {
			month, err := monthOf(tx, at)
			if err != nil {
				return err
			}
			if err := over(b.limits, day.Plus(more.Spend), month.Plus(more.Spend)); err != nil {
				return err
			}
		}
		day.add(more)
		day.Tokens, day.Dollars = max(day.Tokens, 0), max(day.Dollars, 0)
		return save(bucket, key, day)
	})
}

// over says which limit does not allow so much.
func over(limits config.Budget, day, month scorer.Spend) error {
	switch {
	case limits.TokensPerDay > 0 && day.Tokens > limits.TokensPerDay:
		return fmt.Errorf("%w: the %d tokens of the day", scorer.ErrOverBudget, limits.TokensPerDay)
	case limits.TokensPerMonth > 0 && month.Tokens > limits.TokensPerMonth:
		return fmt.Errorf("%w: the %d tokens of the month", scorer.ErrOverBudget, limits.TokensPerMonth)
	case limits.DollarsPerDay > 0 && day.Dollars > limits.DollarsPerDay:
		return fmt.Errorf("%w: the %.2f dollars of the day", scorer.ErrOverBudget, limits.DollarsPerDay)
	case limits.DollarsPerMonth > 0 && month.Dollars > limits.DollarsPerMonth:
		return fmt.Errorf("%w: the %.2f dollars of the month", scorer.ErrOverBudget, limits.DollarsPerMonth)
	}
	return nil
}

// monthOf sums up the days of a month.
func monthOf(tx *bbolt.Tx, at time.Time) (sum Day, err error) {
	at = at.UTC()
	bucket := tx.Bucket(budgetBucket)
	for d := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC); d.Month() == at.Month(); d = d.AddDate(0, 0, 1) {
		var day Day
		if _, err := load(bucket, dayKey(d), &day); err != nil {
			return sum, err
		}
		sum.add(day)
	}
	return sum, nil
}

// Standing returns what was spent today and this month.
func (b *Budget) Standing() (s Standing, err error) {
	s = Standing{Limits: b.limits, At: b.now().UTC()}
	err = b.store.db.View(func(tx *bbolt.Tx) error {
		if _, err := load(tx.Bucket(budgetBucket), dayKey(s.At), &s.Today); err != nil {
			return err
		}
		s.Month, err = monthOf(tx, s.At)
		return err
	})
	return s, err
}

// Spent sums up the UTC days from that of a time to the last that begins before an end.
func (s *Store) Spent(from, end time.Time) (sum Day, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		for d := from.UTC().Truncate(24 * time.Hour); d.Before(end); d = d.AddDate(0, 0, 1) {
			var day Day
			if _, err := load(tx.Bucket(budgetBucket), dayKey(d), &day); err != nil {
				return err
			}
			sum.add(day)
		}
		return nil
	})
	return sum, err
}
