package server_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"leadline/backtest"
	"leadline/config"
	"leadline/drift"
	"leadline/server"
)

type archive struct{ kept backtest.Kept }

func (a archive) Kept(context.Context) (backtest.Kept, error) { return a.kept, nil }

func TestHistoryIsToldToWhoMayReadTheStoreOnly(t *testing.T) {
	want := backtest.Kept{
		Service: "helpdesk", Drift: config.Default().Drift, Made: map[string]string{"sample.rate": "0.1"},
		Rows:     []drift.Row{{Due: now, Metric: "faithfulness", Judge: judge, Moments: drift.Moments{N: 3, Zeros: 1, Mean: 2.0 / 3, M2: 1.0 / 9, M3: 1e-17, M4: 0.1}}},
		Episodes: []drift.Episode{{Series: series("faithfulness", "department", "hr"), Kind: drift.KindSilent, From: now, Opened: now}},
	}
	h := server.NewHandler(server.Options{Source: rich("en"), Archive: archive{want}, Token: func() string { return token }, Log: zerolog.Nop()})
	if w := ask(h, http.MethodGet, "/api/v1/history", "", "Authorization", "Bearer "+token); w.Code != http.StatusNotFound {
		t.Errorf("over TCP: %d, want 404", w.Code)
	}
	got, err := server.ClientOf(h).Kept(t.Context())
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, history (-stored +told):\n%s", err, diff)
	}
	if _, err := server.ClientOf(handler(rich("en"), nil)).Kept(t.Context()); !errors.Is(err, server.ErrNotFound) {
		t.Errorf("without an archive: %v, want not found", err)
	}
}
