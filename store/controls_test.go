package store_test

import (
	"testing"

	"leadline/drift"
	"leadline/scorer"
	"leadline/store"
)

func TestOwnControlsAreKeptWithWhoDidIt(t *testing.T) {
	s := fresh(t, 5)
	item := scorer.Control{ID: "own-a-1", Question: "q", Answer: "a"}
	for n := range 2 {
		added, err := s.AddControls([]scorer.Control{item}, store.ControlChange{By: "kim", Source: "file", At: monday})
		if err != nil || len(added) != 1-n {
			t.Fatalf("time %d: added %v, %v", n, added, err)
		}
	}
	for n := range 2 {
		if found, err := s.RemoveControl(item.ID, store.ControlChange{By: "lee", At: monday}); err != nil || found != (n == 0) {
			t.Fatalf("time %d: found %t, %v", n, found, err)
		}
	}
	left, err := s.Controls()
	changes, err2 := s.ControlChanges()
	if err != nil || err2 != nil || len(left) != 0 || len(changes) != 2 || !changes[0].Added || changes[1].Added || changes[1].By != "lee" {
		t.Errorf("left %v, changes %+v, %v, %v", left, changes, err, err2)
	}
}

// A move is decided with the rows of its window: after a crash both are there, or neither.
func TestMovesAreStoredWithTheDecision(t *testing.T) {
	s := fresh(t, 5)
	add(t, s, batch(0, records(5)...))
	w := closeFirst(t, s)
	picks, _, err := s.Picks(w.Due)
	if err != nil {
		t.Fatal(err)
	}
	var in store.Scored
	for _, p := range picks {
		in.Scores = append(in.Scores, scorer.Score{SampleID: p.ID, Time: p.Time, Window: p.Window, Cell: p.Cell})
	}
	in.Controls = []scorer.ControlScore{{Item: "en-verbatim", Window: w.Due, Pass: 2}}
	if err := s.SaveScores(w.Due, in); err != nil {
		t.Fatal(err)
	}
	if h, _, err := s.History(); err != nil || len(h.Moves) != 0 || len(h.Controls) != 0 {
		t.Fatalf("before the decision: %+v, %v", h.Moves, err)
	}
	r := drift.Result{Moves: []drift.Move{{Metric: scorer.Faithfulness, Judge: "j", From: w.Due, Opened: w.Due}}}
	if err := s.SaveDecision(w.Due, store.Decision{Rows: []drift.Row{{Due: w.Due, Metric: scorer.Faithfulness}}, Result: r}); err != nil {
		t.Fatal(err)
	}
	h, _, err := s.History()
	if err != nil || len(h.Moves) != 1 || len(h.Controls) != 1 || h.Controls[0].Pass != 2 {
		t.Errorf("after it: moves %+v, controls %+v, %v", h.Moves, h.Controls, err)
	}
}
