package main

import (
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// itemCost is what a control item costs, in samples: its texts are about half as long.
const itemCost = 0.5

// tale is what became of one seed.
type tale struct {
	first, last verdict // by the first message, and as things stand at the end
	early       bool    // something was told before the change
	judgeIn     int     // runs after the change until the judge's move was told; −1 never
	systemIn    int     // until a fall of the service was told
	items       int     // control items scored
	samples     int
}

// follow decides a seed run by run, as the daemon does.
func follow(seed uint64, t truth, o options) tale {
	w := newWorld(seed, t, o)
	ev := drift.NewEvaluator(config.Drift{MinDrop: 0.02, MinTail: 0.03})
	out := tale{judgeIn: -1, systemIn: -1}
	last := map[string]time.Time{}
	var scored []int // items of each run
	for run := range o.before + o.past {
		rows, tally := w.rows(run)
		ev.Add(drift.History{Rows: rows, Tallies: nil})
		_ = tally
		before := ev.Decide()
		plan := scorer.ControlPlan{Samples: o.perRun, Each: itemCost, Runs: run, Passes: before.ControlPasses(dueOf(run - 1)), Recent: recent(scored, o.perRun)}
		items := plan.Pick(w.items, last, dueOf(run))
		for _, c := range items {
			last[c.ID] = dueOf(run)
		}
		passes := max(plan.Passes, 1)
		scored = append(scored, passes*len(items))
		out.items, out.samples = out.items+passes*len(items), out.samples+o.perRun
		for pass := range passes {
			ev.Add(drift.History{Controls: w.controls(run, items, pass)})
		}
		out.hear(ev.Decide(), run, o.before)
	}
	return out
}

// recent sums up the newest runs, without the first of the judge.
func recent(scored []int, perRun int) (r scorer.ControlsRecent) {
	for run := max(scorer.ControlsFirst, len(scored)-scorer.ControlRuns); run < len(scored); run++ {
		r.Runs, r.Samples, r.Items = r.Runs+1, r.Samples+perRun, r.Items+scored[run]
	}
	return r
}

// hear notes what a person would be told after a run.
func (t *tale) hear(r drift.Result, run, changed int) {
	system := systemOf(r)
	since := func(in *int) {
		if *in < 0 {
			*in = max(run-changed, 0)
			t.early = t.early || run < changed
		}
	}
	if len(r.Moves) > 0 {
		since(&t.judgeIn)
	}
	if system != toldNothing {
		since(&t.systemIn)
	}
	switch moved := len(r.Moves) > 0; {
	case moved && system == toldNothing:
		t.last = toldJudge
	case moved:
		t.last = toldBoth
	default:
		t.last = max(system, t.last)
	}
	if t.first == toldNothing {
		t.first = t.last
	}
}

// systemOf is what is said of the service: a fall is held back while the judge moved and it does
// not stand without the judge's part.
func systemOf(r drift.Result) verdict {
	said := toldNothing
	for _, f := range r.Findings {
		switch j := f.Evidence.Judge; {
		case j.Verdict == drift.JudgeCleared, j.Verdict == drift.JudgeMoved && j.Corrected.Stands:
			return toldSystem
		case j.Verdict == drift.JudgeNotExcluded:
			said = toldOpen
		}
	}
	return said
}
