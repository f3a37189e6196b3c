package main

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"leadline/scorer"
	"leadline/store"
)

// metrics count what the runner does. docs/metrics.md lists all metrics of the daemon.
type metrics struct {
	scores *prometheus.CounterVec
	score  *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer, newest func() float64) *metrics {
	m := &metrics{
		scores: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_scores_total", Help: "Outcomes of metrics on samples: scored, or the reason why not.",
		}, []string{"metric", "outcome"}),
		score: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "leadline_score", Help: "Scores of samples.", Buckets: prometheus.LinearBuckets(0, 0.1, 11),
		}, []string{"metric"}),
	}
	last := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "leadline_last_record_timestamp_seconds", Help: "Time of the newest record that was read.",
	}, newest)
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "leadline_build_info", Help: "Always 1; the labels say which build runs.",
		ConstLabels: prometheus.Labels{"version": version(), "goversion": runtime.Version()},
	})
	build.Set(1)
	for _, metric := range scorer.Metrics {
		m.scores.WithLabelValues(string(metric), outcomeScored)
		m.score.WithLabelValues(string(metric))
	}
	reg.MustRegister(m.scores, m.score, last, build)
	return m
}

const outcomeScored = "scored"

// observe counts the scores of one window.
func (m *metrics) observe(in store.Scored) {
	for _, s := range in.Scores {
		for metric, o := range s.Outcomes {
			if !o.Scored {
				m.scores.WithLabelValues(string(metric), string(o.Reason)).Inc()
				continue
			}
			m.scores.WithLabelValues(string(metric), outcomeScored).Inc()
			m.score.WithLabelValues(string(metric)).Observe(o.Value)
		}
	}
}
