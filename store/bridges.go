package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Buckets of what compares judges.
var (
	judgeBucket      = []byte("judges")       // key → scorer.JudgeID
	bridgeBucket     = []byte("bridges")      // from, to, metric → drift.Bridge
	bridgeRowBucket  = []byte("bridge_rows")  // due → []drift.Row
	rescoredBucket   = []byte("rescored")     // (day) judges, id → drift.Rescored, without text
	recontrolsBucket = []byte("bridge_items") // judges, item → scorer.ControlScore
)

// saveJudges remembers who a key stands for.
func saveJudges(tx *bbolt.Tx, ids map[scorer.Metric]scorer.JudgeID) error {
	for _, id := range ids {
		if err := save(tx.Bucket(judgeBucket), []byte(id.Key()), id); err != nil {
			return err
		}
	}
	return nil
}

// Judges returns the identities behind the keys of rows, as far as they were kept.
func (s *Store) Judges() (map[string]scorer.JudgeID, error) {
	out := map[string]scorer.JudgeID{}
	err := s.db.View(func(tx *bbolt.Tx) error {
		return each(tx.Bucket(judgeBucket), func(key []byte, id scorer.JudgeID) error {
			out[string(key)] = id
			return nil
		})
	})
	return out, err
}

// WithText returns the scores, without their texts, of the answers whose text is still kept
// and for which keep is true, in the order of days and IDs.
func (s *Store) WithText(keep func(scorer.Score) bool) ([]scorer.Score, error) {
	var out []scorer.Score
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(sampleBucket).ForEachBucket(func(date []byte) error {
			texts := tx.Bucket(sampleBucket).Bucket(date)
			return each(tx.Bucket(scoreBucket).Bucket(date), func(id []byte, score scorer.Score) error {
				if texts.Get(id) != nil && keep(score) {
					out = append(out, score)
				}
				return nil
			})
		})
	})
	return out, err
}

// SamplesOf returns the samples of scores whose text is still kept.
func (s *Store) SamplesOf(scores []scorer.Score) ([]sampler.Sample, error) {
	out := make([]sampler.Sample, 0, len(scores))
	err := s.db.View(func(tx *bbolt.Tx) error {
		for _, score := range scores {
			var sample sampler.Sample
			ok, err := load(tx.Bucket(sampleBucket).Bucket(dayKey(score.Time)), []byte(score.SampleID), &sample)
			if err != nil {
				return err
			}
			if ok {
				out = append(out, sample)
			}
		}
		return nil
	})
	return out, err
}

// judgesKey names those who scored one thing.
func judgesKey(judges map[scorer.Metric]string) string {
	var keys []string
	for _, m := range slices.Sorted(maps.Keys(judges)) {
		keys = append(keys, judges[m])
	}
	return strings.Join(keys, "+")
}

// SaveRescored keeps what a judge found in answers that another one had scored. It has no
// effect on rows until SaveBridge; what is given twice is kept once. Texts are not kept.
func (s *Store) SaveRescored(all []drift.Rescored) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, r := range all {
			b, err := day(tx, rescoredBucket, r.Score.Time)
			if err != nil {
				return err
			}
			if err := save(b, []byte(judgesKey(r.Score.Judges)+"\x00"+r.Score.SampleID), withoutText(r)); err != nil {
				return err
			}
		}
		return nil
	})
}

// withoutText keeps the verdicts on statements, which rows count, and no words.
func withoutText(r drift.Rescored) drift.Rescored {
	var verdicts []scorer.Statement
	for _, st := range r.Score.Statements {
		verdicts = append(verdicts, scorer.Statement{Verdict: st.Verdict, Count: st.Count})
	}
	r.Score.Statements, r.Score.Questions = verdicts, nil
	return r
}

