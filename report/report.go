// Package report sums up a week, for people to read: what moved, what did not, and
// which answers are worth reading.
package report

import (
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Verdict is a week in a word. Unknown is the verdict when there is too little to say
// more: never "stable" for lack of data.
type Verdict string

// The verdicts.
const (
	Stable  Verdict = "stable"
	Watch   Verdict = "watch"
	Drift   Verdict = "drift"
	Unknown Verdict = "unknown"
)

// Input is everything a week's report is made from. Tallies, Rows, Scores and Runs may
// reach back further than the week: charts and comparisons use them.
type Input struct {
	Service     string
	Environment string
	Language    string // of the report, "en" or "ja"
	Location    *time.Location
	From, To    time.Time // the week, [From, To)
	Standin     bool
	Version     string
	History     drift.History
	Result      drift.Result
	Incidents   []alert.Incident
	Runs        []scorer.Run
	Lowest      []Sample // lowest first
	Offsets     map[sampler.OffsetState]int64
	Records     map[sampler.RecordState]int64
	// SampleRate is the configured share, for the impact line.
	SampleRate float64
}

// Sample is an answer to read.
type Sample struct {
	Sample sampler.Sample `json:"sample"` // text may be gone after text retention
	Score  scorer.Score   `json:"score"`
}
