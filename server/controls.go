package server

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Keeper keeps the control items. Its errors are shown to people, so they hold no secret.
type Keeper interface {
	Controls(ctx context.Context) (ControlsReply, error)
	// AddControl adds an own item. The same texts twice are one item.
	AddControl(ctx context.Context, r ControlRequest) (ControlReply, error)
	// RemoveControl takes an own item out; what it scored stays. ErrNotFound: there is none.
	RemoveControl(ctx context.Context, r ControlRequest) (ControlReply, error)
}

// ControlRequest is an own item to add, by its texts or as a stored sample; or one to remove.
type ControlRequest struct {
	Item     string   `json:"item,omitempty"`   // to remove
	Sample   string   `json:"sample,omitempty"` // to add: the ID of a stored sample
	Name     string   `json:"name,omitempty"`
	Language string   `json:"language,omitempty"`
	Question string   `json:"question,omitempty"`
	Answer   string   `json:"answer,omitempty"`
	Contexts []string `json:"contexts,omitempty"`
	// Expected is "supported", "partial", "unsupported", "noncommittal" or empty.
	Expected string `json:"expected,omitempty"`
	By       string `json:"by"`
	Note     string `json:"note,omitempty"`
}

// ControlReply names the item that was added or removed. Added is false when it was there.
type ControlReply struct {
	Item  string `json:"item"`
	Added bool   `json:"added"`
}

// ControlsReply are all items, without their texts, and what was done to the own ones.
type ControlsReply struct {
	Version string          `json:"version"` // of the frozen set
	Items   []ControlItem   `json:"items"`
	Changes []ControlChange `json:"changes"`
	// Share is what the controls of the newest runs took of all tokens, 0–1; −1 without a run.
	Share     float64 `json:"share"`
	ShareRuns int     `json:"share_runs"` // at most 100, as in the status
}

// ControlBands says how many items the judge puts outside the band they were written for.
type ControlBands struct {
	Scored  int `json:"scored"` // items with a score
	Outside int `json:"outside"`
}

// ControlItem is how one item stands with the judge that scores now.
type ControlItem struct {
	ID       string    `json:"id"`
	Language string    `json:"language"`
	Expected string    `json:"expected"`
	Own      bool      `json:"own"`
	Runs     int       `json:"runs"` // in which the present judge scored it
	Last     time.Time `json:"last,omitzero"`
	// Faithfulness and Relevancy are what the judge gave it last; nil where it did not.
	Faithfulness *float64 `json:"faithfulness"`
	Relevancy    *float64 `json:"answer_relevancy"`
	// Outside is true where faithfulness lies outside the band that the item was written for.
	Outside bool `json:"outside"`
}

// ControlChange is who added or removed an own item.
type ControlChange struct {
	Added bool      `json:"added"`
	Item  string    `json:"item"`
	From  string    `json:"from,omitempty"` // "file" or "sample ID"
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	Note  string    `json:"note,omitempty"`
}

var errNoKeeper = fmt.Errorf("%w: control items are not kept here", ErrInvalid)

func (h *handler) apiControls(w http.ResponseWriter, r *http.Request) {
	if h.Keeper == nil {
		h.failed(w, r, errNoKeeper)
		return
	}
	all, err := h.Keeper.Controls(r.Context())
	if err != nil {
		h.failed(w, r, fmt.Errorf("read control items: %w", err))
		return
	}
	answer(w, http.StatusOK, all)
}

func (h *handler) apiControlAdd(w http.ResponseWriter, r *http.Request) {
	h.changeControl(w, r, Keeper.AddControl)
}

func (h *handler) apiControlRemove(w http.ResponseWriter, r *http.Request) {
	h.changeControl(w, r, Keeper.RemoveControl)
}

func (h *handler) changeControl(w http.ResponseWriter, r *http.Request, do func(Keeper, context.Context, ControlRequest) (ControlReply, error)) {
	if h.Keeper == nil {
		h.failed(w, r, errNoKeeper)
		return
	}
	var req ControlRequest
	if err := h.read(r, &req); err != nil {
		h.failed(w, r, err)
		return
	}
	if req.By == "" {
		h.failed(w, r, fmt.Errorf("%w: by: is missing; it is kept who decided this", ErrInvalid))
		return
	}
	reply, err := do(h.Keeper, r.Context(), req)
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, reply)
}

// Controls lists the control items.
func (c *Client) Controls(ctx context.Context) (all ControlsReply, err error) {
	err = c.do(ctx, http.MethodGet, "/api/v1/judges/controls", nil, &all)
	return all, err
}

// AddControl adds an own control item.
func (c *Client) AddControl(ctx context.Context, r ControlRequest) (reply ControlReply, err error) {
	err = c.do(ctx, http.MethodPost, "/api/v1/judges/controls/add", r, &reply)
	return reply, err
}

// RemoveControl takes an own control item out.
func (c *Client) RemoveControl(ctx context.Context, r ControlRequest) (reply ControlReply, err error) {
	err = c.do(ctx, http.MethodPost, "/api/v1/judges/controls/remove", r, &reply)
	return reply, err
}
