package sampler

import "time"

// Sample is a record that was picked, with what is needed to weigh it.
type Sample struct {
	Record
	Origin Origin  `json:"origin"`
	U      float64 `json:"u"`    // hash of salt and ID (or session, with sample.by), on [0,1)
	Rate   float64 `json:"rate"` // in force when it was picked
	Cell   Cell    `json:"cell"`
	// Window is the due time that ends the window it belongs to, in UTC.
	Window time.Time `json:"window"`
	// Inclusion is the probability with which a record of its window and stratum was
	// picked, above 0 and at most 1. It is 0 until the window is closed.
	Inclusion float64 `json:"inclusion"`
	// TextHash is the same for records that are word for word the same: question, answer and
	// contexts. SessionHash is the same for records of one conversation; "" where the log
	// names none. Both are salted Fingerprints: they outlive the text and must not give it away.
	TextHash    string `json:"text_hash,omitempty"`
	SessionHash string `json:"session_hash,omitempty"`
}

// Origin is where a record came from.
type Origin struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`
	// Part numbers the records of one message from 0.
	Part int `json:"part,omitempty"`
}

// OffsetState is the one state in which an offset ends.
type OffsetState string

// The states of the ledger of offsets.
const (
	OffsetNotSampled  OffsetState = "not_sampled"
	OffsetContributed OffsetState = "contributed" // it gave at least one record
	OffsetMalformed   OffsetState = "malformed"
	OffsetTombstone   OffsetState = "tombstone"
	OffsetOversize    OffsetState = "oversize"
	OffsetNoRecord    OffsetState = "no_record" // control batch, compacted away
	OffsetLost        OffsetState = "lost_to_retention"
	OffsetElsewhere   OffsetState = "elsewhere" // before the start, or read by another group member
)

// OffsetStates lists them in the order in which they are shown.
var OffsetStates = []OffsetState{OffsetNotSampled, OffsetContributed, OffsetMalformed, OffsetTombstone,
	OffsetOversize, OffsetNoRecord, OffsetLost, OffsetElsewhere}

// RecordState is the state of a record that was read out of a kept message.
type RecordState string

// The states of the ledger of records. Waiting is the only one that is left again.
const (
	RecordFiltered    RecordState = "filtered"
	RecordDuplicate   RecordState = "duplicate"
	RecordLate        RecordState = "late"
	RecordFuture      RecordState = "future"
	RecordTooOld      RecordState = "too_old"
	RecordNoQuestion  RecordState = "no_question"
	RecordNoAnswer    RecordState = "no_answer"
	RecordErrorAnswer RecordState = "error_answer"
	RecordEvicted     RecordState = "evicted"
	RecordExpired     RecordState = "expired"
	RecordOverBudget  RecordState = "over_budget"
	RecordJudged      RecordState = "judged"
	RecordWaiting     RecordState = "waiting"
)

// RecordStates lists them in the order in which they are shown.
var RecordStates = []RecordState{RecordWaiting, RecordJudged, RecordEvicted, RecordFiltered, RecordDuplicate,
	RecordLate, RecordFuture, RecordTooOld, RecordNoQuestion, RecordNoAnswer, RecordErrorAnswer,
	RecordExpired, RecordOverBudget}

// Range is what was read of one partition without a gap: offsets [From, Next).
type Range struct {
	Topic     string                `json:"topic"`
	Partition int                   `json:"partition"`
	From      int64                 `json:"from"`
	Next      int64                 `json:"next"`
	Offsets   map[OffsetState]int64 `json:"offsets"` // sums to Next - From
	// Kept are the records of the range that passed the rate, in offset order.
	Kept []Kept `json:"-"`
	// Watermark is the partition's watermark in record time after the range; zero if not known.
	Watermark time.Time `json:"watermark,omitzero"`
	// AtEnd is true when the range ends at the partition's high watermark.
	AtEnd bool `json:"at_end"`
	// Anew is true when the topic was made anew: its offsets start again at From, below the
	// stored position, and what was stored of the old topic stays.
	Anew bool `json:"anew,omitempty"`
}

// Kept is a record out of a kept message, and the state that the record alone decides.
// State is empty when the record may be judged: then the store decides between
// duplicate, late and waiting.
type Kept struct {
	Sample Sample
	State  RecordState
}

// Window is one run's share of record time: (Start, Due].
type Window struct {
	Start time.Time   `json:"start"` // zero for the first window
	Due   time.Time   `json:"due"`   // names the run, in UTC
	State WindowState `json:"state"`
	// Rate, Salt, PerRun, Floor and WatchFactor are the sampling in force for this window;
	// a WatchFactor of 0 is 1.
	Rate        float64 `json:"rate"`
	Salt        string  `json:"salt"`
	PerRun      int     `json:"per_run"`
	Floor       int     `json:"floor"`
	WatchFactor int     `json:"watch_factor,omitempty"`
	// Watched is true when a series was on watch as the window closed: then up to
	// WatchFactor times PerRun samples are judged.
	Watched bool `json:"watched,omitempty"`
	// Offered counts the kept records per stratum, evicted ones included.
	Offered map[Cell]int `json:"offered,omitempty"`
}

// WindowState is how far a window has come. Each step is one transaction.
type WindowState string

// The states of a window, in order.
const (
	WindowOpen    WindowState = "open"
	WindowSampled WindowState = "sampled"
	WindowScored  WindowState = "scored"
	WindowDecided WindowState = "decided"
)

// MostPicks is how many samples of the window may be judged if it closes under watch; the
// bottom-k keeps as many per stratum until then.
func (w Window) MostPicks() int { return w.PerRun * max(w.WatchFactor, 1) }

// Picks is how many samples of the window are judged at most.
func (w Window) Picks() int {
	if w.Watched {
		return w.MostPicks()
	}
	return w.PerRun
}

// Weight is how many answers of the traffic each judged sample of a stratum stands for: the
// records offered, over the rate and the number judged. It is 1/inclusion with the count of
// what was offered in place of the smallest evicted hash, which is a noisy count of the
// same. It is 0 when the window does not know what was offered.
func (w Window) Weight(c Cell, judged int) float64 {
	if judged <= 0 || w.Rate <= 0 {
		return 0
	}
	return float64(w.Offered[c]) / w.Rate / float64(judged)
}
