package server

import (
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"
)

// OpsOptions are what metrics and probes stand on.
type OpsOptions struct {
	Gatherer prometheus.Gatherer
	// Ready says why the daemon is not ready; nil when it is. It does not depend on the
	// judge or on receivers: their outage is no reason for a restart.
	Ready func() error
	Log   zerolog.Logger
}

const landing = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Leadline</title></head><body>
<h1>Leadline</h1><p>Metrics and probes, without content. The pages have a listener of their own.</p>
<ul><li><a href="/metrics">/metrics</a></li><li><a href="/-/healthy">/-/healthy</a></li><li><a href="/-/ready">/-/ready</a></li></ul>
</body></html>
`

// NewOps returns metrics and probes. It shows no content of the log, and needs no token.
func NewOps(o OpsOptions) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Gatherer, promhttp.HandlerOpts{
		EnableOpenMetrics:   true,
		MaxRequestsInFlight: 4,
		Timeout:             10 * time.Second,
		ErrorLog:            metricsLog{o.Log},
	}))
	healthy := func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "healthy\n") }
	ready := func(w http.ResponseWriter, _ *http.Request) {
		if err := o.Ready(); err != nil {
			plain(w, http.StatusServiceUnavailable, "not ready: "+err.Error()+"\n")
			return
		}
		plain(w, http.StatusOK, "ready\n")
	}
	for _, path := range []string{"/-/healthy", "/healthz"} {
		mux.HandleFunc("GET "+path, healthy)
	}
	for _, path := range []string{"/-/ready", "/readyz"} {
		mux.HandleFunc("GET "+path, ready)
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		_, _ = io.WriteString(w, landing) // the client is gone; there is nobody to tell
	})
	return mux
}

func plain(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text) // as above
}

// metricsLog takes promhttp's errors.
type metricsLog struct{ log zerolog.Logger }

// Println logs an error of the gathering.
func (m metricsLog) Println(v ...any) { m.log.Warn().Any("err", v).Msg("metrics not gathered") }
