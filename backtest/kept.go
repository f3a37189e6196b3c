package backtest

import (
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
