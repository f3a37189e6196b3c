package scorer

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"time"

	"leadline/sampler"
)

// Look says why a sample was scored a second time.
type Look string

// Random looks tell how well the judge agrees with itself; low ones, whether a low score
// holds.
const (
	LookRandom Look = "random"
	LookLow    Look = "low"
)

// SecondLook is a second score of a sample by the same judge. It never enters a mean: the
// first score stands.
type SecondLook struct {
	Why      Look               `json:"why"`
	Outcomes map[Metric]Outcome `json:"outcomes"`
	Usage    Usage              `json:"usage"`
}

// Agreement sums up the random second looks of one metric and judge.
type Agreement struct {
	Judge string  `json:"judge"` // JudgeID.Key
	Pairs int     `json:"pairs"`
	SumSq float64 `json:"sum_sq"` // of the differences of the two scores
}

// Add returns the sums of both; of two judges, those of the newer one, b.
func (a Agreement) Add(b Agreement) Agreement {
	if b.Pairs == 0 {
		return a
	}
	if a.Judge != b.Judge {
		return b
	}
	return Agreement{a.Judge, a.Pairs + b.Pairs, a.SumSq + b.SumSq}
}

// Differ is the root mean square of the difference of two looks at the same answer; 0
// without pairs. The variance of a single look is half of its square.
func (a Agreement) Differ() float64 {
	if a.Pairs == 0 {
		return 0
	}
	return math.Sqrt(a.SumSq / float64(a.Pairs))
}

// Agreements sums up the random second looks of scores.
func Agreements(scores []Score) map[Metric]Agreement {
	var out map[Metric]Agreement
	scores = slices.SortedFunc(slices.Values(scores), func(a, b Score) int { return cmp.Compare(a.SampleID, b.SampleID) })
	for _, s := range scores {
		if s.Second == nil || s.Second.Why != LookRandom {
			continue
		}
		for m, first := range s.Outcomes {
			second := s.Second.Outcomes[m]
			if !first.Scored || !second.Scored {
				continue
			}
			if out == nil {
				out = map[Metric]Agreement{}
			}
			d := first.Value - second.Value
			out[m] = out[m].Add(Agreement{s.Judges[m], 1, d * d})
		}
	}
	return out
}

// lowest is the lowest value of a score over its metrics; ok is false without any.
func lowest(s Score) (low float64, ok bool) {
	low = math.Inf(1)
	for _, o := range s.Outcomes {
		if o.Scored {
			low, ok = min(low, o.Value), true
		}
	}
	return low, ok
}

// Again picks the scores of a run that get a second look: share of them, rounded. Half, and
// the odd one, are picked by a hash that has nothing to do with the score; the others are the
// lowest of the rest. The same scores give the same picks.
func Again(scores iter.Seq[Score], share float64, salt string) map[string]Look {
	type candidate struct {
		id             string
		random, lowest float64
	}
	var open []candidate
	all, seen := 0, map[string]bool{}
	for s := range scores {
		all++
		low, ok := lowest(s)
		if !ok || s.TextHash != "" && seen[s.TextHash] {
			continue
		}
		seen[s.TextHash] = true
		open = append(open, candidate{s.SampleID, sampler.Hash(salt+" again", s.SampleID), low})
	}
	looks := min(int(math.Round(share*float64(all))), len(open))
	picked := map[string]Look{}
	take := func(n int, why Look, by func(candidate) float64) {
		slices.SortFunc(open, func(a, b candidate) int { return cmp.Or(cmp.Compare(by(a), by(b)), cmp.Compare(a.id, b.id)) })
		for _, c := range open[:n] {
			picked[c.id] = why
		}
		open = open[n:]
	}
	take(looks-looks/2, LookRandom, func(c candidate) float64 { return c.random })
	take(looks/2, LookLow, func(c candidate) float64 { return c.lowest })
	return picked
}

// LookAgain scores samples of a window a second time, and calls done with each look. The
// replies to the first look are not used; those to this one are remembered, so that none is
// paid twice after a crash.
func (s *Scorer) LookAgain(ctx context.Context, window time.Time, samples iter.Seq2[sampler.Sample, error], done func(Score) error) error {
	return s.ScoreEach(Anew(For(ctx, KindSecondLook), "again "+window.UTC().String()), samples, func(scores []Score) error {
		for _, score := range scores {
			if err := done(score); err != nil {
				return err
			}
		}
		return nil
	})
}
