package drift

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Copies of one score are one observation: the effect is their number.
func TestClusterEffectOfCopiesIsTheirNumber(t *testing.T) {
	const copies = 4
	rng := rand.New(rand.NewPCG(1, 2))
	s := &strip{}
	var pre Moments
	for range 400 {
		var row Row
		var c Clusters
		for range 10 {
			x := 0.5 + 0.4*rng.Float64()
			for range copies {
				row.Moments = row.Add(x)
			}
			c = c.Add(copies, copies*x)
		}
		s.rows = append(s.rows, []Moments{row.Moments})
		s.addClusters([]Clusters{c})
		pre = pre.Merge(row.Moments)
	}
	if got := s.clusterEffect(400, []Moments{pre}); math.Abs(got-copies) > 0.1 {
		t.Errorf("%d copies of each score have the effect %.3f", copies, got)
	}
}

func TestConversationsOfUnrelatedAnswersHaveNoEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := &strip{}
	var pre Moments
	for range 400 {
		var row Row
		var c Clusters
		for range 10 {
			sum := 0.0
			for range 4 {
				x := 0.5 + 0.4*rng.Float64()
				row.Moments = row.Add(x)
				sum += x
			}
			c = c.Add(4, sum)
		}
		s.rows = append(s.rows, []Moments{row.Moments})
		s.addClusters([]Clusters{c})
		pre = pre.Merge(row.Moments)
	}
	if got := s.clusterEffect(400, []Moments{pre}); got > 1.1 {
		t.Errorf("unrelated answers have the effect %.3f", got)
	}
}

// A row without clusters says the same as one in which each score is its own.
func TestScoresWithoutConversationsAreTheirOwn(t *testing.T) {
	var row Row
	var each Clusters
	for _, x := range []float64{0, 0.5, 1, 1, 0.75} {
		row.Moments = row.Add(x)
		each = each.Add(1, x)
	}
	got := row.clusters()
	for _, mean := range []float64{0, 0.3, 0.65} {
		if a, b := got.about(mean), each.about(mean); math.Abs(a-b) > 1e-12 {
			t.Errorf("about %g: %g without, %g with", mean, a, b)
		}
	}
}
