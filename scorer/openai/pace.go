package openai

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"leadline/scorer"
)

// pace decides when a try may start: when the server has not asked to be left alone, the
// minute has room for the request and its tokens, and few enough calls are in flight.
type pace struct {
	slots    *slots // of the server: chat and embeddings may share it
	requests *bucket
	tokens   *bucket

	mu    sync.Mutex // guards until
	until time.Time
}

func newPace(s *slots, requestsPerMinute, tokensPerMinute int) *pace {
	return &pace{slots: s, requests: newBucket(requestsPerMinute), tokens: newBucket(tokensPerMinute)}
}

// enter waits until a try with so many tokens may start. leave is to be told how it went.
func (p *pace) enter(ctx context.Context, tokens int) (leave func(result), err error) {
	if err := p.awake(ctx); err != nil { // or it would wait for a slot only to be told so
		return nil, err
	}
	halved, err := p.slots.enter(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.take(ctx, tokens); err != nil {
		p.slots.leave(halved, false, false)
		return nil, err
	}
	return func(r result) { p.leave(halved, tokens, r) }, nil
}

// take waits for room in the minute. It comes after the slot: what replies say about limits
// holds for all that have not started.
func (p *pace) take(ctx context.Context, tokens int) error {
	if err := p.requests.take(ctx, 1); err != nil {
		return err
	}
	if err := p.tokens.take(ctx, tokens); err != nil {
		return err
	}
	return p.awake(ctx)
}

// result is what a try tells about the server.
type result struct {
	header  http.Header // may be nil
	used    int         // tokens; 0: not said
	ok      bool        // it answered, be it with a refusal
	crowded bool        // it has too much to do
}

func (p *pace) leave(halved, tokens int, r result) {
	// Last: who takes the slot must know what the reply says about limits.
	defer p.slots.leave(halved, r.ok, r.crowded)
	if r.used > 0 {
		p.tokens.spend(r.used - tokens)
	}
	if r.header == nil {
		return
	}
	p.requests.learn(count(r.header, "X-Ratelimit-Limit-Requests"), count(r.header, "X-Ratelimit-Remaining-Requests"))
	p.tokens.learn(count(r.header, "X-Ratelimit-Limit-Tokens"), count(r.header, "X-Ratelimit-Remaining-Tokens"))
	wait := retryAfter(r.header, time.Now())
	if !r.crowded { // nobody was turned away yet, and limits are those of a minute
		wait = min(wait, time.Minute)
	}
	p.hold(wait)
}

// count reads a number of a header; -1 where there is none.
func count(h http.Header, name string) int {
	n, err := strconv.Atoi(h.Get(name))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// hold lets nothing start for a while.
func (p *pace) hold(d time.Duration) {
	until := time.Now().Add(d)
	p.mu.Lock()
	defer p.mu.Unlock()
	if d > 0 && until.After(p.until) {
		p.until = until
	}
}

// left is how long the server still wants no calls.
func (p *pace) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.until)
}

// awake waits while the server wants no calls, but not beyond patience.
func (p *pace) awake(ctx context.Context) error {
	for {
		left := p.left()
		if left <= 0 {
			return ctx.Err()
		}
		if left > patience {
			return &scorer.WaitError{Wait: left.Round(time.Second)}
		}
		if err := sleep(ctx, left); err != nil {
			return err
		}
	}
}
