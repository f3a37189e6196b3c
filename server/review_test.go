package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"leadline/report"
	"leadline/review"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/server"
)

// reviewer keeps one review in memory, with the drawing and the comparing that are used.
type reviewer struct {
	sheet   review.Sheet
	texts   map[string]report.Sample
	entries []review.Entry
}

const secretReason = "the-judge-says-so"

func newReviewer() *reviewer {
	r := &reviewer{texts: map[string]report.Sample{}}
	var all []report.Sample
	for i := range 3 {
		id := fmt.Sprintf("req/%d", i)
		x := report.Sample{
			Sample: sampler.Sample{Record: sampler.Record{ID: id, Question: "<b>Open?</b> " + id, Answer: "At nine. Parking is free.", Contexts: []string{"It opens at nine."}}},
			Score: scorer.Score{SampleID: id, Window: now, Inclusion: 1, ResponseModel: "small", Judges: map[scorer.Metric]string{scorer.Faithfulness: "abc"},
				Outcomes:   map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: 0.4321}},
				Statements: []scorer.Statement{{Text: "It opens at nine.", Verdict: 1, Reason: secretReason}, {Text: "Parking is free.", Verdict: 0, Reason: secretReason}}},
		}
		all = append(all, x)
		r.texts[id] = x
	}
	r.sheet = review.Draw(all, 3, "rv_1", now)
	return r
}

func (r *reviewer) Draw(context.Context, server.DrawRequest) (server.DrawReply, error) {
	return server.DrawReply{Form: r.sheet.Form(r.texts), Answers: 3}, nil
}

func (r *reviewer) Mark(_ context.Context, q server.MarkRequest) error {
	if err := r.sheet.Check(q.Labels); err != nil {
		return fmt.Errorf("%w: %w", server.ErrInvalid, err)
	}
	if q.Once && review.Marked(r.entries, q.Rater, q.Labels) {
		return fmt.Errorf("%w: marked before", server.ErrInvalid)
	}
	r.entries = append(r.entries, review.Entry{Review: q.Review, Rater: q.Rater, At: now, Via: q.Via, Labels: q.Labels})
	return nil
}

func (r *reviewer) Review(_ context.Context, id string) (server.ReviewReply, error) {
	if id != "" && id != r.sheet.ID {
		return server.ReviewReply{}, server.ErrNotFound
	}
	return server.ReviewReply{Form: r.sheet.Form(r.texts), Result: review.Compare(r.sheet, r.entries, r.texts),
		Others: []server.ReviewLine{{ID: r.sheet.ID, Made: now, Samples: 3, Raters: []string{"ana"}}}}, nil
}

func reviewing(r *reviewer, lang string) http.Handler {
	return server.NewHandler(server.Options{Source: rich(lang), Reviewer: r, Token: func() string { return token }, Log: zerolog.Nop()})
}

// marks are a form that is filled in for one answer.
func marks(rater, sample, first, second, answered string) string {
	return url.Values{"rater": {rater}, "sample": {sample}, "count": {"2"}, "m1": {first}, "m2": {second}, "answered": {answered}}.Encode()
}

var formHead = []string{"Authorization", "Bearer " + token, "Content-Type", "application/x-www-form-urlencoded"}

func TestVerdictsAreSentOnlyAfterMarking(t *testing.T) {
	r := newReviewer()
	h := reviewing(r, "en")
	reveals := func(path string) int {
		body := ask(h, http.MethodGet, path, "").Body.String()
		if !strings.Contains(body, "&lt;b&gt;Open?") {
			t.Errorf("%s shows no question, or as markup", path)
		}
		for _, score := range []string{"0.43", "abc"} {
			if strings.Contains(body, score) && !strings.Contains(body, secretReason) {
				t.Errorf("%s shows %s before anything is marked", path, score)
			}
		}
		return strings.Count(body, secretReason)
	}
	if n := reveals("/review/rv_1?rater=ana") + reveals("/review/rv_1?rater=ana&list=1"); n != 0 {
		t.Errorf("%d verdicts are sent before anything is marked", n)
	}
	first := r.sheet.Items[0].Sample
	w := ask(h, http.MethodPost, "/review/rv_1", marks("ana", first, "supported", "supported", "yes"), formHead...)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/review/rv_1?rater=ana&seen="+url.QueryEscape(first) {
		t.Fatalf("marked: %d, to %q", w.Code, w.Header().Get("Location"))
	}
	if n := reveals(w.Header().Get("Location")); n != 2 {
		t.Errorf("%d verdicts after marking, want the 2 of this answer", n)
	}
	if n := reveals("/review/rv_1?rater=ana&list=1"); n != 2 {
		t.Errorf("the list has %d verdicts, want the 2 of the marked answer", n)
	}
	if n := reveals("/review/rv_1?rater=ben&list=1&seen=" + url.QueryEscape(first)); n != 0 {
		t.Errorf("another person gets %d verdicts of an answer not marked by them", n)
	}
}

