// Package drift turns scores into series and series into findings. It does no I/O,
// reads no clock and rolls no dice: the same history, in any order, gives the same bits.
package drift

import (
	"slices"
	"time"

	"leadline/sampler"
	"leadline/scorer"
)

// The shares of decoded records that are watched like scores: a record counts 0 when it
// has the property and 1 when not, so that a fall means more of it.
const (
	ShareEmptyRetrieval scorer.Metric = "empty_retrieval"
	ShareRefusal        scorer.Metric = "refusal"
	ShareTruncated      scorer.Metric = "truncated"
	ShareError          scorer.Metric = "error_answer"
)

// Shares lists them in the order in which they are shown.
var Shares = []scorer.Metric{ShareEmptyRetrieval, ShareRefusal, ShareTruncated, ShareError}

// IsShare says whether a metric is one of them.
func IsShare(m scorer.Metric) bool { return slices.Contains(Shares, m) }

// Moments are count, zeros, and mean and central moment sums of the non-zero scores.
// A score at or below 0 is a zero. Moments merge exactly; raw powers are never kept.
type Moments struct {
	N     int     `json:"n"`
	Zeros int     `json:"zeros"`
	Mean  float64 `json:"mean"` // of the non-zero scores
	M2    float64 `json:"m2"`   // sum of (x − Mean)² over the non-zero scores
	M3    float64 `json:"m3"`
	M4    float64 `json:"m4"`
}

// Row is what one run gave one cell of one metric under one judge. Its moments are those of
// different answers: what was given again word for word in the run is no news.
type Row struct {
	Start  time.Time     `json:"start"`
	Due    time.Time     `json:"due"` // the run
	Metric scorer.Metric `json:"metric"`
	Judge  string        `json:"judge"` // JudgeID.Key; "" for shares
	Cell   sampler.Cell  `json:"cell"`
	Moments
	// Weight is how many answers of the traffic the scored ones stand for, together; 0 in
	// rows that do not know, where each stands for itself.
	Weight float64 `json:"weight,omitempty"`
	// Statements and Supported count the statements of the scored answers and those of
	// them that the contexts support (Faithfulness only).
	Statements int `json:"statements,omitempty"`
	Supported  int `json:"supported,omitempty"`
	// Clusters is set where a conversation has more than one of the scores: they are fewer
	// independent observations than they are scores.
	Clusters *Clusters `json:"clusters,omitempty"`
	// Lengths counts the answers by their statements, in the order of these
	// (Faithfulness only); it is empty where statements were not kept.
	Lengths []LengthCount `json:"lengths,omitempty"`
	// Releases splits the row by release where more than one release was scored in the
	// run: old and new side by side.
	Releases map[string]Moments `json:"releases,omitempty"`
	// ReleaseLengths splits Lengths in the same way.
	ReleaseLengths map[string][]LengthCount `json:"release_lengths,omitempty"`
	// Bridged names the judge that scored these answers when they were new, where this one
	// scored them again later. Such a row is baseline, and no sign of who scores now.
	Bridged string `json:"bridged,omitempty"`
	// Repeats is set where answers repeat others of the row word for word.
	Repeats *Repeats `json:"repeats,omitempty"`
}

// Repeats are scored answers that repeat another of their row word for word: from a cache,
// or to a question that everybody asks. They are not in the row's moments.
type Repeats struct {
	N int `json:"n"`
	// Mean and Zeros are those of all scored answers, the repeated ones included.
	Mean  float64 `json:"mean"`
	Zeros float64 `json:"zeros"` // share, 0–1
}

// Mark is a change of a channel, or the word of an operator that one was made.
type Mark struct {
	Channel sampler.Channel `json:"channel"`
	Value   string          `json:"value"`
	At      time.Time       `json:"at"`
	// Source is "record", "api" or "cli".
	Source string `json:"source"`
	// Through is set by "no release until then": the channel counts as observed, and
	// unchanged, from the mark before up to it.
	Through time.Time `json:"through,omitzero"`
}

