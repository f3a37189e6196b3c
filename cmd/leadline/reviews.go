package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"leadline/report"
	"leadline/review"
	"leadline/server"
)

// Draw makes a review of stored answers, or returns the form of one that was made before.
func (s *source) Draw(_ context.Context, q server.DrawRequest) (server.DrawReply, error) {
	if q.Review != "" {
		sheet, err := s.sheet(q.Review)
		if err != nil {
			return server.DrawReply{}, err
		}
		return s.drawn(sheet)
	}
	st := s.runner.store
	samples, err := st.Whole(q.Since)
	if err != nil {
		return server.DrawReply{}, err
	}
	made := time.Now().UTC()
	id := "rv_" + made.Format("20060102") + "_" + nonce()
	sheet := review.Draw(samples, cmp.Or(q.N, review.Usual), id, made)
	if len(sheet.Items) == 0 {
		return server.DrawReply{}, s.nothingToReview(len(samples), q.Since)
	}
	if err := st.SaveReview(sheet); err != nil {
		return server.DrawReply{}, err
	}
	return s.drawn(sheet)
}

// nonce tells two reviews of a day apart; nobody can tell from it what is drawn.
func nonce() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// nothingToReview says why no answer can be drawn, and what to do.
func (s *source) nothingToReview(withText int, since time.Time) error {
	why := "no text of a scored answer is kept"
	switch {
	case withText > 0:
		why = "no answer whose text is kept has a faithfulness score with statements"
	case !since.IsZero():
		why += " of runs after " + shortTime(since)
	}
	return fmt.Errorf("%w: there is nothing to review: %s. Texts are kept for store.text_retention, which is %s; "+
		"set it to some days (7d), and review after the next run", server.ErrInvalid, why, days(s.runner.cfg.Store.TextRetention))
}

func (s *source) drawn(sheet review.Sheet) (server.DrawReply, error) {
	texts, err := s.texts(sheet)
	return server.DrawReply{Form: sheet.Form(texts), Answers: sheet.Frame.Answers, Low: sheet.Frame.Low, LowDrawn: sheet.Frame.LowDrawn}, err
}

// texts are the samples of a sheet, as far as their text is still kept.
func (s *source) texts(sheet review.Sheet) (map[string]report.Sample, error) {
	out := map[string]report.Sample{}
	for _, item := range sheet.Items {
		x, ok, err := s.runner.store.Sample(item.Sample)
		if err != nil {
			return nil, err
		}
		if ok {
			out[item.Sample] = x
		}
	}
	return out, nil
}

// sheet finds a review; the newest for an empty ID.
func (s *source) sheet(id string) (review.Sheet, error) {
	all, err := s.runner.store.Reviews()
	if err != nil {
		return review.Sheet{}, err
	}
	for _, sheet := range slices.Backward(all) {
		if id == "" || sheet.ID == id {
			return sheet, nil
		}
	}
	if id == "" {
		return review.Sheet{}, fmt.Errorf("%w: no review was made yet; leadline review export makes one", server.ErrNotFound)
	}
	return review.Sheet{}, fmt.Errorf("%w: this store has no review %s", server.ErrNotFound, id)
}

// Mark keeps what a person marked.
func (s *source) Mark(_ context.Context, q server.MarkRequest) error {
	sheet, err := s.sheet(q.Review)
	if err != nil {
		return err
	}
	if err := sheet.Check(q.Labels); err != nil {
		return fmt.Errorf("%w: %w", server.ErrInvalid, err)
	}
	labels := slices.DeleteFunc(slices.Clone(q.Labels), review.Label.Blank)
	if len(labels) == 0 {
		return fmt.Errorf("%w: nothing is marked in it", server.ErrInvalid)
	}
	entry := review.Entry{Review: sheet.ID, Rater: q.Rater, At: time.Now().UTC(), Via: cmp.Or(q.Via, "api"), File: q.File, Labels: labels}
	return s.runner.store.AddLabels(entry, func(before []review.Entry) error {
		if q.Once && review.Marked(before, q.Rater, labels) {
			return fmt.Errorf("%w: %s has marked this answer before; what was said before the verdicts were shown stays", server.ErrInvalid, q.Rater)
		}
		return nil
	})
}

// Review returns a review and what came of it.
func (s *source) Review(_ context.Context, id string) (server.ReviewReply, error) {
	var reply server.ReviewReply
	sheet, err := s.sheet(id)
	if err != nil {
		return reply, err
	}
	texts, err := s.texts(sheet)
	if err != nil {
		return reply, err
	}
	entries, err := s.runner.store.Labels(sheet.ID)
	if err != nil {
		return reply, err
	}
	reply.Form, reply.Result = sheet.Form(texts), review.Compare(sheet, entries, texts)
	reply.Others, err = s.reviewLines()
	return reply, err
}

func (s *source) reviewLines() ([]server.ReviewLine, error) {
	all, err := s.runner.store.Reviews()
	if err != nil {
		return nil, err
	}
	lines := []server.ReviewLine{}
	for _, sheet := range slices.Backward(all) {
		entries, err := s.runner.store.Labels(sheet.ID)
		if err != nil {
			return nil, err
		}
		line := server.ReviewLine{ID: sheet.ID, Made: sheet.Made, Samples: len(sheet.Items), Raters: []string{}}
		for _, e := range entries {
			if !slices.Contains(line.Raters, e.Rater) {
				line.Raters = append(line.Raters, e.Rater)
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}
