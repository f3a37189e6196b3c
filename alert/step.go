package alert

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"leadline/drift"
)

// Input is what is known of one service after a run.
type Input struct {
	Run         time.Time
	Service     string
	Environment string
	// Every is the distance of runs: change sets that lie one run apart still meet.
	Every time.Duration
	// Episodes are all of the service, resolved ones too. One that is missing is no
	// news: its alert stays as it is.
	Episodes []drift.Episode
	// Problems are those that are true now. One that is missing is over.
	Problems []Problem
	// Unwatched means that nobody looked for problems: their incidents stay as they are.
	Unwatched bool
	// History means that the run is too old to wake anybody for. What its incidents come to
	// is told by the first step that is not history, once, and not at all if it is over
	// before anybody heard of it.
	History     bool
	Acceptances []drift.Acceptance
	// SamplesSince counts the samples of all cells scored in runs since to until, both
	// included. Nil: not counted.
	SamplesSince func(since, until time.Time) int
	Standin      bool
}

// Problem is a reason not to trust silence: of the monitor (KindBlind) or of a receiver
// (KindDelivery).
type Problem struct {
	Kind drift.Kind `json:"kind"`
	// Problem is one of the fixed words below.
	Problem string    `json:"problem"`
	Detail  string    `json:"detail,omitempty"` // figures, or the receiver's name
	Since   time.Time `json:"since"`
}

// The problems of a blind incident, worst first.
const (
	ProblemKafkaUnreadable = "kafka_unreadable"
	ProblemNoData          = "no_data"
	ProblemJudgeDown       = "judge_down"
	ProblemNoBudget        = "no_budget"
	ProblemCoverage        = "coverage"
	ProblemRunsLate        = "runs_late"
)

// The problems of a delivery incident, worst first.
const (
	ProblemReceiverBroken      = "receiver_broken"
	ProblemReceiverUnreachable = "receiver_unreachable"
	ProblemMessageRejected     = "message_rejected"
)

func problemRank(problem string) int {
	return slices.Index([]string{ProblemKafkaUnreadable, ProblemNoData, ProblemJudgeDown, ProblemNoBudget,
		ProblemCoverage, ProblemRunsLate, ProblemReceiverBroken, ProblemReceiverUnreachable,
		ProblemMessageRejected}, problem)
}

// Change is an incident that says something new. An incident outside production has
// changes too; Deliveries leaves them out.
type Change struct {
	Transition Transition
	Incident   Incident
}

// Step returns the incidents after a run, and what is to be told. It is pure: the same
// input gives the same IDs and changes, and the same input again gives no changes.
// Incidents of other services pass through.
//
// A finding belongs to the open incident whose change set its own reaches, whatever the
// kind, so that one event is one page; else to the open incident of its kind; else it
// opens one. The kind of an incident is that of its headline. When two incidents
// become of one kind, the older goes on with the alerts of both.
func Step(incidents []Incident, in Input) (next []Incident, changes []Change) {
	s := step{in: in, next: make([]Incident, len(incidents))}
	for n, i := range incidents {
		i.Alerts = slices.Clone(i.Alerts)
		s.next[n] = i
	}
	s.takeEpisodes()
	if !in.Unwatched {
		s.takeProblems(drift.KindBlind)
		s.takeProblems(drift.KindDelivery)
	}
	s.takeAcceptances()
	s.settle()
	s.hold(incidents)
	return s.next, s.changes(incidents)
}

type step struct {
	in   Input
	next []Incident
}

func (s *step) takeEpisodes() {
	episodes := slices.Clone(s.in.Episodes)
	slices.SortStableFunc(episodes, func(a, b drift.Episode) int {
		return cmp.Or(a.Opened.Compare(b.Opened), compareSeries(a.Series, b.Series))
	})
	for _, e := range episodes {
		if known := s.alertOf(e); known != nil {
			*known = alertFrom(e)
			continue
		}
		if !e.Resolved.IsZero() && s.isHistory(e) {
			continue
		}
		i := s.home(e)
		if i == nil {
			i = s.open(e.Kind)
		}
		i.Alerts = append(i.Alerts, alertFrom(e))
	}
}

func alertFrom(e drift.Episode) Alert {
	f := e.Finding
	f.Series, f.Kind = e.Series, e.Kind
	if f.Since.IsZero() {
		f.Since, f.From, f.To = e.From, e.From, e.From
	}
	return Alert{Finding: f, Opened: e.Opened, Channel: e.Channel, Value: e.Value, Resolved: e.Resolved}
}

