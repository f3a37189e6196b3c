package store

import (
	"bytes"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"leadline/sampler"
	"leadline/scorer"
)

// Pick is a picked sample of a closed window, without its text.
type Pick struct {
	ID   string
	Cell sampler.Cell
	U    float64 // its hash
	// Scored is true where a score of these judges is stored already.
	Scored bool
	date   string
}

// PickList returns the picks of a closed window, in the order of their strata and hashes.
// judges are the keys of those who score it.
func (s *Store) PickList(due time.Time, judges map[scorer.Metric]string) (picks []Pick, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		pool := tx.Bucket(poolBucket).Bucket(timeKey(due))
		if pool == nil {
			return nil
		}
		return pool.ForEach(func(k, date []byte) error {
			cell := sampler.Cell(k[:bytes.IndexByte(k, 0)])
			id := poolID(k, cell)
			p := Pick{ID: string(id), Cell: cell, U: poolU(k, cell), date: string(date)}
			var kept struct {
				Window time.Time                `json:"window"`
				Judges map[scorer.Metric]string `json:"judges"`
			}
			ok, err := load(tx.Bucket(scoreBucket).Bucket(date), id, &kept)
			p.Scored = ok && kept.Window.Equal(due) && sameJudges(kept.Judges, judges)
			picks = append(picks, p)
			return err
		})
	})
	return picks, err
}

func sameJudges(kept, judges map[scorer.Metric]string) bool {
	for m, key := range judges {
		if kept[m] != key {
			return false
		}
	}
	return true
}

// SampleOf returns a picked sample with its text; ok is false where that is no longer kept.
func (s *Store) SampleOf(p Pick) (sample sampler.Sample, ok bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		ok, err = load(tx.Bucket(sampleBucket).Bucket([]byte(p.date)), []byte(p.ID), &sample)
		return err
	})
	return sample, ok, err
}

// KeepScores stores scores of a window that is not scored to its end yet. They count when
// SaveScores has moved the window on.
func (s *Store) KeepScores(scores []scorer.Score) error {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for _, score := range scores {
			if err := saveScore(tx, score); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep scores: %w", err)
	}
	return nil
}

// KeepLooks adds second looks to the scores of a window that is not scored to its end yet.
func (s *Store) KeepLooks(due time.Time, looks map[string]*scorer.SecondLook) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		return eachPick(tx, due, func(id, date []byte) error {
			look := looks[string(id)]
			if look == nil {
				return nil
			}
			var score scorer.Score
			b := tx.Bucket(scoreBucket).Bucket(date)
			if ok, err := load(b, id, &score); err != nil || !ok {
				return err
			}
			score.Second = look
			return save(b, id, score)
		})
	})
}

// EachKept calls f with the scores that are stored of a window's picks, without their text,
// in the order of the picks. An error of f ends it.
func (s *Store) EachKept(due time.Time, f func(scorer.Score) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		return eachPick(tx, due, func(id, date []byte) error {
			var score scorer.Score
			if ok, err := load(tx.Bucket(scoreBucket).Bucket(date), id, &score); err != nil || !ok {
				return err
			}
			return f(score)
		})
	})
}

// eachPick calls f for each pick of a window that is closed and not scored.
func eachPick(tx *bbolt.Tx, due time.Time, f func(id, date []byte) error) error {
	pool := tx.Bucket(poolBucket).Bucket(timeKey(due))
	if pool == nil {
		return nil
	}
	return pool.ForEach(func(k, date []byte) error {
		return f(poolID(k, sampler.Cell(k[:bytes.IndexByte(k, 0)])), date)
	})
}
