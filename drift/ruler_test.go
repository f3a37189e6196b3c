package drift_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// bench40 are forty items: twenty that score 1 and twenty that score 0, one in five of which
// flips now and then. From a run on the judge gives 0 to the first strict of those with 1.
type bench40 struct {
	rng    *rand.Rand
	from   int
	strict int
	until  int // the judge is back then
}

func dayOf(run int) time.Time { return time.Date(2026, 1, 1+run, 0, 0, 0, 0, time.UTC) }

func (b bench40) run(run int, judge string) []scorer.ControlScore {
	var out []scorer.ControlScore
	for i := range 40 {
		x := float64(i % 2)
		if i%5 == 0 && b.rng.Float64() < 0.05 {
			x = 1 - x
		}
		language := []string{"en", "ja"}[i/20]
		if run >= b.from && run < b.until && i%2 == 1 && i/2 < b.strict {
			x = 0
		}
		out = append(out, scorer.ControlScore{Item: fmt.Sprintf("item-%02d", i), Window: dayOf(run), Language: language,
			Judges: map[scorer.Metric]string{scorer.Faithfulness: judge}, Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: x}}})
	}
	return out
}

// steady are the rows of one run with all scores alike in every run.
func steady(run int, judge string) drift.Row {
	m := drift.Moments{}
	for i := range 50 {
		m = m.Add([]float64{1, 1, 1, 0.5, 1, 1, 0, 1, 1, 0.75}[i%10])
	}
	return drift.Row{Start: dayOf(run - 1), Due: dayOf(run), Metric: scorer.Faithfulness, Judge: judge, Moments: m}
}

func ruled(t *testing.T, runs int, b bench40, judge func(run int) string) drift.Result {
	t.Helper()
	ev, r := drift.NewEvaluator(config.Drift{MinDrop: 0.02}), drift.Result{}
	for run := range runs {
		ev.Add(drift.History{Rows: []drift.Row{steady(run, judge(run))}, Controls: b.run(run, judge(run))})
		r = ev.Decide()
	}
	return r
}

func oneJudge(int) string { return "j" }

func TestAJudgeThatMovedIsFoundAndEndsWhenItIsBack(t *testing.T) {
	t.Parallel()
	b := bench40{rng: rand.New(rand.NewPCG(1, 1)), from: 30, strict: 6, until: 40}
	r := ruled(t, 36, b, oneJudge)
	if len(r.Moves) != 1 || !r.Moves[0].Resolved.IsZero() {
		t.Fatalf("six of twenty items fell, and the moves are %+v", r.Moves)
	}
	m := r.Moves[0]
	if !m.From.Equal(dayOf(30)) || m.Opened.After(dayOf(32)) || m.Shift.Mean > -0.1 || m.Shift.High >= 0 {
		t.Errorf("from %v, found %v, shift %+.3f to %+.3f; want run 30, by run 32, a fall", m.From, m.Opened, m.Shift.Mean, m.Shift.High)
	}
	if r.Rulers[0].Status != "moved" || r.Ledger.Rows[3].Alarms != 1 || r.Ledger.Rows[3].Open != 1 {
		t.Errorf("ruler %+v, ledger %+v", r.Rulers[0], r.Ledger.Rows[3])
	}
	b.rng = rand.New(rand.NewPCG(1, 1))
	r = ruled(t, 50, b, oneJudge)
	if len(r.Moves) != 1 || r.Moves[0].End != drift.EndBack || r.Rulers[0].Status != "ok" {
		t.Errorf("ten runs after the judge was back: %+v, %+v", r.Moves, r.Rulers)
	}
}

func TestAJudgesNoiseIsNoMove(t *testing.T) {
	t.Parallel()
	const streams = 30
	found := 0
	for seed := range streams {
		b := bench40{rng: rand.New(rand.NewPCG(uint64(seed), 2)), from: 1 << 30}
		found += len(ruled(t, 90, b, oneJudge).Moves)
	}
	// At most 0.02 in 180 runs are promised, 0.3 in these 30 half periods.
	if found > 2 {
		t.Errorf("%d moves in %d streams of noise", found, streams)
	}
}

func TestAnotherJudgeEndsAMove(t *testing.T) {
	t.Parallel()
	b := bench40{rng: rand.New(rand.NewPCG(3, 1)), from: 30, strict: 8, until: 1 << 30}
	r := ruled(t, 40, b, func(run int) string {
		if run >= 36 {
			return "k"
		}
		return "j"
	})
	if len(r.Moves) != 1 || r.Moves[0].End != drift.EndReplaced || r.Rulers[0].Judge != "k" || r.Rulers[0].Status != "learning" && r.Rulers[0].Items != 40 {
		t.Errorf("moves %+v, rulers %+v", r.Moves, r.Rulers)
	}
}