// Rescored returns what these judges found in answers that others had scored, in the order of
// days and IDs.
func (s *Store) Rescored(judges map[scorer.Metric]string) ([]drift.Rescored, error) {
	var out []drift.Rescored
	prefix := judgesKey(judges) + "\x00"
	err := s.db.View(func(tx *bbolt.Tx) error {
		return eachDay(tx.Bucket(rescoredBucket), time.Time{}, time.Time{}, func(_ []byte, b *bbolt.Bucket) error {
			return each(b, func(key []byte, r drift.Rescored) error {
				if strings.HasPrefix(string(key), prefix) {
					out = append(out, r)
				}
				return nil
			})
		})
	})
	return out, err
}

// SaveItems keeps what a judge found in control items outside of a run.
func (s *Store) SaveItems(items []scorer.ControlScore) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, c := range items {
			if err := save(tx.Bucket(recontrolsBucket), []byte(judgesKey(c.Judges)+"\x00"+c.Item), c); err != nil {
				return err
			}
		}
		return nil
	})
}

// Items returns what these judges found in control items outside of a run.
func (s *Store) Items(judges map[scorer.Metric]string) ([]scorer.ControlScore, error) {
	var out []scorer.ControlScore
	prefix := judgesKey(judges) + "\x00"
	err := s.db.View(func(tx *bbolt.Tx) error {
		return each(tx.Bucket(recontrolsBucket), func(key []byte, c scorer.ControlScore) error {
			if strings.HasPrefix(string(key), prefix) {
				out = append(out, c)
			}
			return nil
		})
	})
	return out, err
}

// SaveBridge stores bridges with the rows of the new judge in one transaction. The rows take
// the place of all that were bridged to the same judges before; those that a run made are
// not touched.
func (s *Store) SaveBridge(bridges []drift.Bridge, rows []drift.Row, ids map[scorer.Metric]scorer.JudgeID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.db.Update(func(tx *bbolt.Tx) error {
		if err := saveJudges(tx, ids); err != nil {
			return err
		}
		for _, b := range bridges {
			key := []byte(b.From + "\x00" + b.To + "\x00" + string(b.Metric))
			if err := save(tx.Bucket(bridgeBucket), key, b); err != nil {
				return err
			}
		}
		return replaceBridged(tx, bridges, rows)
	})
	if err != nil {
		return fmt.Errorf("store the bridge: %w", err)
	}
	s.history = nil
	return nil
}

// replaceBridged puts rows in the place of those of the judges of the bridges that carried a
// baseline over.
func replaceBridged(tx *bbolt.Tx, bridges []drift.Bridge, rows []drift.Row) error {
	replaced := func(r drift.Row) bool {
		return slices.ContainsFunc(bridges, func(b drift.Bridge) bool {
			return b.Basis == drift.BasisSamples && r.Judge == b.To && r.Metric == b.Metric
		})
	}
	bucket := tx.Bucket(bridgeRowBucket)
	byRun := map[string][]drift.Row{}
	err := each(bucket, func(key []byte, old []drift.Row) error {
		byRun[string(key)] = slices.DeleteFunc(old, replaced)
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range rows {
		key := string(timeKey(r.Due))
		byRun[key] = append(byRun[key], r)
	}
	for key, rows := range byRun {
		if len(rows) == 0 {
			err = bucket.Delete([]byte(key))
		} else {
			err = save(bucket, []byte(key), rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Bridges returns all comparisons of judges, oldest first.
func (s *Store) Bridges() (out []drift.Bridge, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		out, err = all[drift.Bridge](tx.Bucket(bridgeBucket))
		return err
	})
	sortBy(out, func(b drift.Bridge) (time.Time, string) { return b.At, string(b.Metric) })
	return out, err
}

// trimBridges drops the re-scored answers and the rows before a time.
func trimBridges(tx *bbolt.Tx, t time.Time) (dropped bool, err error) {
	if t.IsZero() {
		return false, nil
	}
	if err := dropDays(tx.Bucket(rescoredBucket), t); err != nil {
		return false, err
	}
	b := tx.Bucket(bridgeRowBucket)
	c := b.Cursor()
	for k, _ := c.First(); k != nil && string(k) < string(timeKey(t)); k, _ = c.First() {
		if err := b.Delete(k); err != nil {
			return dropped, err
		}
		dropped = true
	}
	return dropped, nil
}
