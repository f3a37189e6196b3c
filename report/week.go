package report

import (
	"fmt"
	"slices"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Week is a drift report. JSON and HTML are made from it alone.
type Week struct {
	ID          string    `json:"id"` // 2026-W48
	Service     string    `json:"service"`
	Environment string    `json:"environment"`
	Language    string    `json:"language"`
	Timezone    string    `json:"timezone"`
	From        time.Time `json:"from"`
	To          time.Time `json:"to"` // the first moment that is no longer in it
	Version     string    `json:"version"`
	Standin     bool      `json:"standin"`
	Verdict     Verdict   `json:"verdict"`
	Sentence    string    `json:"sentence"`
	First       []string  `json:"read_first"` // at most 5
	Metrics     []Metric  `json:"metrics"`
	Shares      []Metric  `json:"shares"` // Mean is the share of records with the property
	Segments    []Segment `json:"segments"`
	Mix         Mix       `json:"query_mix"`
	Documents   Documents `json:"documents"`
	Lowest      []Answer  `json:"lowest"`
	Impact      Impact    `json:"impact"`
	Glance      Glance    `json:"glance"`
	Timeline    []Event   `json:"timeline"`
	Judge       Judge     `json:"judge"`
	Coverage    Coverage  `json:"coverage"`
	// SpentWeek and SpentMonth are of UTC days; reports of earlier versions have neither.
	SpentWeek  Spent `json:"spent_week,omitzero"`
	SpentMonth Spent `json:"spent_month,omitzero"`
}

// Metric is how one series did, over all segments.
type Metric struct {
	Metric   scorer.Metric `json:"metric"`
	This     Estimate      `json:"this_week"`
	Last     Estimate      `json:"last_week"`
	Baseline Estimate      `json:"baseline"` // before the week, without episodes
	// Delta is this week − baseline; HasDelta is false when either has too few samples.
	Delta    Estimate `json:"delta_to_baseline"`
	HasDelta bool     `json:"has_delta"`
	// Unsupported is the share of all answers with an unsupported statement, 0–1, each
	// scored one weighing one by its chance of having been picked; Faithfulness only.
	Unsupported      *float64 `json:"unsupported_share,omitempty"`
	UnsupportedUsual *float64 `json:"unsupported_share_baseline,omitempty"`
	// WithoutEvasive is the week's, of Faithfulness only; nil where it is not known.
	WithoutEvasive *WithoutEvasive `json:"without_noncommittal,omitempty"`
	P10            *float64        `json:"p10,omitempty"`
	P50            *float64        `json:"p50,omitempty"`
	Histogram      Histogram       `json:"histogram"`
	Chart          Chart           `json:"chart"`
	Small          []Chart         `json:"segments,omitempty"` // the segments most worth a picture, worst first
}

// Estimate is a mean with its 95 % interval. All but N are 0 when N is 0.
type Estimate struct {
	N     int     `json:"n"`
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Zeros float64 `json:"zeros"` // share of scores at 0, 0–1
}

// Histogram compares the scores of the week with the baseline's in ten bins of 0.1; the
// last holds 1 too, the first everything below 0.
type Histogram struct {
	This     [10]int `json:"this_week"`
	Baseline [10]int `json:"baseline"`
}

// Segment is a line of the table of segments.
type Segment struct {
	Metric   scorer.Metric `json:"metric"`
	Segment  string        `json:"segment"`
	This     Estimate      `json:"this_week"`
	Baseline Estimate      `json:"baseline"`
	Delta    Estimate      `json:"delta_to_baseline"`
	Enough   bool          `json:"enough_data"`
	Status   string        `json:"status,omitempty"` // as drift.State, at the end of the week
}

// Mix is what changed about who asks what.
type Mix struct {
	Moved []Shift `json:"moved"`
	// Effects is what the shift alone does to the mean of each metric.
	Effects map[scorer.Metric]float64 `json:"effects"`
	N       int                       `json:"n"`     // decoded records of the week
	Known   bool                      `json:"known"` // false: too few records to compare
}

// Shift is a segment whose share of the records moved, 0–1.
type Shift struct {
	Segment string  `json:"segment"`
	Was     float64 `json:"was"`
	Is      float64 `json:"is"`
}

// Documents is what the retrieved documents tell.
type Documents struct {
	Observed bool         `json:"observed"`
	Notes    []drift.Note `json:"notes"` // that held in the week
	Known    bool         `json:"known"` // false: there is no week before to compare with
	// Vanished and Newest are the most retrieved of those that no longer come, and of the
	// editions first seen this week; the counts are of all such.
	Vanished      []Document `json:"vanished"`
	VanishedCount int        `json:"vanished_count"`
	Newest        []Document `json:"newest"`
	NewestCount   int        `json:"newest_count"`
}

// Document is one document in a week; Count is its retrievals, of the vanished: per week before.
type Document struct {
	ID      string    `json:"id"`
	Edition string    `json:"edition,omitempty"`
	Date    time.Time `json:"date,omitzero"`
	Count   int       `json:"count"`
}

// Answer is a sample made ready to be read.
type Answer struct {
	ID       string                           `json:"id"`
	Time     time.Time                        `json:"time"`
	Cell     sampler.Cell                     `json:"cell"`
	Release  string                           `json:"release,omitempty"`
	Outcomes map[scorer.Metric]scorer.Outcome `json:"outcomes"`
	Question string                           `json:"question"`
	Answer   []Span                           `json:"answer"`
	Contexts []Context                        `json:"contexts"`
	// MoreContexts is how many passages are left out.
	MoreContexts int                `json:"more_contexts,omitempty"`
	Verdicts     []scorer.Statement `json:"statements"` // unsupported ones first
	Asked        []scorer.Question  `json:"questions"`  // that the answer would fit
	// Again is what the judge said when it was asked a second time; nil where it was not.
	Again map[scorer.Metric]scorer.Outcome `json:"second_look,omitempty"`
	// CrossLanguage is true when question and answer are in different languages.
	CrossLanguage bool `json:"cross_language,omitempty"`
	TextGone      bool `json:"text_gone"` // deleted after text retention
	// Same is how many more of the lowest answers have the same words.
	Same int  `json:"same,omitempty"`
	Open bool `json:"-"` // passages unfolded
}

// HasTexts says whether the report holds texts of users.
func (w Week) HasTexts() bool {
	return slices.ContainsFunc(w.Lowest, func(a Answer) bool { return !a.TextGone })
}

// WithoutTexts returns the report as it is kept after text retention: the scores stay.
func (w Week) WithoutTexts() Week {
	w.Lowest = slices.Clone(w.Lowest)
	for n, a := range w.Lowest {
		w.Lowest[n] = Answer{ID: a.ID, Time: a.Time, Cell: a.Cell, Release: a.Release, Outcomes: a.Outcomes, Again: a.Again, TextGone: true}
	}
	return w
}

// Span is a piece of an answer. Unsupported is set on the sentences that are nearest to an
// unsupported statement; the statements themselves may be worded differently.
type Span struct {
	Text        string `json:"text"`
	Unsupported bool   `json:"unsupported,omitempty"`
}

// Context is a retrieved passage.
type Context struct {
	Document sampler.Document `json:"document"`
	Text     string           `json:"text"`
}

// Impact says what the share of unsupported answers means in answers given: estimates,
// rounded to two digits. Known is false without scores or traffic.
type Impact struct {
	Known       bool    `json:"known"`
	Answers     int     `json:"answers"`     // given in the week
	Unsupported int     `json:"unsupported"` // of them with an unsupported statement
	Low         int     `json:"low"`         // 95 % interval of Unsupported
	High        int     `json:"high"`
	Usually     int     `json:"usually"` // of as many answers; -1 when there is no baseline
	Rate        float64 `json:"sample_rate"`
}

// Event is a line of the timeline.
type Event struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"` // release, opened, resolved, accepted, reset, note
	Text string    `json:"text"`
	// Incident is set for incidents.
	Incident string `json:"incident,omitempty"`
}

