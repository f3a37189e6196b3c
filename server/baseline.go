package server

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"leadline/drift"
	"leadline/scorer"
)

// Baselines tells what series are compared with.
type Baselines interface {
	// Baselines returns those of a metric and a segment; empty ones select all. ErrInvalid:
	// there is no such series. None before the first run.
	Baselines(ctx context.Context, metric scorer.Metric, segment string) ([]drift.Baseline, error)
}

// ResetRequest asks that a series is learned anew: what it had until now leaves its
// baseline, and that of every other series for the cells that they share.
type ResetRequest struct {
	Metric  scorer.Metric `json:"metric,omitempty"`
	Segment string        `json:"segment,omitempty"` // "dim=value"; empty or "all": all of the metric
	All     bool          `json:"all,omitempty"`     // every series; Metric and Segment stay empty
	By      string        `json:"by"`
	Note    string        `json:"note,omitempty"`
	// DryRun only says what would be lost.
	DryRun bool `json:"dry_run,omitempty"`
}

// ResetReply is what is lost, and the decisions that were noted; none after a dry run.
type ResetReply struct {
	Lost  []drift.Loss       `json:"lost"`
	Noted []drift.Acceptance `json:"noted,omitempty"`
}

func (h *handler) apiBaselines(w http.ResponseWriter, r *http.Request) {
	if h.Baselines == nil {
		h.failed(w, r, fmt.Errorf("baselines: %w", ErrNotFound))
		return
	}
	all, err := h.Baselines.Baselines(r.Context(), scorer.Metric(r.URL.Query().Get("metric")), r.URL.Query().Get("segment"))
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, append([]drift.Baseline{}, all...))
}

func (h *handler) apiReset(w http.ResponseWriter, r *http.Request) {
	var req ResetRequest
	if err := h.read(r, &req); err != nil {
		h.failed(w, r, err)
		return
	}
	switch {
	case req.By == "":
		h.failed(w, r, fmt.Errorf("%w: give by (who decides this)", ErrInvalid))
		return
	case req.All == (req.Metric != "") || req.All && req.Segment != "":
		h.failed(w, r, fmt.Errorf("%w: give metric, with or without segment, or all", ErrInvalid))
		return
	}
	reply, err := h.Operator.Reset(r.Context(), req)
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, reply)
}

// Baselines returns what series are compared with.
func (c *Client) Baselines(ctx context.Context, metric scorer.Metric, segment string) (all []drift.Baseline, err error) {
	q := url.Values{"metric": {string(metric)}, "segment": {segment}}
	err = c.do(ctx, http.MethodGet, "/api/v1/baseline?"+q.Encode(), nil, &all)
	return all, err
}

// Reset has series learned anew, or says what that would cost.
func (c *Client) Reset(ctx context.Context, r ResetRequest) (reply ResetReply, err error) {
	err = c.do(ctx, http.MethodPost, "/api/v1/baseline/reset", r, &reply)
	return reply, err
}
