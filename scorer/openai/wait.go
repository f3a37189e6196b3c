package openai

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	firstWait = time.Second
	maxWait   = time.Minute
	// minWait keeps a random wait from being none at all.
	minWait = 100 * time.Millisecond
	// longestWait bounds what a server may ask for: it is asked again after that.
	longestWait = time.Hour
)

// jitter is a random share of a wait that doubles with each try: workers that failed
// together do not come back together.
func jitter(n int) time.Duration {
	return minWait + rand.N(min(firstWait<<n, maxWait)-minWait)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// retryAfter reads how long the server asks to wait: retry-after-ms, Retry-After as
// seconds, duration or date, and the reset of a limit of which nothing remains. What
// cannot be read, lies in the past or is below 0 counts as nothing.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait := asked(h.Get("Retry-After"), date(h, now))
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		wait = seconds(ms / 1000) // the finer of the two
	}
	for _, kind := range []string{"-Requests", "-Tokens", ""} {
		if h.Get("X-Ratelimit-Remaining"+kind) == "0" {
			wait = max(wait, asked(h.Get("X-Ratelimit-Reset"+kind), now))
		}
	}
	return wait
}

// date is the server's own time, by which it counts; ours may be set wrong.
func date(h http.Header, now time.Time) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return now
}

// asked reads "10" and "1.5" (seconds), "6m0s", a date of HTTP or RFC 3339, and seconds or
// milliseconds since 1970; 0 for anything else.
func asked(value string, now time.Time) time.Duration {
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		switch {
		case s >= 1e12:
			s = (s - float64(now.UnixMilli())) / 1e3
		case s >= 1e9:
			s -= float64(now.Unix())
		}
		return seconds(s)
	}
	if d, err := time.ParseDuration(value); err == nil {
		return min(max(d, 0), longestWait)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		at, err = time.Parse(time.RFC3339, value)
	}
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longestWait)
}

// seconds bounds what a server may ask for, so that no arithmetic overflows.
func seconds(s float64) time.Duration {
	if !(s > 0) || math.IsInf(s, 0) {
		return 0
	}
	return time.Duration(min(s, longestWait.Seconds()) * float64(time.Second))
}
