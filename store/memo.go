package store

import (
	"cmp"
	"slices"
	"time"

	"go.etcd.io/bbolt"
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
