package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"leadline/scorer"
	"leadline/server"
	"leadline/store"
)

// Controls lists the control items and how they stand with the present judge.
func (s *source) Controls(context.Context) (server.ControlsReply, error) {
	items, err := s.runner.controlItems()
	if err != nil {
		return server.ControlsReply{}, err
	}
	h, _, err := s.runner.store.History()
	if err != nil {
		return server.ControlsReply{}, err
	}
	runs, err := s.runner.store.Runs(scorer.ControlRuns)
	if err != nil {
		return server.ControlsReply{}, err
	}
	out := server.ControlsReply{Version: scorer.ControlsVersion, Items: []server.ControlItem{}, Changes: []server.ControlChange{}, Share: costOf(runs).ControlShare(), ShareRuns: len(runs)}
	frozen := len(scorer.Controls())
	for n, c := range items {
		out.Items = append(out.Items, standing(c, n >= frozen, h.Controls))
	}
	changes, err := s.runner.store.ControlChanges()
	for _, c := range changes {
		out.Changes = append(out.Changes, server.ControlChange{Added: c.Added, Item: c.Item, From: c.Source, By: c.By, At: c.At, Note: c.Note})
	}
	return out, err
}

// bandsOf counts the items that their newest score puts outside the bands they were written
// for, of those that have a score.
func bandsOf(items []scorer.Control, controls []scorer.ControlScore) (b server.ControlBands) {
	newest := map[string]scorer.ControlScore{}
	for _, x := range controls {
		if !x.Window.Before(newest[x.Item].Window) {
			newest[x.Item] = x
		}
	}
	for _, c := range items {
		if o := newest[c.ID].Outcomes[scorer.Faithfulness]; o.Scored {
			b.Scored++
			if isOutside(c, o) {
				b.Outside++
			}
		}
	}
	return b
}

func isOutside(c scorer.Control, o scorer.Outcome) bool {
	return o.Value < c.Faithfulness[0] || o.Value > c.Faithfulness[1]
}

// standing is what the judge that scored an item last made of it.
func standing(c scorer.Control, own bool, controls []scorer.ControlScore) server.ControlItem {
	out := server.ControlItem{ID: c.ID, Language: c.Language, Expected: c.Expected, Own: own}
	var last scorer.ControlScore
	for _, x := range controls {
		if x.Item == c.ID && !x.Window.Before(last.Window) {
			last = x
		}
	}
	if last.Item == "" {
		return out
	}
	out.Last = last.Window
	seen := map[time.Time]bool{}
	for _, x := range controls {
		if x.Item == c.ID && x.Judges[scorer.Faithfulness] == last.Judges[scorer.Faithfulness] {
			seen[x.Window.UTC()] = true
		}
	}
	out.Runs = len(seen)
	if o := last.Outcomes[scorer.Faithfulness]; o.Scored {
		out.Faithfulness = &o.Value
		out.Outside = isOutside(c, o)
	}
	if o := last.Outcomes[scorer.AnswerRelevancy]; o.Scored {
		out.Relevancy = &o.Value
	}
	return out
}

// AddControl adds an own item.
func (s *source) AddControl(_ context.Context, q server.ControlRequest) (server.ControlReply, error) {
	from := "file"
	if q.Sample != "" {
		from = "sample " + q.Sample
		if err := s.takeSample(&q); err != nil {
			return server.ControlReply{}, err
		}
	}
	c, err := scorer.OwnControl(q.Name, q.Language, q.Question, q.Answer, q.Contexts, q.Expected)
	if err != nil {
		return server.ControlReply{}, fmt.Errorf("%w: %w", server.ErrInvalid, err)
	}
	added, err := s.runner.store.AddControls([]scorer.Control{c}, store.ControlChange{Source: from, By: q.By, At: time.Now().UTC(), Note: q.Note})
	return server.ControlReply{Item: c.ID, Added: len(added) > 0}, err
}

// takeSample fills in the texts of a stored sample.
func (s *source) takeSample(q *server.ControlRequest) error {
	sample, ok, err := s.runner.store.Sample(q.Sample)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%w: sample %s is not in the store; leadline samples lists those that are", server.ErrNotFound, q.Sample)
	case sample.Sample.Question == "" || sample.Sample.Answer == "":
		return fmt.Errorf("%w: the text of sample %s is not kept any more (store.text_retention)", server.ErrInvalid, q.Sample)
	}
	r := sample.Sample.Record
	q.Name, q.Language, q.Question, q.Answer, q.Contexts = "sample", r.Language, r.Question, r.Answer, r.Contexts
	return nil
}

// RemoveControl takes an own item out.
func (s *source) RemoveControl(_ context.Context, q server.ControlRequest) (server.ControlReply, error) {
	for _, c := range scorer.Controls() {
		if c.ID == q.Item {
			return server.ControlReply{}, fmt.Errorf("%w: %s belongs to the frozen set, which stays as it is; only own items can be removed", server.ErrInvalid, q.Item)
		}
	}
	found, err := s.runner.store.RemoveControl(q.Item, store.ControlChange{By: q.By, At: time.Now().UTC(), Note: q.Note})
	if err == nil && !found {
		err = fmt.Errorf("%w: there is no own control item %s; leadline judge controls list shows them", server.ErrNotFound, q.Item)
	}
	return server.ControlReply{Item: q.Item}, errors.Join(err)
}
