package main

import (
	"testing"

	"leadline/drift"
)

// squares is Σ (s_c − n_c·mean)²: the variance of the sum of all scores about a mean, when
// conversations are independent.
func squares(c drift.Clusters, mean float64) float64 {
	return c.SumSq - 2*mean*c.SumN + mean*mean*c.NSq
}

// The sums know how much less a run's mean is worth: within a conversation the first answer
// and another are alike in 70 %, two others in 49 %.
func TestClusterSumsKnowTheDesignEffect(t *testing.T) {
	law := faithfulness()
	for _, long := range []float64{3, 10} {
		w := &clustered{rng: generator(1, 0), from: law.source(), size: 50, long: long}
		var sums drift.Clusters
		var all []float64
		talks, pairs := 0.0, 0.0
		for range 4000 {
			for _, talk := range w.conversations() {
				sums = withTalk(sums, talk)
				all = append(all, talk...)
				talks++
				n := float64(len(talk))
				pairs += likeFirst*(n-1) + likeFirst*likeFirst*(n-1)*(n-2)/2
			}
		}
		n := float64(len(all))
		want := 1 + 2*pairs/n
		got := squares(sums, momentsOf(all).mean) / (n * law.sd() * law.sd())
		near(t, "design effect over that of independent answers", got/want, 1, 0.05)
		if want < 2 {
			t.Errorf("conversations of %g: design effect %g is hardly one", long, want)
		}
		near(t, "answers a conversation", n/talks, map[float64]float64{3: 2.9, 10: 8.5}[long], 0.3)
	}
}

func TestClusterSumsAreThoseOfTheRow(t *testing.T) {
	got := withTalk(withTalk(drift.Clusters{}, []float64{1, 0.5}), []float64{0})
	if want := (drift.Clusters{SumSq: 2.25, SumN: 3, NSq: 5}); got != want {
		t.Errorf("sums are %+v, want %+v", got, want)
	}
	row := (&clustered{rng: generator(2, 0), from: faithfulness().source(), size: 50, long: 3, told: true}).run(0).rows[0]
	// Alone, every answer is its own conversation, and Σ n_c² is n; here it is more.
	if c := row.Clusters; c == nil || c.NSq <= float64(row.N) || c.NSq > 2500 {
		t.Errorf("sums are %+v for %d answers", c, row.N)
	}
}
