package openai

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	goopenai "github.com/sashabaranov/go-openai"

	"leadline/scorer"
)

const (
	maxTries  = 6
	firstWait = time.Second
	maxWait   = time.Minute
	// patience is how long one call is tried; a server that asks for more is down.
	patience = 5 * time.Minute
)

type clientConfig struct {
	name, baseURL, model string
	key                  key
	timeout              time.Duration // of one try
	concurrency          int
	maxResponse          int64
	settings             settings
}

// client makes calls to one endpoint and tries again where that can help.
type client struct {
	api      *goopenai.Client
	http     *http.Client // for what the library does not ask
	name     string
	endpoint string // scheme, host and path
	model    string
	timeout  time.Duration
	settings settings
	failFast bool
	onRetry  func(Retry)
	reached  atomic.Bool // it has answered anything
	log      zerolog.Logger
	metrics  *metrics
}

func newClient(c clientConfig, o Options, m *metrics) (*client, error) {
	endpoint, err := checkURL(c.name, cmp.Or(c.baseURL, "https://api.openai.com/v1"))
	if err != nil {
		return nil, err
	}
	if _, err := c.key.read(); err != nil {
		return nil, fmt.Errorf("%s: %w; check %s", c.name, err, c.settings.key)
	}
	base := o.Transport
	if base == nil {
		base = newTransport(c.concurrency)
	}
	cfg := goopenai.DefaultConfig("") // the transport adds the key
	cfg.BaseURL = endpoint
	plain := &http.Client{Transport: &transport{base: base, maxResponse: c.maxResponse, key: c.key}}
	cfg.HTTPClient = plain
	c.settings.model += " (" + c.model + ")"
	c.settings.url += " (" + endpoint + ")"
	return &client{
		api: goopenai.NewClientWithConfig(cfg), http: plain, name: c.name, endpoint: endpoint, model: c.model, settings: c.settings,
		timeout: cmp.Or(c.timeout, time.Minute), failFast: o.FailFast, onRetry: o.OnRetry, log: o.Log, metrics: m,
	}, nil
}

// checkURL returns the endpoint as it may be shown. The error does not show the URL.
func checkURL(name, raw string) (string, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%s: base_url must be an http or https URL", name)
	case u.User != nil:
		return "", fmt.Errorf("%s: base_url must not hold credentials; use api_key_file", name)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%s: base_url must not have a query or fragment", name)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// try runs attempt until it works, cannot work, or has been tried for long enough. The
// attempt returns the headers of the response, if there was one.
func (c *client) try(ctx context.Context, attempt func(context.Context) (http.Header, error)) error {
	start := time.Now()
	for n := 0; ; n++ {
		header, err := c.once(ctx, attempt)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("call %s: %w", c.name, ctx.Err())
		}
		f := classify(err)
		if f.err != nil {
			return fmt.Errorf("call %s: %w%s", c.name, f.err, c.settings.fill(f.advice))
		}
		if c.failFast && f.away && !c.reached.Load() {
			return fmt.Errorf("call %s: %w: %s%s", c.name, scorer.ErrJudgeDown, f.detail, c.settings.fill(f.advice))
		}
		wait := max(jitter(n), retryAfter(header, time.Now()))
		if n+1 >= maxTries || time.Since(start)+wait > patience {
			return fmt.Errorf("call %s: %w: %s after %d tries%s", c.name, scorer.ErrJudgeDown, f.detail, n+1, c.settings.fill(f.advice))
		}
		c.tell(f, wait, n, start.Add(patience))
		if err := sleep(ctx, wait); err != nil {
			return fmt.Errorf("call %s: %w", c.name, err)
		}
	}
}

// tell says that a call will be tried again.
func (c *client) tell(f failure, wait time.Duration, n int, until time.Time) {
	c.log.Debug().Str("endpoint", c.name).Str("cause", f.detail).Dur("wait", wait).Msg("judge call failed, will try again")
	if c.onRetry != nil {
		c.onRetry(Retry{Endpoint: c.name, Cause: f.detail, Wait: wait, Try: n + 2, Tries: maxTries, Until: until})
	}
}

func (c *client) once(ctx context.Context, attempt func(context.Context) (http.Header, error)) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	start := time.Now()
	header, err := attempt(ctx)
	f := failure{outcome: "ok"}
	if err != nil {
		f = classify(err)
	}
	if !f.away {
		c.reached.Store(true)
	}
	c.metrics.request(c.model, f.outcome, time.Since(start))
	return header, err
}

// jitter is a random share of a wait that doubles with each try: workers that failed
// together do not come back together.
func jitter(n int) time.Duration {
	return rand.N(min(firstWait<<n, maxWait))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