// Judge is how the judge did.
type Judge struct {
	IDs        map[scorer.Metric][]string `json:"ids"` // in the week, oldest first
	Models     []string                   `json:"response_models"`
	Controls   []Control                  `json:"controls"`
	Unscorable []ReasonCount              `json:"unscorable"`
	// Agreement is how far two looks at the same answer were apart up to the end of the week.
	Agreement []Agreement `json:"agreement,omitempty"`
}

// Agreement is how well the judge agrees with itself. Two looks at the same answer differ by
// Differ (root mean square); the variance of a single score is half of its square.
type Agreement struct {
	Metric scorer.Metric `json:"metric"`
	Pairs  int           `json:"pairs"`
	Differ float64       `json:"differ"`
}

// Control is how the judge scored the frozen items of one language: the week against the
// time before, N counting runs.
type Control struct {
	Metric   scorer.Metric `json:"metric"`
	Language string        `json:"language"`
	This     Estimate      `json:"this_week"`
	Before   Estimate      `json:"before"`
	Chart    Chart         `json:"chart"`
	points   []ControlPoint
}

// ReasonCount counts one reason without a score.
type ReasonCount struct {
	Metric scorer.Metric `json:"metric"`
	Reason scorer.Reason `json:"reason"`
	Count  int           `json:"count"`
}

