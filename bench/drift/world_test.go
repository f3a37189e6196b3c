package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"leadline/sampler"
	"leadline/scorer"
)

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// readStream returns the scores of an exported file of one replicate, whose hash it checks.
func readStream(t *testing.T, path, hash string) []float64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != hash {
		t.Errorf("%s has hash %s, the manifest says %s", path, got, hash)
	}
	var xs []float64
	for line := range strings.Lines(string(data)) {
		var l struct {
			I int     `json:"i"`
			X float64 `json:"x"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.I != len(xs) {
			t.Fatalf("i is %d at line %d", l.I, len(xs))
		}
		xs = append(xs, l.X)
	}
	return xs
}

// meanOf returns the mean score of some runs of a world.
func meanOf(w world, metric scorer.Metric, from, to int) float64 {
	sum, n := 0.0, 0.0
	for i := from; i < to; i++ {
		for _, r := range w.run(i).rows {
			if r.Metric == metric {
				l := r.Level()
				sum, n = sum+l.Mean*float64(l.N), n+float64(l.N)
			}
		}
	}
	return sum / n
}

// Worlds without a change have the same mean early and late.
func TestNullsKeepTheirMean(t *testing.T) {
	moves := []string{"wander", "strata", "bursts"} // by chance, or in mix only
	for _, n := range nulls() {
		if strings.HasPrefix(n.ID, "iid") && !strings.HasPrefix(n.ID, "iid/F") {
			continue
		}
		if contains(moves, n.ID) {
			continue
		}
		w := n.begin(generator(n.seed, 0))
		early := meanOf(w, scorer.Faithfulness, -n.reference, 210)
		late := meanOf(w, scorer.Faithfulness, 210, 630)
		near(t, n.ID+": mean late", late, early, 0.02)
	}
}

func contains(prefixes []string, id string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(id, p) {
			return true
		}
	}
	return false
}

func TestWanderHasItsSpreadAndMemory(t *testing.T) {
	w := &wander{rng: rand.New(rand.NewPCG(1, 1)), moved: movedF, phi: 0.9, sd: 0.015, size: 1}
	var effects []float64
	for range 20_000 {
		w.next()
		effects = append(effects, w.effect)
	}
	m := momentsOf(effects)
	near(t, "sd of effects", m.sd(), 0.015, 0.001)
	product := 0.0
	for i := 1; i < len(effects); i++ {
		product += (effects[i] - m.mean) * (effects[i-1] - m.mean)
	}
	near(t, "autocorrelation", product/m.m2, 0.9, 0.02)
}

func TestMixShiftLeavesEverySegmentAsItWas(t *testing.T) {
	w := threeSegments(generator(seedMix, 0), 300, choose(func(i int) bool { return i >= 100 }, 0.50, 0.25))
	var means, shares [2]map[sampler.Cell]float64
	for half := range 2 {
		means[half], shares[half] = map[sampler.Cell]float64{}, map[sampler.Cell]float64{}
		for i := half * 100; i < half*100+100; i++ {
			for _, r := range w.run(i).rows {
				if r.Metric == scorer.Faithfulness {
					means[half][r.Cell] += r.Level().Mean * float64(r.N)
					shares[half][r.Cell] += float64(r.N)
				}
			}
		}
	}
	poorest := w.cellName(2)
	near(t, "share of the poorest before", shares[0][poorest]/30_000, 0.25, 0.01)
	near(t, "share of the poorest after", shares[1][poorest]/30_000, 0.50, 0.01)
	for cell, sum := range means[0] {
		near(t, "mean of "+string(cell), means[1][cell]/shares[1][cell], sum/shares[0][cell], 0.02)
	}
}

func TestSilentWorldFallsWhileReleasesAndIndexGoOn(t *testing.T) {
	w := silentWorld(generator(seedSilent, 0), 200)
	before, after := meanOf(w, scorer.Faithfulness, 0, 200), meanOf(w, scorer.Faithfulness, 200, 400)
	near(t, "fall", before-after, 0.05, 0.012)
	releases, versions := map[string]bool{}, map[string]bool{}
	for i := range 70 {
		for ch, counts := range w.run(i).tally.Channels {
			for v := range counts {
				if ch == sampler.ChannelRelease {
					releases[v] = true
				} else {
					versions[v] = true
				}
			}
		}
	}
	if len(releases) != 10 || len(versions) != 70 {
		t.Errorf("%d releases and %d index versions in 70 days, want 10 and 70", len(releases), len(versions))
	}
}

func TestFleetDropsWhereItShould(t *testing.T) {
	w := fleetOf(generator(seedFleetHit, 0), fleetTruth())
	sum, n := map[string]float64{}, map[string]float64{}
	for i := fleetHit; i < fleetHit+200; i++ {
		for _, r := range w.run(i).rows {
			if r.N != 10 {
				t.Fatalf("a series has %d answers a run, want 10", r.N)
			}
			key := r.Cell.Values()["topic"] + " " + string(r.Metric)
			sum[key] += r.Level().Mean
			n[key]++
		}
	}
	if len(n) != 40 {
		t.Fatalf("%d series, want 40", len(n))
	}
	near(t, "a segment that fell", sum["t09 faithfulness"]/n["t09 faithfulness"], 0.765, 0.03)
	near(t, "a segment that did not", sum["t10 answer_relevancy"]/n["t10 answer_relevancy"], 0.768, 0.02)
}

func TestClustersKeepTheLaw(t *testing.T) {
	w := &clustered{rng: generator(1, 0), from: faithfulness().source(), size: 50, long: 3, told: true}
	near(t, "mean", meanOf(w, scorer.Faithfulness, 0, 2000), 0.865, 0.005)
}

func TestLabeledScenariosHaveTheirShares(t *testing.T) {
	pack, err := readRecords("../../../shared/data/rag-en.dev.jsonl")
	if err != nil {
		t.Skip("no labeled answers here:", err)
	}
	want := map[string][2]float64{"step": {0.92, 0.75}, "ramp": {0.92, 0.70}, "subtle": {0.95, 0.60},
		"model-swap": {21.0 / 24, 2.0 / 24}, "relevancy": {0.98, 0.80}}
	for _, l := range labeledScenarios() {
		s := l.scenario(pack)
		near(t, l.name+": before", s.healthy.law.mean(), want[l.name][0], 1e-9)
		near(t, l.name+": after", s.final.mean(), want[l.name][1], 1e-9)
		if math.Abs(s.at(s.cap).mean()-s.final.mean()) > 1e-9 {
			t.Errorf("%s ends at %g", l.name, s.at(s.cap).mean())
		}
	}
}

func TestDimensionIsAddedAndNothingElse(t *testing.T) {
	w := &undivided{threeSegments(generator(1, 0), 50, steady(0.25)), changeOver}
	cells := func(i int) (cells, answers int) {
		got := w.run(i)
		for _, r := range got.rows {
			if r.Metric == scorer.Faithfulness {
				cells, answers = cells+1, answers+r.N
			}
		}
		if len(got.tally.Cells) != cells {
			t.Errorf("run %d: rows of %d cells, records of %d", i, cells, len(got.tally.Cells))
		}
		return cells, answers
	}
	if c, n := cells(changeOver - 1); c != 1 || n != 50 {
		t.Errorf("before: %d answers in %d cells", n, c)
	}
	if c, n := cells(changeOver); c != 3 || n != 50 {
		t.Errorf("after: %d answers in %d cells", n, c)
	}
}