// Acceptance is an operator's "this is the new normal": earlier rows of the series' cells
// leave the baseline, of this series and of every other that holds them. It ends the
// series' open episode; of the pooled series, those of its parts too.
type Acceptance struct {
	Series Series    `json:"series"`
	From   time.Time `json:"from"` // rows due at or before it leave
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Note   string    `json:"note,omitempty"`
	// Incident is the one that was accepted; Reset is true when somebody had the series
	// learned anew instead, without an incident.
	Incident string `json:"incident,omitempty"`
	Reset    bool   `json:"reset,omitempty"`
	// Ruler is true when somebody took a judge that moved for the new ruler: the controls
	// learn anew, too.
	Ruler bool `json:"ruler,omitempty"`
}

// Series names one line on a chart: a metric, all cells or those with one value of one
// dimension, and a judge.
type Series struct {
	Metric scorer.Metric `json:"metric"`
	Dim    string        `json:"dim,omitempty"`   // "" for all
	Value  string        `json:"value,omitempty"` // "" for all
	Judge  string        `json:"judge,omitempty"`
}

// Segment returns "all" or "dim=value".
func (s Series) Segment() string {
	if s.Dim == "" {
		return "all"
	}
	return s.Dim + "=" + s.Value
}

// Kind is what a finding turned out to be.
type Kind string

// The kinds; see docs/architecture.md. Evaluate finds the first four, and moves of judges.
const (
	KindSilent     Kind = "silent"
	KindRegression Kind = "regression"
	KindUndecided  Kind = "undecided"
	KindDrop       Kind = "drop"
	KindJudge      Kind = "judge"
	KindBlind      Kind = "blind"
	KindDelivery   Kind = "delivery"
)

// IsFall says whether a kind is of the answers: not of their judge, and not of the monitor itself.
func (k Kind) IsFall() bool {
	switch k {
	case KindSilent, KindRegression, KindUndecided, KindDrop:
		return true
	case KindJudge, KindBlind, KindDelivery:
	}
	return false
}

// Episode is a time in which a series was down. Rows due in [From, Resolved) are in no
// baseline and in no comparison: not of the series, nor of any other that holds its cells,
// nor of any at all when a release was taken back. While it is open they are what is
// compared, and only the pooled series leaves them out.
type Episode struct {
	Series Series `json:"series"`
	Kind   Kind   `json:"kind"`
	// From is the due time of the first run after the change; Opened is the run in
	// which it was found; Resolved is the first run that is normal again, zero while open.
	From     time.Time `json:"from"`
	Opened   time.Time `json:"opened"`
	Resolved time.Time `json:"resolved,omitzero"`
	// Channel and Value name what a regression came with.
	Channel sampler.Channel `json:"channel,omitempty"`
	Value   string          `json:"value,omitempty"`
	// Undone is true when it ended because what it rested on was taken out: cells that were
	// accepted in another series, the time of a release that was taken back. Then it was
	// nothing of its own, and takes no rows from any baseline.
	Undone bool `json:"undone,omitempty"`
	// Trial is true when the trial of a release found it and the scan did not.
	Trial bool `json:"trial,omitempty"`
	// Finding is the newest view of it.
	Finding Finding `json:"finding"`
}

