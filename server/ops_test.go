package server_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/rs/zerolog"

	"leadline/scorer"
	"leadline/server"
)

func registry(t *testing.T, s server.Source) *prometheus.Registry {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	if err := reg.Register(server.NewCollector(s)); err != nil {
		t.Fatal(err)
	}
	return reg
}

func TestMetricsAreClean(t *testing.T) {
	s := rich("en")
	old := line(series(scorer.Faithfulness, "", ""), 0.5, 0, "ok")
	old.Series.Judge, old.Run = "a judge before", now.AddDate(0, 0, -30)
	s.status.Series = append(s.status.Series, old)
	s.status.Series[3].Series.Value = "\xff"
	problems, err := testutil.GatherAndLint(registry(t, s))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestMetricsSayWhatTheStatusSays(t *testing.T) {
	want := `
# HELP leadline_incidents Open incidents.
# TYPE leadline_incidents gauge
leadline_incidents{kind="blind"} 0
leadline_incidents{kind="delivery"} 0
leadline_incidents{kind="drop"} 0
leadline_incidents{kind="judge"} 0
leadline_incidents{kind="regression"} 0
leadline_incidents{kind="silent"} 1
leadline_incidents{kind="undecided"} 0
# HELP leadline_records_waiting Records that wait to be scored.
# TYPE leadline_records_waiting gauge
leadline_records_waiting 20
# HELP leadline_run_last_decided_timestamp_seconds End of the newest decided run.
# TYPE leadline_run_last_decided_timestamp_seconds gauge
leadline_run_last_decided_timestamp_seconds 1.7960076e+09
`
	if err := testutil.GatherAndCompare(registry(t, rich("en")), strings.NewReader(want), "leadline_incidents", "leadline_records_waiting", "leadline_run_last_decided_timestamp_seconds"); err != nil {
		t.Error(err)
	}
}

func TestUnreadableStatusIsNoZero(t *testing.T) {
	s := rich("en")
	s.err = errors.New("disk on fire")
	if _, err := registry(t, s).Gather(); err == nil {
		t.Error("a status that cannot be read gives metrics")
	}
}

func TestOps(t *testing.T) {
	notReady := errors.New("waiting for Kafka")
	h := server.NewOps(server.OpsOptions{Gatherer: registry(t, rich("en")), Ready: func() error { return notReady }, Log: zerolog.Nop()})
	if w := ask(h, http.MethodGet, "/-/ready", ""); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "waiting for Kafka") {
		t.Errorf("not ready: %d %s", w.Code, w.Body)
	}
	notReady = nil
	for _, path := range []string{"/-/ready", "/readyz", "/-/healthy", "/healthz", "/"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if w := ask(h, method, path, ""); w.Code != http.StatusOK {
				t.Errorf("%s %s: %d", method, path, w.Code)
			}
		}
	}
	w := ask(h, http.MethodGet, "/metrics", "", "Accept", "application/openmetrics-text; version=1.0.0")
	if body := w.Body.String(); !strings.HasSuffix(body, "# EOF\n") || !strings.Contains(body, `leadline_offsets_total{state="not_sampled"} 221904`) {
		t.Errorf("metrics:\n%s", body)
	}
	if strings.Contains(w.Body.String(), "経費精算") {
		t.Error("metrics hold text of the log")
	}
	if w := ask(h, http.MethodGet, "/samples", ""); w.Code != http.StatusNotFound {
		t.Errorf("content on the ops listener: %d", w.Code)
	}
}
