package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"leadline/bench/goal"
)

// report is all that was measured.
type report struct {
	Seeds  int         `json:"seeds"`
	PerRun int         `json:"per_run"`
	Rows   []row       `json:"rows"`
	Share  figure      `json:"control_share"`
	Goals  []goal.Goal `json:"goals"`
}

// row is one truth and what was told of it.
type row struct {
	Truth    string           `json:"truth"`
	Want     string           `json:"want"`
	First    map[string]share `json:"first"` // by the first message
	Told     map[string]share `json:"told"`  // at the end
	Early    share            `json:"before_the_change"`
	JudgeIn  figure           `json:"judge_median_runs"`
	SystemIn figure           `json:"system_median_runs"`
	Wins     share            `json:"judge_no_later_than_system"`
	Cost     figure           `json:"control_share"`
	counts   [2][verdicts]int
	small    bool
}

func measure(o options) report {
	r := report{Seeds: o.seeds, PerRun: o.perRun}
	for _, t := range truths() {
		r.Rows = append(r.Rows, count(t, all(t, o)))
	}
	r.Share = r.Rows[0].Cost
	r.Goals = goals(r)
	return r
}

// all follows every seed, on all cores.
func all(t truth, o options) []tale {
	out := make([]tale, o.seeds)
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for n := range next {
				out[n] = follow(uint64(n)+1, t, o)
			}
		})
	}
	for n := range out {
		next <- n
	}
	close(next)
	group.Wait()
	return out
}

func count(t truth, tales []tale) row {
	r := row{Truth: t.name, Want: t.want.String(), First: map[string]share{}, Told: map[string]share{}, small: t.small}
	items, samples, early, wins := 0, 0, 0, 0
	var judgeIn, systemIn []int
	for _, x := range tales {
		r.counts[0][x.first]++
		r.counts[1][x.last]++
		items, samples = items+x.items, samples+x.samples
		if x.early {
			early++
		}
		if x.judgeIn >= 0 {
			judgeIn = append(judgeIn, x.judgeIn)
			if x.systemIn < 0 || x.judgeIn <= x.systemIn {
				wins++
			}
		}
		if x.systemIn >= 0 {
			systemIn = append(systemIn, x.systemIn)
		}
	}
	for v := range verdicts {
		r.First[v.String()] = goal.ShareOf(r.counts[0][v], len(tales))
		r.Told[v.String()] = goal.ShareOf(r.counts[1][v], len(tales))
	}
	r.Early, r.Wins = goal.ShareOf(early, len(tales)), goal.ShareOf(wins, len(tales))
	r.JudgeIn, r.SystemIn = median(judgeIn), median(systemIn)
	spent := float64(items) * itemCost
	r.Cost = figure(spent / float64(samples))
	return r
}

// goals: each verdict that is not the truth is told of at most 5 % of the seeds, at the end;
// a judge that moved is at first taken for the service, with the judge cleared, in at most 5 %.
// That the judge cannot be excluded is no verdict, and is held against nothing but itself.
func goals(r report) []goal.Goal {
	var out []goal.Goal
	for _, row := range r.Rows {
		if row.small {
			continue
		}
		for v := range verdicts {
			s := row.Told[v.String()]
			switch {
			case v.String() == row.Want:
			case v == toldOpen:
				out = append(out, goal.AtMost("undetermined: "+row.Truth, row.Truth+" not told from the judge at the end", 0.20, s.Share, s.SE))
			default:
				out = append(out, goal.AtMost("confusion: "+row.Truth+", "+v.String(), fmt.Sprintf("%s told as %s at the end", row.Truth, v), 0.05, s.Share, s.SE))
			}
		}
		if row.Want == toldJudge.String() {
			s := row.First[toldSystem.String()]
			out = append(out, goal.AtMost("first: "+row.Truth, row.Truth+" told as the service at first, with the judge cleared", 0.05, s.Share, s.SE))
		}
		out = append(out, goal.AtMost("cost: "+row.Truth, "controls' share of the judge's cost: "+row.Truth, 0.10, row.Cost, 0))
	}
	return out
}

func median(xs []int) figure {
	if len(xs) == 0 {
		return unknown()
	}
	slices.Sort(xs)
	return figure(xs[len(xs)/2])
}

func (r report) print(w io.Writer) {
	fmt.Fprintf(w, "%d seeds, %d answers a run\n", r.Seeds, r.PerRun)
	for n, title := range []string{"first message", "at the end"} {
		fmt.Fprintf(w, "\n%-18s", title)
		for v := range verdicts {
			fmt.Fprintf(w, "%14s", v)
		}
		fmt.Fprintln(w)
		for _, x := range r.Rows {
			fmt.Fprintf(w, "%-18s", x.Truth)
			for v := range verdicts {
				fmt.Fprintf(w, "%12.1f %%", 100*float64([]map[string]share{x.First, x.Told}[n][v.String()].Share))
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintf(w, "\n%-18s%16s%14s%14s%20s%14s\n", "", "before change", "judge, runs", "system, runs", "judge no later", "cost share")
	for _, x := range r.Rows {
		fmt.Fprintf(w, "%-18s%14.1f %%%14s%14s%18.1f %%%12.1f %%\n", x.Truth, 100*float64(x.Early.Share), cell(x.JudgeIn), cell(x.SystemIn), 100*float64(x.Wins.Share), 100*float64(x.Cost))
	}
	missed := 0
	for _, g := range r.Goals {
		if !g.Pass {
			missed++
			fmt.Fprintf(w, "missed: %s: %.3f, limit %.3f\n", g.What, float64(g.Value), float64(g.Limit))
		}
	}
	fmt.Fprintf(w, "%d of %d goals missed\n", missed, len(r.Goals))
}
