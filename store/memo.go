package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/scorer"
)

// sortBy sorts by time, then by name.
func sortBy[T any](in []T, key func(T) (time.Time, string)) {
	slices.SortFunc(in, func(a, b T) int {
		ta, na := key(a)
		tb, nb := key(b)
		return cmp.Or(ta.Compare(tb), cmp.Compare(na, nb))
	})
}

// Memo keeps the judge's replies for a while, so that a finished call is not paid again
// after a crash. Its days are those of the wall clock.
type Memo struct {
	store *Store
	now   func() time.Time
}

// Memo returns the memo of the store.
func (s *Store) Memo(now func() time.Time) *Memo { return &Memo{store: s, now: now} }

// Get returns the reply to a request that was made before.
func (m *Memo) Get(key string) (value []byte, ok bool, err error) {
	err = m.store.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(memoBucket).Cursor()
		for date, _ := c.Last(); date != nil; date, _ = c.Prev() {
			if data := tx.Bucket(memoBucket).Bucket(date).Get([]byte(key)); data != nil {
				value, ok = slices.Clone(data), true
				return nil
			}
		}
		return nil
	})
	return value, ok, err
}

// Put keeps replies; all of them are on disk when Put returns, or none. Concurrent puts
// share a transaction.
func (m *Memo) Put(values map[string][]byte) error {
	return m.store.db.Batch(func(tx *bbolt.Tx) error {
		b, err := day(tx, memoBucket, m.now())
		if err != nil {
			return err
		}
		for key, value := range values {
			if err := b.Put([]byte(key), value); err != nil {
				return err
			}
		}
		return nil
	})
}

// Budget limits the judge's tokens per UTC day of the wall clock.
type Budget struct {
	store *Store
	limit int64
	now   func() time.Time
}

// Budget returns the budget of the store; limit is in tokens per day, 0 for none.
func (s *Store) Budget(limit int64, now func() time.Time) *Budget {
	return &Budget{store: s, limit: limit, now: now}
}

// Reserve takes tokens out of today's budget before they are spent, or returns
// scorer.ErrOverBudget.
func (b *Budget) Reserve(_ context.Context, tokens int64) error {
	if b.limit == 0 {
		return nil
	}
	return b.add(tokens, func(used int64) error {
		if used > b.limit {
			return fmt.Errorf("%w: %d of %d tokens are spent today", scorer.ErrOverBudget, used-tokens, b.limit)
		}
		return nil
	})
}

// Settle replaces what was reserved by what was used.
func (b *Budget) Settle(reserved, used int64) error {
	if b.limit == 0 {
		return nil
	}
	return b.add(used-reserved, func(int64) error { return nil })
}

func (b *Budget) add(tokens int64, check func(used int64) error) error {
	return b.store.db.Batch(func(tx *bbolt.Tx) error {
		budget, key := tx.Bucket(budgetBucket), dayKey(b.now())
		var used int64
		if _, err := load(budget, key, &used); err != nil {
			return err
		}
		used = max(used+tokens, 0) // what was reserved before midnight is settled after it
		if err := check(used); err != nil {
			return err
		}
		return save(budget, key, used)
	})
}

// Used returns the tokens spent today, reserved ones included.
func (b *Budget) Used() (used int64, err error) {
	err = b.store.db.View(func(tx *bbolt.Tx) error {
		_, err := load(tx.Bucket(budgetBucket), dayKey(b.now()), &used)
		return err
	})
	return used, err
}

// capability keys live in the meta bucket.
func capabilityKey(name string) []byte { return []byte("capability/" + name) }

// Remembered loads what was remembered under a name, and says whether there was anything.
func (s *Store) Remembered(name string, v any) (ok bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		ok, err = load(tx.Bucket(metaBucket), capabilityKey(name), v)
		return err
	})
	return ok, err
}

// Remember keeps a small fact, such as what a judge's server can do.
func (s *Store) Remember(name string, v any) error {
	return s.db.Update(func(tx *bbolt.Tx) error { return save(tx.Bucket(metaBucket), capabilityKey(name), v) })
}
