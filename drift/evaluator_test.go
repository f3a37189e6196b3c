package drift_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// eventful makes up a history in which as much happens as can: falls of a department or of
// all that end or do not, releases that roll out over several runs or are taken back, a judge
// that changes, cells that come late, empty runs, editions, marks and controls.
func eventful(seed uint64) (*world, drift.History) {
	w := newWorld(seed)
	rng := rand.New(rand.NewPCG(seed, 99))
	w.runs, w.perRun = 70, 40+rng.IntN(40)
	w.depts = w.depts[:1+rng.IntN(4)]
	w.langs = w.langs[:1+rng.IntN(2)]
	falls, stays, dept := 25+rng.IntN(15), 5+rng.IntN(40), rng.IntN(len(w.depts)+1)
	size := 0.2 + 0.4*rng.Float64()
	w.broken = func(run, d int) float64 {
		if run >= falls && run < falls+stays && (dept == len(w.depts) || d == dept) {
			return size
		}
		return 0
	}
	late := rng.IntN(40)
	w.share = func(run, d int) float64 {
		if d == len(w.depts)-1 && d > 0 && run < late {
			return 0
		}
		return 1
	}
	w.lost = func(run, d int) bool { return d == 0 && run >= falls }
	w.editions = func(run, _ int) string { return []string{"1", "2", "1"}[run*3/w.runs] }
	w.empty = func(run int) bool { return run%17 == 16 }
	w.release = rollouts(rng, falls, falls+stays)
	h := w.history(0, w.runs)
	if rng.IntN(3) == 0 {
		retell(rng, w, &h)
	}
	if rng.IntN(3) == 0 {
		from := w.due([]int{10 + rng.IntN(50), late + 2}[rng.IntN(2)]) // when a cell was new, too
		both := rng.IntN(2) == 0
		for i, r := range h.Rows {
			if r.Due.After(from) && (both || r.Metric == scorer.Faithfulness) {
				h.Rows[i].Judge = "j2"
			}
		}
	}
	h.Controls = steadyControls(rng, w)
	if rng.IntN(3) > 0 {
		measure(rng, h.Rows, w.due([]int{-1, 30 + rng.IntN(30)}[rng.IntN(2)]))
	}
	return w, h
}

// measure gives the rows that came after a time what newer versions keep, too: the lengths of
// answers, which get shorter and vary with the cell, conversations, and weights.
func measure(rng *rand.Rand, rows []drift.Row, after time.Time) {
	for i := range rows {
		r := &rows[i]
		if !r.Due.After(after) || rng.IntN(20) == 0 {
			continue
		}
		r.Weight = float64(r.N) * (1 + 9*rng.Float64())
		if rng.IntN(2) == 0 {
			r.Clusters = talks(rng, r.N-r.Zeros, r.Mean)
		}
		if r.Metric != scorer.Faithfulness {
			continue
		}
		most := []int{12, 8, 3}[i*3/len(rows)]
		r.Lengths = lengthsOf(rng, r.Moments, most)
		for _, name := range slices.Sorted(maps.Keys(r.Releases)) {
			if r.ReleaseLengths == nil {
				r.ReleaseLengths = map[string][]drift.LengthCount{}
			}
			r.ReleaseLengths[name] = lengthsOf(rng, r.Releases[name], most)
		}
	}
}

// talks are conversations of up to three scores.
func talks(rng *rand.Rand, scores int, mean float64) *drift.Clusters {
	var c drift.Clusters
	for scores > 0 {
		n := min(1+rng.IntN(3), scores)
		c = c.Add(n, float64(n)*mean*(0.7+0.6*rng.Float64()))
		scores -= n
	}
	return &c
}

