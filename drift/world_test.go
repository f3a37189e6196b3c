package drift_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// world makes up the scores of a help desk: six departments in two languages, a run
// every six hours.
type world struct {
	rng      *rand.Rand
	start    time.Time
	every    time.Duration
	runs     int
	perRun   int
	depts    []string
	langs    []string
	release  func(run int) string
	share    func(run, dept int) float64
	broken   func(run, dept int) float64 // share of answers that are
	editions func(run, dept int) string
	lost     func(run, dept int) bool // its documents are gone from the index
	empty    func(run int) bool
}

func newWorld(seed uint64) *world {
	return &world{
		rng: rand.New(rand.NewPCG(seed, 7)), start: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC),
		every: 24 * time.Hour, runs: 84, perRun: 60,
		depts:    []string{"hr", "it", "finance", "legal", "sales", "facility"},
		langs:    []string{"en", "ja"},
		release:  func(int) string { return "v1" },
		share:    func(int, int) float64 { return 1 },
		broken:   func(int, int) float64 { return 0 },
		editions: func(int, int) string { return "2" },
		lost:     func(int, int) bool { return false },
		empty:    func(int) bool { return false },
	}
}

func (w *world) due(run int) time.Time { return w.start.Add(time.Duration(run+1) * w.every) }

// faithfulness is law F: 5 % zeros, 75 % ones, the rest a of k statements; a broken answer
// is 40 % zeros and 60 % poor partials.
func (w *world) faithfulness(broken bool) float64 {
	u := w.rng.Float64()
	if broken {
		if u < 0.4 {
			return 0
		}
		return float64(1+w.rng.IntN(2)) / 4
	}
	switch {
	case u < 0.05:
		return 0
	case u < 0.80:
		return 1
	}
	k := []int{2, 3, 4, 5, 6, 8}[w.rng.IntN(6)]
	return float64(max(1, k-1-w.rng.IntN(2))) / float64(k)
}

// relevancy is law R: 4 % zeros, else normal around 0.80.
func (w *world) relevancy() float64 {
	if w.rng.Float64() < 0.04 {
		return 0
	}
	return min(max(0.80+0.09*w.rng.NormFloat64(), 0.30), 0.98)
}

func (w *world) pick(weight func(i int) float64, n int) int {
	total := 0.0
	for i := range n {
		total += weight(i)
	}
	u := w.rng.Float64() * total
	for i := range n {
		if u -= weight(i); u < 0 {
			return i
		}
	}
	return n - 1
}

// run makes the rows and the tally of one run.
func (w *world) run(run int) ([]drift.Row, sampler.Tally) {
	t := sampler.Tally{Start: w.due(run - 1), Due: w.due(run), Cells: map[sampler.Cell]int{},
		Channels: map[sampler.Channel]map[string]int{sampler.ChannelRelease: {}},
		Docs:     map[string]map[string]int{}, DocCells: map[string]map[sampler.Cell]int{}}
	if w.empty(run) {
		return nil, t
	}
	n := max(1, w.perRun*3/4+w.rng.IntN(w.perRun/2+1))
	scores := make([]scorer.Score, 0, n)
	for i := range n {
		d := w.pick(func(i int) float64 { return w.share(run, i) }, len(w.depts))
		l := w.pick(func(i int) float64 { return []float64{0.6, 0.4}[i%2] }, len(w.langs))
		cell := sampler.CellOf(map[string]string{"department": w.depts[d], "language": w.langs[l]})
		t.Decoded++
		t.Cells[cell]++
		t.Channels[sampler.ChannelRelease][w.release(run)]++
		w.retrieve(&t, run, d, cell)
		if w.rng.Float64() < 0.03 {
			t.Refusals++
		}
		level := 0.05 * float64(d) // departments differ: the mix matters
		f := w.faithfulness(w.rng.Float64() < level+w.broken(run, d))
		scores = append(scores, scorer.Score{SampleID: strconv.Itoa(i), Cell: cell, Window: t.Due,
			Channels: map[sampler.Channel]string{sampler.ChannelRelease: w.release(run)},
			Judges:   map[scorer.Metric]string{scorer.Faithfulness: "j1", scorer.AnswerRelevancy: "j1"},
			Outcomes: map[scorer.Metric]scorer.Outcome{
				scorer.Faithfulness:    {Scored: true, Value: f},
				scorer.AnswerRelevancy: {Scored: true, Value: w.relevancy()},
			}})
	}
	return drift.Rows(sampler.Window{Start: t.Start, Due: t.Due}, scores), t
}

