package store

import (
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

func decode(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("decode a stored %T: %w", v, err)
	}
	return nil
}

// History returns all that decisions rest on, up to the newest decided window. It is read
// once and then kept in memory; the caller must not change what it points to.
func (s *Store) History() (drift.History, drift.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.history == nil {
		h, result, err := s.readHistory()
		if err != nil {
			return drift.History{}, drift.Result{}, fmt.Errorf("read the history: %w", err)
		}
		s.history, s.result = &h, result
	}
	return *s.history, s.result, nil
}

func (s *Store) readHistory() (h drift.History, result drift.Result, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		err := each(tx.Bucket(rowBucket), func(key []byte, rows []drift.Row) error {
			var bridged []drift.Row
			if _, err := load(tx.Bucket(bridgeRowBucket), key, &bridged); err != nil {
				return err
			}
			h.Rows = append(append(h.Rows, rows...), bridged...)
			return readWindowFacts(tx, key, &h)
		})
		if err != nil {
			return err
		}
		if h.Marks, err = all[drift.Mark](tx.Bucket(markBucket)); err != nil {
			return err
		}
		if h.Acceptances, err = all[drift.Acceptance](tx.Bucket(acceptanceBucket)); err != nil {
			return err
		}
		_, err = load(tx.Bucket(metaBucket), resultKey, &result)
		h.Episodes, h.Moves = result.Episodes, result.Moves
		return err
	})
	return h, result, err
}

// readWindowFacts adds the tally and the controls of a window to the history.
func readWindowFacts(tx *bbolt.Tx, key []byte, h *drift.History) error {
	var tally sampler.Tally
	ok, err := load(tx.Bucket(tallyBucket), key, &tally)
	if err != nil {
		return err
	}
	if ok {
		h.Tallies = append(h.Tallies, tally)
	}
	var controls []scorer.ControlScore
	if _, err := load(tx.Bucket(controlBucket), key, &controls); err != nil {
		return err
	}
	h.Controls = append(h.Controls, controls...)
	return nil
}

// WindowFacts returns the tally and the controls of a scored window.
func (s *Store) WindowFacts(due time.Time) (tally sampler.Tally, controls []scorer.ControlScore, err error) {
	var h drift.History
	if err := s.db.View(func(tx *bbolt.Tx) error { return readWindowFacts(tx, timeKey(due), &h) }); err != nil {
		return tally, nil, fmt.Errorf("read window %s: %w", due.Format(time.RFC3339), err)
	}
	if len(h.Tallies) > 0 {
		tally = h.Tallies[0]
	}
	return tally, h.Controls, nil
}

// remember adds a decided window to the history in memory.
func (s *Store) remember(due time.Time, d Decision) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.history == nil {
		return nil
	}
	h := s.history
	h.Rows = append(h.Rows, d.Rows...)
	h.Episodes, h.Moves, s.result = d.Result.Episodes, d.Result.Moves, d.Result
	return s.db.View(func(tx *bbolt.Tx) error { return readWindowFacts(tx, timeKey(due), h) })
}

// AddMark stores an operator's or a feed's word about a channel. It says whether the mark
// is new: the same word twice is stored once.
func (s *Store) AddMark(m drift.Mark) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := false
	err := s.db.Update(func(tx *bbolt.Tx) error {
		marks, err := all[drift.Mark](tx.Bucket(markBucket))
		if err != nil {
			return err
		}
		for _, old := range marks {
			if old.Channel == m.Channel && old.Value == m.Value && old.At.Equal(m.At) && old.Through.Equal(m.Through) {
				return nil
			}
		}
		added = true
		return push(tx.Bucket(markBucket), m)
	})
	if err == nil && added {
		s.history = nil
	}
	return added, err
}

// Accept stores what an operator took for the new normal, in one transaction. Acceptances are
// never deleted: they tell who decided what.
func (s *Store) Accept(as []drift.Acceptance) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for _, a := range as {
			if err := push(tx.Bucket(acceptanceBucket), a); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.history = nil
	}
	return err
}

// LastRecord returns the newest record time read so far.
func (s *Store) LastRecord() (t time.Time, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		_, err := load(tx.Bucket(metaBucket), lastKey, &t)
		return err
	})
	return t, err
}
