package drift_test

import (
	"math"
	"testing"

	"leadline/drift"
)

func moments(xs ...float64) drift.Moments {
	var m drift.Moments
	for _, x := range xs {
		m = m.Add(x)
	}
	return m
}

func TestMomentsAreThoseOfTheNonZeroScores(t *testing.T) {
	m := moments(0.2, 0, 0.6, 1, -0.1)
	want := drift.Moments{N: 5, Zeros: 2, Mean: 0.6, M2: 0.32, M3: 0, M4: 0.0512} // of 0.2, 0.6, 1
	if m.N != want.N || m.Zeros != want.Zeros || !near(m.Mean, want.Mean) || !near(m.M2, want.M2) ||
		!near(m.M3, want.M3) || !near(m.M4, want.M4) {
		t.Errorf("got %+v, want %+v", m, want)
	}
	if l := m.Level(); l.N != 5 || !near(l.Mean, 0.36) || !near(l.Zeros, 0.4) {
		t.Errorf("level is %+v, want 5 scores of mean 0.36, 0.4 zeros", l)
	}
}

func TestMergedMomentsAreThoseOfAllScoresTogether(t *testing.T) {
	a := moments(0.1, 0.9, 1, 0).Merge(moments(0.5, 0.25)).Merge(drift.Moments{})
	want := moments(0.25, 1, 0.5, 0, 0.9, 0.1)
	if a.N != want.N || a.Zeros != want.Zeros || !near(a.Mean, want.Mean) || !near(a.M2, want.M2) ||
		!near(a.M3, want.M3) || !near(a.M4, want.M4) {
		t.Errorf("merged %+v, together %+v", a, want)
	}
}

func TestLevelOfNothingIsZero(t *testing.T) {
	if l := (drift.Moments{}).Level(); l != (drift.Level{}) {
		t.Errorf("got %+v", l)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
