package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"leadline/drift"
	"leadline/scorer"
	"leadline/server"
)

func (a *app) judgeCommand() *cobra.Command {
	return group("judge", "See whether the judge moved, and change it without starting anew", a.judgeListCommand(), a.judgeBridgeCommand(), a.controlsCommand())
}

func (a *app) judgeListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the judges that scored, and when",
		Args:  takes(),
	}
	form := outputFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.show(c.Context(), *form, func(client *connection) error {
			all, err := client.Judges(c.Context())
			if err != nil {
				return err
			}
			if *form == "json" {
				return writeJSON(a.io.out, all)
			}
			return render(a.io.out, *form, judgeTable(all))
		})
	}
	return c
}

func judgeTable(all []server.JudgeSeries) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"key", "model", "metric", "first run", "last run", "runs", "samples", "bridged", "configured"})
	for _, j := range all {
		configured := ""
		if j.Configured {
			configured = "yes"
		}
		t.AppendRow(table.Row{j.Key, cmp.Or(j.Model, "–"), j.Metric, shortTime(j.First), shortTime(j.Last), j.Runs, j.Samples, j.Bridged, configured})
	}
	return t
}

func (a *app) judgeBridgeCommand() *cobra.Command {
	var q server.BridgeRequest
	var form string
	c := &cobra.Command{
		Use:   "bridge [--from JUDGE] [--to JUDGE]",
		Short: "Score stored answers with the new judge, so that its series have a baseline",
		Long: "Bridge takes a random sample of the stored answers that are in the old judge's baseline and scores them with the\n" +
			"configured judge. It says how far the two judges are apart, and gives the new judge's series that baseline, so that\n" +
			"they need not learn anew. Interrupted, it goes on where it was. JUDGE is a key of judge list, its beginning, or a model.",
		Args: takes(),
	}
	c.Flags().StringVar(&q.From, "from", "", "the old judge (default: the newest other one)")
	c.Flags().StringVar(&q.To, "to", "", "the new judge, which must be the configured one")
	c.Flags().IntVar(&q.Samples, "samples", 0, fmt.Sprintf("how many answers to score again (default: as many as a baseline needs, at most %d)", mostBridged))
	c.Flags().BoolVar(&q.DryRun, "dry-run", false, "say what would be done; the judge is asked at most what its server can do")
	c.Flags().StringVarP(&form, "output", "o", "table", "table or json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case c.Flags().Changed("samples") && q.Samples < 1:
			return exitError{exitUsage, fmt.Errorf("--samples %d: must be 1 or more", q.Samples)}
		case form != "table" && form != "json":
			return exitError{exitUsage, fmt.Errorf("-o %s: must be table or json", form)}
		}
		client, err := a.connect(c.Context())
		if err != nil {
			return err
		}
		defer client.close()
		reply, err := a.bridge(c.Context(), client, q)
		if err != nil {
			return err
		}
		if form == "json" {
			return writeJSON(a.io.out, reply)
		}
		if q.DryRun {
			return a.printf("%s", bridgePlan(reply))
		}
		return printBridge(a.io.out, reply)
	}
	return c
}

// bridge asks for one part after the other until all is done.
func (a *app) bridge(ctx context.Context, client server.Bridger, q server.BridgeRequest) (server.BridgeReply, error) {
	for done := -1; ; {
		reply, err := client.Bridge(ctx, q)
		if err != nil || reply.Finished || q.DryRun {
			return reply, err
		}
		if reply.Done <= done {
			return reply, errors.New("the judge was asked and no answer was kept; see the daemon's log")
		}
		done = reply.Done
		a.progress("bridge    %d of %d %s", reply.Done, reply.Total, basisWord(reply.Basis))
	}
}

func basisWord(basis string) string {
	if basis == drift.BasisControls {
		return "control items scored"
	}
	return "answers scored again"
}

// judgesLine names both judges of a bridge.
func judgesLine(r server.BridgeReply) string {
	name := func(all []server.JudgeSeries) string {
		var keys []string
		for _, j := range all {
			keys = append(keys, j.Key)
		}
		return fmt.Sprintf("%s (%s)", cmp.Or(all[0].Model, "unnamed"), strings.Join(keys, ", "))
	}
	return fmt.Sprintf("from %s to %s\n%s", name(r.From), name(r.To), differences(r))
}

