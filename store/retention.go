package store

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// Retention says until when things are kept: everything older than a time goes. A zero
// time keeps all.
type Retention struct {
	Text time.Time // questions, answers, contexts, statements, IDs, by record time
	Rows time.Time // scores, also those of a second judge, rows, runs, tallies, controls, windows, reviews
	Memo time.Time // judge replies, by wall time
}

// Trim deletes what is older than the retention, whole days at a time. Text goes first:
// a score outlives its text. Samples that still wait for a judge lose their text too.
func (s *Store) Trim(r Retention) error {
	trimmed := false
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{sampleBucket, detailBucket, idBucket} {
			if err := dropDays(tx.Bucket(name), r.Text); err != nil {
				return err
			}
		}
		if err := dropDays(tx.Bucket(memoBucket), r.Memo); err != nil {
			return err
		}
		if err := dropDays(tx.Bucket(scoreBucket), r.Rows); err != nil {
			return err
		}
		bridged, err := trimBridges(tx, r.Rows)
		if err != nil {
			return err
		}
		trimmed = bridged
		if err := trimReviews(tx, r.Rows); err != nil {
			return err
		}
		for _, name := range [][]byte{rowBucket, runBucket, tallyBucket, controlBucket, windowBucket} {
			dropped, err := dropBefore(tx.Bucket(name), r.Rows)
			if err != nil {
				return err
			}
			trimmed = trimmed || dropped
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("trim the store: %w", err)
	}
	if trimmed {
		s.mu.Lock()
		s.history = nil
		s.mu.Unlock()
	}
	return nil
}

// dropDays deletes the days that ended before t.
func dropDays(parent *bbolt.Bucket, t time.Time) error {
	if t.IsZero() {
		return nil
	}
	var old [][]byte
	err := parent.ForEachBucket(func(date []byte) error {
		if string(date) < string(dayKey(t)) {
			old = append(old, slices.Clone(date))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, date := range old {
		if err := parent.DeleteBucket(date); err != nil {
			return err
		}
	}
	return nil
}

// dropBefore deletes the keys that are times before t, and says whether there were any.
// The newest is kept: it says where to go on.
func dropBefore(b *bbolt.Bucket, t time.Time) (dropped bool, err error) {
	if t.IsZero() {
		return false, nil
	}
	c := b.Cursor()
	last, _ := c.Last()
	last = slices.Clone(last)
	for k, _ := c.First(); k != nil && bytes.Compare(k, timeKey(t)) < 0 && !bytes.Equal(k, last); k, _ = c.First() {
		if err := b.Delete(k); err != nil {
			return dropped, err
		}
		dropped = true
	}
	return dropped, nil
}