func TestMarksAreGuardedAndStay(t *testing.T) {
	r := newReviewer()
	h := reviewing(r, "en")
	first := r.sheet.Items[0].Sample
	good := marks("ana", first, "supported", "unclear", "yes")
	if w := ask(h, http.MethodPost, "/review/rv_1", good, formHead[2:]...); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", w.Code)
	}
	if w := ask(h, http.MethodPost, "/review/rv_1", good, append([]string{"Origin", "http://evil.example"}, formHead...)...); w.Code != http.StatusForbidden {
		t.Errorf("from another site: %d", w.Code)
	}
	for name, body := range map[string]string{
		"a statement without a mark": marks("ana", first, "supported", "", "yes"),
		"no answer to the question":  marks("ana", first, "supported", "supported", ""),
		"a mark that is none":        marks("ana", first, "supported", "perhaps", "yes"),
		"nobody's name":              marks("  ", first, "supported", "supported", "yes"),
		"a sample of another review": marks("ana", "req/9", "supported", "supported", "yes"),
	} {
		w := ask(h, http.MethodPost, "/review/rv_1", body, formHead...)
		if w.Code == http.StatusSeeOther || len(r.entries) != 0 || strings.Contains(w.Body.String(), secretReason) {
			t.Errorf("%s: %d, %d kept", name, w.Code, len(r.entries))
		}
	}
	if body := ask(h, http.MethodPost, "/review/rv_1", marks("ana", first, "unsupported", "", "yes"), formHead...).Body.String(); !strings.Contains(body, `value="unsupported" checked`) || !strings.Contains(body, "mark every statement") {
		t.Error("what was marked is lost when something is missing")
	}
	if w := ask(h, http.MethodPost, "/review/rv_1", good, formHead...); w.Code != http.StatusSeeOther {
		t.Fatalf("marked: %d", w.Code)
	}
	w := ask(h, http.MethodPost, "/review/rv_1", marks("ana", first, "unsupported", "unsupported", "no"), formHead...)
	if len(r.entries) != 1 || !strings.Contains(w.Body.String(), "marked before") {
		t.Error("marks can be changed after the verdicts were shown")
	}
}

func TestPagesOfReviewsInBothLanguages(t *testing.T) {
	r := newReviewer()
	for _, rater := range []string{"ana", "ben"} {
		for _, item := range r.sheet.Items {
			l := review.Label{Sample: item.Sample, Statements: []review.Mark{review.Supported, review.Supported}, Answered: review.Yes}
			if err := r.Mark(t.Context(), server.MarkRequest{Review: "rv_1", Rater: rater, Labels: []review.Label{l}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for lang, words := range map[string][]string{
		"en": {"Where they differ", "sanity check, not a proof", "0.44 at 90 to 10", "Sensitivity", secretReason, "Krippendorff", "not supported"},
		"ja": {"判断が分かれた文", "証明ではありません", "9対1なら0.44", "感度", secretReason, "Krippendorff", "裏付けなし"},
	} {
		h := reviewing(r, lang)
		for _, path := range []string{"/review", "/review/rv_1", "/review/rv_1?rater=ana", "/review/rv_1?rater=eva&list=1", "/review/rv_1/agreement"} {
			w := ask(h, http.MethodGet, path, "")
			body := w.Body.String()
			if w.Code != http.StatusOK || !strings.Contains(body, `<html lang="`+lang+`">`) {
				t.Errorf("%s %s: %d", lang, path, w.Code)
			}
			for _, bad := range []string{"<script", "http://", "<b>Open", "style=", "%!", "ZgotmplZ", "NaN", "<no value>", "review."} {
				if strings.Contains(body, bad) {
					t.Errorf("%s %s contains %q", lang, path, bad)
				}
			}
		}
		body := ask(h, http.MethodGet, "/review/rv_1/agreement", "").Body.String()
		for _, want := range words {
			if !strings.Contains(body, want) {
				t.Errorf("%s agreement lacks %q", lang, want)
			}
		}
		if differ, table := strings.Index(body, secretReason), strings.Index(body, "<td class=\"n\">"); differ > table {
			t.Errorf("%s: figures stand before the disagreements", lang)
		}
	}
	if w := ask(reviewing(r, "en"), http.MethodGet, "/review/rv_2", ""); w.Code != http.StatusNotFound {
		t.Errorf("a review that there is not: %d", w.Code)
	}
}

func TestWithoutATokenNothingCanBeMarked(t *testing.T) {
	h := server.NewHandler(server.Options{Source: rich("en"), Reviewer: newReviewer(), Log: zerolog.Nop()})
	for _, path := range []string{"/review", "/review/rv_1?rater=ana"} {
		if body := ask(h, http.MethodGet, path, "").Body.String(); !strings.Contains(body, "set server.token") || strings.Contains(body, "<form") {
			t.Errorf("%s has a form that cannot be handed in, or does not say why not", path)
		}
	}
}
