package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
)

// report is all that was measured.
type report struct {
	Seeds  int      `json:"seeds"`
	PerRun int      `json:"per_run"`
	Rows   []row    `json:"rows"`
	Cost   []figure `json:"-"`
	Share  figure   `json:"control_share"`
	Goals  []goal   `json:"goals"`
}

// row is one truth and what was told of it.
type row struct {
	Truth    string           `json:"truth"`
	Want     string           `json:"want"`
	Told     map[string]share `json:"told"`
	Early    share            `json:"before_the_change"`
	JudgeIn  figure           `json:"judge_median_runs"`
	SystemIn figure           `json:"system_median_runs"`
	Wins     share            `json:"judge_no_later_than_system"`
	FirstSay map[string]int   `json:"first_verdict_on_the_judge"`
	Cost     figure           `json:"control_share"`
	counts   [verdicts]int
}

func measure(o options) (report, error) {
	r := report{Seeds: o.seeds, PerRun: o.perRun}
	for _, t := range truths() {
		r.Rows = append(r.Rows, count(t, all(t, o)))
	}
	r.Share = r.Rows[0].Cost
	r.Goals = goals(r)
	return r, nil
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
	r := row{Truth: t.name, Want: t.want.String(), Told: map[string]share{}, FirstSay: map[string]int{}}
	items, samples, early, wins := 0, 0, 0, 0
	var judgeIn, systemIn []int
	for _, x := range tales {
		r.counts[x.verdict]++
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
			r.FirstSay[x.firstSay]++
		}
	}
	for v := range verdicts {
		r.Told[v.String()] = shareOf(r.counts[v], len(tales))
	}
	r.Early, r.Wins = shareOf(early, len(tales)), shareOf(wins, len(tales))
	r.JudgeIn, r.SystemIn = median(judgeIn), median(systemIn)
	spent := float64(items) * itemCost
	r.Cost = figure(spent / float64(samples))
	return r
}

func goals(r report) []goal {
	var out []goal
	for _, row := range r.Rows {
		for v := range verdicts {
			if v.String() != row.Want {
				s := row.Told[v.String()]
				out = append(out, atMost("T-"+row.Truth+"-"+v.String(), fmt.Sprintf("%s told as %s", row.Truth, v), 0.05, s.Share, s.SE))
			}
		}
		out = append(out, atMost("C-"+row.Truth, "controls' share of the judge's cost: "+row.Truth, 0.10, row.Cost, 0))
	}
	return out
}

func median(xs []int) figure {
	if len(xs) == 0 {
		return unknown
	}
	slices.Sort(xs)
	return figure(xs[len(xs)/2])
}

func (r report) print(w io.Writer) {
	fmt.Fprintf(w, "%d seeds, %d answers a run\n\n%-16s", r.Seeds, r.PerRun, "truth \\ told")
	for v := range verdicts {
		fmt.Fprintf(w, "%10s", v)
	}
	fmt.Fprintf(w, "%8s%8s%8s%8s%8s  %s\n", "early", "judge", "system", "wins", "cost", "of the judge, when the fall was told")
	for _, x := range r.Rows {
		fmt.Fprintf(w, "%-16s", x.Truth)
		for v := range verdicts {
			fmt.Fprintf(w, "%9.1f%%", 100*float64(x.Told[v.String()].Share))
		}
		fmt.Fprintf(w, "%7.1f%%%8.0f%8.0f%7.1f%%%7.1f%%  %v\n", 100*float64(x.Early.Share), float64(x.JudgeIn), float64(x.SystemIn), 100*float64(x.Wins.Share), 100*float64(x.Cost), x.FirstSay)
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
