package backtest

import (
	"slices"
	"time"

	"leadline/alert"
	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Kept is what a store holds of the runs of a service, and what live decisions came to.
type Kept struct {
	Service     string                `json:"service"`
	Rows        []drift.Row           `json:"rows"`
	Tallies     []sampler.Tally       `json:"tallies"`
	Controls    []scorer.ControlScore `json:"controls"`
	Marks       []drift.Mark          `json:"marks"`
	Acceptances []drift.Acceptance    `json:"acceptances"`
	Episodes    []drift.Episode       `json:"episodes"`  // live
	Incidents   []alert.Incident      `json:"incidents"` // live, those without a series too
	Drift       config.Drift          `json:"drift"`     // in force
	Made        map[string]string     `json:"made"`      // settings that the rows were made with, by path
}

// history is all of it but for what was decided.
func (k Kept) history() drift.History {
	return drift.History{Rows: k.Rows, Tallies: k.Tallies, Controls: k.Controls, Marks: k.Marks, Acceptances: k.Acceptances}
}

// runs are the due times of all runs that have records or scores, oldest first.
func (k Kept) runs() []time.Time {
	var out []time.Time
	for _, r := range k.Rows {
		out = append(out, r.Due)
	}
	for _, t := range k.Tallies {
		out = append(out, t.Due)
	}
	slices.SortFunc(out, time.Time.Compare)
	return slices.CompactFunc(out, time.Time.Equal)
}

// start is when the oldest run began.
func (k Kept) start() time.Time {
	var first time.Time
	earliest := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for _, r := range k.Rows {
		earliest(r.Start)
	}
	for _, t := range k.Tallies {
		earliest(t.Start)
	}
	return first
}
