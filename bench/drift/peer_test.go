package main

import (
	"math"
	"os"
	"strings"
	"testing"
)

// documented is the stream of river's documentation: a thousand of 0 and 1, then a thousand
// of 4 to 7, made by Python's random.Random(12345).choices.
func documented(t *testing.T) []float64 {
	t.Helper()
	data, err := os.ReadFile("testdata/documented-stream.txt")
	if err != nil {
		t.Fatal(err)
	}
	var xs []float64
	for _, c := range strings.ReplaceAll(string(data), "\n", "") {
		xs = append(xs, float64(c-'0'))
	}
	if len(xs) != 2000 {
		t.Fatalf("%d values, want 2000", len(xs))
	}
	return xs
}

// At these indices river's documentation says that the two alarm.
func TestPeersAlarmWhereDocumented(t *testing.T) {
	stream := documented(t)
	a := &adwin{bothSides: true}
	p := &pageHinkley{}
	indexA, indexP := -1, -1
	for i, x := range stream {
		if indexA < 0 && a.next([]float64{x}) > -math.Log(0.002) {
			indexA = i
		}
		if indexP < 0 && p.add(x) >= 50 {
			indexP = i
		}
	}
	if indexA != 1023 {
		t.Errorf("ADWIN alarms at %d, want 1023", indexA)
	}
	if indexP != 1006 {
		t.Errorf("Page-Hinkley alarms at %d, want 1006", indexP)
	}
}

func TestTailsAreThoseOfTheTables(t *testing.T) {
	near(t, "P(|t| ≥ 2.228), 10 degrees", math.Exp(lnTwoSided(2.228, 10)), 0.05, 1e-4)
	near(t, "P(|t| ≥ 2.000), 60 degrees", math.Exp(lnTwoSided(2.000, 60)), 0.05, 1e-4)
	near(t, "P(|t| ≥ 0.5), 4 degrees", math.Exp(lnTwoSided(0.5, 4)), 0.6433, 1e-3)
	near(t, "P(|t| ≥ 31.60), 2 degrees", math.Exp(lnTwoSided(31.599, 2)), 0.001, 1e-5)
	near(t, "P(K ≥ 1.358)", math.Exp(lnKolmogorov(1.358)), 0.05, 1e-4)
	near(t, "P(K ≥ 1.628)", math.Exp(lnKolmogorov(1.628)), 0.01, 1e-4)
	// Two samples of 3: the largest distance occurs in 2 of 20 orders, 2/3 in 12 of 20.
	near(t, "P(D ≥ 1), 3 and 3", math.Exp(lnEqualSizes(3, 3)), 0.1, 1e-9)
	near(t, "P(D ≥ 2/3), 3 and 3", math.Exp(lnEqualSizes(3, 2)), 0.6, 1e-9)
}

func TestEveryPeerSeesALargeFall(t *testing.T) {
	before, after := faithfulness().source(), binary(0.2).source()
	s := changing(generator(seedChange, 0), before, []*source{after}, young(), quietRuns, 40)
	for _, p := range append(peers(), oracleFor(scenarios()[3])) {
		values := trace(p.make(), s)
		calm, shaken := values[0], values[len(values)-1]
		for i, x := range values {
			if i < quietRuns {
				calm = math.Max(calm, x)
			} else {
				shaken = math.Max(shaken, x)
			}
		}
		if !(shaken > calm) {
			t.Errorf("%s: %.3g before a fall of .67 and %.3g after", p.name, calm, shaken)
		}
	}
}

func TestOracleSumsTheLogOfTheRatio(t *testing.T) {
	s := scenarios()[4] // zeros 5 to 12 %, the rest of the law in proportion
	d := oracleFor(s).make()
	got := d.next([]float64{1, 0, 0, 1})
	near(t, "CUSUM after two zeros", got, 2*math.Log(0.12/0.05), 1e-9)
	near(t, "CUSUM after a one more", d.next([]float64{1}), 2*math.Log(0.12/0.05)+2*math.Log(0.88/0.95), 1e-9)
}
