package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"leadline/agreement"
	"leadline/bench/goal"
	"leadline/scorer"
)

// print writes Markdown tables.
func (r report) print(w io.Writer) {
	fmt.Fprintf(w, "Judge %s (%s) on %d labeled answers of %s.\n", r.Judge, r.Keys[scorer.Faithfulness], r.Answers, r.Data)
	if r.Standin {
		fmt.Fprint(w, "\nThe stand-in only compares words. Its figures say how far word overlap goes, not how good a judge is: it cannot see\n"+
			"a number swapped, a negation, or anything said in other words.\n")
	}
	fmt.Fprint(w, "\nThe label says of the answer as a whole whether its contexts support it. AUROC: how often an unfaithful answer has the lower\n"+
		"score, ties half (DeLong). *Any*: called unfaithful with any unsupported statement. *Half*: with less than half supported.\n"+
		"In parentheses 95 % intervals.\n\n| answers | scored | unfaithful | AUROC | any: sensitivity | specificity | κ | AC1 | half: sensitivity | specificity | κ | AC1 |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, x := range r.Rows {
		fmt.Fprintf(w, "| %s | %d of %d | %d | %s | %s |\n", x.Name, x.Scored, x.Answers, x.Unfaithful, estimate(x.AUROC), x.Any.cells()+" | "+x.Half.cells())
	}
	if r.Rows[0].Relevancy != nil {
		fmt.Fprint(w, "\nAnswer relevancy, AUROC for answers that are to the point:")
		for _, x := range r.Rows {
			if x.Relevancy != nil {
				fmt.Fprintf(w, " %s %s;", x.Name, estimate(x.Relevancy))
			}
		}
		fmt.Fprintln(w)
	}
	r.printCost(w)
	fmt.Fprint(w, "\n| goal | what | limit | value | se | |\n|---|---|---|---|---|---|\n")
	for _, g := range r.Goals {
		verdict := "missed"
		if g.Pass {
			verdict = "met"
		}
		fmt.Fprintf(w, "| %s | %s | %.2f | %s | %.2g | %s |\n", g.ID, g.What, g.Limit, cell(g.Value), *g.SE, verdict)
	}
}

func (r report) printCost(w io.Writer) {
	for _, m := range scorer.Metrics {
		for _, reason := range slices.Sorted(maps.Keys(r.Unscorable[m])) {
			fmt.Fprintf(w, "\nWithout %s: %d, %s.\n", m, r.Unscorable[m][reason], reason)
		}
	}
	u, n := r.Usage, float64(max(r.Answers, 1))
	fmt.Fprintf(w, "\nCost: %d chat and %d embedding requests; %d prompt (%d cached), %d completion and %d embedding tokens; %.1f requests and %.0f tokens per answer;\n"+
		"%d replies were remembered and cost nothing now.\n", u.ChatRequests, u.EmbeddingRequests, u.PromptTokens, u.CachedTokens, u.CompletionTokens, u.EmbeddingTokens,
		float64(u.ChatRequests+u.EmbeddingRequests)/n, float64(u.Spend().Tokens)/n, u.MemoHits)
}

func (c cut) cells() string {
	return fmt.Sprintf("%s | %s | %s | %s", estimate(c.Sensitivity), estimate(c.Specificity), number(c.Kappa), number(c.AC1))
}

func estimate(e *agreement.Estimate) string {
	if e == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", e.Value, e.Low, e.High)
}

func number(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *v)
}

func cell(v goal.Figure) string {
	if math.IsNaN(float64(v)) {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}
