package scorer

import (
	"cmp"
	"context"
	"math"
	"slices"

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
func Again(scores []Score, share float64, salt string) map[string]Look {
	var open []Score
	seen := map[string]bool{}
	for _, s := range scores {
		if _, ok := lowest(s); !ok || s.TextHash != "" && seen[s.TextHash] {
			continue
		}
		seen[s.TextHash] = true
		open = append(open, s)
	}
	looks := min(int(math.Round(share*float64(len(scores)))), len(open))
	picked := map[string]Look{}
	take := func(n int, why Look, by func(Score) float64) {
		slices.SortFunc(open, func(a, b Score) int { return cmp.Or(cmp.Compare(by(a), by(b)), cmp.Compare(a.SampleID, b.SampleID)) })
		for _, s := range open[:n] {
			picked[s.SampleID] = why
		}
		open = open[n:]
	}
	take(looks-looks/2, LookRandom, func(s Score) float64 { return sampler.Hash(salt+" again", s.SampleID) })
	take(looks/2, LookLow, func(s Score) float64 {
		low, _ := lowest(s)
		return low
	})
	return picked
}

// LookAgain scores picked samples a second time. The replies to the first look are not
// used; those to this one are remembered, so that none is paid twice after a crash. On an
// error it returns what was scored until then.
func (s *Scorer) LookAgain(ctx context.Context, samples []sampler.Sample, why map[string]Look) (map[string]*SecondLook, error) {
	var picked []sampler.Sample
	for _, sample := range samples {
		if why[sample.ID] != "" {
			picked = append(picked, sample)
		}
	}
	looks := map[string]*SecondLook{}
	if len(picked) == 0 {
		return looks, nil
	}
	err := s.ScoreAll(again(For(ctx, KindSecondLook), picked[0].Window.UTC().String()), picked, func(score Score) error {
		looks[score.SampleID] = &SecondLook{Why: why[score.SampleID], Outcomes: score.Outcomes, Usage: score.Usage}
		return nil
	})
	return looks, err
}

type againKey struct{}

// again marks calls that ask anew what was asked before, under a name of their own.
func again(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, againKey{}, "again "+name)
}

// MemoName is under what the replies to the calls of a context are remembered, besides what
// was asked; "" for a first look.
func MemoName(ctx context.Context) string {
	name, _ := ctx.Value(againKey{}).(string)
	return name
}
