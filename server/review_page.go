package server

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"leadline/agreement"
	"leadline/report"
	"leadline/review"
)

// reviewView is what the pages of a review show. Verdicts are in it only of what the rater
// has marked.
type reviewView struct {
	ReviewReply
	Rater string
	List  bool
	// Closed is true where nothing can be handed in: no token is configured.
	Closed  bool
	Problem string
	Papers  []paperView
	Just    *review.Compared // what was handed in just now
	Done    int              // papers that the rater has marked
	Last    *review.RaterResult
}

// paperView is one answer: to be marked, or marked and compared.
type paperView struct {
	review.Paper
	Place  int
	Marked *review.Compared
}

// Self is the address of a review for its rater.
func (v *reviewView) Self(list bool) string {
	q := url.Values{"rater": {v.Rater}}
	if list {
		q.Set("list", "1")
	}
	return "/review/" + url.PathEscape(v.Form.Review) + "?" + q.Encode()
}

// pair hands two things to a part of a page.
type pair struct{ First, Second any }

// reviewFuncs are the functions that only the pages of reviews need.
func reviewFuncs(w report.Words) template.FuncMap {
	return template.FuncMap{
		"pair":    func(a, b any) pair { return pair{a, b} },
		"count":   func(n float64) string { return w.Int(int64(n)) },
		"range95": func(e *agreement.Estimate) string { return w.Span(w.Percent(e.Low), w.Percent(e.High)) },
	}
}

// All is how many answers the review has.
func (v *reviewView) All() int { return len(v.Form.Papers) }

// One is the next answer to mark; nil when all are.
func (v *reviewView) One() *paperView {
	for i := range v.Papers {
		if v.Papers[i].Marked == nil && !v.Papers[i].Gone() {
			return &v.Papers[i]
		}
	}
	return nil
}

func (h *handler) reviewPage(w http.ResponseWriter, r *http.Request, name string, id string, fill func(context.Context, *reviewView) error) {
	h.page(w, r, name, func(ctx context.Context, v *view) error {
		if h.Reviewer == nil {
			return ErrNotFound
		}
		one := &reviewView{Closed: h.Token == nil || h.Token() == "", Rater: raterOf(r), List: r.FormValue("list") != ""}
		v.Review = one
		var err error
		if one.ReviewReply, err = h.Reviewer.Review(ctx, id); err != nil {
			return err
		}
		return fill(ctx, one)
	})
}

func raterOf(r *http.Request) string { return strings.TrimSpace(r.FormValue("rater")) }

// reviews lists all reviews, and shows what came of the newest that somebody has marked.
func (h *handler) reviews(w http.ResponseWriter, r *http.Request) { h.listReviews(w, r, "") }

func (h *handler) listReviews(w http.ResponseWriter, r *http.Request, problem string) {
	h.page(w, r, "reviews", func(ctx context.Context, v *view) error {
		v.Review = &reviewView{Closed: h.Reviewer == nil || h.Token == nil || h.Token() == "", Problem: problem}
		if h.Reviewer == nil {
			return nil
		}
		reply, err := h.Reviewer.Review(ctx, "")
		if isNone(err) {
			return nil
		}
		v.Review.ReviewReply = reply
		return err
	})
}

// drawReview makes a review and leads to it.
func (h *handler) drawReview(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(cmp.Or(r.FormValue("n"), strconv.Itoa(review.Usual)))
	req := DrawRequest{N: n}
	switch {
	case err != nil || n < 1:
		err = fmt.Errorf("%w: n: must be 1 to %d", ErrInvalid, review.Most)
	case h.Reviewer == nil:
		err = errNoReviewer
	default:
		err = req.check()
	}
	var reply DrawReply
	if err == nil {
		reply, err = h.Reviewer.Draw(r.Context(), req)
	}
	switch problem := refused(err); {
	case problem != "":
		h.listReviews(w, r, problem)
	case err != nil:
		h.failed(w, r, err)
	default:
		http.Redirect(w, r, "/review/"+url.PathEscape(reply.Form.Review)+"?"+url.Values{"rater": {raterOf(r)}}.Encode(), http.StatusSeeOther)
	}
}

