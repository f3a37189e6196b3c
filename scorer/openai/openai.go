// Package openai is a judge: it asks an OpenAI-compatible endpoint and reads the reply.
// It promises that a reply is remembered before it is used, that truncated output is
// never repaired, and that neither texts nor keys reach an error or the log.
package openai

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/scorer"
)

// Memo remembers replies, so that none is paid for twice. Put is durable when it returns,
// for all of its values or for none.
type Memo interface {
	Get(key string) (value []byte, ok bool, err error)
	Put(values map[string][]byte) error
}

// Options are what a Judge may be given besides its configuration. All of them may be zero.
type Options struct {
	Memo       Memo
	Log        zerolog.Logger
	Registerer prometheus.Registerer
	// Secret makes the canaries of verdict calls unguessable; it should stay the same, so that
	// remembered replies fit.
	Secret string
	// Capabilities is what an earlier Probe found out; nil means DefaultCapabilities.
	Capabilities *Capabilities
	// Transport carries the requests; nil means an own one with connections for all workers.
	Transport http.RoundTripper
	// FailFast gives up at once on a server that cannot be connected to and never could: for
	// a person who waits. What passes by itself, such as a limit of rate, is still waited for.
	FailFast bool
	// Drain is how long a call in flight may go on once its context has ended; nothing new
	// starts then. 0 ends it at once.
	Drain time.Duration
	// OnRetry is told before a call is tried again, by several goroutines; nil: nobody is.
	OnRetry func(Retry)
}

// Retry is a call that failed and will be tried again.
type Retry struct {
	Endpoint   string // "judge" or "embeddings"
	Cause      string // status and code, or the kind of a network error
	Wait       time.Duration
	Try, Tries int       // the coming one, from 1, of at most so many
	Until      time.Time // when it is given up at the latest
}

// Judge asks one model at one endpoint. It may be used by several goroutines.
type Judge struct {
	cfg      config.Judge
	chat     *client
	embedder *Embedder
	memo     Memo
	turns    turns
	secret   string
	tasks    tasks
	caps     atomic.Pointer[Capabilities]
	prices   prices
	total    total
	// cacheRefused: the server does not take the fields for its cache of prompts.
	cacheRefused atomic.Bool
}

// New returns a judge for cfg. It makes no request.
func New(cfg config.Judge, o Options) (*Judge, error) {
	metrics := newMetrics()
	key := key{cfg.APIKey, cfg.APIKeyFile}
	shared := newSlots(cfg.Concurrency)
	chat, err := newClient(clientConfig{
		pace: newPace(shared, cfg.RequestsPerMinute, cfg.TokensPerMinute), name: judgeName, baseURL: cfg.BaseURL, model: cfg.Model, key: key, settings: settingsOf("judge", key),
		timeout: timeoutOf(cfg), concurrency: cfg.Concurrency, maxResponse: maxChatResponse,
	}, o, metrics)
	if err != nil {
		return nil, err
	}
	j := &Judge{cfg: cfg, chat: chat, memo: o.Memo, secret: o.Secret, prices: pricesOf(cfg)}
	if j.tasks, err = loadTasks(cfg); err != nil {
		return nil, err
	}
	caps := DefaultCapabilities(cfg)
	if o.Capabilities != nil {
		caps = *o.Capabilities
	}
	j.caps.Store(&caps)
	if cfg.Embeddings.Model != "" {
		if j.embedder, err = newEmbedder(cfg, shared, o, metrics); err != nil {
			return nil, err
		}
	}
	metrics.watch(chat)
	if j.embedder != nil {
		metrics.watch(j.embedder.client)
	}
	if err := metrics.register(o.Registerer); err != nil {
		return nil, err
	}
	return j, nil
}

// Embedder returns the embedder of the configuration, and nil where it names no model.
func (j *Judge) Embedder() scorer.Embedder {
	if j.embedder == nil {
		return nil
	}
	return j.embedder
}

// IDs returns the identity of each metric's judge: by configuration, and by the
// response-format rung of the capabilities in force.
func (j *Judge) IDs() map[scorer.Metric]scorer.JudgeID {
	caps := j.caps.Load()
	base := scorer.JudgeID{
		Endpoint: j.chat.endpoint, Model: j.cfg.Model, Effort: j.effort(), Format: string(caps.Format),
		Standin: j.cfg.Model == standinModel, Sampling: j.sampling(),
	}
	faithfulness, relevancy := base, base
	faithfulness.Metric, faithfulness.Prompt = scorer.Faithfulness, versionOf(j.tasks.statements, j.tasks.verdicts)
	if j.guarded() {
		faithfulness.Prompt += " " + canaryVersion
	}
	relevancy.Metric, relevancy.Prompt = scorer.AnswerRelevancy, versionOf(j.tasks.question)
	relevancy.Strictness = cmp.Or(j.cfg.Strictness, 3)
	if e := j.embedder; e != nil {
		relevancy.Embedding = e.client.endpoint + " " + e.cfg.Model
		relevancy.Dimensions, relevancy.Prefix = e.cfg.Dimensions, e.cfg.Prefix
	}
	return map[scorer.Metric]scorer.JudgeID{scorer.Faithfulness: faithfulness, scorer.AnswerRelevancy: relevancy}
}

// Statements splits an answer into its claims.
func (j *Judge) Statements(ctx context.Context, question, answer string, history ...string) ([]string, scorer.Call, error) {
	var call scorer.Call
	if err := checkLength("answer", maxAnswerTokens, answer); err != nil {
		return nil, call, err
	}
	r, err := newRequest(j.tasks.statements, j.tasks.statementsInput(question, answer, history), 512+3*tokens(answer))
	if err != nil {
		return nil, call, err
	}
	// A table names its row and its column in each cell.
	limit := 3*len([]rune(answer)) + 200
	if strings.Contains(answer, "|") {
		limit *= 2
	}
	found, err := ask(ctx, j, r, &call, func(text string) ([]string, error) { return parseStatements(text, limit) })
	return found, call, err
}

// Questions returns n questions, by one call where the server gives several choices, else
// by n calls.
func (j *Judge) Questions(ctx context.Context, answer, language string, n int) ([]scorer.Guess, scorer.Call, error) {
	var call scorer.Call
	if err := checkLength("answer", maxAnswerTokens, answer); err != nil {
		return nil, call, err
	}
	r, err := newRequest(j.tasks.question, questionInput{clean(answer), language}, 256)
	if err != nil {
		return nil, call, err
	}
	var choices []choice
	for len(choices) < n {
		r.n, r.take = 1, len(choices)
		if len(choices) == 0 && j.caps.Load().Generations {
			r.n = n
		}
		got, err := j.call(ctx, r, &call)
		if err != nil {
			return nil, call, err
		}
		choices = append(choices, got.Choices[:min(len(got.Choices), n-len(choices))]...)
	}
	guesses := make([]scorer.Guess, n)
	for i, c := range choices {
		r.n, r.take = 1, i
		g, err := read(ctx, j, r, &call, c, func(text string) (scorer.Guess, error) { return parseQuestion(text, language) })
		if err != nil {
			return nil, call, err
		}
		guesses[i] = g
	}
	return guesses, call, nil
}
