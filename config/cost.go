package config

import (
	"cmp"
	"net/url"
	"strconv"

	"leadline/price"
)

// Budget limits what the judge and its embedding model take, per UTC day and month. 0 means
// no limit.
type Budget struct {
	TokensPerDay    int64   `yaml:"tokens_per_day"` // prompt plus completion plus embedding tokens
	TokensPerMonth  int64   `yaml:"tokens_per_month"`
	DollarsPerDay   float64 `yaml:"dollars_per_day"`
	DollarsPerMonth float64 `yaml:"dollars_per_month"`
}

// Prices are what a million tokens cost, in US dollars, instead of the list price. Where
// Cached or CacheWrite is missing it is Prompt; a missing Embedding is looked up in the list.
type Prices struct {
	Prompt     *float64 `yaml:"prompt" jsonschema:"nullable"`
	Cached     *float64 `yaml:"cached" jsonschema:"nullable"`
	CacheWrite *float64 `yaml:"cache_write" jsonschema:"nullable"`
	Completion *float64 `yaml:"completion" jsonschema:"nullable"`
	Embedding  *float64 `yaml:"embedding" jsonschema:"nullable"`
}

// Limits is the budget in force, with the older name of its first limit.
func (j Judge) Limits() Budget {
	b := j.Budget
	b.TokensPerDay = cmp.Or(b.TokensPerDay, j.TokensPerDay)
	return b
}

// Flex is the service tier that costs half and waits; priority is dearer.
const (
	Flex     = "flex"
	priority = "priority"
)

// ownPrices is the source of prices that the file sets.
const ownPrices = "judge.prices"

// ChatPrice is what the judge's tokens cost; ok is false where nobody says.
func (j Judge) ChatPrice() (p price.Price, ok bool) {
	p, ok = price.Chat(j.Model, hostname(j.BaseURL))
	if j.ServiceTier == priority {
		p, ok = price.Price{}, false // it costs more than the list says
	}
	own := j.Prices
	if own.Prompt == nil || own.Completion == nil {
		return p, ok
	}
	// The tiers that cost half stay those of the list: a price of one's own does not change them.
	mine := price.Price{Prompt: *own.Prompt, Completion: *own.Completion, Half: p.Half, Source: ownPrices}
	mine.Cached, mine.CacheWrite = mine.Prompt, mine.Prompt
	if own.Cached != nil {
		mine.Cached = *own.Cached
	}
	if own.CacheWrite != nil {
		mine.CacheWrite = *own.CacheWrite
	}
	return mine, true
}

// EmbeddingPrice is what embedding tokens cost. They cost nothing where there is no model.
func (j Judge) EmbeddingPrice() (p price.Price, ok bool) {
	e := j.Embeddings
	switch {
	case e.Model == "":
		return price.Price{}, true
	case j.Prices.Embedding != nil:
		return price.Price{Prompt: *j.Prices.Embedding, Source: ownPrices}, true
	}
	return price.Embedding(e.Model, hostname(cmp.Or(e.BaseURL, j.BaseURL)))
}

// Priced says whether all that the judge takes has a price.
func (j Judge) Priced() bool {
	_, chat := j.ChatPrice()
	_, embedding := j.EmbeddingPrice()
	return chat && embedding
}

func hostname(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func checkCost(j Judge, d *decoder) {
	b := j.Budget
	between(d, "judge.budget.tokens_per_day", b.TokensPerDay, 0, 1e12)
	between(d, "judge.budget.tokens_per_month", b.TokensPerMonth, 0, 1e13)
	between(d, "judge.budget.dollars_per_day", b.DollarsPerDay, 0, 1e6)
	between(d, "judge.budget.dollars_per_month", b.DollarsPerMonth, 0, 1e7)
	checkDays(d, "tokens", float64(j.Limits().TokensPerDay), float64(b.TokensPerMonth))
	checkDays(d, "dollars", b.DollarsPerDay, b.DollarsPerMonth)
	if b.TokensPerDay != 0 && j.TokensPerDay != 0 {
		d.bad("judge.tokens_per_day", "is the older name of judge.budget.tokens_per_day, which is set too; keep that one")
	}
	for _, p := range []struct {
		name  string
		value *float64
	}{{"prompt", j.Prices.Prompt}, {"cached", j.Prices.Cached}, {"cache_write", j.Prices.CacheWrite}, {"completion", j.Prices.Completion}, {"embedding", j.Prices.Embedding}} {
		if p.value != nil {
			between(d, "judge.prices."+p.name, *p.value, 0, 1e5)
		}
	}
	own := j.Prices
	if (own.Prompt == nil) != (own.Completion == nil) || own.Prompt == nil && (own.Cached != nil || own.CacheWrite != nil) {
		d.bad("judge.prices", "needs both prompt and completion, in dollars per million tokens")
		return
	}
	if own.Cached != nil && own.Prompt != nil && *own.Cached > *own.Prompt {
		d.bad("judge.prices.cached", "is more than judge.prices.prompt, %g: what a server has kept costs no more than what it reads anew; are the two swapped?", *own.Prompt)
	}
	checkDollars(j, d)
	if j.FlexFallback && j.ServiceTier != Flex {
		d.bad("judge.flex_fallback", "has no use without judge.service_tier: flex; set that, or remove the line")
	}
}

// checkDays refuses a day's limit that the month's never lets it reach.
func checkDays(d *decoder, unit string, day, month float64) {
	if month > 0 && day > month {
		d.bad("judge.budget."+unit+"_per_day", "is more than judge.budget.%s_per_month, %s, and limits nothing; lower it, or remove the line", unit, strconv.FormatFloat(month, 'f', -1, 64))
	}
}

// checkDollars refuses a limit that could not be held.
func checkDollars(j Judge, d *decoder) {
	path := ""
	switch {
	case j.Budget.DollarsPerDay > 0:
		path = "judge.budget.dollars_per_day"
	case j.Budget.DollarsPerMonth > 0:
		path = "judge.budget.dollars_per_month"
	}
	if path == "" || j.Model == "" {
		return
	}
	if _, ok := j.ChatPrice(); !ok {
		d.bad(path, "cannot be held: no price is known of %q; set judge.prices.prompt and judge.prices.completion (dollars per million tokens), or limit tokens instead", j.Model)
		return
	}
	if _, ok := j.EmbeddingPrice(); !ok {
		d.bad(path, "cannot be held: no price is known of the embedding model %q; set judge.prices.embedding (dollars per million tokens, 0 where it costs nothing), or limit tokens instead", j.Embeddings.Model)
	}
}
