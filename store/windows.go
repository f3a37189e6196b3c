package store

import (
	"bytes"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// NextWindow returns the window to work on next: the oldest that is not decided, stored or
// following the newest decided one by the plan. ok is false while no record was ever
// read. Empty windows are windows too.
func (s *Store) NextWindow() (w sampler.Window, ok bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		w, ok, err = nextWindow(tx, s.plan)
		return err
	})
	return w, ok, err
}

func nextWindow(tx *bbolt.Tx, plan Plan) (sampler.Window, bool, error) {
	var decided time.Time
	some, err := load(tx.Bucket(metaBucket), decidedKey, &decided)
	if err != nil {
		return sampler.Window{}, false, err
	}
	after := decided.Add(time.Nanosecond)
	c := tx.Bucket(windowBucket).Cursor()
	k, data := c.First()
	if some {
		k, data = c.Seek(timeKey(after))
	}
	oldest, err := decodeWindow(k, data)
	if err != nil {
		return sampler.Window{}, false, err
	}
	if oldest != nil && (!some || !oldest.Start.After(decided)) {
		return oldest.Window, true, nil
	}
	if !some {
		return sampler.Window{}, false, nil
	}
	w, err := openWindow(tx, plan, after)
	if err != nil {
		return sampler.Window{}, false, err
	}
	return w.Window, true, nil
}

// LastDecided returns the newest decided window.
func (s *Store) LastDecided() (w sampler.Window, ok bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		var due time.Time
		if ok, err = load(tx.Bucket(metaBucket), decidedKey, &due); err != nil || !ok {
			return err
		}
		ok, err = load(tx.Bucket(windowBucket), timeKey(due), &w)
		return err
	})
	return w, ok, err
}

// CloseWindow makes the picks of a window final (open → sampled): each stratum keeps its
// share of PerRun, or of WatchFactor times PerRun when the newest decided window left a
// series on watch; the rest is evicted, and every kept sample learns its inclusion
// probability. It does nothing for a window that was closed before.
//
// A window is closed only after the one before it was decided (NextWindow), so it is cut
// the same whether it was read live or with many others after a pause.
func (s *Store) CloseWindow(win sampler.Window) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		in, err := newIntake(tx, s.plan)
		if err != nil {
			return err
		}
		w := &window{Window: win}
		if _, err := load(tx.Bucket(windowBucket), timeKey(win.Due), w); err != nil {
			return err
		}
		if w.State != sampler.WindowOpen {
			return nil
		}
		if w.Watched, err = onWatch(tx); err != nil {
			return err
		}
		if err := in.settlePicks(w); err != nil {
			return fmt.Errorf("close window %s: %w", win.Due.Format(time.RFC3339), err)
		}
		if err := in.cutTally(w.Due); err != nil {
			return err
		}
		w.State = sampler.WindowSampled
		in.windows[w.Due.UnixNano()] = w
		in.closed = w.Due
		if err := save(tx.Bucket(metaBucket), closedKey, w.Due); err != nil {
			return err
		}
		return in.finish()
	})
}

// onWatch says whether the newest decided window left a judged series on watch. It is read
// in the transaction that cuts the picks: the choice rests on what was decided before, never
// on the scores that it brings.
func onWatch(tx *bbolt.Tx) (bool, error) {
	var result struct {
		States []drift.State
	}
	if _, err := load(tx.Bucket(metaBucket), resultKey, &result); err != nil {
		return false, err
	}
	return drift.Result{States: result.States}.OnWatch(), nil
}

// keptDocs is how many documents a closed window keeps apart.
const keptDocs = 300

func (in *intake) cutTally(due time.Time) error {
	var tally sampler.Tally
	tallies, key := in.tx.Bucket(tallyBucket), timeKey(due)
	ok, err := load(tallies, key, &tally)
	if err != nil || !ok {
		return err
	}
	tally.CutDocs(keptDocs)
	return save(tallies, key, tally)
}

