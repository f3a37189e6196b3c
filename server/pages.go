package server

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/scorer"
)

//go:embed page
var pageFiles embed.FS

// What the start page shows of what there is more of.
const (
	startSamples = 10
	startSmall   = 24
)

// view is what a page shows; which of it is filled depends on the page.
type view struct { //nolint:recvcheck // a template calls methods on a value
	Status
	Here    string
	Large   []seriesView
	Small   []seriesView
	Hidden  int // segments that the start page leaves out
	Shares  []seriesView
	Control []report.Control
	Samples []report.Answer
	Query   SampleQuery
	Picks   []string // segments to choose samples of
	More    int      // how many samples to show next; 0: these are all
	Open    []incidentView
	Past    []alert.Incident
	One     *incidentView
	Review  *reviewView
}

type seriesView struct {
	SeriesStatus
	Chart report.Chart
	// Parts are the segments that are down when the pooled series is not: it leaves them
	// out once they are known to be.
	Parts []string
}

type incidentView struct {
	alert.Incident
	Lead  *drift.Finding // the finding that stands for it
	Next  *alert.Part    // what to do; nil once it is over
	Parts []seriesView   // the charts of its series
}

func (s Status) location() *time.Location {
	loc, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return time.UTC
	}
	return loc
}

func (s Status) words() report.Words {
	return report.NewWords(s.Language, s.location()).With(labels)
}

func (h *handler) render(w http.ResponseWriter, r *http.Request, code int, name string, v view) {
	v.Here = name
	t, err := report.Templates(v.words(), true)
	if err == nil {
		t, err = t.Funcs(reviewFuncs(v.words())).ParseFS(pageFiles, "page/*.tmpl")
	}
	var b bytes.Buffer
	if err == nil {
		err = t.ExecuteTemplate(&b, name+".html.tmpl", v)
	}
	if err != nil {
		h.failed(w, r, fmt.Errorf("render page %s: %w", name, err))
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = b.WriteTo(w) // the client is gone; there is nobody to tell
}

// page reads the status and lets fill add what the page needs.
func (h *handler) page(w http.ResponseWriter, r *http.Request, name string, fill func(context.Context, *view) error) {
	s, err := h.assessed(r.Context())
	if err != nil {
		h.failed(w, r, err)
		return
	}
	v := view{Status: s}
	switch err := fill(r.Context(), &v); {
	case errors.Is(err, ErrNotFound):
		h.render(w, r, http.StatusNotFound, "missing", v)
	case err != nil:
		h.failed(w, r, err)
	default:
		h.render(w, r, http.StatusOK, name, v)
	}
}

func (h *handler) start(w http.ResponseWriter, r *http.Request) {
	h.page(w, r, "start", func(ctx context.Context, v *view) error {
		v.sortSeries()
		for _, i := range v.Incidents {
			if i.Open() {
				v.Open = append(v.Open, v.incident(i, false))
			} else {
				v.Past = append(v.Past, i)
			}
		}
		v.Control = report.ControlCharts(v.Controls, v.judge, v.chartFrom(), v.Now, v.words())
		samples, err := h.Source.Samples(ctx, SampleQuery{Metric: scorer.Faithfulness, Since: v.Now.AddDate(0, 0, -7), Limit: startSamples})
		v.Samples = report.Answers(samples)
		return err
	})
}

func (h *handler) incident(w http.ResponseWriter, r *http.Request) {
	h.page(w, r, "incident", func(ctx context.Context, v *view) error {
		at := slices.IndexFunc(v.Incidents, func(i alert.Incident) bool { return i.ID == r.PathValue("id") })
		if at < 0 {
			return ErrNotFound
		}
		one := v.incident(v.Incidents[at], true)
		v.One = &one
		if one.Lead == nil {
			return nil
		}
		samples, err := h.Source.Samples(ctx, SampleQuery{Incident: one.ID, Metric: one.Lead.Series.Metric, Limit: startSamples})
		v.Samples = report.Answers(samples)
		return err
	})
}

func (h *handler) samples(w http.ResponseWriter, r *http.Request) {
	h.page(w, r, "samples", func(ctx context.Context, v *view) error {
		q, err := parseQuery(r.URL.Query())
		if err != nil {
			return err
		}
		q.Metric = cmp.Or(q.Metric, scorer.Faithfulness)
		v.Query = q
		samples, err := h.Source.Samples(ctx, q)
		v.Samples = report.Answers(samples)
		v.Picks = v.segments(q.Metric)
		if len(samples) == q.Limit && q.Limit < maxSamples {
			v.More = min(4*q.Limit, maxSamples)
		}
		return err
	})
}

func (h *handler) sample(w http.ResponseWriter, r *http.Request) {
	h.page(w, r, "sample", func(ctx context.Context, v *view) error {
		samples, err := h.Source.Samples(ctx, SampleQuery{ID: r.PathValue("id"), Limit: 1})
		if err != nil {
			return err
		}
		if len(samples) == 0 {
			return ErrNotFound
		}
		a := report.AnswerOf(samples[0])
		a.Open = true
		v.Samples = []report.Answer{a}
		return nil
	})
}

func (h *handler) reports(w http.ResponseWriter, r *http.Request) {
	h.page(w, r, "reports", func(context.Context, *view) error { return nil })
}

func (h *handler) status(w http.ResponseWriter, r *http.Request) {
	h.page(w, r, "status", func(_ context.Context, v *view) error {
		for _, x := range v.Series {
			v.Large = append(v.Large, v.series(x))
		}
		return nil
	})
}

// report serves the file that the week's report is: it carries its own style.
func (h *handler) report(w http.ResponseWriter, r *http.Request) {
	week, err := h.Source.Week(r.Context(), r.PathValue("week"))
	if errors.Is(err, ErrNotFound) {
		h.page(w, r, "missing", func(context.Context, *view) error { return ErrNotFound })
		return
	}
	var b bytes.Buffer
	if err == nil {
		err = report.WriteLinked(&b, week)
	}
	if err != nil {
		h.failed(w, r, err)
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = b.WriteTo(w) // the client is gone; there is nobody to tell
}

func (h *handler) style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=3600")
	_, _ = w.Write([]byte(report.Style())) // as above
}
