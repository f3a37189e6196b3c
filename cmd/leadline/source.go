package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/server"
)

// source answers for the pages, the API and the command line: from the store, and from
// the running daemon where there is one.
type source struct {
	runner *runner
	live   func() live
	plain  bool // without charts, as metrics need it
}

// live is what only a running daemon knows.
type live struct {
	Kafka     server.KafkaStatus
	Paused    string
	Skipped   int64
	Resumes   time.Time
	Receivers []server.ReceiverStatus
}

// recentIncidents is for how long an incident is shown after it is over.
const recentIncidents = 56 * 24 * time.Hour

// chartWeeks is how far back the charts of the start page go.
const chartWeeks = 12

// Status gathers how everything stands.
func (s *source) Status(context.Context) (server.Status, error) {
	r := s.runner
	history, result, err := r.store.History()
	if err != nil {
		return server.Status{}, err
	}
	now := s.now(history)
	st := server.Status{
		Service: r.cfg.Service.Name, Environment: r.cfg.Service.Environment, Language: r.cfg.Service.Language,
		Timezone: r.cfg.Service.Timezone, Standin: r.standin, Version: version(), Now: now,
		Notes: result.Notes, Marks: drift.Changes(history), StoreBytes: r.store.Size(), Reports: reportsIn(r.reportDir()),
		Controls: report.ControlPoints(history.Controls), Acceptances: history.Acceptances, Ledger: result.Ledger, Rulers: result.Rulers,
	}
	items, err := r.controlItems()
	if err != nil {
		return server.Status{}, err
	}
	st.Bands = bandsOf(items, history.Controls)
	from := now.AddDate(0, 0, -7*chartWeeks)
	rows := recentRows(history, from)
	for _, state := range result.States {
		one := server.SeriesStatus{State: state}
		if !s.plain {
			one.Points = report.Points(rows, state.Series)
		}
		st.Series = append(st.Series, one)
	}
	return st, errors.Join(s.addStored(&st, now, result), s.addGlance(&st, history), s.addLive(&st))
}

// now is the wall clock, or with the log's own time the newest run.
func (s *source) now(h drift.History) time.Time {
	if s.runner.clock.wall != nil || len(h.Tallies) == 0 {
		return time.Now().UTC()
	}
	return h.Tallies[len(h.Tallies)-1].Due
}

// recentRows are the rows of scores and shares due after a time.
func recentRows(h drift.History, after time.Time) []drift.Row {
	var rows []drift.Row
	for _, r := range h.Rows {
		if r.Due.After(after) {
			rows = append(rows, r)
		}
	}
	n := len(h.Tallies)
	for n > 0 && h.Tallies[n-1].Due.After(after) {
		n--
	}
	return append(rows, drift.ShareRows(h.Tallies[n:])...)
}

func (s *source) addStored(st *server.Status, now time.Time, result drift.Result) error {
	r := s.runner
	last, _, err := r.store.LastDecided()
	if err != nil {
		return err
	}
	next, _, err := r.store.NextWindow()
	if err != nil {
		return err
	}
	st.LastWindow, st.NextDue = last.Due, next.Due
	st.Sampling = s.sampling(next, result)
	incidents, err := r.store.Incidents()
	if err != nil {
		return err
	}
	for _, i := range slices.Backward(incidents) {
		if i.Open() || now.Sub(i.Resolved) < recentIncidents {
			st.Incidents = append(st.Incidents, i)
		}
	}
	ledgers, err := r.store.Ledgers()
	if err != nil {
		return err
	}
	st.Offsets, st.Records = ledgers.Offsets, ledgers.Records
	runs, err := r.store.Runs(coverageSamples)
	if err != nil {
		return err
	}
	c := coverage(runs)
	st.Coverage = server.CoverageStatus{Samples: c.samples, Scored: c.scored, Reasons: c.reasons}
	st.Cost = costOf(runs)
	return nil
}

// glanceDays are how far a glance at the newest scores goes back from the newest run.
const glanceDays = 7

// addGlance says what the newest scores say by themselves. It reads every single one, so
// metrics, which do not show it, do without.
func (s *source) addGlance(st *server.Status, h drift.History) error {
	if s.plain || st.LastWindow.IsZero() {
		return nil
	}
	in := report.GlanceInput{
		From: st.LastWindow.AddDate(0, 0, -glanceDays), To: st.LastWindow, Rows: h.Rows,
		Judges: map[scorer.Metric]string{}, Rate: s.runner.cfg.Sample.Rate,
	}
	for _, x := range st.Series {
		in.Judges[x.Series.Metric] = x.Series.Judge
	}
	var err error
	if in.Floors, err = rememberedFloors(s.runner.store, s.runner.cfg.Judge); err != nil {
		return err
	}
	// A record may be older than its run by as much as runs lie apart.
	in.Scores, err = s.runner.store.Scores(in.From.AddDate(0, 0, -glanceDays), in.To, nil)
	st.Glance = report.NewGlance(in)
	return err
}

