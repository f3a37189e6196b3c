package alert

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count messages. Reasons are Alertmanager's words, so that its rules fit.
type metrics struct {
	sent    *prometheus.CounterVec
	failure *prometheus.CounterVec
	waiting *prometheus.GaugeVec
}

func newMetrics(r prometheus.Registerer) metrics {
	m := metrics{
		sent: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_notifications_total", Help: "Messages that a receiver took.",
		}, []string{"receiver", "integration"}),
		failure: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_notifications_failed_total", Help: "Tries to send a message that failed, by reason.",
		}, []string{"receiver", "integration", "reason"}),
		waiting: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "leadline_notification_queue_length", Help: "Messages that wait for a receiver.",
		}, []string{"receiver"}),
	}
	if r != nil {
		r.MustRegister(m.sent, m.failure, m.waiting)
	}
	return m
}

// start makes the series of a receiver exist before anything happens.
func (m metrics) start(receiver, integration string) {
	m.sent.WithLabelValues(receiver, integration)
	m.waiting.WithLabelValues(receiver)
	for _, c := range []Class{ClassRejected, ClassServerError, ClassAuth, ClassRateLimited, ClassTimeout, ClassUnreachable} {
		m.failure.WithLabelValues(receiver, integration, reason(c))
	}
}

func (m metrics) delivered(receiver, integration string) {
	m.sent.WithLabelValues(receiver, integration).Inc()
}

func (m metrics) failed(receiver, integration string, c Class) {
	m.failure.WithLabelValues(receiver, integration, reason(c)).Inc()
}

func (m metrics) queue(receiver string, n int) {
	m.waiting.WithLabelValues(receiver).Set(float64(n))
}

func reason(c Class) string {
	switch {
	case c == ClassRateLimited:
		return "rateLimited"
	case c == ClassServerError:
		return "serverError"
	case c == ClassAuth:
		return "authError"
	case c == ClassTimeout:
		return "contextDeadlineExceeded"
	case slices.Contains([]Class{ClassRejected, ClassGone, ClassRedirect}, c):
		return "clientError"
	}
	return "other"
}
