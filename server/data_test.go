package server_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/server"
)

var now = time.Date(2026, 11, 30, 3, 12, 0, 0, time.UTC)

// source is a made-up daemon.
type source struct {
	status  server.Status
	samples []report.Sample
	weeks   map[string]report.Week
	err     error
}

func (s *source) Status(context.Context) (server.Status, error) { return s.status, s.err }

func (s *source) Samples(_ context.Context, q server.SampleQuery) ([]report.Sample, error) {
	found := slices.DeleteFunc(slices.Clone(s.samples), func(x report.Sample) bool {
		return q.ID != "" && x.Sample.ID != q.ID || x.Score.Window.Before(q.Since)
	})
	return found[:min(len(found), max(q.Limit, 0))], s.err
}

func (s *source) Week(_ context.Context, id string) (report.Week, error) {
	week, ok := s.weeks[id]
	if !ok {
		return week, fmt.Errorf("report %s: %w", id, server.ErrNotFound)
	}
	return week, nil
}

// operator keeps what it was asked.
type operator struct {
	resets   []server.ResetRequest
	releases []server.ReleaseRequest
	accepted []server.AcceptRequest
}

func (o *operator) AddRelease(_ context.Context, r server.ReleaseRequest) (bool, error) {
	if slices.Contains(o.releases, r) {
		return false, nil
	}
	o.releases = append(o.releases, r)
	return true, nil
}

func (o *operator) Accept(_ context.Context, r server.AcceptRequest) (drift.Acceptance, error) {
	if r.Incident == "inc_unknown" {
		return drift.Acceptance{}, fmt.Errorf("incident %s: %w", r.Incident, server.ErrNotFound)
	}
	o.accepted = append(o.accepted, r)
	return drift.Acceptance{By: r.By, Note: r.Note, At: now}, nil
}

func (o *operator) Reset(_ context.Context, r server.ResetRequest) (server.ResetReply, error) {
	o.resets = append(o.resets, r)
	return server.ResetReply{Lost: []drift.Loss{{Series: series(r.Metric, "", ""), Samples: 720, Learning: true}}}, nil
}

// Baselines knows faithfulness alone.
func (o *operator) Baselines(_ context.Context, metric scorer.Metric, _ string) ([]drift.Baseline, error) {
	if metric != "" && metric != scorer.Faithfulness {
		return nil, fmt.Errorf("%w: there is no series of metric %s", server.ErrInvalid, metric)
	}
	return []drift.Baseline{{Series: series(scorer.Faithfulness, "", ""), Samples: 720, LeftOut: []drift.LeftOut{{Why: drift.LeftReset, Samples: 96, By: "mika"}}}}, nil
}

const judge = "word-overlap/f1"

func series(metric scorer.Metric, dim, value string) drift.Series {
	s := drift.Series{Metric: metric, Dim: dim, Value: value, Judge: judge}
	if drift.IsShare(metric) {
		s.Judge = ""
	}
	return s
}

// line is eight weeks of runs every six hours: wavering, with a gap, and after from on
// lower by drop. A share's state is the good part, its points are the bad one.
func line(s drift.Series, mean, drop float64, status string) server.SeriesStatus {
	x := server.SeriesStatus{State: drift.State{
		Series: s, Run: now, Status: status, Band: 0.06, Floor: 0.07, LnEvidence: 0.4, DesignEffect: 1.1,
		Last: drift.Level{N: 30, Mean: mean - drop}, Baseline: drift.Level{N: 3000, Mean: mean}, Sees10: now.AddDate(0, 0, -30),
	}}
	for i := range 8 * 28 {
		due := now.Add(time.Duration(i-8*28+1) * 6 * time.Hour)
		if i > 90 && i < 100 {
			continue
		}
		m := mean + 0.03*math.Sin(float64(i)*1.7) + 0.02*math.Sin(float64(i)*0.4+mean)
		if i > 190 {
			m -= drop
		}
		if drift.IsShare(s.Metric) {
			m = 1 - m
		}
		x.Points = append(x.Points, report.Point{Due: due, N: 30, Mean: m, Low: m - 0.08, High: m + 0.08})
	}
	return x
}

func finding(s drift.Series) drift.Finding {
	since := now.AddDate(0, 0, -8)
	return drift.Finding{
		Series: s, Kind: drift.KindSilent, Run: now, Since: since, From: since.Add(-6 * time.Hour), To: since.Add(12 * time.Hour),
		Before: drift.Level{N: 720, Mean: 0.87, Zeros: 0.01}, After: drift.Level{N: 240, Mean: 0.52, Zeros: 0.2},
		Drop: 0.35, Low: 0.29, High: 0.41, LnEvidence: 61, LnNeeded: 8.2,
		Evidence: drift.Evidence{
			Judge:    drift.JudgeEvidence{Items: 24, Shift: -0.002, SE: 0.004, Verdict: "cleared", CanSee: 0.02},
			Mix:      drift.MixEvidence{Explains: 0.01, Within: 0.05, SE: 0.01, Worst: "department=経理", WorstDrop: 0.35, WorstN: 240},
			Release:  drift.ChannelEvidence{Channel: sampler.ChannelRelease, State: drift.ChannelSame, New: "v42", At: now.AddDate(0, 0, -20)},
			Channels: []drift.ChannelEvidence{{Channel: sampler.ChannelPrompt, State: drift.ChannelSame, New: "p7", Code: true}, {Channel: sampler.ChannelModel, State: drift.ChannelNotObserved}},
			Corpus:   drift.CorpusEvidence{Observed: true, Overlap: 0.71, Usual: 0.97, Vanished: 0.31, Gone: []string{"経理-00", "経理-01"}},
		},
	}
}

