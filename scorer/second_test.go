package scorer_test

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"leadline/sampler"
	"leadline/scorer"
)

// run is the scores of a run: 0, 0.01, 0.02 and so on.
func run(n int) []scorer.Score {
	scores := make([]scorer.Score, n)
	for i := range scores {
		scores[i] = scorer.Score{
			SampleID: fmt.Sprintf("r%03d", i), TextHash: fmt.Sprint("h", i), Judges: map[scorer.Metric]string{scorer.Faithfulness: "j"},
			Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: float64(i) / 100}, scorer.AnswerRelevancy: {Reason: scorer.ReasonNoQuestion}},
		}
	}
	return scores
}

func TestHalfOfTheSecondLooksAreRandomAndHalfAreLow(t *testing.T) {
	for _, c := range []struct {
		n           int
		share       float64
		random, low int
	}{{60, 0.05, 2, 1}, {100, 0.1, 5, 5}, {9, 0.05, 0, 0}, {60, 0, 0, 0}, {3, 0.5, 1, 1}, {0, 0.5, 0, 0}} {
		looks := scorer.Again(slices.Values(run(c.n)), c.share, "s")
		got := map[scorer.Look]int{}
		for _, why := range looks {
			got[why]++
		}
		if got[scorer.LookRandom] != c.random || got[scorer.LookLow] != c.low || len(looks) != c.random+c.low {
			t.Errorf("%d scores at %g: %v, want %d random and %d low", c.n, c.share, got, c.random, c.low)
		}
	}
}

func TestLowLooksAreTheLowestAndRandomOnesKnowNothingOfTheScore(t *testing.T) {
	var randomMean, n float64
	for salt := range 200 {
		looks := scorer.Again(slices.Values(run(100)), 0.1, strconv.Itoa(salt))
		highestLow, random := "", 0
		for id, why := range looks {
			if why == scorer.LookLow {
				highestLow = max(highestLow, id)
				continue
			}
			var k int
			_, _ = fmt.Sscanf(id, "r%03d", &k)
			if k < 10 {
				random++
			}
			randomMean += float64(k) / 100
			n++
		}
		// The five lowest that are not among the random ones.
		if highestLow > fmt.Sprintf("r%03d", 4+random) {
			t.Errorf("salt %d: %s is looked at as low in %v", salt, highestLow, looks)
		}
	}
	// 1,000 draws of a uniform score: 0.495 ± 4 × 0.289/√1000.
	if mean := randomMean / n; math.Abs(mean-0.495) > 0.037 {
		t.Errorf("the mean first score of random looks is %.3f, of all 0.495", mean)
	}
}

func TestTheSameTextIsLookedAtAgainOnce(t *testing.T) {
	scores := run(10)
	for i := range scores {
		scores[i].TextHash = "same"
	}
	if looks := scorer.Again(slices.Values(scores), 0.5, "s"); len(looks) != 1 {
		t.Errorf("looks again at %v, want one of ten copies", looks)
	}
}

func TestAgreementIsOfRandomLooksAlone(t *testing.T) {
	scores := run(4)
	second := func(i int, why scorer.Look, value float64, scored bool) {
		scores[i].Second = &scorer.SecondLook{Why: why, Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: scored, Value: value}}}
	}
	second(0, scorer.LookRandom, 0.3, true) // was 0
	second(1, scorer.LookRandom, 0.41, true)
	second(2, scorer.LookLow, 1, true)
	second(3, scorer.LookRandom, 0, false)
	got := scorer.Agreements(scores)
	a := got[scorer.Faithfulness]
	if len(got) != 1 || a.Pairs != 2 || a.Judge != "j" || math.Abs(a.SumSq-0.25) > 1e-12 || math.Abs(a.Differ()-math.Sqrt(0.125)) > 1e-12 {
		t.Errorf("agreement %+v, want two pairs, 0.3 and 0.4 apart", got)
	}
	if sum := a.Add(scorer.Agreement{Judge: "newer", Pairs: 1, SumSq: 1}); sum.Judge != "newer" || sum.Pairs != 1 {
		t.Errorf("the sums of two judges are %+v, want those of the newer one alone", sum)
	}
}

func TestASecondLookLeavesTheFirstScoreAlone(t *testing.T) {
	judge := &wordJudge{}
	s, err := scorer.New(scorer.Options{Judge: judge, IDs: map[scorer.Metric]scorer.JudgeID{}})
	if err != nil {
		t.Fatal(err)
	}
	window := time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)
	var samples []sampler.Sample
	for _, id := range []string{"a", "c"} {
		samples = append(samples, sampler.Sample{Record: sampler.Record{ID: id, Question: "q", Answer: "Text " + id, Contexts: []string{"Text a"}}, Window: window})
	}
	looks := map[string]scorer.Score{}
	err = s.LookAgain(t.Context(), window, each(samples), func(score scorer.Score) error {
		looks[score.SampleID] = score
		return nil
	})
	if err != nil || len(looks) != 2 {
		t.Fatalf("looks %+v, %v; want a and c", looks, err)
	}
	if o := looks["a"].Outcomes[scorer.Faithfulness]; !o.Scored || o.Value != 1 || looks["c"].Outcomes[scorer.Faithfulness].Value != 0 {
		t.Errorf("second looks %+v and %+v, want 1 and 0", looks["a"], looks["c"])
	}
	slices.Sort(judge.judged)
	if want := []string{"Text a", "Text c"}; !slices.Equal(judge.judged, want) {
		t.Errorf("the judge saw %q, want %q", judge.judged, want)
	}
}

// each reads samples from memory.
func each(samples []sampler.Sample) iter.Seq2[sampler.Sample, error] {
	return func(yield func(sampler.Sample, error) bool) {
		for _, s := range samples {
			if !yield(s, nil) {
				return
			}
		}
	}
}
