package sampler_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"leadline/sampler"
)

func drawn(cell sampler.Cell, n int) []sampler.Drawn {
	out := make([]sampler.Drawn, n)
	for i := range out {
		out[i] = sampler.Drawn{ID: fmt.Sprintf("%s%d", cell, i), Cell: cell, U: float64(i+1) / 1000}
	}
	return out
}

func TestWhatTheBudgetAffordsIsTheSmallestHashesOfEachStratum(t *testing.T) {
	picks := append(drawn("a", 40), drawn("b", 10)...)
	offered := map[sampler.Cell]int{"a": 800, "b": 200}
	for _, want := range []struct{ k, floor, a, b int }{
		{50, 5, 40, 10}, {10, 1, 8, 2}, {10, 5, 5, 5}, {2, 5, 1, 1}, {0, 5, 0, 0}, {100, 5, 40, 10}, {11, 5, 6, 5},
	} {
		over, smallest := sampler.Afford(picks, offered, want.k, want.floor)
		for _, p := range picks {
			n := map[sampler.Cell]int{"a": want.a, "b": want.b}[p.Cell]
			if stays := p.U <= float64(n)/1000; over[p.ID] == stays {
				t.Errorf("k %d, floor %d: %s left out: %t, want %t", want.k, want.floor, p.ID, over[p.ID], !stays)
			}
		}
		if u, cut := smallest["a"]; cut != (want.a < 40) || cut && u != float64(want.a+1)/1000 {
			t.Errorf("k %d: smallest left out of a %v, %t", want.k, u, cut)
		}
	}
	// Less than one for each stratum: the smallest of all.
	over, _ := sampler.Afford([]sampler.Drawn{{"x", "a", 0.3}, {"y", "b", 0.1}, {"z", "c", 0.2}}, nil, 2, 5)
	if !over["x"] || len(over) != 1 {
		t.Errorf("left out: %v, want x alone", over)
	}
}

// Traffic whose scores go with its stratum, its time of day and its length: a budget that is
// spent on the first records, or on the cheap ones, would show. The weighted mean of what the
// budget affords must be that of all.
func TestWhatTheBudgetAffordsIsUnbiased(t *testing.T) {
	const windows, records, perRun, floor, rate = 1500, 300, 30, 3, 0.5
	var full, cut, first, cheap moments
	r := rand.New(rand.NewPCG(1, 2))
	for w := range windows {
		type record struct {
			sampler.Drawn
			score, length float64
		}
		var all []record
		offered := map[sampler.Cell]int{}
		truth := 0.0
		for i := range records {
			cell := sampler.Cell([]string{"a", "a", "a", "a", "b", "b", "c"}[r.IntN(7)])
			length := r.ExpFloat64()
			score := 0.9 - 0.1*float64(cell[0]-'a') - 0.2*float64(i)/records - 0.1*math.Min(length, 3) + 0.05*r.NormFloat64()
			truth += score / records
			id := fmt.Sprintf("%d-%d", w, i)
			u := sampler.Hash("salt", id)
			if u < rate {
				offered[cell]++
				all = append(all, record{sampler.Drawn{ID: id, Cell: cell, U: u}, score, length})
			}
		}
		var picks []sampler.Drawn
		for _, x := range all {
			picks = append(picks, x.Drawn)
		}
		evicted, _ := sampler.Afford(picks, offered, perRun, floor) // the window as it is closed
		var closed []sampler.Drawn
		for _, p := range picks {
			if !evicted[p.ID] {
				closed = append(closed, p)
			}
		}
		over, _ := sampler.Afford(closed, offered, 9+w%4, floor)
		window := sampler.Window{Rate: rate, Offered: offered}
		mean := func(stays func(record) bool) float64 {
			n, sum := map[sampler.Cell]int{}, map[sampler.Cell]float64{}
			for _, x := range all {
				if stays(x) {
					n[x.Cell]++
					sum[x.Cell] += x.score
				}
			}
			total, weights := 0.0, 0.0
			for c := range n {
				weight := window.Weight(c, n[c])
				total += weight * sum[c]
				weights += weight * float64(n[c])
			}
			return total/weights - truth
		}
		full.add(mean(func(x record) bool { return !evicted[x.ID] }))
		cut.add(mean(func(x record) bool { return !evicted[x.ID] && !over[x.ID] }))
		seen := 0
		first.add(mean(func(x record) bool { seen++; return !evicted[x.ID] && seen < 60 }))
		cheap.add(mean(func(x record) bool { return !evicted[x.ID] && x.length < 0.7 }))
	}
	for name, m := range map[string]*moments{"all picks": &full, "what the budget affords": &cut} {
		if math.Abs(m.mean()) > 3*m.se() {
			t.Errorf("%s: the mean is off by %.5f, standard error %.5f", name, m.mean(), m.se())
		}
	}
	for name, m := range map[string]*moments{"the first": &first, "the cheap": &cheap} {
		if math.Abs(m.mean()) < 10*m.se() { // these are picked wrongly
			t.Errorf("%s: off by only %.5f ± %.5f: the test would not see a bias", name, m.mean(), m.se())
		}
	}
	t.Logf("bias %.5f ± %.5f with all picks, %.5f ± %.5f with what the budget affords; %.3f of the first, %.3f of the cheap",
		full.mean(), full.se(), cut.mean(), cut.se(), first.mean(), cheap.mean())
}

type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n++; m.sum += x; m.squares += x * x }
func (m *moments) mean() float64 { return m.sum / m.n }
func (m *moments) se() float64 {
	return math.Sqrt((m.squares/m.n - m.mean()*m.mean()) / m.n)
}
