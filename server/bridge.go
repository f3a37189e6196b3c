package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"leadline/drift"
	"leadline/scorer"
)

// Bridger compares judges, and gives a new one a baseline of answers that an old one scored.
type Bridger interface {
	// Judges returns who scored what, the newest first.
	Judges(ctx context.Context) ([]JudgeSeries, error)
	// Bridge does a part of a bridge, a few answers, and says how far it is. Asked the same
	// again it goes on; once all is scored, the reply is Finished and the bridge stored.
	Bridge(ctx context.Context, r BridgeRequest) (BridgeReply, error)
}

// JudgeSeries is one judge of one metric, as the store has it.
type JudgeSeries struct {
	Key    string        `json:"key"` // JudgeID.Key
	Metric scorer.Metric `json:"metric"`
	// Model is from the identity, or what the server reported where that was not kept.
	Model string          `json:"model"`
	ID    *scorer.JudgeID `json:"id,omitempty"`
	First time.Time       `json:"first,omitzero"` // run
	Last  time.Time       `json:"last,omitzero"`
	// Runs and Samples count what it scored in runs, Bridged what it scored again later.
	Runs    int `json:"runs"`
	Samples int `json:"samples"`
	Bridged int `json:"bridged,omitempty"`
	// Configured is true for the judge that can be asked.
	Configured bool `json:"configured,omitempty"`
}

// BridgeRequest names two judges by key, unique beginning of a key, or model. Empty: the
// configured one, and the newest other one.
type BridgeRequest struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Samples is how many answers are scored again; 0: as many as a baseline needs.
	Samples int `json:"samples,omitempty"`
	// DryRun asks the judge nothing but, once, what its server can do.
	DryRun bool `json:"dry_run,omitempty"`
}

// BridgeReply says how far a bridge is.
type BridgeReply struct {
	From []JudgeSeries `json:"from"` // per metric
	To   []JudgeSeries `json:"to"`
	// Basis is "samples", or "controls" where there is no answer to score again; Why says why.
	Basis string `json:"basis"`
	Why   string `json:"why,omitempty"`
	// Kept is how many answers could be scored again; Total how many are to be, about; Done
	// how many are. For controls, items.
	Kept     int  `json:"kept"`
	Total    int  `json:"total"`
	Done     int  `json:"done"`
	Finished bool `json:"finished"`
	// TokensEach is what the old judge took for one answer; 0 where that is not known.
	TokensEach int64          `json:"tokens_each,omitempty"`
	Usage      scorer.Usage   `json:"usage"` // of all that is done
	Results    []BridgeResult `json:"results,omitempty"`
	// Open are the open incidents of the old judge's series.
	Open []OpenIncident `json:"open,omitempty"`
}

// BridgeResult is a bridge and how the new judge's series stands with it.
type BridgeResult struct {
	drift.Bridge
	State drift.State `json:"state"` // of all segments together, without the old judge
	// Needed is how many samples the baseline lacks, LearnedBy about when it has them; zero
	// when it lacks none, or the pace of the runs is not known.
	Needed    int       `json:"needed,omitempty"`
	LearnedBy time.Time `json:"learned_by,omitzero"`
}

// OpenIncident is one that only the old judge could end.
type OpenIncident struct {
	ID    string    `json:"id"`
	Since time.Time `json:"since"`
}

// Judges returns who scored what.
func (c *Client) Judges(ctx context.Context) (out []JudgeSeries, err error) {
	err = c.do(ctx, http.MethodGet, "/api/v1/judges", nil, &out)
	return out, err
}

// Bridge does a part of a bridge.
func (c *Client) Bridge(ctx context.Context, r BridgeRequest) (reply BridgeReply, err error) {
	err = c.do(ctx, http.MethodPost, "/api/v1/judges/bridge", r, &reply)
	return reply, err
}

var errNoBridger = fmt.Errorf("%w: judges are not compared here", ErrInvalid)

func (h *handler) apiJudges(w http.ResponseWriter, r *http.Request) {
	if h.Bridger == nil {
		h.failed(w, r, errNoBridger)
		return
	}
	all, err := h.Bridger.Judges(r.Context())
	if err != nil {
		h.failed(w, r, fmt.Errorf("read judges: %w", err))
		return
	}
	answer(w, http.StatusOK, append([]JudgeSeries{}, all...))
}

// bridgeTimeout is how long a judge may take for one part of a bridge, its retries included.
const bridgeTimeout = 15 * time.Minute

func (h *handler) apiBridge(w http.ResponseWriter, r *http.Request) {
	if h.Bridger == nil {
		h.failed(w, r, errNoBridger)
		return
	}
	var req BridgeRequest
	if err := h.read(r, &req); err != nil {
		h.failed(w, r, err)
		return
	}
	if req.Samples < 0 {
		h.failed(w, r, fmt.Errorf("%w: samples: must be 1 or more", ErrInvalid))
		return
	}
	// In this process there is no deadline, and nothing to move.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bridgeTimeout))
	reply, err := h.Bridger.Bridge(r.Context(), req)
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, reply)
}
