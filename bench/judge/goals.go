package main

import (
	"math"

	"leadline/bench/goal"
)

// expected is the AUROC that comparing words alone was measured to have per source of the
// project's data, before there was a stand-in: what the stand-in is held to.
func expected() map[string]float64 {
	return map[string]float64{"mtrag": 0.95, "begin-wow": 0.94, "attributedqa": 0.78, "hagrid": 0.66, "summedits": 0.45, "jaquad": 0.82, "jsquad": 0.70, "jnli": 0.63}
}

// goals of a judge model are ours: no publication says what is enough for a monitor.
func (b *bench) goals(r report) []goal.Goal {
	byName := map[string]row{}
	for _, x := range r.Rows {
		byName[x.Name] = x
	}
	all := byName["all"]
	coverage := float64(all.Scored) / float64(max(all.Answers, 1))
	goals := []goal.Goal{goal.AtLeast("J1", "share of answers with a faithfulness", 0.98, coverage, 0)}
	if b.standin {
		for _, x := range r.Rows {
			if limit, ok := expected()[x.Name]; ok {
				goals = append(goals, auroc("W "+x.Name, x, limit))
			}
		}
		return goals
	}
	goals = append(goals, auroc("J2", byName["labeled by people"], 0.80))
	for _, language := range []string{"en", "ja"} {
		if x, ok := byName[language]; ok {
			goals = append(goals, auroc("J3 "+language, x, 0.80))
		}
	}
	sensitivity, specificity := all.Any.Sensitivity, all.Any.Specificity
	if sensitivity != nil && specificity != nil {
		goals = append(goals,
			goal.AtLeast("J4", "sensitivity, any statement unsupported", 0.75, sensitivity.Value, (sensitivity.High-sensitivity.Low)/4),
			goal.AtLeast("J5", "specificity, any statement unsupported", 0.75, specificity.Value, (specificity.High-specificity.Low)/4))
	}
	return goals
}

// auroc holds a group to a limit; its standard error is a quarter of the interval.
func auroc(id string, x row, limit float64) goal.Goal {
	if x.AUROC == nil {
		return goal.AtLeast(id, "AUROC, "+x.Name, limit, math.NaN(), 0)
	}
	return goal.AtLeast(id, "AUROC, "+x.Name, limit, x.AUROC.Value, (x.AUROC.High-x.AUROC.Low)/4)
}
