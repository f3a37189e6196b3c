package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

const (
	usualSamples = 50
	maxSamples   = 1000
)

type created struct {
	Created bool `json:"created"`
}

// assessed is the source's status with its verdict.
func (h *handler) assessed(ctx context.Context) (Status, error) {
	s, err := h.Source.Status(ctx)
	if err != nil {
		return s, fmt.Errorf("read status: %w", err)
	}
	s.Verdict, s.Sentence = report.Assess(report.Facts{
		States: s.states(), Incidents: s.Incidents, Notes: s.Notes,
		From: s.Now.AddDate(0, 0, -7), To: s.Now, Samples: s.Coverage.Samples, Scored: s.Coverage.Scored,
	}, s.words())
	for i := range s.Series {
		s.Series[i].Shown = s.Series[i].shownAs()
	}
	return s, nil
}

func (s Status) states() []drift.State {
	states := make([]drift.State, len(s.Series))
	for i, x := range s.Series {
		states[i] = x.State
	}
	return states
}

func (h *handler) apiStatus(w http.ResponseWriter, r *http.Request) {
	s, err := h.assessed(r.Context())
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, s)
}

func (h *handler) apiSamples(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		h.failed(w, r, err)
		return
	}
	samples, err := h.Source.Samples(r.Context(), q)
	if err != nil {
		h.failed(w, r, fmt.Errorf("read samples: %w", err))
		return
	}
	if samples == nil {
		samples = []report.Sample{}
	}
	answer(w, http.StatusOK, samples)
}

func (h *handler) apiReport(w http.ResponseWriter, r *http.Request) {
	week, err := h.Source.Week(r.Context(), r.PathValue("week"))
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, week)
}

func (h *handler) apiRelease(w http.ResponseWriter, r *http.Request) {
	var req ReleaseRequest
	if err := h.read(r, &req); err != nil {
		h.failed(w, r, err)
		return
	}
	if req.Channel == "" {
		req.Channel = sampler.ChannelRelease
	}
	if req.Source == "" {
		req.Source = "api"
	}
	if req.Value == "" && req.Through.IsZero() {
		h.failed(w, r, fmt.Errorf("%w: give value (the release), or through (no release until then)", ErrInvalid))
		return
	}
	isNew, err := h.Operator.AddRelease(r.Context(), req)
	if err != nil {
		h.failed(w, r, err)
		return
	}
	code := http.StatusOK
	if isNew {
		code = http.StatusCreated
	}
	answer(w, code, created{isNew})
}

func (h *handler) apiAccept(w http.ResponseWriter, r *http.Request) {
	var req AcceptRequest
	if err := h.read(r, &req); err != nil {
		h.failed(w, r, err)
		return
	}
	if req.By == "" || req.Incident == "" && req.Series.Metric == "" {
		h.failed(w, r, fmt.Errorf("%w: give by (who accepts), and incident or series", ErrInvalid))
		return
	}
	a, err := h.Operator.Accept(r.Context(), req)
	if err != nil {
		h.failed(w, r, err)
		return
	}
	answer(w, http.StatusOK, a)
}

// read takes the body of a request. The message of a broken one names the field, not
// what was in it.
func (h *handler) read(r *http.Request, into any) error {
	if h.Operator == nil {
		return fmt.Errorf("%w: nothing can be changed here", ErrInvalid)
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: body: %w", ErrInvalid, err)
	}
	return nil
}

func parseQuery(v url.Values) (SampleQuery, error) {
	q := SampleQuery{ID: v.Get("id"), Metric: scorer.Metric(v.Get("metric")), Reason: scorer.Reason(v.Get("reason")), Segment: v.Get("segment"), Incident: v.Get("incident"), Limit: usualSamples}
	if s := v.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxSamples {
			return q, fmt.Errorf("%w: limit: must be 1 to %d", ErrInvalid, maxSamples)
		}
		q.Limit = n
	}
	for name, at := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
		if s := v.Get(name); s != "" {
			t, err := time.Parse(time.RFC3339, s)
			if err != nil {
				return q, fmt.Errorf("%w: %s: must be a time like 2026-11-30T06:00:00Z", ErrInvalid, name)
			}
			*at = t
		}
	}
	return q, nil
}

// Link is the address of the same list with one thing changed.
func (q SampleQuery) Link(name, value string) string {
	v := q.values()
	v.Del("limit")
	v.Set(name, value)
	if value == "" {
		v.Del(name)
	}
	return "/samples?" + v.Encode()
}

// values is the reverse of parseQuery.
func (q SampleQuery) values() url.Values {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("id", q.ID)
	set("metric", string(q.Metric))
	set("reason", string(q.Reason))
	set("segment", q.Segment)
	set("incident", q.Incident)
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	if !q.Since.IsZero() {
		v.Set("since", q.Since.Format(time.RFC3339Nano))
	}
	if !q.Until.IsZero() {
		v.Set("until", q.Until.Format(time.RFC3339Nano))
	}
	return v
}
