// Package report sums up a week, for people to read: what moved, what did not, and
// which answers are worth reading. It is pure: the clock and the store are its callers'.
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

// ChartWeeks is how far back the charts of a report reach, the week itself included.
const ChartWeeks = 8

// Input is everything a week's report is made from. History, Scores and Runs should
// reach back ChartWeeks before To where they are kept: charts and comparisons use them.
type Input struct {
	Service     string
	Environment string
	Language    string // of the report, "en" or "ja"
	Location    *time.Location
	From, To    time.Time // the week, [From, To) in record time: runs due in (From, To]
	Standin     bool
	Version     string
	History     drift.History
	Result      drift.Result
	Incidents   []alert.Incident
	Runs        []scorer.Run
	// Scores are the single scores, for distributions and the impact line. Without them
	// the report says that they are gone.
	Scores []scorer.Score
	Lowest []Sample // of the week, lowest first
	// Offsets and Records are the two ledgers as they stand, since the store began.
	Offsets map[sampler.OffsetState]int64
	Records map[sampler.RecordState]int64
	// Floors say where the cosines of the embedding model lie; nil: not measured.
	Floors []scorer.Floor
	// SpentWeek and SpentMonth are what the judge took on the UTC days of the week, and of the
	// month up to its end.
	SpentWeek, SpentMonth Spent
	// SampleRate is the configured share, above 0 and at most 1, for the impact line.
	SampleRate float64
}

// Sample is an answer to read.
type Sample struct {
	Sample sampler.Sample `json:"sample"` // text may be gone after text retention
	Score  scorer.Score   `json:"score"`
}
