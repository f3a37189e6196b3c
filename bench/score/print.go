package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// print writes Markdown tables.
func (r report) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d records, at most %d requests in flight; ", r.Records, r.InFlight)
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		fmt.Fprintf(&b, "%s %s, ", name, r.Versions[name])
	}
	b.WriteString("endpoint: word overlap\n")
	if c := r.Parity; c != nil {
		fmt.Fprintf(&b, "\n## Scores\n\n| of %d records | faithfulness | answer relevancy |\n|---|---|---|\n", r.Records)
		for _, what := range []string{same, noStatements, ragasFailed, wrongScript, different} {
			fmt.Fprintf(&b, "| %s | %d | %d |\n", what, c.Parity.Faithfulness[what], c.Parity.Relevancy[what])
		}
		fmt.Fprintf(&b, "\nLargest difference of two relevancies: %.2g.\n\n## Per sample\n", c.Parity.LargestApart)
		c.printTraffic(&b, float64(r.Records))
	}
	if c := r.Speed; c != nil {
		fmt.Fprintf(&b, "\n## Speed, endpoint answers after %s\n\n| | Leadline | Ragas | ratio |\n|---|---|---|---|\n", r.Latency)
		n, us, them := float64(r.Records), c.Leadline.Usage, c.Ragas.Usage
		row(&b, "samples per second", n/us.Wall, n/them.Wall)
		row(&b, "processor time per sample, ms", 1000*us.CPU/n, 1000*them.CPU/n)
		row(&b, "largest resident memory, MiB", float64(us.MaxRSS)/1024, float64(them.MaxRSS)/1024)
		row(&b, "most requests in flight", float64(c.Leadline.Traffic.MostInFlight), float64(c.Ragas.Traffic.MostInFlight))
	}
	fmt.Fprintf(&b, "\n## Goals\n\n| goal | limit | value | |\n|---|---|---|---|\n")
	for _, g := range r.Goals {
		verdict := "met"
		if !g.Pass {
			verdict = "**missed**"
		}
		fmt.Fprintf(&b, "| %s | %.3g | %.3g | %s |\n", g.What, g.Limit, g.Value, verdict)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (c *comparison) printTraffic(b *strings.Builder, n float64) {
	fmt.Fprintf(b, "\n| | Leadline | Ragas | ratio |\n|---|---|---|---|\n")
	us, them := c.Leadline.Traffic, c.Ragas.Traffic
	row(b, "chat requests", float64(us.ChatRequests)/n, float64(them.ChatRequests)/n)
	row(b, "embedding requests", float64(us.EmbeddingRequests)/n, float64(them.EmbeddingRequests)/n)
	row(b, "prompt tokens", float64(us.PromptTokens)/n, float64(them.PromptTokens)/n)
	row(b, "completion tokens", float64(us.CompletionTokens)/n, float64(them.CompletionTokens)/n)
	row(b, "embedding tokens", float64(us.EmbeddingTokens)/n, float64(them.EmbeddingTokens)/n)
}

func row(b *strings.Builder, what string, ours, theirs float64) {
	fmt.Fprintf(b, "| %s | %.3g | %.3g | %.3g |\n", what, ours, theirs, ours/theirs)
}