// alertOf finds the alert of an episode in an open incident.
func (s *step) alertOf(e drift.Episode) *Alert {
	for n := range s.next {
		if i := &s.next[n]; s.isOpen(i) {
			if a := alertIn(i, e); a != nil {
				return a
			}
		}
	}
	return nil
}

// isHistory says whether a closed incident has told of the episode.
func (s *step) isHistory(e drift.Episode) bool {
	return slices.ContainsFunc(s.next, func(i Incident) bool {
		return s.isMine(&i) && !i.Open() && alertIn(&i, e) != nil
	})
}

func alertIn(i *Incident, e drift.Episode) *Alert {
	n := slices.IndexFunc(i.Alerts, func(a Alert) bool {
		return a.Finding.Series == e.Series && a.Opened.Equal(e.Opened)
	})
	if n < 0 {
		return nil
	}
	return &i.Alerts[n]
}

// home returns the open incident that a new episode belongs to, or nil. One that is
// over already only joins what it reaches.
func (s *step) home(e drift.Episode) *Incident {
	a := alertFrom(e)
	meets := func(i *Incident) bool { return i.Kind.IsFall() && e.Kind.IsFall() && s.reaches(a, i) }
	rules := []func(*Incident) bool{
		func(i *Incident) bool { return i.Kind == e.Kind && meets(i) },
		meets,
		func(i *Incident) bool { return i.Kind == e.Kind && a.Open() },
	}
	for _, rule := range rules {
		for n := range s.next {
			if i := &s.next[n]; s.isOpen(i) && rule(i) {
				return i
			}
		}
	}
	return nil
}

// reaches says whether the change set of a, one run wider, meets one of i's alerts'.
func (s *step) reaches(a Alert, i *Incident) bool {
	from, to := a.Finding.From.Add(-s.in.Every), a.Finding.To.Add(s.in.Every)
	return slices.ContainsFunc(i.Alerts, func(b Alert) bool {
		return !from.After(b.Finding.To) && !to.Before(b.Finding.From)
	})
}

func (s *step) takeProblems(kind drift.Kind) {
	var problems []Problem
	for _, p := range s.in.Problems {
		if p.Kind == kind {
			problems = append(problems, p)
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(problemRank(a.Problem)-problemRank(b.Problem), cmp.Compare(a.Problem, b.Problem),
			cmp.Compare(a.Detail, b.Detail))
	})
	i := s.openOf(kind)
	switch {
	case len(problems) == 0 && i != nil:
		i.Resolved = s.in.Run
		return
	case len(problems) == 0:
		return
	case i == nil:
		i = s.open(kind)
	}
	i.Problem, i.Detail, i.Problems = problems[0].Problem, problems[0].Detail, problems
	for _, p := range problems {
		i.Since = earlier(i.Since, p.Since)
	}
}

func (s *step) takeAcceptances() {
	for n := range s.next {
		i := &s.next[n]
		if !s.isOpen(i) {
			continue
		}
		for _, acc := range s.in.Acceptances {
			if slices.ContainsFunc(i.Alerts, func(a Alert) bool { return accepts(acc, a) }) {
				i.Accepted = &acc
			}
		}
	}
}

// accepts says whether an acceptance ends an alert: a judge's move only by a word that is about
// the judge.
func accepts(acc drift.Acceptance, a Alert) bool {
	return acc.Ends(a.Finding.Series, a.Opened) && (acc.Ruler || a.Finding.Ruler == nil)
}

func (s *step) openOf(kind drift.Kind) *Incident {
	for n := range s.next {
		if i := &s.next[n]; s.isOpen(i) && i.Kind == kind {
			return i
		}
	}
	return nil
}

func (s *step) open(kind drift.Kind) *Incident {
	s.next = append(s.next, Incident{
		ID: s.newID(kind), Kind: kind, Service: s.in.Service, Environment: s.in.Environment,
		Opened: s.in.Run, Updated: s.in.Run, Standin: s.in.Standin,
	})
	return &s.next[len(s.next)-1]
}

func (s *step) newID(kind drift.Kind) string {
	base := fmt.Sprintf("inc_%s_%s", kind, s.in.Run.UTC().Format("20060102T150405Z"))
	id := base
	for n := 2; slices.ContainsFunc(s.next, func(i Incident) bool { return i.ID == id }); n++ {
		id = fmt.Sprintf("%s_%d", base, n)
	}
	return id
}

func (s *step) isMine(i *Incident) bool {
	return i.Service == s.in.Service && i.Environment == s.in.Environment
}

func (s *step) isOpen(i *Incident) bool { return s.isMine(i) && i.Open() }

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

func compareSeries(a, b drift.Series) int {
	return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Dim, b.Dim), cmp.Compare(a.Value, b.Value),
		cmp.Compare(a.Judge, b.Judge))
}
