package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"leadline/review"
)

// Reviewer lets people judge stored answers, and says how well the judge agrees with them.
type Reviewer interface {
	// Draw makes a review of stored answers, or returns one that was made before.
	Draw(ctx context.Context, r DrawRequest) (DrawReply, error)
	// Mark keeps what a person marked. ErrInvalid: it does not fit the review.
	Mark(ctx context.Context, r MarkRequest) error
	// Review returns a review, the newest for an empty ID. ErrNotFound: there is none.
	Review(ctx context.Context, id string) (ReviewReply, error)
}

// DrawRequest asks for a review. With Review it is one that was made before: for another person.
type DrawRequest struct {
	Review string    `json:"review,omitempty"`
	N      int       `json:"n,omitempty"`    // answers; 0: review.Usual
	Since  time.Time `json:"since,omitzero"` // of runs after it
}

// DrawReply is a review as people get it, without verdicts and scores, and how it was drawn.
type DrawReply struct {
	Form    review.Form `json:"form"`
	Answers int         `json:"answers"` // that it was drawn from
	Low     int         `json:"low"`     // of these the lowest quarter
	// LowDrawn of the papers are from there; which ones is not told.
	LowDrawn int `json:"low_drawn"`
}

// MarkRequest is what a person marked.
type MarkRequest struct {
	Review string         `json:"review"`
	Rater  string         `json:"rater"`
	Via    string         `json:"via,omitempty"`
	File   string         `json:"file,omitempty"`
	Labels []review.Label `json:"labels"`
	// Once refuses samples of which the rater has marked anything: their verdicts were shown.
	Once bool `json:"once,omitempty"`
}

// ReviewReply is a review and what came of it.
type ReviewReply struct {
	Form   review.Form   `json:"form"`
	Result review.Result `json:"result"`
	// Others are all reviews, newest first.
	Others []ReviewLine `json:"others"`
}

// ReviewLine is a review in a list.
type ReviewLine struct {
	ID      string    `json:"id"`
	Made    time.Time `json:"made"`
	Samples int       `json:"samples"`
	Raters  []string  `json:"raters"`
}

// maxName is how long a rater's name may be, in characters.
const maxName = 60

func (r MarkRequest) check() error {
	name := strings.TrimSpace(r.Rater)
	switch {
	case name == "":
		return fmt.Errorf("%w: give rater (who marked this)", ErrInvalid)
	case utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("%w: rater: at most %d characters in one line", ErrInvalid, maxName)
	case len(r.Labels) == 0:
		return fmt.Errorf("%w: nothing is marked", ErrInvalid)
	}
	return nil
}

func (r DrawRequest) check() error {
	if r.N < 0 || r.N > review.Most {
		return fmt.Errorf("%w: n: must be 1 to %d", ErrInvalid, review.Most)
	}
	return nil
}

var errNoReviewer = fmt.Errorf("reviews: %w", ErrNotFound)

func (h *handler) apiDraw(w http.ResponseWriter, r *http.Request) {
	var req DrawRequest
	err := h.read(r, &req)
	if err == nil {
		err = req.check()
	}
	if err == nil && h.Reviewer == nil {
		err = errNoReviewer
	}
	if err != nil {
		h.failed(w, r, err)
		return
	}
	reply, err := h.Reviewer.Draw(r.Context(), req)
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, reply)
}

func (h *handler) apiMark(w http.ResponseWriter, r *http.Request) {
	var req MarkRequest
	err := h.read(r, &req)
	req.Review, req.Rater = r.PathValue("id"), strings.TrimSpace(req.Rater)
	if err == nil {
		err = req.check()
	}
	if err == nil && h.Reviewer == nil {
		err = errNoReviewer
	}
	if err == nil {
		err = h.Reviewer.Mark(r.Context(), req)
	}
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, struct{}{})
}

// apiReview answers for the newest review without an ID.
func (h *handler) apiReview(w http.ResponseWriter, r *http.Request) {
	if h.Reviewer == nil {
		h.failed(w, r, errNoReviewer)
		return
	}
	reply, err := h.Reviewer.Review(r.Context(), r.PathValue("id"))
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, reply)
}

// Draw makes a review.
func (c *Client) Draw(ctx context.Context, r DrawRequest) (reply DrawReply, err error) {
	err = c.do(ctx, http.MethodPost, "/api/v1/reviews", r, &reply)
	return reply, err
}

// Mark keeps what a person marked.
func (c *Client) Mark(ctx context.Context, r MarkRequest) error {
	return c.do(ctx, http.MethodPost, "/api/v1/reviews/"+url.PathEscape(r.Review)+"/labels", r, &struct{}{})
}

// Review returns a review, the newest for an empty ID.
func (c *Client) Review(ctx context.Context, id string) (reply ReviewReply, err error) {
	path := "/api/v1/reviews"
	if id != "" {
		path += "/" + url.PathEscape(id)
	}
	err = c.do(ctx, http.MethodGet, path, nil, &reply)
	return reply, err
}

func isNone(err error) bool { return errors.Is(err, ErrNotFound) }

// refused is an error that a page shows as a sentence; empty for one that it cannot.
func refused(err error) string {
	if errors.Is(err, ErrInvalid) || errors.Is(err, ErrNotNow) {
		return strings.TrimPrefix(err.Error(), ErrInvalid.Error()+": ")
	}
	return ""
}
