package openai

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tidwall/gjson"

	"leadline/config"
	"leadline/price"
	"leadline/scorer"
)

const (
	// flexTimeout is for how long a call in the flex tier may take, by OpenAI's own advice.
	flexTimeout = 15 * time.Minute
	// flexTries is how often flex is tried before the standard tier, where that may be used.
	flexTries = 3
)

// timeoutOf is for how long one call may take.
func timeoutOf(cfg config.Judge) time.Duration {
	timeout := cmp.Or(cfg.Timeout, time.Minute)
	if cfg.ServiceTier == config.Flex {
		return max(timeout, flexTimeout)
	}
	return timeout
}

// tier is the service tier of the tries of one call.
type tier struct {
	name     string
	fallback bool
	full     int // how often flex had no room
}

func tierOf(cfg config.Judge) tier { return tier{name: cfg.ServiceTier, fallback: cfg.FlexFallback} }

// saw notes how a try ended. Flex that has no room says 429 or, at Groq, 498, and costs nothing.
func (t *tier) saw(err error) {
	s, ok := statusOf(err)
	if t.name != config.Flex || !ok || !s.lacksRoom() {
		return
	}
	if t.full++; t.full >= flexTries && t.fallback {
		t.name = string(goopenai.ServiceTierDefault)
	}
}

func (s status) lacksRoom() bool {
	return s.http == 498 || s.http == http.StatusTooManyRequests && s.has("resource_unavailable", "resource unavailable")
}

// prices are what tokens cost; a nil one is not known.
type prices struct{ chat, embedding *price.Price }

func pricesOf(cfg config.Judge) (p prices) {
	if chat, ok := cfg.ChatPrice(); ok {
		p.chat = &chat
	}
	if embedding, ok := cfg.EmbeddingPrice(); ok {
		p.embedding = &embedding
	}
	return p
}

// bill reads what the library does not of what a reply cost, and adds the dollars. The tier
// is the one that the server says it billed; one that says nothing is taken to be dear.
func (a *answer) bill(body []byte, p prices, again bool) {
	u := &a.Usage
	u.CacheWriteTokens = gjson.GetBytes(body, "usage.prompt_tokens_details.cache_write_tokens").Int()
	a.Tier = gjson.GetBytes(body, "service_tier").String()
	if a.Tier == config.Flex {
		u.FlexRequests = 1
	}
	if p.chat != nil {
		u.Dollars = p.chat.Dollars(price.Tokens{Prompt: u.PromptTokens, Cached: u.CachedTokens, CacheWrite: u.CacheWriteTokens, Completion: u.CompletionTokens}, a.Tier)
	}
	if again {
		u.RepairTokens, u.RepairDollars = u.PromptTokens+u.CompletionTokens, u.Dollars
	}
}

// embedded is the usage of a request for vectors.
func (p prices) embedded(tokens int64) scorer.Usage {
	u := scorer.Usage{EmbeddingTokens: tokens}
	if p.embedding != nil {
		u.Dollars = p.embedding.Dollars(price.Tokens{Prompt: tokens}, "")
	}
	return u
}

// Worst is what tokens cost at most, in dollars: nothing cached, and at the standard tier
// where a call may fall back to it. It is nil where a price is not known.
func (j *Judge) Worst() func(scorer.Usage) float64 {
	p := j.prices
	if p.chat == nil || p.embedding == nil {
		return nil
	}
	return func(u scorer.Usage) float64 {
		chat := p.chat.Worst(price.Tokens{Prompt: u.PromptTokens, Completion: u.CompletionTokens}, "")
		return chat + p.embedded(u.EmbeddingTokens).Dollars
	}
}

// PromptTokens is the most that the fixed part of a call takes: instructions, schema, what a
// server puts around them, and the room for hidden thinking.
func (j *Judge) PromptTokens() int64 {
	most := 0
	for _, t := range []task{j.tasks.statements, j.tasks.verdicts, j.tasks.question} {
		most = max(most, tokens(t.prompt)+tokens(string(t.shape)))
	}
	const around = 100
	most += most/4 + around // the count is an estimate
	if effort := j.cfg.ReasoningEffort; j.caps.Load().Thinks || effort != "" && effort != goopenai.ReasoningEffortNone {
		most += thinkingTokens
	}
	return int64(most)
}

type againKey struct{}

// secondTime marks a call that is made because a first reply could not be used.
func secondTime(ctx context.Context) context.Context { return context.WithValue(ctx, againKey{}, true) }

func isSecondTime(ctx context.Context) bool { return ctx.Value(againKey{}) != nil }

// total is what all chat calls took.
type total struct {
	mu  sync.Mutex
	sum scorer.Usage // guarded by mu
}

func (t *total) add(u scorer.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.Add(u)
}

// Tokens is the usage of all chat calls so far, probes included, in tokens and dollars.
func (j *Judge) Tokens() scorer.Usage {
	j.total.mu.Lock()
	defer j.total.mu.Unlock()
	u := j.total.sum
	return scorer.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, Dollars: u.Dollars}
}
