package main

import (
	"slices"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// itemCost is what a control item costs, in samples: its texts are about half as long.
const itemCost = 0.5

// tale is what became of one seed.
type tale struct {
	verdict  verdict
	early    bool // something was told before the change
	judgeIn  int  // runs after the change until the judge's move was told; −1 never
	systemIn int  // until a fall of the service was told
	firstSay string
	items    int // control items scored
	samples  int
	cleared  bool // the verdict on the judge when the fall was first told
}

// follow decides a seed run by run, as the daemon does.
func follow(seed uint64, t truth, o options) tale {
	w := newWorld(seed, t, o)
	ev := drift.NewEvaluator(config.Drift{MinDrop: 0.02, MinTail: 0.03})
	out := tale{judgeIn: -1, systemIn: -1}
	last := map[string]time.Time{}
	for run := range o.before + o.past {
		rows, tally := w.rows(run)
		ev.Add(drift.History{Rows: rows, Tallies: nil})
		_ = tally
		before := ev.Decide()
		plan := scorer.ControlPlan{Samples: o.perRun, Each: itemCost, Runs: run, Passes: before.ControlPasses(dueOf(run - 2))}
		items := plan.Pick(w.items, last, dueOf(run))
		for _, c := range items {
			last[c.ID] = dueOf(run)
		}
		passes := max(plan.Passes, 1)
		out.items, out.samples = out.items+passes*len(items), out.samples+o.perRun
		for pass := range passes {
			ev.Add(drift.History{Controls: w.controls(run, items, pass)})
		}
		out.hear(ev.Decide(), run, o.before)
	}
	switch {
	case out.judgeIn >= 0 && out.systemIn >= 0:
		out.verdict = toldBoth
	case out.judgeIn >= 0:
		out.verdict = toldJudge
	case out.systemIn >= 0:
		out.verdict = toldSystem
	}
	return out
}

// hear notes what a person would be told after a run: a fall is held back while the judge moved
// and the fall does not stand without it.
func (t *tale) hear(r drift.Result, run, changed int) {
	if len(r.Moves) > 0 && t.judgeIn < 0 {
		t.judgeIn = max(run-changed, 0)
		t.early = t.early || run < changed
	}
	system := slices.IndexFunc(r.Findings, func(f drift.Finding) bool {
		j := f.Evidence.Judge
		return j.Verdict != drift.JudgeMoved || j.Corrected.Stands
	})
	if system >= 0 && t.systemIn < 0 {
		t.systemIn = max(run-changed, 0)
		t.early = t.early || run < changed
		t.firstSay = r.Findings[system].Evidence.Judge.Verdict
	}
}
