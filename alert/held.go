package alert

import (
	"leadline/drift"
	"leadline/scorer"
)

// HeldBack is a fall that nobody is told of while the judge that found it moved.
type HeldBack struct {
	ID      string          `json:"id"` // of its incident
	Metric  scorer.Metric   `json:"metric"`
	Segment string          `json:"segment"`
	Drop    float64         `json:"drop"`
	Without drift.Corrected `json:"without"` // the judge's part
}

// heldBack says whether a fall is not to be told, since all of it may be the judge's: its judge
// moved in every series that is down, and in none of them a fall stands without that. A share
// was not judged, and is always told.
func heldBack(i Incident) bool {
	if !i.Open() || !i.Kind.IsFall() {
		return false
	}
	for _, a := range i.Alerts {
		j := a.Finding.Evidence.Judge
		if a.Open() && (j.Verdict != drift.JudgeMoved || j.Corrected == nil || j.Corrected.Stands) {
			return false
		}
	}
	return len(i.Alerts) > 0
}

// hold notes on the incident of the judge what is held back for it. What was told before the
// judge was found to have moved stays told.
func (s *step) hold(before []Incident) {
	var held []HeldBack
	for n := range s.next {
		i := &s.next[n]
		if !s.isMine(i) {
			continue
		}
		untold := n >= len(before) || i.Untold == Firing
		i.Held = untold && heldBack(*i)
		if head, ok := i.Head(); ok && i.Held {
			f := head.Finding
			held = append(held, HeldBack{ID: i.ID, Metric: f.Series.Metric, Segment: f.Series.Segment(), Drop: f.Drop, Without: *f.Evidence.Judge.Corrected})
		}
	}
	if i := s.openOf(drift.KindJudge); i != nil {
		i.HeldBack = held
	}
}
