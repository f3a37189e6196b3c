package store

import (
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/report"
	"leadline/review"
	"leadline/scorer"
)

// Buckets of what people say about answers.
var (
	reviewBucket = []byte("reviews")       // made, id → review.Sheet
	labelBucket  = []byte("review_labels") // seq → review.Entry
)

// SaveReview keeps a sheet.
func (s *Store) SaveReview(sheet review.Sheet) error {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		return save(tx.Bucket(reviewBucket), append(timeKey(sheet.Made), sheet.ID...), sheet)
	})
	if err != nil {
		return fmt.Errorf("store the review: %w", err)
	}
	return nil
}

// Reviews returns all sheets, oldest first.
func (s *Store) Reviews() (out []review.Sheet, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		out, err = all[review.Sheet](tx.Bucket(reviewBucket))
		return err
	})
	return out, err
}

// AddLabels adds what one person handed in, unless check refuses it in the light of all that
// was handed in for the same review before. Nothing is ever replaced.
func (s *Store) AddLabels(e review.Entry, check func(before []review.Entry) error) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		before, err := labelsOf(tx, e.Review)
		if err == nil {
			err = check(before)
		}
		if err != nil {
			return err
		}
		return push(tx.Bucket(labelBucket), e)
	})
}

// Labels returns what was handed in for a review, oldest first.
func (s *Store) Labels(id string) (out []review.Entry, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		out, err = labelsOf(tx, id)
		return err
	})
	return out, err
}

func labelsOf(tx *bbolt.Tx, id string) ([]review.Entry, error) {
	entries, err := all[review.Entry](tx.Bucket(labelBucket))
	return slices.DeleteFunc(entries, func(e review.Entry) bool { return e.Review != id }), err
}

// Whole returns the scored samples of windows due after a time whose text is still kept, in
// the order of days and IDs. A zero time is no bound.
func (s *Store) Whole(after time.Time) ([]report.Sample, error) {
	scores, err := s.Scores(time.Time{}, time.Time{}, func(score scorer.Score) bool { return score.Window.After(after) })
	if err != nil {
		return nil, err
	}
	samples, err := s.withSamples(scores)
	return slices.DeleteFunc(samples, func(x report.Sample) bool { return x.Sample.Question == "" }), err
}

// trimReviews drops the sheets made before a time, with their labels.
func trimReviews(tx *bbolt.Tx, t time.Time) error {
	if t.IsZero() {
		return nil
	}
	gone := map[string]bool{}
	sheets, labels := tx.Bucket(reviewBucket), tx.Bucket(labelBucket)
	err := each(sheets, func(_ []byte, sheet review.Sheet) error {
		gone[sheet.ID] = sheet.Made.Before(t)
		return nil
	})
	if err != nil {
		return err
	}
	if err := deleteWhere(sheets, func(sheet review.Sheet) bool { return gone[sheet.ID] }); err != nil {
		return err
	}
	return deleteWhere(labels, func(e review.Entry) bool { return gone[e.Review] })
}

// deleteWhere deletes the values of a bucket for which gone is true.
func deleteWhere[T any](b *bbolt.Bucket, gone func(T) bool) error {
	var keys [][]byte
	err := each(b, func(key []byte, v T) error {
		if gone(v) {
			keys = append(keys, slices.Clone(key))
		}
		return nil
	})
	for _, key := range keys {
		if err == nil {
			err = b.Delete(key)
		}
	}
	return err
}