// settlePicks evicts what is over each stratum's share and stores the inclusion probabilities.
func (in *intake) settlePicks(w *window) error {
	pool := in.tx.Bucket(poolBucket).Bucket(timeKey(w.Due))
	if pool == nil {
		return nil
	}
	shares := sampler.Allocate(w.Offered, w.Picks(), w.Floor)
	for cell := range w.Offered {
		for w.Pooled[cell] > shares[cell] {
			if err := in.evict(w, pool, lastOf(pool, cell), cell); err != nil {
				return err
			}
		}
		if err := in.setInclusion(w, pool, cell); err != nil {
			return err
		}
	}
	return nil
}

// setInclusion stores the probability with which a record of the stratum was picked: the
// smallest evicted hash, or the rate where none was evicted.
func (in *intake) setInclusion(w *window, pool *bbolt.Bucket, cell sampler.Cell) error {
	smallest, evicted := w.SmallestEvicted[cell]
	prefix := append([]byte(cell), 0)
	c := pool.Cursor()
	for k, date := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, date = c.Next() {
		b, id := in.tx.Bucket(sampleBucket).Bucket(date), poolID(k, cell)
		var sample sampler.Sample
		ok, err := load(b, id, &sample)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		// The rate in force when it was picked: it may have changed within the window.
		sample.Inclusion = sampler.Inclusion(smallest, evicted, sample.Rate)
		if err := save(b, id, sample); err != nil {
			return err
		}
	}
	return nil
}

// Picks returns the picked samples of a closed window, in the order of their strata and
// hashes, and the IDs of those whose text is no longer kept.
func (s *Store) Picks(due time.Time) (picks []sampler.Sample, gone []string, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		pool := tx.Bucket(poolBucket).Bucket(timeKey(due))
		if pool == nil {
			return nil
		}
		return pool.ForEach(func(k, date []byte) error {
			cell := sampler.Cell(k[:bytes.IndexByte(k, 0)])
			id := poolID(k, cell)
			var sample sampler.Sample
			ok, err := load(tx.Bucket(sampleBucket).Bucket(date), id, &sample)
			if err != nil {
				return err
			}
			if !ok {
				gone = append(gone, string(id))
				return nil
			}
			picks = append(picks, sample)
			return nil
		})
	})
	return picks, gone, err
}

// Scored is what scoring a window gave.
type Scored struct {
	Run        scorer.Run
	Scores     []scorer.Score
	Controls   []scorer.ControlScore
	Judges     map[scorer.Metric]scorer.JudgeID // who scored; nil is not remembered
	OverBudget []string                         // IDs that were left out because the budget was spent
	// Smallest is the smallest hash that was left out of each stratum for lack of budget: the
	// others were picked with that probability at most.
	Smallest map[sampler.Cell]float64
	Expired  []string // IDs whose text was gone
}

// SaveScores stores the scores of a window (sampled → scored), besides those that KeepScores
// has stored. It does nothing for a window that is scored already.
func (s *Store) SaveScores(due time.Time, in Scored) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		w, err := step(tx, due, sampler.WindowSampled, sampler.WindowScored)
		if err != nil || w == nil {
			return err
		}
		k, err := newIntake(tx, s.plan)
		if err != nil {
			return err
		}
		if err := k.settleSamples(w, in); err != nil {
			return err
		}
		for _, score := range in.Scores {
			if err := saveScore(tx, score); err != nil {
				return err
			}
		}
		if err := saveJudges(tx, in.Judges); err != nil {
			return err
		}
		if err := save(tx.Bucket(runBucket), timeKey(due), in.Run); err != nil {
			return err
		}
		if err := save(tx.Bucket(controlBucket), timeKey(due), in.Controls); err != nil {
			return err
		}
		return k.finish()
	})
}

