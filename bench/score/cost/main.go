// Command cost reckons what Leadline's judge calls cost beside Ragas 0.4.3's, at list prices,
// over real labeled answers. Leadline's requests are counted as they are sent; Ragas's by the
// measured lengths of its prompts (ragas.go), so that it runs without Python.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"leadline/bench/answers"
	"leadline/bench/goal"
	"leadline/bench/score/o200k"
	"leadline/price"
	"leadline/sampler"
)

// perRun is how many samples a run has: the default of sample.per_run.
const perRun = 60

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := start(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("cost", flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print one JSON object instead of tables")
	quick := flags.Bool("quick", false, "the tier for continuous integration: 60 records")
	n := flags.Int("n", 300, "how many `records`")
	data := flags.String("data", "../shared/data", "the `folder` of labeled answers")
	prompts := flags.String("prompts", "v2", "the version of the prompts")
	model := flags.String("model", "gpt-6-luna", "the judge whose list price is taken")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *quick {
		*n = min(*n, perRun)
	}
	r, err := measure(ctx, *data, *model, *prompts, *n)
	if err != nil {
		return err
	}
	if !*asJSON {
		return r.print(stdout)
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// report is all that was reckoned. Dollars are per 1,000 samples.
type report struct {
	Records  int            `json:"records"`
	Model    string         `json:"model"`
	Price    price.Price    `json:"price"`
	Leadline side           `json:"leadline"`
	Ragas    side           `json:"ragas"`
	Ways     []way          `json:"ways"`
	Goals    []goal.Goal    `json:"goals"`
	Prefix   map[string]int `json:"prompt_tokens"` // of each prompt with its schema
}

// side is what a sample takes on average.
type side struct {
	ChatRequests      float64 `json:"chat_requests"`
	EmbeddingRequests float64 `json:"embedding_requests"`
	Prompt            float64 `json:"prompt_tokens"`
	Completion        float64 `json:"completion_tokens"`
}

// way is a way to pay, and its part of what Ragas costs at the list price.
type way struct {
	ID      string  `json:"id"`
	What    string  `json:"what"`
	Dollars float64 `json:"dollars"`
	Ratio   float64 `json:"ratio"`
}

// cachedPrompts are those that are long enough to be kept, where the version has them.
func cachedPrompts(version string) string {
	if version == "v2" {
		return "v2-long"
	}
	return version
}

func measure(ctx context.Context, data, model, prompts string, n int) (report, error) {
	p, ok := price.Chat(model, "")
	if !ok {
		return report{}, fmt.Errorf("no list price is known of %s", model)
	}
	count, err := o200k.NewCounter()
	if err != nil {
		return report{}, err
	}
	records, err := answers.InTurn(data, n)
	if err != nil {
		return report{}, err
	}
	samples := make([]sampler.Sample, len(records))
	for i, r := range records {
		samples[i] = r.Sample()
	}
	sent, err := capture(ctx, samples, model, prompts, count)
	if err != nil {
		return report{}, err
	}
	kept, err := capture(ctx, samples, model, cachedPrompts(prompts), count)
	if err != nil {
		return report{}, err
	}
	theirs := ragasOf(samples, sent, count)
	r := report{Records: len(samples), Model: model, Price: p, Prefix: kept.prefix}
	per := 1 / float64(len(samples))
	r.Leadline = side{float64(len(sent.calls)) * per, float64(sent.embeddings) * per, float64(sent.tokens(false).Prompt) * per, float64(sent.tokens(false).Completion) * per}
	r.Ragas = side{5, 2, float64(theirs.full.Prompt) * per, float64(theirs.full.Completion) * per}
	base := p.Dollars(theirs.full, "") * 1000 * per
	add := func(id, what string, t price.Tokens, tier string) float64 {
		dollars := p.Dollars(t, tier) * 1000 * per
		r.Ways = append(r.Ways, way{id, what, dollars, dollars / base})
		return dollars / base
	}
	add("ragas", "Ragas 0.4.3", theirs.full, "")
	list := add("list", "Leadline, one request for three questions", sent.tokens(false), "")
	half := add("half", "the same at half price (flex)", sent.tokens(false), "flex")
	add("cache", "with more examples, the prompts in the server's cache: what is sent by default where it is told what to keep", kept.tokens(true), "")
	cached := add("cache_half", "the same at half price", kept.tokens(true), "flex")
	short := add("ragas_length_half", "prompts as long as Ragas's, one request for three questions, half price", theirs.once, "flex")
	r.Goals = []goal.Goal{
		goal.AtMost("cost_list", "cost at the list price, as a share of Ragas's", 0.80, list),
		goal.AtMost("cost_half", "cost at half price", 0.45, half),
		goal.AtMost("cost_cache_half", "cost at half price with an explicit cache", 0.25, cached),
		goal.AtMost("cost_ragas_length_half", "cost at half price with prompts as long as Ragas's", 0.45, short),
		goal.AtMost("embedding_requests", "embedding requests per sample, in runs of 60", 0.05, r.Leadline.EmbeddingRequests),
	}
	return r, nil
}

func (r report) print(out io.Writer) error {
	fmt.Fprintf(out, "%d records, %s at $%g / $%g / $%g / $%g per million tokens (prompt, cached, cache write, completion; %s, %s)\n\n",
		r.Records, r.Model, r.Price.Prompt, r.Price.Cached, r.Price.CacheWrite, r.Price.Completion, r.Price.Source, r.Price.Date)
	fmt.Fprintf(out, "| per sample | Leadline | Ragas |\n|---|---|---|\n| chat requests | %.3f | %.2f |\n| embedding requests | %.3f | %.2f |\n| prompt tokens | %.0f | %.0f |\n| completion tokens | %.0f | %.0f |\n\n",
		r.Leadline.ChatRequests, r.Ragas.ChatRequests, r.Leadline.EmbeddingRequests, r.Ragas.EmbeddingRequests, r.Leadline.Prompt, r.Ragas.Prompt, r.Leadline.Completion, r.Ragas.Completion)
	fmt.Fprintf(out, "| per 1,000 samples | dollars | of Ragas's |\n|---|---|---|\n")
	for _, w := range r.Ways {
		fmt.Fprintf(out, "| %s | %.3f | %.2f |\n", w.What, w.Dollars, w.Ratio)
	}
	fmt.Fprintf(out, "\n| goal | limit | value | |\n|---|---|---|---|\n")
	for _, g := range r.Goals {
		verdict := "met"
		if !g.Pass {
			verdict = "**missed**"
		}
		if _, err := fmt.Fprintf(out, "| %s | %.4g | %.4g | %s |\n", g.What, g.Limit, g.Value, verdict); err != nil {
			return err
		}
	}
	return nil
}
