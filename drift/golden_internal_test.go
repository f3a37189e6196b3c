package drift

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"
)

type goldenStream struct {
	Name          string      `json:"name"`
	ReferenceRuns [][]float64 `json:"reference_runs"`
	Runs          []struct {
		X      []float64 `json:"x"`
		LnSR   float64   `json:"ln_sr"`
		Design float64   `json:"design_effect"`
		Argmax int       `json:"argmax_boundary"`
	} `json:"runs"`
}

func TestScanGivesGoldenValuesAfterEveryRun(t *testing.T) {
	data, err := os.ReadFile("../../shared/golden/hsr.json")
	if err != nil {
		t.Skip("golden values are not here:", err)
	}
	var file struct {
		Streams []goldenStream `json:"streams"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Streams) == 0 {
		t.Fatal("no streams")
	}
	for _, g := range file.Streams {
		t.Run(g.Name, func(t *testing.T) { replayGolden(t, g) })
	}
}

func replayGolden(t *testing.T, g goldenStream) {
	t.Helper()
	s := &strip{minimum: 100}
	for range 20 { // the oldest boundary may stand for time before the first scores
		s.add(time.Time{}, 1, make([]Moments, 1))
	}
	for _, x := range g.ReferenceRuns {
		s.add(time.Time{}, 1, []Moments{momentsOf(x)})
	}
	first := len(s.rows)
	for i, run := range g.Runs {
		design := s.designEffect(len(s.rows), s.sum(0, len(s.rows)))
		s.add(time.Time{}, 1, []Moments{momentsOf(run.X)})
		cs := s.scan(boundaries(first, len(s.rows)-1, dense), 0)
		if got := evidence(cs); math.Abs(got-run.LnSR) > 1e-6 {
			t.Fatalf("run %d: ln SR is %.9f, want %.9f", i+1, got, run.LnSR)
		}
		if got := cs[likeliest(cs)].at - first + 1; got != run.Argmax {
			t.Fatalf("run %d: largest evidence at boundary %d, want %d", i+1, got, run.Argmax)
		}
		if math.Abs(design-run.Design) > 1e-6 {
			t.Fatalf("run %d: design effect is %.9f, want %.9f", i+1, design, run.Design)
		}
	}
}

func momentsOf(x []float64) Moments {
	var m Moments
	for _, v := range x {
		m = m.Add(v)
	}
	return m
}
