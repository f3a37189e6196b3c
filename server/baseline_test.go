package server_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"leadline/drift"
	"leadline/scorer"
	"leadline/server"
)

func TestClientAsksForBaselines(t *testing.T) {
	c := server.ClientOf(handler(rich("en"), &operator{}))
	all, err := c.Baselines(t.Context(), scorer.Faithfulness, "all")
	if err != nil || len(all) != 1 || all[0].Samples != 720 || all[0].LeftOut[0].Why != drift.LeftReset {
		t.Errorf("got %+v, %v", all, err)
	}
	if _, err := c.Baselines(t.Context(), "faith", ""); !errors.Is(err, server.ErrInvalid) {
		t.Errorf("an unknown metric: %v", err)
	}
	none := server.ClientOf(handler(rich("en"), nil))
	if _, err := none.Baselines(t.Context(), "", ""); !errors.Is(err, server.ErrNotFound) {
		t.Errorf("nobody to ask: %v", err)
	}
}

func TestResetNeedsANameAndOneChoice(t *testing.T) {
	o := &operator{}
	h := handler(rich("en"), o)
	for _, body := range []string{
		`{"metric": "faithfulness"}`,
		`{"by": "mika"}`,
		`{"by": "mika", "segment": "department=hr"}`,
		`{"by": "mika", "all": true, "metric": "faithfulness"}`,
		`{"by": "mika", "all": true, "segment": "department=hr"}`,
		`{"by": "mika", "all": true, "yes": true}`,
	} {
		if w := ask(h, http.MethodPost, "/api/v1/baseline/reset", body, "Authorization", "Bearer "+token); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", body, w.Code)
		}
	}
	if w := ask(h, http.MethodPost, "/api/v1/baseline/reset", `{"by": "mika", "all": true}`); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", w.Code)
	}
	if len(o.resets) > 0 {
		t.Errorf("was done: %+v", o.resets)
	}
	w := ask(h, http.MethodPost, "/api/v1/baseline/reset", `{"by": "mika", "metric": "faithfulness", "dry_run": true}`, "Authorization", "Bearer "+token)
	if w.Code != http.StatusOK || len(o.resets) != 1 || !o.resets[0].DryRun || !strings.Contains(w.Body.String(), `"samples": 720`) {
		t.Errorf("%d, %+v: %s", w.Code, o.resets, w.Body)
	}
}
