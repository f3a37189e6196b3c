package server

import (
	"context"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

// Source is what the pages, the API and the metrics show.
type Source interface {
	Status(ctx context.Context) (Status, error)
	// Samples returns scored samples, lowest first; none for an unknown ID.
	Samples(ctx context.Context, q SampleQuery) ([]report.Sample, error)
	// Week returns the report of an ISO week (2026-W48). ErrNotFound: there is none.
	Week(ctx context.Context, id string) (report.Week, error)
}

// Operator does what people ask for. Its errors are shown to them, so they hold no secret.
type Operator interface {
	// AddRelease notes a release. The same request twice is one release; created tells.
	AddRelease(ctx context.Context, r ReleaseRequest) (created bool, err error)
	// Accept makes the present level of a series its new normal.
	Accept(ctx context.Context, r AcceptRequest) (drift.Acceptance, error)
	// Reset has series learned anew, or says what that would cost.
	Reset(ctx context.Context, r ResetRequest) (ResetReply, error)
}

// SampleQuery selects samples. Zero fields select all.
type SampleQuery struct {
	ID       string        `json:"id,omitempty"`      // one sample
	Metric   scorer.Metric `json:"metric,omitempty"`  // scored in this metric, lowest of it first
	Reason   scorer.Reason `json:"reason,omitempty"`  // without a score for it, newest first
	Segment  string        `json:"segment,omitempty"` // as drift.Series.Segment: "dim=value"
	Incident string        `json:"incident,omitempty"`
	Since    time.Time     `json:"since,omitzero"`  // windows due after it
	Until    time.Time     `json:"until,omitzero"`  // windows due at or before it
	Limit    int           `json:"limit,omitempty"` // at most 1000; 0: 50
}

// ReleaseRequest says that a release was made, or with Through that none was.
type ReleaseRequest struct {
	Channel sampler.Channel `json:"channel,omitempty"` // "release" when empty
	Value   string          `json:"value,omitempty"`
	At      time.Time       `json:"at,omitzero"` // now when zero
	// Through says that there was no release until then; Value and At stay empty.
	Through time.Time `json:"through,omitzero"`
	Source  string    `json:"source,omitempty"` // "api" or "cli"
}

// AcceptRequest asks for a new normal: of the series of an incident, or of one series.
type AcceptRequest struct {
	Incident string       `json:"incident,omitempty"`
	Series   drift.Series `json:"series,omitzero"`
	From     time.Time    `json:"from,omitzero"` // rows due at or before it leave; zero: the newest run
	By       string       `json:"by"`
	Note     string       `json:"note,omitempty"`
}

// Status is how the daemon and what it watches stand.
type Status struct {
	Service     string    `json:"service"`
	Environment string    `json:"environment"`
	Language    string    `json:"language"` // of the pages, "en" or "ja"
	Timezone    string    `json:"timezone"`
	Standin     bool      `json:"standin"`
	Version     string    `json:"version"`
	Now         time.Time `json:"now"`
	// Verdict and Sentence are filled by the handler.
	Verdict  report.Verdict `json:"verdict"`
	Sentence string         `json:"sentence"`

	LastWindow time.Time      `json:"last_window,omitzero"` // newest decided run
	NextDue    time.Time      `json:"next_due,omitzero"`
	Sampling   SamplingStatus `json:"sampling"`
	Series     []SeriesStatus `json:"series"`
	// Incidents are the open ones and recent others, newest first.
	Incidents []alert.Incident      `json:"incidents"`
	Notes     []drift.Note          `json:"notes"`
	Controls  []report.ControlPoint `json:"controls"`
	// Rulers say how the judge of each metric stands by them.
	Rulers []drift.Ruler `json:"rulers,omitempty"`
	// Bands compares the items' faithfulness with what they were written for; rulers compare
	// each item with its own past, so that a judge that was always wrong is ok to them.
	Bands ControlBands `json:"control_bands"`
	Marks []drift.Mark `json:"marks"`
	// Glance is what the scores of the last seven days say without a baseline.
	Glance report.Glance `json:"glance"`
	// Ledger is the account of the budget of false alarms; zero before the first run.
	Ledger drift.Ledger `json:"ledger,omitzero"`
	// Acceptances are what operators took for the new normal, oldest first.
	Acceptances []drift.Acceptance `json:"acceptances"`

	Offsets map[sampler.OffsetState]int64 `json:"offsets"`
	Records map[sampler.RecordState]int64 `json:"records"`

	Kafka     KafkaStatus      `json:"kafka"`
	Judge     JudgeStatus      `json:"judge"`
	Coverage  CoverageStatus   `json:"coverage"`
	Cost      CostStatus       `json:"cost"`
	Receivers []ReceiverStatus `json:"receivers"`
	// Reports are the weeks there are reports of, newest first.
	Reports    []string `json:"reports"`
	StoreBytes int64    `json:"store_bytes"`
}

// SeriesStatus is a series after its newest run; Floor and Sees10 say what it can see.
type SeriesStatus struct {
	drift.State
	// Points are its run means of the last weeks in order of time: report.Points.
	Points []report.Point `json:"points"`
	// Shown is filled by the handler.
	Shown Shown `json:"shown"`
}

// KafkaStatus is how reading goes.
type KafkaStatus struct {
	Lag       int64     `json:"lag"` // messages, over all partitions; -1 when not known
	LastFetch time.Time `json:"last_fetch,omitzero"`
	// Error is a class ("connection", "unknown_topic") and what it is about; empty when
	// reading works. Since is when it began.
	Error string    `json:"error,omitempty"`
	Since time.Time `json:"since,omitzero"`
}

// JudgeStatus is who judges, and whether it does.
type JudgeStatus struct {
	Model  string           `json:"model"`
	IDs    []scorer.JudgeID `json:"ids"`
	Paused string           `json:"paused,omitempty"` // a class: "unauthorized", "quota", "unreachable"
	// Today and Month are what was spent in the UTC day and month, with their limits.
	Today       report.Spent `json:"spent_today"`
	Month       report.Spent `json:"spent_month"`
	TokensToday int64        `json:"tokens_today"`
	TokensLimit int64        `json:"tokens_limit"` // per day; 0: none
	// RunsSkipped are the due times since the start at which no run began because one was
	// under way. Resumes is when a run goes on whose time was over; zero: none waits.
	RunsSkipped int64     `json:"runs_skipped,omitempty"`
	Resumes     time.Time `json:"resumes,omitzero"`
	// Agreement is how far two looks at the same answer are apart in the newest runs.
	Agreement map[scorer.Metric]scorer.Agreement `json:"agreement,omitempty"`
	Replies   RepliesStatus                      `json:"replies,omitzero"`
	// Asked is how its server is asked; nil until it was.
	Asked *JudgeForm `json:"asked,omitempty"`
	// Shutdown warns of the announced end of its model; empty: none within 90 days.
	Shutdown string `json:"shutdown,omitempty"`
}

// JudgeForm is the form of requests that the judge's server was found to take.
type JudgeForm struct {
	Format      string    `json:"format"` // json_schema, json_schema_loose, json_object or text
	Temperature bool      `json:"temperature"`
	Choices     bool      `json:"choices"` // one call gives several
	Probed      time.Time `json:"probed,omitzero"`
	// Window is where the server cuts prompts without a word, in tokens; 0: not seen to.
	Window int64 `json:"window,omitempty"`
	// Change is the newest change of form that made another judge of it; nil: none.
	Change *JudgeChange `json:"change,omitempty"`
}

// JudgeChange is a server that no longer took requests as it did: another judge scores since.
type JudgeChange struct {
	At   time.Time `json:"at"`
	From string    `json:"from"`
	To   string    `json:"to"`
	Why  string    `json:"why"`
}

// RepliesStatus counts the newest replies of the judge, and those that could not be used
// so that it was asked a second time.
type RepliesStatus struct {
	Read     int `json:"read"`
	Unusable int `json:"unusable"`
}

// Share is the part that could not be used, 0–1; above 1 where several replies of one call
// were asked for again.
func (r RepliesStatus) Share() float64 { return float64(r.Unusable) / float64(max(r.Read, 1)) }

// TooMany says that the judge or its response format does not fit: above 5 %, once there
// are enough replies to tell.
func (r RepliesStatus) TooMany() bool { return r.Read >= 40 && r.Share() > 0.05 }

// CostStatus is what the newest runs took.
type CostStatus struct {
	Runs     int          `json:"runs"` // at most 100
	Samples  int          `json:"samples"`
	Usage    scorer.Usage `json:"usage"`
	Controls scorer.Usage `json:"controls"`
}

// ControlShare is the part of all tokens that the control items took, 0–1; −1 where none were
// spent.
func (c CostStatus) ControlShare() float64 {
	controls := c.Controls.Spend().Tokens
	if all := c.Usage.Spend().Tokens + controls; all > 0 {
		return float64(controls) / float64(all)
	}
	return -1
}

// SamplingStatus is how many samples are judged.
type SamplingStatus struct {
	PerRun int `json:"per_run"` // at most, in a usual run
	// Next is the same for the next run: more while a series is on watch.
	Next int `json:"next"`
}

// Raised says whether the next run judges more than a usual one.
func (s SamplingStatus) Raised() bool { return s.Next > s.PerRun }

// CoverageStatus counts the newest samples (100 or more) and those that got their scores.
type CoverageStatus struct {
	Samples int `json:"samples"`
	Scored  int `json:"scored"`
	// Reasons are why the others of the worse covered metric have no score.
	Reasons map[scorer.Reason]int `json:"reasons,omitempty"`
}

// ReceiverStatus is how one receiver takes its messages.
type ReceiverStatus struct {
	Name          string    `json:"name"`
	Kind          string    `json:"kind"` // slack or webhook
	Waiting       int       `json:"waiting"`
	Dead          int       `json:"dead"`
	LastDelivered time.Time `json:"last_delivered,omitzero"`
	LastError     string    `json:"last_error,omitempty"` // a class, never the receiver's words
}

// Share is the part that got its scores, 0–1; 0 without samples.
func (c CoverageStatus) Share() float64 {
	return float64(c.Scored) / float64(max(c.Samples, 1))
}
