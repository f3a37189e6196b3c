package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"leadline/bench/goal"
)

// report is everything that was measured.
type report struct {
	Goals []goal.Goal `json:"goals"`
	Runs  []figures   `json:"runs"`
}

// figures are those of one run. Memory is anonymous memory of the daemon (RssAnon), in MiB:
// the pages of the store's file, which the kernel may drop, are not in it.
type figures struct {
	Samples       int     `json:"samples"`
	IdleMiB       float64 `json:"idle_mib"`     // before the judge can be asked
	ScoringMiB    float64 `json:"scoring_mib"`  // at most, until the last score is stored
	DecidingMiB   float64 `json:"deciding_mib"` // at most, after that
	Seconds       float64 `json:"seconds"`
	PerSecond     float64 `json:"samples_per_second"`
	CPUPerSample  float64 `json:"cpu_ms_per_sample"` // of the daemon
	Requests      int     `json:"requests"`
	RequestsLimit float64 `json:"network_limit_samples_per_second"` // in flight ÷ latency ÷ requests per sample
}

const mostMiB = 64

func (r *report) judge(o options) {
	few, many := r.Runs[0], r.Runs[1]
	r.Goals = []goal.Goal{
		goal.AtMost("memory", fmt.Sprintf("anonymous memory while %d samples are scored, MiB", o.samples), mostMiB, many.ScoringMiB),
		goal.AtMost("flat", fmt.Sprintf("that of %d samples over that of %d", o.samples, o.few), 1.5, many.ScoringMiB/few.ScoringMiB),
	}
}

func (r *report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "samples\tidle MiB\tscoring MiB\tdeciding MiB\tseconds\tsamples/s\tnetwork limit\tCPU ms/sample\trequests\t")
	for _, f := range r.Runs {
		fmt.Fprintf(t, "%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%d\t\n", f.Samples, f.IdleMiB, f.ScoringMiB, f.DecidingMiB,
			f.Seconds, f.PerSecond, f.RequestsLimit, f.CPUPerSample, f.Requests)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, g := range r.Goals {
		word := "met"
		if !g.Pass {
			word = "MISSED"
		}
		if _, err := fmt.Fprintf(w, "%-7s %s: %.1f, limit %.1f\n", word, g.What, g.Value, g.Limit); err != nil {
			return err
		}
	}
	return nil
}
