package drift

import (
	"time"

	"leadline/scorer"
)

// JudgeFalseAlarms is what the controls may spend in a period, over all metrics together: the
// chance that a judge is said to have moved that did not.
const JudgeFalseAlarms = 0.02

// ControlsDim stands in the place of a dimension in the series of a judge's move.
const ControlsDim = "controls"

// Move is a time in which the judge of a metric scored the controls otherwise than before:
// the ruler moved. Readings of [From, Resolved) are no baseline of any later comparison.
type Move struct {
	Metric scorer.Metric `json:"metric"`
	Judge  string        `json:"judge"` // JudgeID.Key
	// From is the due time of the first run after the move; Opened is the run in which it
	// was found; Resolved is the first run after its end, zero while it lasts.
	From     time.Time `json:"from"`
	Opened   time.Time `json:"opened"`
	Resolved time.Time `json:"resolved,omitzero"`
	// End is "back", "replaced" (by another judge) or "accepted"; empty while it lasts.
	End        string  `json:"end,omitempty"`
	LnEvidence float64 `json:"ln_evidence"` // the largest so far, for a move at From
	LnNeeded   float64 `json:"ln_needed"`   // when it was found
	// Found is true when a fall of the scores was found first: the change point was known,
	// and less evidence needed.
	Found bool  `json:"found,omitempty"`
	Shift Shift `json:"shift"`
}

// The ends of a Move.
const (
	EndBack     = "back"
	EndReplaced = "replaced"
	EndAccepted = "accepted"
)

// Shift is how far the judge moved on the controls, weighted as the traffic.
type Shift struct {
	Items  int     `json:"items"`  // scored before and after
	Before float64 `json:"before"` // mean of the items
	After  float64 `json:"after"`
	Mean   float64 `json:"mean"` // after − before, positive: more lenient
	SE     float64 `json:"se"`
	Low    float64 `json:"low"` // the shift on all texts lies in [Low, High] in 95 of 100 cases
	High   float64 `json:"high"`
	// Languages are the same by language, without weights; Only is the language that alone
	// moved, empty where both did or that cannot be told.
	Languages []LanguageShift `json:"languages,omitempty"`
	Only      string          `json:"only,omitempty"`
	// Pairs are fixed pairs of texts whose cosine the embedding model gives; PairsMoved
	// counts those that are another by more than a thousandth.
	Pairs      int `json:"pairs,omitempty"`
	PairsMoved int `json:"pairs_moved,omitempty"`
}

// LanguageShift is the shift of the items in one language.
type LanguageShift struct {
	Language string  `json:"language"`
	Items    int     `json:"items"`
	Mean     float64 `json:"mean"`
	SE       float64 `json:"se"`
}

// Embedding says whether the embedding model moved: a quarter of the pairs of texts or more have
// another cosine, which no chat model has a part in.
func (s Shift) Embedding() bool { return s.Pairs > 0 && 4*s.PairsMoved >= s.Pairs }

// Ruler is how the judge of a metric stands after a run, by the controls.
type Ruler struct {
	Metric scorer.Metric `json:"metric"`
	Judge  string        `json:"judge"`
	// Status is "learning" (no item was scored in two runs), "ok", "watch" or "moved".
	Status     string  `json:"status"`
	Items      int     `json:"items"` // with a baseline
	Runs       int     `json:"runs"`  // with controls
	LnEvidence float64 `json:"ln_evidence"`
	LnNeeded   float64 `json:"ln_needed"`
	// Quiet is true while nothing at all speaks for a move: then a part of the items is
	// enough in the next run.
	Quiet bool `json:"quiet"`
}

// OfControls says whether a series is the controls of a judge, and not of the service.
func (s Series) OfControls() bool { return s.Dim == ControlsDim && s.Value == string(KindJudge) }

// MoveEpisodes tells moves as episodes, which incidents are made of.
func MoveEpisodes(moves []Move, run time.Time) []Episode {
	out := make([]Episode, 0, len(moves))
	for _, m := range moves {
		s := Series{Metric: m.Metric, Dim: ControlsDim, Value: string(KindJudge), Judge: m.Judge}
		shift := m.Shift
		out = append(out, Episode{Series: s, Kind: KindJudge, From: m.From, Opened: m.Opened, Resolved: m.Resolved, Finding: Finding{
			Series: s, Kind: KindJudge, Run: run, Since: m.From, From: m.From, To: m.From,
			Before: Level{N: shift.Items, Mean: shift.Before}, After: Level{N: shift.Items, Mean: shift.After},
			Drop: -shift.Mean, Low: -shift.High, High: -shift.Low,
			LnEvidence: m.LnEvidence, LnNeeded: m.LnNeeded, Ruler: &m,
		}})
	}
	return out
}
