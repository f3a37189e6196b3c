package main

import (
	"fmt"
	"slices"

	"leadline/bench/goal"
)

// young is the shape of the main comparison: 300 reference scores, 50 a run.
func young() shape { return shape{reference: 6, size: 50} }

// quietRuns pass between the reference and the change.
const quietRuns = 20

// delays compares everyone on the fourteen scenarios.
func (b *bench) delays() error {
	var pages []paged
	b.report.Delays, pages = b.fourteen(young(), quietRuns, b.rivals())
	b.report.Delays = append(b.report.Delays, b.imported...)
	b.ratioGoals()
	b.intervals(pages)
	return nil
}

// mature compares with the oracle when the baseline has 3,500 scores at the change.
func (b *bench) mature() error {
	few := slices.DeleteFunc(b.rivals(), func(p peer) bool { return p.name != "ADWIN" && p.name != "Page-Hinkley" })
	b.report.Mature, _ = b.fourteen(shape{reference: 10, size: 50}, 60, few)
	t := tableOf(b.report.Mature)
	for _, m := range matches() {
		r := t.ratioTo(m.ours, oracleName, m.their, scenarios())
		b.goal(goal.AtMost("delay-oracle-3500/"+m.ours, "delay over the oracle's, 3,500 baseline scores, "+m.saying, 1.15, r.Geometric, r.SE))
	}
	return nil
}

// rivals are the peers of this tier.
func (b *bench) rivals() []peer {
	all := peers()
	if !b.quick {
		return all
	}
	return slices.DeleteFunc(all, func(p peer) bool {
		return !slices.Contains([]string{"ADWIN", "Page-Hinkley", "0.03 rule"}, p.name)
	})
}

// paged is a scenario and our pages in it.
type paged struct {
	trial
	pages []page
}

// fourteen runs all scenarios: limits first, from healthy streams of each law.
func (b *bench) fourteen(cut shape, quiet int, others []peer) (outcomes []outcome, pages []paged) {
	fields := map[string]field{}
	for _, n := range []named{scenarios()[0].healthy, scenarios()[8].healthy} {
		all := slices.Clone(others)
		for _, s := range scenarios() {
			if s.healthy.name == n.name {
				all = append(all, oracleIn(s))
			}
		}
		fields[n.name] = calibrate(n.law, cut, b.n.Healthy, all)
		b.say("limits for %s from %d healthy streams", n.name, b.n.Healthy)
	}
	for i, s := range scenarios() {
		t := trial{s, seedChange + uint64(i), cut, quiet, b.n.Change}
		got, p := t.compete(fields[s.healthy.name].without(oracleName+" ", s))
		outcomes = append(outcomes, got...)
		pages = append(pages, paged{t, p})
		b.say("%s: %d streams", s.name, b.n.Change)
	}
	return outcomes, pages
}

// oracleIn is the oracle of a scenario under a name of its own, so that the limits of all
// can be set on the same streams.
func oracleIn(s scenario) peer {
	p := oracleFor(s)
	p.name += " " + s.name
	return p
}

// without leaves out the oracles of other scenarios, and gives that of this one its name.
func (f field) without(prefix string, s scenario) field {
	out := field{settings: f.settings}
	for _, r := range f.rivals {
		switch {
		case r.name == prefix+s.name:
			r.name = oracleName
		case len(r.name) > len(prefix) && r.name[:len(prefix)] == prefix:
			continue
		}
		out.rivals = append(out.rivals, r)
	}
	return out
}

// match is a fair comparison: ours and theirs at the same rate of false alarms.
type match struct{ ours, their, saying string }

func matches() []match {
	return []match{
		{asPublished, ourRate, "Leadline as shipped, the other's limit at the rate that it then has"},
		{equalRate, equalRate, "both with 10 % false alarms"},
	}
}

func (b *bench) ratioGoals() {
	t := tableOf(b.report.Delays)
	goals := []struct {
		other string
		limit float64
	}{{"ADWIN", 0.70}, {"Page-Hinkley", 0.65}, {"0.03 rule", 0.35}, {oracleName, 1.35}}
	for _, m := range matches() {
		for _, g := range goals {
			r := t.ratioTo(m.ours, g.other, m.their, scenarios())
			b.goal(goal.AtMost(fmt.Sprintf("delay-%s/%s", g.other, m.ours), fmt.Sprintf("delay over that of %s, %s", g.other, m.saying), g.limit, r.Geometric, r.SE))
		}
		d := t.duels(m.ours, m.their, scenarios())
		b.report.Duels = append(b.report.Duels, d...)
		b.goal(goal.AtMost("delay-best/"+m.ours, fmt.Sprintf("delay over that of the best other, %s, worst scenario: %s against %s",
			m.saying, d[0].Scenario, d[0].Best), 1.35, d[0].Ratio, d[0].SE))
	}
	b.report.Ratios = t.ratios()
}

// ratios returns the ratios to every other detector: the fair ones, and ours as shipped
// against theirs as published.
func (t table) ratios() []ratio {
	var names []string
	for key := range t {
		if key[0] != ourName && !slices.Contains(names, key[0]) {
			names = append(names, key[0])
		}
	}
	slices.Sort(names)
	var out []ratio
	for _, name := range names {
		for _, m := range append(matches(), match{asPublished, asPublished, ""}) {
			if r := t.ratioTo(m.ours, name, m.their, scenarios()); r.Scenarios > 0 {
				out = append(out, r)
			}
		}
	}
	return out
}