func rich(language string) *source {
	bad := series(scorer.Faithfulness, "department", "経理")
	s := &source{weeks: map[string]report.Week{}}
	s.status = server.Status{
		Service: "helpdesk", Environment: "production", Language: language, Timezone: "Asia/Tokyo", Standin: true, Version: "0.1.0",
		Now: now, LastWindow: now.Add(-12 * time.Minute), NextDue: now.Add(5*time.Hour + 48*time.Minute),
		Series: []server.SeriesStatus{
			line(series(scorer.AnswerRelevancy, "", ""), 0.82, 0, "ok"),
			line(series(scorer.Faithfulness, "", ""), 0.87, 0.06, "down"),
			line(series(scorer.Faithfulness, "department", "hr"), 0.88, 0, "ok"),
			line(series(scorer.Faithfulness, "department", "it"), 0.85, 0.03, "watch"),
			line(bad, 0.87, 0.35, "down"),
			line(series(scorer.Faithfulness, "department", "sales"), 0.9, 0, "ok"),
		},
		Incidents: []alert.Incident{
			{ID: "inc_silent_20261122", Kind: drift.KindSilent, Opened: now.AddDate(0, 0, -7), Since: now.AddDate(0, 0, -8), SamplesAfterChange: 96, Standin: true,
				Alerts: []alert.Alert{{Finding: finding(bad)}, {Finding: finding(series(scorer.Faithfulness, "", ""))}}},
			{ID: "inc_blind_20261101", Kind: drift.KindBlind, Problem: "no_data", Detail: "2d 6h", Opened: now.AddDate(0, 0, -33), Resolved: now.AddDate(0, 0, -31)},
		},
		Notes:     []drift.Note{{Kind: "corpus", At: now.AddDate(0, 0, -5), Document: "hr-00", Edition: "3", Newest: "4", Count: 412}},
		Marks:     []drift.Mark{{Channel: sampler.ChannelRelease, Value: "v42", At: now.AddDate(0, 0, -20)}},
		Offsets:   map[sampler.OffsetState]int64{sampler.OffsetNotSampled: 221_904, sampler.OffsetContributed: 24_650},
		Records:   map[sampler.RecordState]int64{sampler.RecordJudged: 6_720, sampler.RecordEvicted: 17_910, sampler.RecordWaiting: 20},
		Kafka:     server.KafkaStatus{Lag: 1_204, LastFetch: now.Add(-time.Second)},
		Judge:     server.JudgeStatus{Model: "word-overlap", TokensToday: 310_000, TokensLimit: 2_000_000, IDs: []scorer.JudgeID{{Metric: scorer.Faithfulness, Model: "word-overlap", Prompt: "f1", Format: "json_schema"}}},
		Coverage:  server.CoverageStatus{Samples: 100, Scored: 98},
		Receivers: []server.ReceiverStatus{{Name: "oncall", Kind: "slack", LastDelivered: now.AddDate(0, 0, -7)}, {Name: "bus", Kind: "webhook", Waiting: 2, LastError: "server_error"}},
		Reports:   []string{"2026-W48", "2026-W47"}, StoreBytes: 48 << 20,
	}
	for i, m := range drift.Shares {
		s.status.Series = append(s.status.Series, line(series(m, "", ""), 0.96-0.01*float64(i), 0, "ok"))
	}
	for i := range 8 * 28 {
		for _, m := range scorer.Metrics {
			for _, l := range []string{"en", "ja"} {
				s.status.Controls = append(s.status.Controls, report.ControlPoint{Window: now.Add(-time.Duration(i) * 6 * time.Hour), Metric: m, Language: l, Judge: judge, N: 12, Mean: 0.6 + 0.004*math.Sin(float64(i))})
			}
		}
	}
	for i := range 4 {
		s.samples = append(s.samples, sample(fmt.Sprintf("req/%d", 100+i), float64(i)/10))
	}
	loc, _ := time.LoadLocation("Asia/Tokyo")
	id, from, to := report.WeekOf(now.AddDate(0, 0, -7), loc)
	s.weeks[id] = report.Make(report.Input{Service: "helpdesk", Language: language, Location: loc, From: from, To: to})
	return s
}

func sample(id string, value float64) report.Sample {
	at := now.Add(-time.Hour)
	return report.Sample{
		Sample: sampler.Sample{Record: sampler.Record{ID: id, Time: at, Question: "経費精算の締め日はいつですか", Answer: "経費精算は毎月15日が締め切りです。申請は経費システムから行います。",
			Contexts: []string{"経費精算は月末締めで、翌月5日までに申請します。"}, Docs: []sampler.Document{{ID: "経理-04", Version: "3"}}}},
		Score: scorer.Score{SampleID: id, Time: at, Window: now, Cell: "department=経理",
			Outcomes:   map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: value}, scorer.AnswerRelevancy: {Reason: scorer.ReasonNoEmbeddings}},
			Statements: []scorer.Statement{{Text: "経費精算は毎月15日が締め切りです。", Reason: "文書には月末締めとあります。"}, {Text: "申請は経費システムから行います。", Verdict: 1}}},
	}
}
