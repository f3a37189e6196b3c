// Package alert turns findings into incidents and tells receivers, once. What is to be
// told is a pure step from the incidents before; how it gets there survives a crash.
package alert

import (
	"context"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Incident is one thing that people should know about: at most one of a kind is open at
// a time per service. Each series in it is one alert of its group.
type Incident struct {
	ID          string     `json:"id"` // inc_ and the kind and opening run: the same after a replay
	Kind        drift.Kind `json:"kind"`
	Service     string     `json:"service"`
	Environment string     `json:"environment"`
	Opened      time.Time  `json:"opened"` // the run that found it
	Since       time.Time  `json:"since"`  // earliest first run after a change, as seen by now
	Updated     time.Time  `json:"updated"`
	Resolved    time.Time  `json:"resolved,omitzero"` // the run that ended it
	// Alerts are its series, worst first; resolved ones stay.
	Alerts []Alert `json:"alerts"`
	// Channel and Release name what a regression came with: the channel and its new value.
	Channel sampler.Channel `json:"channel,omitempty"`
	Release string          `json:"release,omitempty"`
	// Problem says in fixed words what a blind or delivery incident is about: the first
	// of Problems, worst first; Detail has its figures.
	Problem  string    `json:"problem,omitempty"`
	Detail   string    `json:"detail,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	// ToldOpen are the series that were down when it was last told of them.
	ToldOpen []drift.Series `json:"told_open,omitempty"`
	// ToldDrop is the size of the headline's fall as it was last told, 0–1.
	ToldDrop float64 `json:"told_drop,omitempty"`
	// MergedInto is the incident that goes on with the alerts of this one, when both
	// turned out to be of one kind.
	MergedInto string `json:"merged_into,omitempty"`
	// SamplesAfterChange is how many samples of all cells were scored from Since to Opened.
	SamplesAfterChange int `json:"samples_after_change"`
	// Untold is what is still to be told of it, because it came of runs that were history.
	Untold Transition `json:"untold,omitempty"`
	// Held is true while nobody is told of it because its judge moved; HeldBack are, on the
	// incident of the judge, those that are.
	Held     bool       `json:"held,omitempty"`
	HeldBack []HeldBack `json:"held_back,omitempty"`
	// Standin is true when the numbers come from word overlap.
	Standin bool `json:"standin,omitempty"`
	// Accepted is the operator's word that this is the new normal.
	Accepted *drift.Acceptance `json:"accepted,omitempty"`
}

// Alert is one series of an incident: the newest view of one episode.
type Alert struct {
	Finding  drift.Finding   `json:"finding"`
	Opened   time.Time       `json:"opened"` // with the series, names the episode
	Channel  sampler.Channel `json:"channel,omitempty"`
	Value    string          `json:"value,omitempty"`
	Resolved time.Time       `json:"resolved,omitzero"`
}

// Open says whether the series is still down.
func (a Alert) Open() bool { return a.Resolved.IsZero() }

// Open says whether the incident goes on.
func (i Incident) Open() bool { return i.Resolved.IsZero() }

// Pages says whether anybody is told: only production does.
func (i Incident) Pages() bool {
	return i.Environment == "" || i.Environment == "production"
}

// Headline returns the metric and the segment ("all" or "dim=value") that name the
// incident; both are empty for a blind or delivery incident.
func (i Incident) Headline() (metric scorer.Metric, segment string) {
	a, ok := i.Head()
	if !ok {
		return "", ""
	}
	return a.Finding.Series.Metric, a.Finding.Series.Segment()
}

// Head is the alert that stands for the incident; ok is false for a blind or delivery
// incident. It is chosen among the open alerts and, once none is open, among those that
// ended last, so that the end is told of what was told before.
func (i Incident) Head() (a Alert, ok bool) {
	end := i.lastEnd()
	alerts := make([]Alert, 0, len(i.Alerts))
	for _, a := range i.Alerts {
		if a.Resolved.Equal(end) {
			alerts = append(alerts, a)
		}
	}
	if len(alerts) == 0 {
		return Alert{}, false
	}
	findings := make([]drift.Finding, len(alerts))
	for n, a := range alerts {
		findings[n] = a.Finding
	}
	series := drift.Headline(findings).Series
	for _, a := range alerts {
		if a.Finding.Series == series {
			return a, true
		}
	}
	return alerts[0], true
}

// lastEnd is when its last alert ended, zero while any is open.
func (i Incident) lastEnd() time.Time {
	var end time.Time
	for _, a := range i.Alerts {
		if a.Open() {
			return time.Time{}
		}
		if a.Resolved.After(end) {
			end = a.Resolved
		}
	}
	return end
}

// Transition is why a message is sent.
type Transition string

// The transitions, in Alertmanager's sense.
const (
	Firing   Transition = "firing"
	Updated  Transition = "updated" // still firing, and it says something else now
	Resolved Transition = "resolved"
)

// Message is what a receiver is told: the state of an incident or a report. It is
// rendered when it is sent, so no secret and no text of users is kept waiting in it.
type Message struct {
	Transition Transition `json:"transition"`
	Incident   *Incident  `json:"incident,omitempty"`
	Report     *Digest    `json:"report,omitempty"`
	Language   string     `json:"language"` // "en" or "ja"
	Timezone   string     `json:"timezone"`
	// BaseURL is where the pages are; links are left out without it.
	BaseURL string `json:"base_url,omitempty"`
	// Samples are the IDs of the lowest samples, worst first.
	Samples []SampleRef `json:"samples,omitempty"`
}

// SampleRef points to a sample; Excerpt is only filled when alert.samples is "excerpt".
type SampleRef struct {
	ID      string  `json:"id"`
	Score   float64 `json:"score"`
	Excerpt string  `json:"excerpt,omitempty"`
}

// Digest is the weekly report in a message.
type Digest struct {
	Service string   `json:"service"`
	Standin bool     `json:"standin,omitempty"`
	Week    string   `json:"week"`    // 2026-W48
	Verdict string   `json:"verdict"` // stable, watch, drift, unknown
	Lines   []string `json:"lines"`
}

// Delivery is one message on its way to one receiver. A newer state of the same group
// replaces one that waits.
type Delivery struct {
	ID       string    `json:"id"` // msg_…, the same over all tries
	Receiver string    `json:"receiver"`
	Group    string    `json:"group"` // incident ID or report week
	Message  Message   `json:"message"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires"`
	Attempts int       `json:"attempts"`
	Next     time.Time `json:"next"`
	// LastError is a class ("rate_limited", "server_error"…), never the receiver's words.
	LastError string    `json:"last_error,omitempty"`
	Delivered time.Time `json:"delivered,omitzero"`
	Dead      bool      `json:"dead,omitempty"`
}

// Receiver sends one message. An error is a *SendError: it tells whether another try
// makes sense, and never holds the address, a secret or the receiver's words.
type Receiver interface {
	Send(ctx context.Context, d Delivery) error
}

// Outbox keeps what is to be delivered, over crashes.
type Outbox interface {
	// Due returns the deliveries of a receiver that wait, oldest first.
	Due(receiver string) ([]Delivery, error)
	// Settle stores what became of a try: delivered, dead or due again.
	Settle(d Delivery) error
}