// differences names what makes two judges of the same model two.
func differences(r server.BridgeReply) string {
	var names []string
	for i := range r.From {
		a, b := r.From[i].ID, r.To[i].ID
		if a == nil || b == nil {
			continue
		}
		for _, field := range []struct {
			name  string
			other bool
		}{
			{"model", a.Model != b.Model}, {"endpoint", a.Endpoint != b.Endpoint}, {"prompt", a.Prompt != b.Prompt}, {"sampling", a.Sampling != b.Sampling},
			{"effort", a.Effort != b.Effort}, {"format", a.Format != b.Format}, {"embedding", a.Embedding != b.Embedding},
			{"dimensions", a.Dimensions != b.Dimensions}, {"prefix", a.Prefix != b.Prefix}, {"strictness", a.Strictness != b.Strictness},
		} {
			if field.other && !slices.Contains(names, field.name) {
				names = append(names, field.name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "they differ in " + strings.Join(names, ", ") + "\n"
}

// bridgePlan says what would be done.
func bridgePlan(r server.BridgeReply) string {
	var b strings.Builder
	b.WriteString(judgesLine(r))
	if r.Why != "" {
		fmt.Fprintf(&b, "%s; so the control items are compared, and no baseline is carried over\n", r.Why)
	}
	fmt.Fprintf(&b, "%d %s would be", r.Total-r.Done, strings.TrimSuffix(basisWord(r.Basis), " scored again"))
	if r.Basis == drift.BasisSamples {
		fmt.Fprintf(&b, " scored again, a random sample of the %d that may be", r.Kept)
	}
	if r.Done > 0 {
		fmt.Fprintf(&b, "; %d are already", r.Done)
	}
	b.WriteString("\n")
	if left := int64(r.Total - r.Done); r.TokensEach > 0 && left > 0 && r.Basis == drift.BasisSamples {
		fmt.Fprintf(&b, "about %d tokens, as the old judge took %d for one\n", left*r.TokensEach, r.TokensEach)
	}
	return b.String()
}

// printBridge says what a bridge found and changed.
func printBridge(w io.Writer, r server.BridgeReply) error {
	var b strings.Builder
	b.WriteString(judgesLine(r))
	if r.Why != "" {
		fmt.Fprintf(&b, "%s; the control items were compared, and no baseline could be carried over\n", r.Why)
	}
	for _, one := range r.Results {
		b.WriteString("\n" + strings.Join(bridgeLines(one), "\n") + "\n")
	}
	u := r.Usage
	fmt.Fprintf(&b, "\n%d chat requests, %d prompt and %d completion tokens; %d replies were remembered\n",
		u.ChatRequests, u.PromptTokens, u.CompletionTokens, u.MemoHits)
	for _, i := range r.Open {
		b.WriteString("\n" + openLines(i, r) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func bridgeLines(r server.BridgeResult) []string {
	lines := []string{fmt.Sprintf("%s: %d %s scored by both", r.Metric, r.N, things(r.Bridge))}
	if !r.First.IsZero() {
		lines[0] += fmt.Sprintf(", of the runs %s to %s", shortTime(r.First), shortTime(r.Last))
	}
	if r.Unscored > 0 {
		lines = append(lines, fmt.Sprintf("  not compared %d more, which one of the two gave no score", r.Unscored))
	}
	if r.N < 2 {
		lines = append(lines, "  shift        not known: too few")
	} else {
		lines = append(lines, fmt.Sprintf("  shift        %+.3f (new − old), 95 %%: %+.3f to %+.3f", r.Shift, r.Low, r.High), "  same ruler   "+verdictLine(r.Bridge))
	}
	for _, band := range r.Bands {
		if band.N > 0 {
			lines = append(lines, fmt.Sprintf("  %-12s %d; mean %.3f old, %.3f new; %d stay in the band", band.Name, band.N, band.From, band.To, band.Agree))
		}
	}
	if r.Correlation != nil {
		lines = append(lines, fmt.Sprintf("  correlation  %.2f; a fall of 0.10 under the old judge would have been one of about %.2f under the new", *r.Correlation, *r.Slope/10))
	} else {
		lines = append(lines, "  correlation  not known: too few, or all the same score")
	}
	return append(lines, "  baseline     "+baselineLine(r))
}

func things(b drift.Bridge) string {
	if b.Basis == drift.BasisControls {
		return "control items"
	}
	return "answers"
}

func verdictLine(b drift.Bridge) string {
	switch b.Verdict {
	case drift.RulerSame:
		return fmt.Sprintf("yes, within ±%.2f", drift.SameRuler)
	case drift.RulerDiffers:
		way := "more lenient"
		if b.Shift < 0 {
			way = "stricter"
		}
		return "no: the new judge is " + way
	}
	line := fmt.Sprintf("cannot be told within ±%.2f", drift.SameRuler)
	if b.Basis == drift.BasisSamples && b.N > 1 {
		line += fmt.Sprintf("; if the judges are alike, about --samples %d would show it", b.Enough())
	}
	return line
}

func baselineLine(r server.BridgeResult) string {
	line := "none carried over"
	if r.Carried > 0 {
		line = fmt.Sprintf("%d scores carried over", r.Carried)
	}
	if r.State.Status != "learning" {
		return fmt.Sprintf("%s; the series has %d in all and is not learning", line, r.State.Baseline.N)
	}
	line += fmt.Sprintf("; the series learns for about %d more samples", r.Needed)
	if !r.LearnedBy.IsZero() {
		line += fmt.Sprintf(", until about %s", r.LearnedBy.Format(time.DateOnly))
	}
	return line
}

// openLines say what to do about an incident that only the old judge could end.
func openLines(i server.OpenIncident, r server.BridgeReply) string {
	first := fmt.Sprintf("incident %s (since %s) is of the old judge, which scores no more: it does not end by itself.", i.ID, shortTime(i.Since))
	second := "The new judge's series learn; until then nothing says whether the fall is still there."
	if r.Basis == drift.BasisSamples {
		second = "The new baseline is from before it: a fall that is still there shows in the new judge's series."
	}
	return strings.Join([]string{first, second,
		fmt.Sprintf("Once it is over, close it: leadline baseline accept %s --by NAME. If its level is the new normal, do so now and bridge again.", i.ID)}, "\n")
}

// staleLine is the hint to an incident with a series that only a judge that no longer
// scores could end; empty for others.
func staleLine(st server.Status, open []drift.Series, id string) string {
	live := map[scorer.Metric]string{}
	for _, s := range st.Series {
		live[s.Series.Metric] = s.Series.Judge
	}
	stale := slices.ContainsFunc(open, func(s drift.Series) bool {
		now, scored := live[s.Metric]
		return s.Judge != "" && scored && s.Judge != now
	})
	if !stale {
		return ""
	}
	return fmt.Sprintf("         held open by a judge that scores no more; once the fall is over: leadline baseline accept %s --by NAME"+
		" (leadline judge bridge gives the new judge a baseline to tell by)", id)
}