func TestAnAcceptedJudgeIsTheNewRuler(t *testing.T) {
	t.Parallel()
	b := bench40{rng: rand.New(rand.NewPCG(4, 1)), from: 30, strict: 8, until: 1 << 30}
	ev := drift.NewEvaluator(config.Drift{})
	var r drift.Result
	for run := range 60 {
		ev.Add(drift.History{Rows: []drift.Row{steady(run, "j")}, Controls: b.run(run, "j")})
		if run == 40 {
			of := drift.Series{Metric: scorer.Faithfulness, Judge: "j"}
			ev.Add(drift.History{Acceptances: []drift.Acceptance{
				{Series: of, From: dayOf(29), At: dayOf(39).Add(time.Hour), By: "kim", Ruler: true}}})
		}
		r = ev.Decide()
	}
	if len(r.Moves) != 1 || r.Moves[0].End != drift.EndAccepted || r.Rulers[0].Status != "ok" {
		t.Errorf("moves %+v, rulers %+v", r.Moves, r.Rulers)
	}
}

func TestAMoveInOneLanguageIsNamed(t *testing.T) {
	t.Parallel()
	b := bench40{rng: rand.New(rand.NewPCG(5, 1)), from: 30, strict: 10, until: 1 << 30} // the first ten ones are English
	r := ruled(t, 36, b, oneJudge)
	if len(r.Moves) != 1 || r.Moves[0].Shift.Only != "en" {
		t.Errorf("moves %+v, want one, in English only", r.Moves)
	}
}

// The embedding model moves by three thousandths, and nothing else.
func TestPairsTellAMovedEmbeddingModel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 1))
	ev := drift.NewEvaluator(config.Drift{})
	var r drift.Result
	for run := range 40 {
		moved := 0.0
		if run >= 30 {
			moved = 0.003
		}
		row := steady(run, "j")
		row.Metric = scorer.AnswerRelevancy
		var controls []scorer.ControlScore
		for i := range 12 {
			controls = append(controls, scorer.ControlScore{Item: fmt.Sprintf("pair-%d", i), Window: dayOf(run), Language: "en", Expected: scorer.ExpectPair,
				Judges: map[scorer.Metric]string{scorer.AnswerRelevancy: "j"},
				Outcomes: map[scorer.Metric]scorer.Outcome{scorer.AnswerRelevancy: {Scored: true,
					Value: 0.5 + 0.03*float64(i) + 0.0002*rng.NormFloat64() + moved*float64(1-i%2*2)}}})
		}
		ev.Add(drift.History{Rows: []drift.Row{row}, Controls: controls})
		r = ev.Decide()
	}
	if len(r.Moves) != 1 || !r.Moves[0].Shift.Embedding() || r.Moves[0].Opened.Before(dayOf(30)) {
		t.Errorf("moves %+v, want one of the embedding model", r.Moves)
	}
}

// What is decided run by run is what is decided of all at once with the moves so far, in any
// order, with scores given twice, and after a restart.
func TestMovesDoNotDependOnOrderOrRestarts(t *testing.T) {
	t.Parallel()
	b := bench40{rng: rand.New(rand.NewPCG(7, 1)), from: 30, strict: 6, until: 44}
	ev := drift.NewEvaluator(config.Drift{})
	var all drift.History
	var before drift.Result
	for run := range 50 {
		rows, controls := []drift.Row{steady(run, "j")}, b.run(run, "j")
		ev.Add(drift.History{Rows: rows, Controls: controls})
		all.Rows, all.Controls = append(all.Rows, rows...), append(all.Controls, controls...)
		got := ev.Decide()
		h := drift.History{Rows: slices.Clone(all.Rows), Controls: append(slices.Clone(all.Controls), controls...), Episodes: before.Episodes, Moves: before.Moves}
		rand.New(rand.NewPCG(uint64(run), 1)).Shuffle(len(h.Controls), func(i, j int) { h.Controls[i], h.Controls[j] = h.Controls[j], h.Controls[i] })
		if want := drift.Evaluate(h, config.Drift{}); !reflect.DeepEqual(stored(t, got), stored(t, want)) {
			t.Fatalf("run %d:\n%+v\n%+v", run, got.Moves, want.Moves)
		}
		before = got
	}
}

// stored is a result as a store gives it back.
func stored(t *testing.T, r drift.Result) (out drift.Result) {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
