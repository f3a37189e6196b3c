package main

import "testing"

// squares is Σ (s_c − n_c·mean)²: the variance of the sum of all scores about a mean, when
// conversations are independent.
func (c clusterSums) squares(mean float64) float64 {
	return c.SumSq - 2*mean*c.SumN + mean*mean*c.NSq
}

// The sums know how much less a run's mean is worth: within a conversation the first answer
// and another are alike in 70 %, two others in 49 %.
func TestClusterSumsKnowTheDesignEffect(t *testing.T) {
	law := faithfulness()
	for _, long := range []float64{3, 10} {
		w := &clustered{generator(1, 0), law.source(), 50, long}
		var sums clusterSums
		var all []float64
		talks, pairs := 0.0, 0.0
		for range 4000 {
			for _, talk := range w.conversations() {
				sums = sums.add(talk)
				all = append(all, talk...)
				talks++
				n := float64(len(talk))
				pairs += likeFirst*(n-1) + likeFirst*likeFirst*(n-1)*(n-2)/2
			}
		}
		n := float64(len(all))
		want := 1 + 2*pairs/n
		got := sums.squares(momentsOf(all).mean) / (n * law.sd() * law.sd())
		near(t, "design effect over that of independent answers", got/want, 1, 0.05)
		if want < 2 {
			t.Errorf("conversations of %g: design effect %g is hardly one", long, want)
		}
		near(t, "answers a conversation", n/talks, map[float64]float64{3: 2.9, 10: 8.5}[long], 0.3)
	}
}

func TestClusterSumsAreThoseOfTheRow(t *testing.T) {
	got := clusterSums{}.add([]float64{1, 0.5}).add([]float64{0})
	if want := (clusterSums{SumSq: 2.25, SumN: 3, NSq: 5}); got != want {
		t.Errorf("sums are %+v, want %+v", got, want)
	}
	w := (&clustered{generator(2, 0), faithfulness().source(), 50, 3}).run(0)
	if len(w.clusters) != len(w.rows) {
		t.Fatalf("%d sums for %d rows", len(w.clusters), len(w.rows))
	}
	// Alone, every answer is its own conversation, and Σ n_c² is n; here it is more.
	if c := w.clusters[0]; c.NSq <= float64(w.rows[0].N) || c.NSq > 2500 {
		t.Errorf("Σ n² is %g of %d answers", c.NSq, w.rows[0].N)
	}
}
