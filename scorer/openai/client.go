package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	maxTries = 6
	// patience is how long one call is tried; a server that asks for more is down.
	patience = 5 * time.Minute
)

// judgeName is the name of the endpoint that the errors of scorer mean by "judge".
const judgeName = "judge"

type clientConfig struct {
	name, baseURL, model string
	key                  key
	timeout              time.Duration // of one try
	concurrency          int
	maxResponse          int64
	check                func(body []byte) error // of a response; nil: none
	settings             settings
	pace                 *pace
}

// client makes calls to one endpoint and tries again where that can help.
type client struct {
	api      *goopenai.Client
	http     *http.Client // for what the library does not ask
	name     string
	endpoint string // scheme, host and path
	model    string
	timeout  time.Duration
	drain    time.Duration // how long what is in flight may go on after the end
	pace     *pace
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
	plain := &http.Client{Transport: &transport{base: base, maxResponse: c.maxResponse, check: c.check, key: c.key}}
	cfg.HTTPClient = plain
	c.settings.model += " (" + c.model + ")"
	c.settings.url += " (" + endpoint + ")"
	return &client{
		api: goopenai.NewClientWithConfig(cfg), http: plain, name: c.name, endpoint: endpoint, model: c.model, settings: c.settings,
		timeout: cmp.Or(c.timeout, time.Minute), drain: o.Drain, pace: c.pace, failFast: o.FailFast, onRetry: o.OnRetry, log: o.Log, metrics: m,
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

// reported is what an attempt says besides its error.
type reported struct {
	header http.Header // of the response, if there was one
	tokens int         // as the server counted them; 0: not said
}

// try runs attempt until it works, cannot work, or has been tried for long enough. Each
// attempt starts when the pace has room for weight tokens. What works is kept before another
// call may take its place: a crash loses no more calls than may be in flight.
func (c *client) try(ctx context.Context, weight int, attempt func(context.Context) (reported, error), keep func() error) error {
	var start time.Time
	for n := 0; ; n++ {
		leave, err := c.pace.enter(ctx, weight)
		if err != nil {
			return fmt.Errorf("call %s: %w", c.name, err)
		}
		if n == 0 {
			start = time.Now()
		}
		got, f, err := c.once(ctx, attempt)
		if err == nil {
			err := keep()
			leave(f.result(got))
			return err
		}
		leave(f.result(got))
		if ctx.Err() != nil {
			return fmt.Errorf("call %s: %w", c.name, ctx.Err())
		}
		if f.err != nil {
			return c.failed(f, f.err)
		}
		if c.failFast && f.away && !c.reached.Load() {
			return c.failed(f, fmt.Errorf("%w: %s", scorer.ErrJudgeDown, f.detail))
		}
		asked := retryAfter(got.header, time.Now())
		wait := asked + jitter(n)
		if n+1 >= maxTries || time.Since(start)+wait > patience {
			return c.failed(f, givenUp(f, asked, n+1))
		}
		c.tell(f, wait, n, start.Add(patience))
		if err := sleep(ctx, wait); err != nil {
			return fmt.Errorf("call %s: %w", c.name, err)
		}
	}
}

// failed says which call failed, where the error does not say so itself, and what to do.
func (c *client) failed(f failure, err error) error {
	if f.advice == noPath && c.settings.noPath != "" {
		return &wordedError{c.settings.noPath + " (" + f.detail + ")", err}
	}
	named := errors.Is(err, scorer.ErrJudgePaused) || errors.Is(err, scorer.ErrJudgeDown)
	if _, worded := errors.AsType[*wordedError](err); c.name == judgeName && named && !worded {
		return fmt.Errorf("%w%s", err, c.settings.fill(f.advice))
	}
	return fmt.Errorf("call %s: %w%s", c.name, err, c.settings.fill(f.advice))
}

// givenUp says why a call is not tried again for now.
func givenUp(f failure, asked time.Duration, tries int) error {
	if asked > patience {
		return &scorer.WaitError{Wait: asked.Round(time.Second), Cause: f.detail}
	}
	if f.busy != "" {
		return &wordedError{fmt.Sprintf("%s: %s after %d tries", f.busy, f.detail, tries), scorer.ErrJudgeDown}
	}
	return fmt.Errorf("%w: %s after %d tries", scorer.ErrJudgeDown, f.detail, tries)
}

// tell says that a call will be tried again.
func (c *client) tell(f failure, wait time.Duration, n int, until time.Time) {
	c.log.Debug().Str("endpoint", c.name).Str("cause", f.detail).Dur("wait", wait).Msg("judge call failed, will try again")
	if c.onRetry != nil {
		c.onRetry(Retry{Endpoint: c.name, Cause: f.detail, Wait: wait, Try: n + 2, Tries: maxTries, Until: until})
	}
}

func (c *client) once(ctx context.Context, attempt func(context.Context) (reported, error)) (reported, failure, error) {
	call, cancel := c.lasting(ctx)
	defer cancel()
	start := time.Now()
	got, err := attempt(call)
	f := failure{outcome: "ok"}
	if err != nil {
		f = classify(err)
	}
	if !f.away {
		c.reached.Store(true)
	}
	c.metrics.request(c.model, f.outcome, time.Since(start))
	return got, f, err
}

// result is what an attempt says about the server.
func (f failure) result(got reported) result {
	crowded := f.outcome == "rate_limited" || f.outcome == "server_error" || f.outcome == "timeout"
	return result{header: got.header, used: got.tokens, ok: !f.away && !crowded, crowded: crowded}
}

// lasting is the context of one attempt. It ends with the timeout of a call and, where
// calls are drained, not with ctx but some time later: what is in flight is paid for.
func (c *client) lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.drain == 0 {
		return context.WithTimeout(ctx, c.timeout)
	}
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(c.drain, cancel) })
	return call, func() {
		stop()
		cancel()
	}
}
