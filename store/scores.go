package store

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"go.etcd.io/bbolt"

	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

// detail is the text in a score: it goes with the text of its sample.
type detail struct {
	Statements []scorer.Statement `json:"statements,omitempty"`
	Questions  []scorer.Question  `json:"questions,omitempty"`
}

// saveScore stores a score and, apart from it, the text in it. Both are kept by the day
// of the record.
func saveScore(tx *bbolt.Tx, score scorer.Score) error {
	details, err := day(tx, detailBucket, score.Time)
	if err != nil {
		return err
	}
	id := []byte(score.SampleID)
	if err := save(details, id, detail{score.Statements, score.Questions}); err != nil {
		return err
	}
	scores, err := day(tx, scoreBucket, score.Time)
	if err != nil {
		return err
	}
	score.Statements, score.Questions = nil, nil
	return save(scores, id, score)
}

// WindowScores returns the scores of a window, text included, in the order of their IDs.
func (s *Store) WindowScores(w sampler.Window) ([]scorer.Score, error) {
	return s.Scores(w.Start, w.Due, func(score scorer.Score) bool { return score.Window.Equal(w.Due) })
}

// Scores returns the scores of records with after < time ≤ until for which keep is true
// (nil: all), text included where it is still kept, in the order of days and IDs. A zero
// time is no bound.
func (s *Store) Scores(after, until time.Time, keep func(scorer.Score) bool) ([]scorer.Score, error) {
	var out []scorer.Score
	err := s.db.View(func(tx *bbolt.Tx) error {
		return eachDay(tx.Bucket(scoreBucket), after, until, func(date []byte, b *bbolt.Bucket) error {
			details := tx.Bucket(detailBucket).Bucket(date)
			return each(b, func(id []byte, score scorer.Score) error {
				if !after.IsZero() && !score.Time.After(after) || !until.IsZero() && score.Time.After(until) {
					return nil
				}
				if keep != nil && !keep(score) {
					return nil
				}
				var d detail
				if _, err := load(details, id, &d); err != nil {
					return err
				}
				score.Statements, score.Questions = d.Statements, d.Questions
				out = append(out, score)
				return nil
			})
		})
	})
	return out, err
}

// eachDay calls f for each day bucket that may hold records with after < time ≤ until.
func eachDay(parent *bbolt.Bucket, after, until time.Time, f func(date []byte, b *bbolt.Bucket) error) error {
	return parent.ForEachBucket(func(date []byte) error {
		if !after.IsZero() && string(date) < string(dayKey(after)) || !until.IsZero() && string(date) > string(dayKey(until)) {
			return nil
		}
		return f(date, parent.Bucket(date))
	})
}

// Lowest returns the samples with the lowest values of a metric among records with
// after < time ≤ until in a cell for which in is true (nil: all), lowest first; at most limit.
// A sample that was scored twice stands where its higher score is: confirmed ones come first.
func (s *Store) Lowest(metric scorer.Metric, after, until time.Time, in func(sampler.Cell) bool, limit int) ([]report.Sample, error) {
	scores, err := s.Scores(after, until, func(score scorer.Score) bool {
		return score.Outcomes[metric].Scored && (in == nil || in(score.Cell))
	})
	if err != nil {
		return nil, err
	}
	sort.SliceStable(scores, func(i, j int) bool {
		a, b := highest(scores[i], metric), highest(scores[j], metric)
		if a != b {
			return a < b
		}
		return scores[i].Time.After(scores[j].Time)
	})
	return s.withSamples(scores[:min(limit, len(scores))])
}

// Unscored returns the samples of which a metric has no score for the given reason, selected as
// by Lowest, newest first; at most limit. Without a metric it is either.
func (s *Store) Unscored(reason scorer.Reason, metric scorer.Metric, after, until time.Time, in func(sampler.Cell) bool, limit int) ([]report.Sample, error) {
	scores, err := s.Scores(after, until, func(score scorer.Score) bool {
		if in != nil && !in(score.Cell) {
			return false
		}
		for m, o := range score.Outcomes {
			if (metric == "" || m == metric) && !o.Scored && o.Reason == reason {
				return true
			}
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	sort.SliceStable(scores, func(i, j int) bool { return scores[i].Time.After(scores[j].Time) })
	return s.withSamples(scores[:min(limit, len(scores))])
}

// highest is the higher of the looks at a sample.
func highest(s scorer.Score, m scorer.Metric) float64 {
	first := s.Outcomes[m].Value
	if s.Second == nil || !s.Second.Outcomes[m].Scored {
		return first
	}
	return max(first, s.Second.Outcomes[m].Value)
}

// withSamples joins scores with their samples; a sample without text keeps its ID, time and cell.
func (s *Store) withSamples(scores []scorer.Score) ([]report.Sample, error) {
	out := make([]report.Sample, 0, len(scores))
	err := s.db.View(func(tx *bbolt.Tx) error {
		for _, score := range scores {
			sample := sampler.Sample{
				Record: sampler.Record{ID: score.SampleID, Time: score.Time, Channels: score.Channels},
				Origin: score.Origin, Cell: score.Cell, Window: score.Window, Inclusion: score.Inclusion,
			}
			b := tx.Bucket(sampleBucket).Bucket(dayKey(score.Time))
			if _, err := load(b, []byte(score.SampleID), &sample); err != nil {
				return err
			}
			out = append(out, report.Sample{Sample: sample, Score: score})
		}
		return nil
	})
	return out, err
}

// Sample returns one scored sample by its ID.
func (s *Store) Sample(id string) (sample report.Sample, ok bool, err error) {
	var score scorer.Score
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(scoreBucket).ForEachBucket(func(date []byte) error {
			if ok {
				return nil
			}
			if ok, err = load(tx.Bucket(scoreBucket).Bucket(date), []byte(id), &score); err != nil || !ok {
				return err
			}
			var d detail
			_, err = load(tx.Bucket(detailBucket).Bucket(date), []byte(id), &d)
			score.Statements, score.Questions = d.Statements, d.Questions
			return err
		})
	})
	if err != nil || !ok {
		return sample, ok, err
	}
	joined, err := s.withSamples([]scorer.Score{score})
	if err != nil {
		return sample, false, fmt.Errorf("read sample: %w", err)
	}
	return joined[0], true, nil
}

// Runs returns the newest runs, oldest first; limit 0 means all.
func (s *Store) Runs(limit int) ([]scorer.Run, error) {
	var out []scorer.Run
	err := s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(runBucket).Cursor()
		for k, data := c.Last(); k != nil && (limit == 0 || len(out) < limit); k, data = c.Prev() {
			var run scorer.Run
			if err := decode(data, &run); err != nil {
				return err
			}
			out = append(out, run)
		}
		return nil
	})
	slices.Reverse(out)
	return out, err
}