// Finding is a fall of one series that is too large to be luck.
type Finding struct {
	Series Series    `json:"series"`
	Kind   Kind      `json:"kind"`
	Run    time.Time `json:"run"` // in which it was evaluated
	// Since is the due time of the first run after the most likely change point; the
	// change lies in runs From to To with 90 % of the weight.
	Since time.Time `json:"since"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`

	// Before is weighted to the query mix of After, its Zeros to the lengths of answers
	// too; its N counts the baseline.
	Before Level `json:"before"`
	After  Level `json:"after"`
	// Drop is Before.Mean − After.Mean, with query mix held constant; Low ≤ Drop ≤ High
	// holds the true drop in 95 of 100 cases, late stopping included.
	Drop float64 `json:"drop"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	LnEvidence float64 `json:"ln_evidence"` // ln M
	LnNeeded   float64 `json:"ln_needed"`   // ln (J / (p k)) when it was found
	// LnReached is the largest ln M so far, that of the alarm included, which LnEvidence
	// may fall short of. Findings stored before it was kept lack it: see Reached.
	LnReached float64 `json:"ln_reached,omitempty"`
	// LnMean, LnZeros and LnNonZero say which part moved, at Since.
	LnMean    float64 `json:"ln_mean"`
	LnZeros   float64 `json:"ln_zeros"`
	LnNonZero float64 `json:"ln_non_zero"`

	DesignEffect float64  `json:"design_effect"`
	Floor        float64  `json:"floor"` // smallest drop that the baseline can show
	Evidence     Evidence `json:"evidence"`
	// Ruler is set in what is told of a judge's move, and nowhere else.
	Ruler *Move `json:"ruler,omitempty"`
}

// Reached is the natural logarithm of the strongest evidence so far: at the alarm or in a
// view since. It is never less than the alarm needed.
func (f Finding) Reached() float64 { return max(f.LnReached, f.LnEvidence, f.LnNeeded) }

// Level is a side of a change, or how a series stands. The level of a State is that of the
// traffic: each row weighs as many answers as it stands for. That of a Finding is of the
// scores as they were compared.
type Level struct {
	N     int     `json:"n"`
	Mean  float64 `json:"mean"`
	Zeros float64 `json:"zeros"` // share, 0–1
}

// Evidence has a line for each cause, always all five, so that absence shows too; and one
// for the length of answers where that is known.
type Evidence struct {
	Judge    JudgeEvidence     `json:"judge"`
	Mix      MixEvidence       `json:"mix"`
	Length   LengthEvidence    `json:"length,omitzero"`
	Release  ChannelEvidence   `json:"release"`
	Channels []ChannelEvidence `json:"channels"` // prompt, model, … in fixed order
	Corpus   CorpusEvidence    `json:"corpus"`
}

// OtherCode says whether a code channel besides the release was watched over the change.
func (e Evidence) OtherCode() bool {
	return slices.ContainsFunc(e.Channels, func(c ChannelEvidence) bool {
		return c.Code && c.State != ChannelNotObserved
	})
}

// NearestCode is the code channel that changed around the fall, of several the one with the
// most weight.
func (e Evidence) NearestCode() (best ChannelEvidence, ok bool) {
	for _, c := range append([]ChannelEvidence{e.Release}, e.Channels...) {
		if c.Code && c.State == ChannelChanged && (!ok || c.Weight > best.Weight) {
			best, ok = c, true
		}
	}
	return best, ok
}

// JudgeEvidence compares the controls before and after Since.
type JudgeEvidence struct {
	Items int     `json:"items"`
	Shift float64 `json:"shift"` // mean after − before, positive: more lenient
	SE    float64 `json:"se"`
	// Verdict is "moved", "cleared" or "cannot_be_excluded".
	Verdict string  `json:"verdict"`
	CanSee  float64 `json:"can_see"` // smallest shift that is seen in 8 of 10 cases
	// Low ≤ Shift ≤ High holds the shift on texts like these in 95 of 100 cases. Findings
	// stored before it was kept have zeros.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
	// Excludes is the least fall by a stricter judge that can be excluded with 95 %.
	Excludes float64 `json:"excludes,omitempty"`
	// Only is the language that alone moved.
	Only string `json:"only,omitempty"`
	// Corrected is the fall without the judge's part, where the judge moved.
	Corrected *Corrected `json:"corrected,omitempty"`
}

// Corrected is a fall less the judge's shift. Stands is true where it is above 0 in 95 of
// 100 cases all the same.
type Corrected struct {
	Drop   float64 `json:"drop"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Stands bool    `json:"stands"`
}

// MixEvidence is Kitagawa's split of the drop of the pooled mean.
type MixEvidence struct {
	Explains float64 `json:"explains"` // of the raw drop, by query mix
	Within   float64 `json:"within"`
	SE       float64 `json:"se"`
	// Worst is the segment with the largest fall, and its share of answers.
	Worst     string  `json:"worst,omitempty"`
	WorstDrop float64 `json:"worst_drop,omitempty"`
	WorstN    int     `json:"worst_n,omitempty"`
}