// settleSamples moves every pick of the window to its final state and forgets the pool.
func (in *intake) settleSamples(w *window, scored Scored) error {
	final := map[string]sampler.RecordState{}
	for _, score := range scored.Scores {
		final[score.SampleID] = sampler.RecordJudged
	}
	for _, id := range scored.OverBudget {
		final[id] = sampler.RecordOverBudget
	}
	for _, id := range scored.Expired {
		final[id] = sampler.RecordExpired
	}
	pools, key := in.tx.Bucket(poolBucket), timeKey(w.Due)
	pool := pools.Bucket(key)
	if pool == nil {
		return nil
	}
	err := eachPick(in.tx, w.Due, func(id, date []byte) error {
		state, ok := final[string(id)]
		scores := in.tx.Bucket(scoreBucket).Bucket(date)
		switch {
		case !ok && (scores == nil || scores.Get(id) == nil):
			return fmt.Errorf("sample of window %s has no outcome", w.Due.Format(time.RFC3339))
		case !ok:
			if err := narrow(scores, id, scored.Smallest); err != nil {
				return err
			}
			state = sampler.RecordJudged
		case state != sampler.RecordJudged && scores != nil: // of another judge, or of no use without its text
			if err := scores.Delete(id); err != nil {
				return err
			}
		}
		return in.move(date, id, sampler.RecordWaiting, state)
	})
	if err != nil {
		return err
	}
	return pools.DeleteBucket(key)
}

// narrow stores the inclusion probability of a score where some of its stratum were left out.
func narrow(scores *bbolt.Bucket, id []byte, smallest map[sampler.Cell]float64) error {
	if len(smallest) == 0 {
		return nil
	}
	var score scorer.Score
	if _, err := load(scores, id, &score); err != nil {
		return err
	}
	u, cut := smallest[score.Cell]
	if !cut {
		return nil
	}
	score.Inclusion = sampler.Inclusion(u, true, score.Inclusion)
	return save(scores, id, score)
}

// step moves a window from one state to the next; nil when it is there already.
func step(tx *bbolt.Tx, due time.Time, from, to sampler.WindowState) (*window, error) {
	windows, key := tx.Bucket(windowBucket), timeKey(due)
	w := &window{}
	ok, err := load(windows, key, w)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("window %s is not stored", due.Format(time.RFC3339))
	}
	if w.State == to {
		return nil, nil
	}
	if w.State != from {
		return nil, fmt.Errorf("window %s is %s, not %s", due.Format(time.RFC3339), w.State, from)
	}
	w.State = to
	return w, save(windows, key, w)
}

// Decision is what a window came to.
type Decision struct {
	Rows       []drift.Row
	Result     drift.Result
	Incidents  []alert.Incident // changed ones
	Deliveries []alert.Delivery
}

// SaveDecision stores rows, episodes, incidents and messages together (scored → decided).
// It does nothing for a window that is decided already.
func (s *Store) SaveDecision(due time.Time, d Decision) error {
	fresh := false
	err := s.db.Update(func(tx *bbolt.Tx) error {
		w, err := step(tx, due, sampler.WindowScored, sampler.WindowDecided)
		if err != nil || w == nil {
			return err
		}
		fresh = true
		if err := save(tx.Bucket(rowBucket), timeKey(due), d.Rows); err != nil {
			return err
		}
		if err := save(tx.Bucket(metaBucket), resultKey, d.Result); err != nil {
			return err
		}
		if err := save(tx.Bucket(metaBucket), decidedKey, due); err != nil {
			return err
		}
		if err := saveIncidents(tx, d.Incidents); err != nil {
			return err
		}
		return enqueue(tx, d.Deliveries)
	})
	if err != nil {
		return fmt.Errorf("store the decision of window %s: %w", due.Format(time.RFC3339), err)
	}
	if !fresh {
		return nil
	}
	return s.remember(due, d)
}

// SaveResult stores what the newest decided window came to when it is decided anew.
func (s *Store) SaveResult(result drift.Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.db.Update(func(tx *bbolt.Tx) error { return save(tx.Bucket(metaBucket), resultKey, result) }); err != nil {
		return err
	}
	s.result = result
	if s.history != nil {
		s.history.Episodes, s.history.Moves = result.Episodes, result.Moves
	}
	return nil
}
