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
	gauges   []prometheus.Collector
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
	for _, c := range append([]prometheus.Collector{m.requests, m.duration, m.tokens, m.repairs}, m.gauges...) {
		if err := reg.Register(c); err != nil {
			return fmt.Errorf("register judge metrics: %w", err)
		}
	}
	return nil
}

// watch shows the pace of a client.
func (m *metrics) watch(c *client) {
	labels := prometheus.Labels{"endpoint": c.name}
	m.gauges = append(m.gauges,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "leadline_judge_in_flight", Help: "Calls in flight at the server of the endpoint.", ConstLabels: labels,
		}, func() float64 { used, _ := c.pace.slots.state(); return float64(used) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "leadline_judge_in_flight_limit", Help: "How many calls may be in flight at once: it follows what the server bears.", ConstLabels: labels,
		}, func() float64 { _, limit := c.pace.slots.state(); return float64(limit) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "leadline_judge_hold_seconds", Help: "For how long the server still wants no calls.", ConstLabels: labels,
		}, func() float64 { return max(c.pace.left(), 0).Seconds() }),
	)
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
