package openai

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// burstsPerMinute: a bucket holds a tenth of a minute's worth. Servers often count over
// less than a minute, and a full bucket comes on top of the first minute.
const burstsPerMinute = 10

// bucket spreads requests or tokens over each minute.
type bucket struct {
	configured int           // per minute; 0: no limit of ours
	turn       chan struct{} // size 1: held by who looks whether there is enough

	mu      sync.Mutex // guards current
	current int        // per minute; 0: none known
	limiter *rate.Limiter
}

func newBucket(perMinute int) *bucket {
	b := &bucket{configured: perMinute, turn: make(chan struct{}, 1), limiter: rate.NewLimiter(rate.Inf, 0)}
	b.set(perMinute)
	return b
}

// set changes the limit; 0 means none.
func (b *bucket) set(perMinute int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if perMinute == b.current {
		return
	}
	b.current = perMinute
	b.limiter.SetBurst(max(perMinute/burstsPerMinute, 1))
	b.limiter.SetLimit(rate.Limit(float64(perMinute) / 60))
}

// take waits until n may be used. More than the bucket holds is owed by those who come next,
// so that a large request is never refused.
func (b *bucket) take(ctx context.Context, n int) error {
	select { // one looks at a time: what others give back is for who came first
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.turn }()
	for b.limiter.Limit() != rate.Inf {
		missing := float64(min(n, b.limiter.Burst())) - b.limiter.Tokens()
		if missing <= 0 {
			b.spend(n)
			return ctx.Err()
		}
		// Not for long: the limit may change meanwhile, or something may be given back.
		wait := time.Duration(missing / float64(b.limiter.Limit()) * float64(time.Second))
		if err := sleep(ctx, min(max(wait, time.Millisecond), time.Second)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// spend takes n out of the bucket, be there so much or not. Below 0 it gives back, up to
// what the bucket holds.
func (b *bucket) spend(n int) {
	for n != 0 && b.limiter.Limit() != rate.Inf {
		part := min(n, max(b.limiter.Burst(), 1))
		b.limiter.ReserveN(time.Now(), part)
		n -= part
	}
}

// learn takes what a server says of its own limit; below 0: it said nothing. Ours is never
// exceeded.
func (b *bucket) learn(limit, remaining int) {
	switch {
	case limit <= 0:
	case b.configured == 0:
		b.set(limit)
	default:
		b.set(min(limit, b.configured))
	}
	if remaining < 0 || b.limiter.Limit() == rate.Inf {
		return
	}
	b.spend(max(int(b.limiter.Tokens())-remaining, 0))
}
