package main

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"leadline/scorer"
)

// metrics count what the runner does. docs/metrics.md lists all metrics of the daemon.
type metrics struct {
	scores  *prometheus.CounterVec
	score   *prometheus.HistogramVec
	skipped prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, newest func() float64) *metrics {
	m := &metrics{
		scores: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_scores_total", Help: "Outcomes of metrics on samples: scored, or the reason why not.",
		}, []string{"metric", "outcome"}),
		score: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "leadline_score", Help: "Scores of samples.", Buckets: prometheus.LinearBuckets(0, 0.1, 11),
		}, []string{"metric"}),
		skipped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "leadline_runs_skipped_total", Help: "Due times at which no run began because one was under way; its windows follow.",
		}),
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
	reg.MustRegister(m.scores, m.score, m.skipped, last, build)
	return m
}

const outcomeScored = "scored"

// observe counts the scores of one window.
func (m *metrics) observe(t *tally) {
	for metric, values := range t.values {
		m.scores.WithLabelValues(string(metric), outcomeScored).Add(float64(len(values)))
		for _, v := range values {
			m.score.WithLabelValues(string(metric)).Observe(v)
		}
	}
	for metric, reasons := range t.run.Unscorable {
		for reason, n := range reasons {
			m.scores.WithLabelValues(string(metric), string(reason)).Add(float64(n))
		}
	}
}