func (w *world) retrieve(t *sampler.Tally, run, dept int, cell sampler.Cell) {
	from := dept
	if w.lost(run, dept) {
		from = (dept + 1) % len(w.depts)
	}
	for k := range 2 {
		id := fmt.Sprintf("%s-%d", w.depts[from], (w.rng.IntN(5)+k)%5)
		if t.Docs[id] == nil {
			t.Docs[id], t.DocCells[id] = map[string]int{}, map[sampler.Cell]int{}
		}
		edition := "2"
		if id == w.depts[dept]+"-0" {
			edition = w.editions(run, dept)
		}
		t.Docs[id][edition]++
		t.DocCells[id][cell]++
	}
}

// history makes runs from to to−1 without deciding anything.
func (w *world) history(from, to int) drift.History {
	var h drift.History
	for run := from; run < to; run++ {
		rows, t := w.run(run)
		h.Rows, h.Tallies = append(h.Rows, rows...), append(h.Tallies, t)
	}
	return h
}

// with adds runs from to to−1 to a history.
func (w *world) with(h drift.History, from, to int) drift.History {
	more := w.history(from, to)
	h.Rows, h.Tallies = append(slices.Clip(h.Rows), more.Rows...), append(slices.Clip(h.Tallies), more.Tallies...)
	return h
}

// play decides after every run from the given one, as the daemon does; what happened
// before is taken as one history.
func (w *world) play(h drift.History, from int) (drift.History, drift.Result) {
	var r drift.Result
	for run := from; run < w.runs; run++ {
		rows, t := w.run(run)
		h.Rows, h.Tallies = append(h.Rows, rows...), append(h.Tallies, t)
		r = drift.Evaluate(h, defaults())
		h.Episodes = r.Episodes
	}
	return h, r
}

// demo is twelve weeks in which everything happens once.
func demo(seed uint64) *world {
	w := newWorld(seed)
	day := func(run int) int { return int(time.Duration(run) * w.every / (24 * time.Hour)) }
	bad := func(run int) bool { return day(run) >= 28 && day(run) < 33 }
	w.release = func(run int) string {
		switch {
		case day(run) < 14:
			return "v1"
		case bad(run):
			return "v3"
		}
		return "v2"
	}
	w.share = func(run, dept int) float64 {
		if day(run) >= 42 && dept >= 3 {
			return 2
		}
		return 1
	}
	w.empty = func(run int) bool { return day(run) == 49 && run%4 == 1 }
	w.editions = func(run, dept int) string {
		if dept == 1 && day(run) >= 52 && day(run) < 66 || day(run) < 5 {
			return "1"
		}
		return "2"
	}
	w.lost = func(run, dept int) bool { return dept == 0 && day(run) >= 70 }
	w.broken = func(run, dept int) float64 {
		switch {
		case bad(run):
			return 0.25
		case day(run) >= 70 && dept == 0:
			return 0.7
		}
		return 0
	}
	return w
}

func defaults() config.Drift {
	return config.Drift{FalseAlarms: 0.10, Period: 180 * 24 * time.Hour, MinDrop: 0.02, MinTail: 0.03, Tolerance: 0.01,
		ReleaseFalseAlarms: 0.02, MinBaseline: 100, CodeChannels: []string{"prompt", "model", "retriever", "embedding"}}
}