// review shows one answer after the other, or all, to one rater.
func (h *handler) review(w http.ResponseWriter, r *http.Request) {
	h.reviewPage(w, r, "review", r.PathValue("id"), func(_ context.Context, v *reviewView) error {
		v.fill(r.FormValue("seen"))
		return nil
	})
}

// fill puts the rater's marks beside the answers.
func (v *reviewView) fill(seen string) {
	marked := map[string]*review.Compared{}
	for i := range v.Result.Raters {
		if one := &v.Result.Raters[i]; one.Rater == v.Rater && v.Rater != "" {
			v.Last = one
			for k := range one.Compared {
				marked[one.Compared[k].Sample] = &one.Compared[k]
			}
		}
	}
	for i, p := range v.Form.Papers {
		v.Papers = append(v.Papers, paperView{p, i + 1, marked[p.Sample]})
	}
	v.Done, v.Just = len(marked), marked[seen]
}

// markReview keeps what was marked of one answer, and shows the judge's verdicts on it.
func (h *handler) markReview(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if h.Reviewer == nil {
		h.failed(w, r, errNoReviewer)
		return
	}
	label, whole := labelOf(r)
	req := MarkRequest{Review: id, Rater: raterOf(r), Via: "page", Labels: []review.Label{label}, Once: true}
	err := req.check()
	if err == nil && !whole {
		err = fmt.Errorf("%w: mark every statement, and whether the question was answered", ErrInvalid)
	}
	if err == nil {
		err = h.Reviewer.Mark(r.Context(), req)
	}
	switch problem := refused(err); {
	case problem != "":
		h.reviewPage(w, r, "review", id, func(_ context.Context, v *reviewView) error {
			v.fill("")
			v.Problem = problem
			v.keep(label)
			return nil
		})
		return
	case err != nil:
		h.failed(w, r, err)
		return
	}
	q, anchor := url.Values{"rater": {req.Rater}}, ""
	if r.FormValue("list") != "" {
		q.Set("list", "1")
		anchor = "#" + anchorOf(label.Sample)
	} else {
		q.Set("seen", label.Sample)
	}
	http.Redirect(w, r, "/review/"+url.PathEscape(id)+"?"+q.Encode()+anchor, http.StatusSeeOther)
}

// anchorOf is the place of a sample on a page, as report.Templates writes it.
func anchorOf(sample string) string { return "a-" + strings.Join(strings.Fields(sample), "-") }

// labelOf reads the marks of one answer, and says whether none is missing.
func labelOf(r *http.Request) (review.Label, bool) {
	l := review.Label{Sample: r.FormValue("sample"), Answered: review.Mark(r.FormValue("answered"))}
	count, err := strconv.Atoi(r.FormValue("count"))
	whole := err == nil && count > 0 && count <= maxStatements && l.Answered != ""
	for i := range min(max(count, 0), maxStatements) {
		m := review.Mark(r.FormValue("m" + strconv.Itoa(i+1)))
		whole = whole && m != ""
		l.Statements = append(l.Statements, m)
	}
	return l, whole
}

// maxStatements is how many statements of an answer can be marked on a page.
const maxStatements = 1000

// keep leaves what was marked in its place where it could not be taken.
func (v *reviewView) keep(l review.Label) {
	for i := range v.Papers {
		p := &v.Papers[i]
		if p.Sample != l.Sample {
			continue
		}
		p.Answered = l.Answered
		for k := range p.Statements {
			if k < len(l.Statements) {
				p.Statements[k].Mark = l.Statements[k]
			}
		}
	}
}

// agreement shows how the judge agrees with the people, disagreements first.
func (h *handler) agreement(w http.ResponseWriter, r *http.Request) {
	h.reviewPage(w, r, "agreement", r.PathValue("id"), func(context.Context, *reviewView) error { return nil })
}