// Coverage is what was looked at, and at what cost.
type Coverage struct {
	Runs    int                           `json:"runs"`
	Decoded int                           `json:"decoded"`
	Samples int                           `json:"samples"`
	Scored  map[scorer.Metric]int         `json:"scored"`
	Usage   scorer.Usage                  `json:"usage"`
	Control scorer.Usage                  `json:"control_usage"`
	Rate    float64                       `json:"sample_rate"`
	Offsets map[sampler.OffsetState]int64 `json:"offsets"` // since the store began
	Records map[sampler.RecordState]int64 `json:"records"`
}

// WeekOf returns the ISO week that holds t in loc: its ID as 2026-W48, its first moment
// and the first moment after it.
func WeekOf(t time.Time, loc *time.Location) (id string, from, to time.Time) {
	t = t.In(loc)
	back := (int(t.Weekday()) + 6) % 7
	from = time.Date(t.Year(), t.Month(), t.Day()-back, 0, 0, 0, 0, loc)
	year, week := t.ISOWeek()
	return fmt.Sprintf("%04d-W%02d", year, week), from, from.AddDate(0, 0, 7)
}

// ParseWeek is the reverse of WeekOf.
func ParseWeek(id string, loc *time.Location) (from, to time.Time, err error) {
	var year, week int
	if _, err := fmt.Sscanf(id, "%4d-W%2d", &year, &week); err != nil {
		return from, to, fmt.Errorf("week %q: want the form 2026-W48", id)
	}
	// 4 January is always in week 1.
	got, from, to := WeekOf(time.Date(year, 1, 4+7*(week-1), 12, 0, 0, 0, loc), loc)
	if got != id {
		return from, to, fmt.Errorf("week %q: there is no such ISO week", id)
	}
	return from, to, nil
}

// Digest is the report in a few lines, for a message.
func (w Week) Digest() alert.Digest {
	lines := slices.Clone(w.First)
	if w.Verdict == Unknown || len(lines) == 0 {
		lines = append([]string{w.Sentence}, lines...)
	}
	if w.Impact.Known {
		lines = append(lines, NewWords(w.Language, nil).Impact(w.Impact))
	}
	return alert.Digest{Service: w.Service, Standin: w.Standin, Week: w.ID, Verdict: string(w.Verdict), Lines: lines}
}