// sampling says how many samples the next run judges, and a usual one.
func (s *source) sampling(next sampler.Window, result drift.Result) server.SamplingStatus {
	if next.PerRun == 0 { // nothing was read of it yet
		cfg := s.runner.cfg.Sample
		next.PerRun, next.WatchFactor = cfg.PerRun, cfg.WatchFactor
	}
	if next.State != sampler.WindowSampled && next.State != sampler.WindowScored {
		next.Watched = result.OnWatch()
	}
	return server.SamplingStatus{PerRun: next.PerRun, Next: next.Picks()}
}

func (s *source) addLive(st *server.Status) error {
	cfg := s.runner.cfg.Judge
	standing, err := s.runner.store.Budget(cfg.Limits(), time.Now).Standing()
	if err != nil {
		return err
	}
	used := standing.Today.Tokens
	runs, err := s.runner.store.Runs(coverageSamples)
	if err != nil {
		return err
	}
	limits := cfg.Limits()
	st.Judge = server.JudgeStatus{Today: spent(standing.Today, limits.TokensPerDay, limits.DollarsPerDay), Month: spent(standing.Month, limits.TokensPerMonth, limits.DollarsPerMonth),
		Model: cfg.Model, TokensToday: used, TokensLimit: cfg.Limits().TokensPerDay, Agreement: agreements(runs), Replies: newestReplies(runs)}
	if st.Judge.Asked, err = askedForm(s.runner.store, cfg); err != nil {
		return err
	}
	if end, ok := openai.ShutdownOf(cfg.Model, time.Now()); ok {
		st.Judge.Shutdown = end.Text(time.Now())
	}
	if s.runner.judge != nil {
		ids := s.runner.judge()
		for _, m := range scorer.Metrics {
			if id, ok := ids[m]; ok {
				st.Judge.IDs = append(st.Judge.IDs, id)
			}
		}
	}
	st.Kafka.Lag = -1
	if s.live == nil {
		return nil
	}
	now := s.live()
	st.Kafka, st.Judge.Paused, st.Receivers = now.Kafka, now.Paused, now.Receivers
	st.Judge.RunsSkipped, st.Judge.Resumes = now.Skipped, now.Resumes
	return nil
}

// defaultSamples is how many samples are listed unless asked otherwise.
const defaultSamples = 20

// Samples returns scored samples, lowest first, or those without a score for a reason.
func (s *source) Samples(_ context.Context, q server.SampleQuery) ([]report.Sample, error) {
	st := s.runner.store
	if q.ID != "" {
		sample, ok, err := st.Sample(q.ID)
		if err != nil || !ok {
			return nil, err
		}
		return []report.Sample{sample}, nil
	}
	q, series, err := s.ofIncident(q)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(q.Limit, defaultSamples)
	if q.Reason != "" {
		return st.Unscored(q.Reason, q.Metric, q.Since, q.Until, inSegment(series), limit)
	}
	metric := cmp.Or(q.Metric, series.Metric, scorer.Faithfulness)
	return st.Lowest(metric, q.Since, q.Until, inSegment(series), limit)
}

// ofIncident narrows a query to what an incident is about.
func (s *source) ofIncident(q server.SampleQuery) (server.SampleQuery, drift.Series, error) {
	dim, value, _ := strings.Cut(q.Segment, "=")
	if q.Segment == "" || q.Segment == "all" {
		dim, value = "", ""
	}
	series := drift.Series{Metric: q.Metric, Dim: dim, Value: value}
	if q.Incident == "" {
		return q, series, nil
	}
	i, err := s.incident(q.Incident)
	if err != nil {
		return q, series, err
	}
	head, _ := i.Head()
	f := head.Finding
	q.Since = f.Since.Add(-time.Nanosecond)
	q.Until = i.Resolved
	return q, f.Series, nil
}

func (s *source) incident(id string) (alert.Incident, error) {
	incidents, err := s.runner.store.Incidents()
	if err != nil {
		return alert.Incident{}, err
	}
	for _, i := range incidents {
		if i.ID == id {
			return i, nil
		}
	}
	return alert.Incident{}, fmt.Errorf("incident %s: %w", id, server.ErrNotFound)
}