// lengthsOf makes up an answer for each score, of 1 to most statements.
func lengthsOf(rng *rand.Rand, m drift.Moments, most int) []drift.LengthCount {
	var out []drift.LengthCount
	for k := range m.N {
		c := drift.LengthCount{Statements: 1 + rng.IntN(most), Answers: 1}
		if k >= m.Zeros {
			c.Supported = max(1, c.Statements-rng.IntN(2))
		}
		out = append(out, c)
	}
	return out
}

// bridged are the rows of runs before one as if another judge had scored them again.
func bridged(h drift.History, before time.Time) []drift.Row {
	var out []drift.Row
	for i, r := range h.Rows {
		if r.Due.Before(before) && r.Judge == "j1" && i%3 == 0 {
			r.Judge, r.Bridged = "j2", "j1"
			out = append(out, r)
		}
	}
	return out
}

// rollouts is a release that comes over three runs, one that comes with the fall and is
// often taken back when it ends, and one long after.
func rollouts(rng *rand.Rand, falls, ends int) func(run int) string {
	comes, back, asked := falls-2+rng.IntN(4), rng.IntN(3) > 0, 0
	return func(run int) string {
		asked++ // twice for each answer
		old := asked/2%2 == 0
		switch {
		case run < 12 || run < 15 && old:
			return "v1"
		case run < comes || run == comes && old || back && run >= ends && run < 60:
			return "v2"
		case run < 60:
			return "v3"
		}
		return "v4"
	}
}

// retell takes the release out of the log and tells of it by marks instead.
func retell(rng *rand.Rand, w *world, h *drift.History) {
	logged := map[int]map[string]int{}
	logs := rng.IntN(2) == 0
	for i, t := range h.Tallies {
		logged[i] = t.Channels[sampler.ChannelRelease]
		if !logs || i < 34 {
			h.Tallies[i].Channels = nil
		}
		if i > 0 && i%20 == 0 {
			at := t.Start.Add(time.Duration(rng.IntN(24)) * time.Hour)
			h.Marks = append(h.Marks, drift.Mark{Channel: sampler.ChannelRelease, Value: "m" + strconv.Itoa(i), At: at, Source: "api"},
				drift.Mark{Channel: sampler.ChannelRelease, At: at, Through: t.Due.Add(10 * 24 * time.Hour), Source: "cli"})
		}
	}
	// From some run on the log tells, too, of a release that was marked before.
	if names := slices.Sorted(maps.Keys(logged[34])); logs && len(names) > 0 {
		h.Marks = append(h.Marks, drift.Mark{Channel: sampler.ChannelRelease, Value: names[0], At: w.due(28), Source: "api"})
	}
	h.Marks = append(h.Marks, drift.Mark{Channel: sampler.ChannelPrompt, Value: "p2", At: w.due(33).Add(time.Hour), Source: "api"})
}

func steadyControls(rng *rand.Rand, w *world) []scorer.ControlScore {
	var out []scorer.ControlScore
	for run := range w.runs {
		for item := range 10 {
			o := scorer.Outcome{Scored: true, Value: min(1, max(0, float64(item%5)/4+0.05*rng.NormFloat64()))}
			out = append(out, scorer.ControlScore{Item: strconv.Itoa(item), Window: w.due(run),
				Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: o, scorer.AnswerRelevancy: o},
				Judges:   map[scorer.Metric]string{scorer.Faithfulness: "j1", scorer.AnswerRelevancy: "j1"}})
		}
	}
	return out
}

