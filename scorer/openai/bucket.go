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
	configured int // per minute; 0: no limit of ours

	mu      sync.Mutex // guards current
	current int        // per minute; 0: none known
	limiter *rate.Limiter
}

func newBucket(perMinute int) *bucket {
	b := &bucket{configured: perMinute, limiter: rate.NewLimiter(rate.Inf, 0)}
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

// take waits until n may be used. More than the bucket holds is taken in parts, so that a
// large request waits longer and is never refused.
func (b *bucket) take(ctx context.Context, n int) error {
	for n > 0 && b.limiter.Limit() != rate.Inf {
		part := min(n, b.limiter.Burst())
		r := b.limiter.ReserveN(time.Now(), part)
		if !r.OK() { // the bucket was made smaller just now
			continue
		}
		if err := sleep(ctx, r.Delay()); err != nil {
			r.Cancel()
			return err
		}
		n -= part
	}
	return ctx.Err()
}

// settle corrects what was taken by what was used. What was too much goes back, up to what
// the bucket holds; what was too little is owed.
func (b *bucket) settle(taken, used int) {
	for owed := used - taken; owed != 0 && b.limiter.Limit() != rate.Inf; {
		part := min(owed, max(b.limiter.Burst(), 1))
		b.limiter.ReserveN(time.Now(), part) // below 0 it gives back
		owed -= part
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
	if over := int(b.limiter.Tokens()) - remaining; over > 0 {
		b.limiter.ReserveN(time.Now(), over)
	}
}