// Week returns the report of an ISO week as it was told, or makes it from the store.
func (s *source) Week(_ context.Context, id string) (report.Week, error) {
	from, _, err := report.ParseWeek(id, s.runner.location)
	if err != nil {
		return report.Week{}, fmt.Errorf("%w: %w", server.ErrInvalid, err)
	}
	if week, ok, err := sentReport(s.runner.reportDir(), id); ok || err != nil {
		return week, err
	}
	return s.runner.week(from)
}

// AddRelease notes a release, or that there was none. Without a time, the value that was
// told last is known already: a deployment that is tried again is one release.
func (s *source) AddRelease(_ context.Context, q server.ReleaseRequest) (bool, error) {
	m := drift.Mark{Channel: cmp.Or(q.Channel, sampler.ChannelRelease), Value: q.Value, At: q.At.UTC(), Through: q.Through.UTC(), Source: cmp.Or(q.Source, "api")}
	if q.Through.IsZero() && q.At.IsZero() {
		last, err := s.lastTold(m.Channel)
		if err != nil || last == m.Value {
			return false, err
		}
		m.At = s.runner.clock.now().UTC()
	}
	added, err := s.runner.store.AddMark(m)
	if err != nil || !added {
		return false, err
	}
	return true, s.runner.reconsider()
}

// lastTold is the newest value of a channel that somebody told; empty if nobody did.
func (s *source) lastTold(channel sampler.Channel) (string, error) {
	history, _, err := s.runner.store.History()
	if err != nil {
		return "", err
	}
	var last drift.Mark
	for _, m := range history.Marks {
		if m.Channel == channel && m.Through.IsZero() && !m.At.Before(last.At) {
			last = m
		}
	}
	return last.Value, nil
}

// Accept makes the present level of an incident's series, or of one series, the new normal.
func (s *source) Accept(_ context.Context, q server.AcceptRequest) (drift.Acceptance, error) {
	_, result, err := s.runner.store.History()
	if err != nil {
		return drift.Acceptance{}, err
	}
	series, err := s.accepted(q, result.States)
	if err != nil {
		return drift.Acceptance{}, err
	}
	if len(result.States) == 0 {
		return drift.Acceptance{}, fmt.Errorf("%w: nothing was scored yet, so there is no level to accept", server.ErrInvalid)
	}
	from := q.From
	var as []drift.Acceptance
	for _, one := range series {
		at := from
		if at.IsZero() {
			at = startOf(result.Episodes, one, result.States[0].Run)
		}
		a := drift.Acceptance{Series: one, From: at, By: q.By, At: time.Now().UTC(), Note: q.Note, Incident: q.Incident}
		if one.OfControls() {
			a.Series, a.From, a.Ruler = drift.Series{Metric: one.Metric, Judge: one.Judge}, startOfMove(result.Moves, one, at), true
		}
		as = append(as, a)
	}
	if err := s.runner.store.Accept(as); err != nil {
		return drift.Acceptance{}, err
	}
	return as[0], s.runner.reconsider()
}

// startOfMove is where the new ruler begins: with the judge's open move.
func startOfMove(moves []drift.Move, series drift.Series, newest time.Time) time.Time {
	for _, m := range moves {
		if m.Metric == series.Metric && m.Judge == series.Judge && m.Resolved.IsZero() {
			return m.From.Add(-time.Nanosecond)
		}
	}
	return newest
}

// startOf is where the new normal of a series begins: with its open episode, else after the newest run.
func startOf(episodes []drift.Episode, series drift.Series, newest time.Time) time.Time {
	for _, e := range episodes {
		if e.Series == series && e.Resolved.IsZero() {
			return e.From.Add(-time.Nanosecond)
		}
	}
	return newest
}

// accepted are the series that a request is about, at least one.
func (s *source) accepted(q server.AcceptRequest, states []drift.State) ([]drift.Series, error) {
	if q.Incident == "" {
		_, err := chosen(states, q.Series.Metric, q.Series.Segment())
		return []drift.Series{q.Series}, err
	}
	i, err := s.incident(q.Incident)
	if err != nil {
		return nil, err
	}
	var out []drift.Series
	for _, a := range i.Alerts {
		if a.Resolved.IsZero() && a.Finding.Series.Metric != "" {
			out = append(out, a.Finding.Series)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: incident %s has no series that is below its normal, so there is nothing to accept", server.ErrInvalid, q.Incident)
	}
	return out, nil
}

// socketPath is where the daemon listens for the command line.
func socketPath(storePath string) string { return storePath + ".sock" }

// removeStale removes a socket that a killed daemon left. The lock of the store says that
// no other daemon lives.
func removeStale(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
