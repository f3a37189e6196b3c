package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rs/zerolog"
	goopenai "github.com/sashabaranov/go-openai"

	"leadline/config"
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
	key                  config.Secret
	keyFile              string
	timeout              time.Duration // of one try
	concurrency          int
	maxResponse          int64
}

// client makes calls to one endpoint and tries again where that can help.
type client struct {
	api      *goopenai.Client
	name     string
	endpoint string // scheme, host and path
	model    string
	timeout  time.Duration
	log      zerolog.Logger
	metrics  *metrics
}

func newClient(c clientConfig, o Options, m *metrics) (*client, error) {
	endpoint, err := checkURL(c.name, cmp.Or(c.baseURL, "https://api.openai.com/v1"))
	if err != nil {
		return nil, err
	}
	key, err := loadKey(c.name, c.key, c.keyFile)
	if err != nil {
		return nil, err
	}
	base := o.Transport
	if base == nil {
		base = newTransport(c.concurrency)
	}
	cfg := goopenai.DefaultConfig(key.Reveal())
	cfg.BaseURL = endpoint
	cfg.HTTPClient = &http.Client{Transport: &transport{base: base, maxResponse: c.maxResponse}}
	return &client{
		api: goopenai.NewClientWithConfig(cfg), name: c.name, endpoint: endpoint, model: c.model,
		timeout: cmp.Or(c.timeout, time.Minute), log: o.Log, metrics: m,
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
			return fmt.Errorf("call %s: %w", c.name, f.err)
		}
		wait := max(jitter(n), retryAfter(header, time.Now()))
		if n+1 >= maxTries || time.Since(start)+wait > patience {
			return fmt.Errorf("call %s: %w: %s after %d tries", c.name, scorer.ErrJudgeDown, f.detail, n+1)
		}
		c.log.Debug().Str("endpoint", c.name).Str("cause", f.detail).Dur("wait", wait).Msg("judge call failed, will try again")
		if err := sleep(ctx, wait); err != nil {
			return fmt.Errorf("call %s: %w", c.name, err)
		}
	}
}

func (c *client) once(ctx context.Context, attempt func(context.Context) (http.Header, error)) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	start := time.Now()
	header, err := attempt(ctx)
	outcome := "ok"
	if err != nil {
		outcome = classify(err).outcome
	}
	c.metrics.request(c.model, outcome, time.Since(start))
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

// failure is what a failed try means. A nil err says: try again.
type failure struct {
	outcome string // label of the metric
	detail  string // status and code; never the server's text
	err     error
}

func transient(outcome, detail string) failure { return failure{outcome: outcome, detail: detail} }

func paused(outcome, detail string) failure {
	return failure{outcome, detail, fmt.Errorf("%w: %s", scorer.ErrJudgePaused, detail)}
}

func hopeless(reason scorer.Reason, detail string) failure {
	return failure{"rejected", detail, &scorer.UnscorableError{Reason: reason, Detail: detail}}
}

var errNoChoices = errors.New("response without choices")

func classify(err error) failure {
	if s, ok := statusOf(err); ok {
		return s.classify()
	}
	if u, ok := errors.AsType[*scorer.UnscorableError](err); ok {
		return failure{"bad_reply", u.Detail, err}
	}
	switch {
	case errors.Is(err, errRedirect):
		return paused("rejected", errRedirect.Error())
	case errors.Is(err, errRequestTooLarge):
		return hopeless(scorer.ReasonTooLong, errRequestTooLarge.Error())
	case errors.Is(err, errResponseTooLarge):
		return hopeless(scorer.ReasonBadReply, errResponseTooLarge.Error())
	case errors.Is(err, errNoChoices):
		return transient("empty", errNoChoices.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return transient("timeout", "timeout")
	}
	if known := refusedByLibrary(err); known != nil {
		return failure{"rejected", known.Error(), fmt.Errorf("%w: %w", scorer.ErrJudgePaused, known)}
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return transient("network", networkDetail(u.Err))
	}
	return transient("unreadable", "unreadable response")
}