// accept takes an episode of a replay for the new normal, some runs after it was found.
func accept(t *testing.T, h *drift.History) {
	t.Helper()
	err := drift.Replay(*h, defaults(), func(due time.Time, _ drift.History, r drift.Result) error {
		for _, e := range r.Episodes {
			if len(h.Acceptances) == 0 && e.Resolved.IsZero() && due.Sub(e.Opened) > 4*24*time.Hour {
				h.Acceptances = append(h.Acceptances, drift.Acceptance{Series: e.Series, From: e.From.Add(-time.Hour), At: due, By: "ops"})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mixed is a history in another order, with a part of it given twice.
func mixed(h drift.History) drift.History {
	h.Rows = slices.Concat(h.Rows, h.Rows[len(h.Rows)/3:len(h.Rows)/2])
	h.Tallies = slices.Concat(h.Tallies, h.Tallies[len(h.Tallies)/2:])
	h.Episodes = slices.Concat(h.Episodes, h.Episodes)
	h.Marks, h.Controls = slices.Concat(h.Marks, h.Marks), slices.Concat(h.Controls, h.Controls)
	shuffle(h.Rows)
	shuffle(h.Tallies)
	shuffle(h.Episodes)
	shuffle(h.Marks)
	shuffle(h.Controls)
	return h
}

// strata tells answers of other lengths apart in two of three histories, and has a tolerance of
// its own for a metric in some.
func strata(seed uint64) config.Drift {
	cfg := defaults()
	cfg.LengthStrata = seed%3 > 0
	if seed%4 == 0 {
		cfg.Tolerances = map[string]float64{string(scorer.Faithfulness): 0.03}
	}
	return cfg
}

// What is kept from run to run may not change a bit: each decision of a replay is that of
// Evaluate on the shuffled history with the episodes of the decision before.
func TestDecisionsRunByRunAreThoseOfTheWholeHistory(t *testing.T) {
	happened := map[string]int{}
	for seed := range uint64(12) {
		_, h := eventful(seed)
		cfg := strata(seed)
		if seed%2 == 0 {
			accept(t, &h)
		}
		var last drift.Result
		err := drift.Replay(h, cfg, func(due time.Time, known drift.History, r drift.Result) error {
			if diff := cmp.Diff(encode(t, drift.Evaluate(mixed(known), cfg)), encode(t, r)); diff != "" {
				t.Fatalf("seed %d, %v (-whole history +run by run):\n%s", seed, due, diff)
			}
			last = r
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		take(happened, h, last)
	}
	for _, what := range []string{"silent", "regression", "open", "resolved", "accepted", "corpus", "new_segment", "marks", "another judge", "lengths", "conversations"} {
		if happened[what] == 0 {
			t.Errorf("nothing that is %s in any history: %v", what, happened)
		}
	}
}

// Rows that come late or of another judge for runs long past, fuller tallies, runs without a
// decision, marks and acceptances told afterwards: whatever is added, a decision is that of Evaluate on all of it.
func TestWhatComesLateIsTakenIn(t *testing.T) {
	undone := false
	for seed := range uint64(12) {
		w, h := eventful(seed)
		rng := rand.New(rand.NewPCG(seed, 5))
		cfg := strata(seed)
		ev := drift.NewEvaluator(cfg)
		var all drift.History
		left := map[int]bool{} // rows and tallies that come late
		bridge := 15 + rng.IntN(40)
		for run := range w.runs {
			news := pick(h, w, run, func(i int) bool {
				left[i] = run > 20 && rng.IntN(40) == 0
				return !left[i]
			})
			if run%13 == 12 { // now they come, with a mark that somebody told late
				news = combine(news, pick(h, w, -1, func(i int) bool { return left[i] }))
				news.Marks = append(news.Marks, drift.Mark{Channel: sampler.ChannelPrompt, Value: strconv.Itoa(run), At: w.due(run / 2), Source: "cli"},
					drift.Mark{Channel: sampler.ChannelRelease, Value: "next" + strconv.Itoa(run), At: w.due(run + 3), Source: "cli"})
				clear(left)
			}
			if run == bridge {
				news.Rows = append(news.Rows, bridged(h, w.due(run))...)
			}
			for _, e := range all.Episodes { // a part of what is down is learned anew
				if run%9 == 8 && e.Resolved.IsZero() && e.Series.Dim != "" {
					news.Acceptances = append(news.Acceptances, drift.Acceptance{Series: e.Series, From: e.From, At: w.due(run), By: "ops", Reset: run%2 == 0})
					break
				}
			}
			ev.Add(news)
			all = combine(all, news)
			if run%5 == 4 {
				continue
			}
			want, got := drift.Evaluate(mixed(all), cfg), ev.Decide()
			if diff := cmp.Diff(encode(t, want), encode(t, got)); diff != "" {
				t.Fatalf("seed %d run %d (-whole history +what was added):\n%s", seed, run, diff)
			}
			all.Episodes = got.Episodes
			for _, e := range got.Episodes {
				undone = undone || e.Undone
			}
		}
	}
	if !undone {
		t.Error("no episode was undone in any history")
	}
}

// Samples of a judge that is not live any more do not say when there was a baseline.
func TestNotesRestOnTheLiveJudge(t *testing.T) {
	w := newWorld(11)
	w.langs = []string{"en"}
	w.share = func(run, dept int) float64 {
		if dept == 5 && run < 25 {
			return 0
		}
		return 1
	}
	ev := drift.NewEvaluator(defaults())
	noted := map[int]int{}
	var all drift.History
	for run := range 32 {
		news := w.history(run, run+1)
		for i := range news.Rows {
			if run >= 30 {
				news.Rows[i].Judge = "j2"
			}
		}
		ev.Add(news)
		all = combine(all, news)
		want, got := drift.Evaluate(all, defaults()), ev.Decide()
		if diff := cmp.Diff(encode(t, want), encode(t, got)); diff != "" {
			t.Fatalf("run %d (-whole history +run by run):\n%s", run, diff)
		}
		all.Episodes, noted[run] = got.Episodes, len(got.Notes)
	}
	if noted[29] == 0 || noted[31] != 0 {
		t.Errorf("%d notes under the old judge and %d under the new one, want some and 0", noted[29], noted[31])
	}
}

// pick returns the rows of a run, of any when negative, and its tally and controls. which
// is asked for the index of each row, and for that of each tally counted on from there.
func pick(h drift.History, w *world, run int, which func(i int) bool) drift.History {
	var out drift.History
	of := func(due time.Time) bool { return run < 0 || due.Equal(w.due(run)) }
	for i, r := range h.Rows {
		if of(r.Due) && which(i) {
			out.Rows = append(out.Rows, r)
		}
	}
	for i, t := range h.Tallies {
		if of(t.Due) && which(len(h.Rows)+i) {
			out.Tallies = append(out.Tallies, t)
		}
	}
	for _, c := range h.Controls {
		if run >= 0 && of(c.Window) {
			out.Controls = append(out.Controls, c)
		}
	}
	return out
}

func combine(a, b drift.History) drift.History {
	a.Rows, a.Tallies = slices.Concat(a.Rows, b.Rows), slices.Concat(a.Tallies, b.Tallies)
	a.Marks, a.Controls = slices.Concat(a.Marks, b.Marks), slices.Concat(a.Controls, b.Controls)
	a.Acceptances = slices.Concat(a.Acceptances, b.Acceptances)
	return a
}

// take counts what happened in a history.
func take(happened map[string]int, h drift.History, r drift.Result) {
	for _, e := range r.Episodes {
		happened[string(e.Kind)]++
		if e.Resolved.IsZero() {
			happened["open"]++
		} else {
			happened["resolved"]++
		}
	}
	for _, n := range r.Notes {
		happened[n.Kind]++
	}
	happened["accepted"] += len(h.Acceptances)
	happened["marks"] += len(h.Marks)
	if slices.ContainsFunc(h.Rows, func(r drift.Row) bool { return r.Judge == "j2" }) {
		happened["another judge"]++
	}
	for _, p := range r.Episodes {
		if p.Finding.Evidence.Length.Verdict != "" {
			happened["lengths"]++
		}
	}
	if slices.ContainsFunc(h.Rows, func(r drift.Row) bool { return r.Clusters != nil }) {
		happened["conversations"]++
	}
}
