package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"leadline/backtest"
)

// Archive is all that decisions rest on, for those who decide it again. It is only for who
// may read the store anyway: over the socket beside it, or in this process.
type Archive interface {
	Kept(ctx context.Context) (backtest.Kept, error)
}

func (h *handler) apiHistory(w http.ResponseWriter, r *http.Request) {
	if h.Archive == nil || !trusted(r.Context()) {
		h.failed(w, r, fmt.Errorf("history: %w; it is only told over the socket beside the store", ErrNotFound))
		return
	}
	k, err := h.Archive.Kept(r.Context())
	if err != nil {
		h.failed(w, r, fmt.Errorf("read history: %w", err))
		return
	}
	// A year has tens of megabytes: no indentation.
	body, err := json.Marshal(k)
	if err != nil {
		h.failed(w, r, fmt.Errorf("encode history: %w", err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the client is gone; there is nobody to tell
}

// Kept returns what the store holds.
func (c *Client) Kept(ctx context.Context) (k backtest.Kept, err error) {
	err = c.do(ctx, http.MethodGet, "/api/v1/history", nil, &k)
	return k, err
}