// ChannelState is what is known of a channel over the change set ± 1 run.
type ChannelState string

// The states of a channel.
const (
	ChannelSame        ChannelState = "same"
	ChannelChanged     ChannelState = "changed"
	ChannelNotObserved ChannelState = "not_observed"
)

// ChannelEvidence is what one channel did around the change.
type ChannelEvidence struct {
	Channel sampler.Channel `json:"channel"`
	State   ChannelState    `json:"state"`
	Old     string          `json:"old,omitempty"` // before the change; of a channel that is the same, its value
	New     string          `json:"new,omitempty"`
	At      time.Time       `json:"at,omitzero"` // of the change, or of the last one before
	// Weight, 0–1: of a code channel the probability that the fall came with the change, and
	// not at the same time by chance; of another the share of the change-point mass around it.
	Weight float64 `json:"weight"`
	// Code is true for what a team changes on purpose, where anything is known of it.
	Code bool `json:"code,omitempty"`
}

// CorpusEvidence is what the retrieved documents say.
type CorpusEvidence struct {
	Observed bool `json:"observed"`
	// Overlap is 1 − total variation between the retrieved documents of the two sides;
	// Usual is the same between the end of the time before, as long as the time after
	// in retrievals, and the rest of it.
	Overlap float64 `json:"overlap"`
	Usual   float64 `json:"usual"`
	// New is the share of retrievals after that went to documents never retrieved
	// before; Vanished that of retrievals before that went to documents which did not
	// come again, although at least three retrievals of each were to be expected.
	New      float64  `json:"new"`
	Vanished float64  `json:"vanished"`
	Gone     []string `json:"gone,omitempty"` // the most retrieved of the vanished documents, at most 5
}

// Note is something worth a line in the report that is no alarm.
type Note struct {
	// Kind is "corpus" (an outdated edition is served) or "new_segment".
	Kind     string    `json:"kind"`
	At       time.Time `json:"at"` // the run that showed it first
	Until    time.Time `json:"until,omitzero"`
	Document string    `json:"document,omitempty"`
	Edition  string    `json:"edition,omitempty"` // served again
	Newest   string    `json:"newest,omitempty"`  // edition seen before
	Segment  string    `json:"segment,omitempty"`
	Count    int       `json:"count"` // retrievals or records
}

// State is how a series stands after a run.
type State struct {
	Series   Series    `json:"series"`
	Run      time.Time `json:"run"`
	Last     Level     `json:"last"`     // this run
	Baseline Level     `json:"baseline"` // in-control rows
	// Status is "learning" (under the minimum baseline), "ok", "watch" or "down".
	Status     string  `json:"status"`
	LnEvidence float64 `json:"ln_evidence"` // −200 while learning
	Floor      float64 `json:"floor"`       // smallest drop that can be told from luck now
	// Sees10 is the estimated run from which a drop of 0.10 can be seen; zero when the
	// history does not tell yet.
	Sees10       time.Time `json:"sees_10,omitzero"`
	DesignEffect float64   `json:"design_effect"`
	Band         float64   `json:"band"` // half width of the 95 % band of a usual run mean
	// Sight says what the baseline can see, for leadline plan; Wander, of pooled series
	// only, what tolerance their history asks for.
	Sight  Sight   `json:"sight,omitzero"`
	Wander *Wander `json:"wander,omitempty"`
}

// History is all that a decision rests on: a row per run, cell, metric and judge, a tally
// per run. What is given twice counts once.
type History struct {
	Rows        []Row
	Tallies     []sampler.Tally
	Marks       []Mark
	Episodes    []Episode
	Acceptances []Acceptance
	Controls    []scorer.ControlScore
	Moves       []Move
}

// Result is the decision after the newest run of a history.
type Result struct {
	Findings []Finding // of every open episode, this run's view
	Episodes []Episode // all, opened and resolved ones updated
	Notes    []Note    // all
	States   []State
	Ledger   Ledger  // zero without runs
	Moves    []Move  `json:",omitempty"` // of judges, all
	Rulers   []Ruler `json:",omitempty"` // of judges that scored controls in the newest run with any
}
