package openai

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"leadline/scorer"
)

type metrics struct {
	requests *prometheus.CounterVec
	duration prometheus.Histogram
	tokens   *prometheus.CounterVec
	repairs  *prometheus.CounterVec
}

func newMetrics() *metrics {
	return &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_judge_requests_total",
			Help: "Requests to the judge and its embedding model, failed ones too, by outcome.",
		}, []string{"model", "outcome"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "leadline_judge_request_duration_seconds",
			Help:    "How long requests to the judge and its embedding model took.",
			Buckets: prometheus.ExponentialBuckets(0.05, 2, 12),
		}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_judge_tokens_total",
			Help: "Tokens that the judge and its embedding model counted, by kind: prompt, cached (part of prompt), completion, embedding.",
		}, []string{"model", "kind"}),
		repairs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_judge_repairs_total",
			Help: "Replies of the judge that could not be used, so that it was asked a second time, by what was wrong.",
		}, []string{"model", "reason"}),
	}
}

// register comes last in making a judge: one that could not be made leaves nothing behind.
func (m *metrics) register(reg prometheus.Registerer) error {
	if reg == nil {
		return nil
	}
	for _, c := range []prometheus.Collector{m.requests, m.duration, m.tokens, m.repairs} {
		if err := reg.Register(c); err != nil {
			return fmt.Errorf("register judge metrics: %w", err)
		}
	}
	return nil
}

func (m *metrics) request(model, outcome string, took time.Duration) {
	m.requests.WithLabelValues(model, outcome).Inc()
	m.duration.Observe(took.Seconds())
}

func (m *metrics) used(model string, u scorer.Usage) {
	for _, kind := range []struct {
		name string
		n    int64
	}{{"prompt", u.PromptTokens}, {"cached", u.CachedTokens}, {"completion", u.CompletionTokens}, {"embedding", u.EmbeddingTokens}} {
		if kind.n > 0 {
			m.tokens.WithLabelValues(model, kind.name).Add(float64(kind.n))
		}
	}
}
