package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

const judge = "gpt-4.1-mini/f3"

var judges = map[scorer.Metric]string{scorer.Faithfulness: judge, scorer.AnswerRelevancy: judge}

var departments = []string{"hr", "it", "sales", "経理", "legal", "travel"}

// story is a made-up year's end: eight weeks of runs every six hours, a release, an outage,
// and a silent drop in one department three weeks before the end.
type story struct {
	language string
	end      time.Time // Monday 00:00
	loc      *time.Location
	change   time.Time
	text     string // that every free text begins with
}

func newStory(language string) story {
	loc, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		loc = time.FixedZone("JST", 9*3600)
	}
	end := time.Date(2026, 11, 30, 0, 0, 0, 0, loc)
	return story{language: language, end: end, loc: loc, change: end.AddDate(0, 0, -12).Add(6 * time.Hour)}
}

func (s story) input() report.Input {
	in := eightWeeks()
	in.Scores = slices.Clone(in.Scores)
	in.Language = s.language
	s.decide(&in)
	return in
}

// eightWeeks are the runs of the story, which every test reads and none changes. They are
// made once, because under the race detector they take longer than all tests together.
var eightWeeks = sync.OnceValue(func() report.Input {
	rng, s := rand.New(rand.NewPCG(1, 2)), newStory("")
	in := report.Input{
		Service: "helpdesk", Environment: "production", Location: s.loc,
		From: s.end.AddDate(0, 0, -7), To: s.end, Standin: true, Version: "0.1.0", SampleRate: 0.1,
		Offsets: map[sampler.OffsetState]int64{sampler.OffsetNotSampled: 221_904, sampler.OffsetContributed: 24_650, sampler.OffsetMalformed: 12, sampler.OffsetElsewhere: 1_020},
		Records: map[sampler.RecordState]int64{sampler.RecordJudged: 6_720, sampler.RecordEvicted: 17_910, sampler.RecordDuplicate: 20},
	}
	for due := s.end.AddDate(0, 0, -56).Add(6 * time.Hour); !due.After(s.end); due = due.Add(6 * time.Hour) {
		if gap := s.end.AddDate(0, 0, -33); due.After(gap) && due.Before(gap.Add(60*time.Hour)) {
			continue
		}
		s.run(&in, due, rng)
	}
	return in
})

func (s story) run(in *report.Input, due time.Time, rng *rand.Rand) {
	tally := sampler.Tally{Start: due.Add(-6 * time.Hour), Due: due, Cells: map[sampler.Cell]int{}, Docs: map[string]map[string]int{}}
	for k, dep := range departments {
		cell := sampler.CellOf(map[string]string{"department": dep})
		bad := dep == "経理" && due.After(s.change)
		values := map[scorer.Metric]*drift.Moments{}
		rows := map[scorer.Metric][]float64{}
		for i := range 5 {
			f := []float64{1, 1, 1, 0.75, 0.67, 1, 0.5, 1}[rng.IntN(8)]
			if bad && rng.Float64() < 0.6 {
				f = []float64{0, 0.33, 0.5}[rng.IntN(3)]
			}
			r := 0.78 + 0.12*rng.Float64()
			if rng.Float64() < 0.03 {
				r = 0
			}
			rows[scorer.Faithfulness] = append(rows[scorer.Faithfulness], f)
			rows[scorer.AnswerRelevancy] = append(rows[scorer.AnswerRelevancy], r)
			in.Scores = append(in.Scores, scorer.Score{
				SampleID: fmt.Sprintf("%s-%s-%d", due.Format("0102T15"), dep, i), Time: due.Add(-time.Hour), Window: due.UTC(),
				Cell: cell, Inclusion: 0.03, ResponseModel: "gpt-4.1-mini-2026-04-14",
				Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: f}, scorer.AnswerRelevancy: {Scored: true, Value: r}},
				Judges:   judges,
			})
		}
		n := 20 + 3*k + rng.IntN(8)
		if dep == "travel" && due.After(s.end.AddDate(0, 0, -7)) {
			n *= 3
		}
		tally.Cells[cell] = n
		tally.Decoded += n
		for d := range 6 {
			if id := fmt.Sprintf("%s-%02d", dep, d); !bad || d >= 2 {
				tally.Docs[id] = map[string]int{"3": n / 6}
			}
		}
		for m, v := range rows {
			values[m] = moments(v)
			in.History.Rows = append(in.History.Rows, drift.Row{Start: tally.Start, Due: due.UTC(), Metric: m, Judge: judge, Cell: cell, Moments: *values[m]})
		}
	}
	tally.Docs["hr-00"]["4"] = 9
	tally.Refusals = tally.Decoded / 25
	in.History.Tallies = append(in.History.Tallies, tally)
	for i := range 8 {
		in.History.Controls = append(in.History.Controls, scorer.ControlScore{
			Item: fmt.Sprintf("c%02d", i), Window: due.UTC(), Language: []string{"en", "ja"}[i%2],
			Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: 0.6 + 0.1*rng.Float64()}, scorer.AnswerRelevancy: {Scored: true, Value: 0.55 + 0.1*rng.Float64()}},
			Judges:   judges,
		})
	}
	in.Runs = append(in.Runs, scorer.Run{
		Window: due.UTC(), Samples: 31, Scored: map[scorer.Metric]int{scorer.Faithfulness: 30, scorer.AnswerRelevancy: 30},
		Unscorable: map[scorer.Metric]map[scorer.Reason]int{scorer.Faithfulness: {scorer.ReasonNoContext: 1}, scorer.AnswerRelevancy: {scorer.ReasonBadReply: 1}},
		Usage:      scorer.Usage{ChatRequests: 93, PromptTokens: 61_000, CompletionTokens: 9_000, EmbeddingRequests: 30, EmbeddingTokens: 3_000, MemoHits: 4},
		Controls:   scorer.Usage{ChatRequests: 72, PromptTokens: 30_000, CompletionTokens: 4_000},
	})
}

func moments(values []float64) *drift.Moments {
	m := drift.Moments{N: len(values)}
	k := 0.0
	for _, v := range values {
		if v <= 0 {
			m.Zeros++
			continue
		}
		k++
		d := v - m.Mean
		m.Mean += d / k
		m.M2 += d * (v - m.Mean)
	}
	return &m
}

func (s story) decide(in *report.Input) {
	all := drift.Series{Metric: scorer.Faithfulness, Judge: judge}
	bad := drift.Series{Metric: scorer.Faithfulness, Dim: "department", Value: "経理", Judge: judge}
	finding := drift.Finding{
		Series: bad, Kind: drift.KindSilent, Run: s.end, Since: s.change, From: s.change.Add(-6 * time.Hour), To: s.change.Add(12 * time.Hour),
		Before: drift.Level{N: 720, Mean: 0.87, Zeros: 0.01}, After: drift.Level{N: 240, Mean: 0.52, Zeros: 0.2},
		Drop: 0.35, Low: 0.29, High: 0.41, LnEvidence: 61, LnNeeded: 8.2, DesignEffect: 1.1, Floor: 0.06,
		Evidence: drift.Evidence{
			Judge:    drift.JudgeEvidence{Items: 24, Shift: -0.002, SE: 0.004, Verdict: "cleared", CanSee: 0.02},
			Mix:      drift.MixEvidence{Explains: 0.01, Within: 0.05, SE: 0.01, Worst: "department=経理", WorstDrop: 0.35, WorstN: 240},
			Release:  drift.ChannelEvidence{Channel: sampler.ChannelRelease, State: drift.ChannelSame, New: "v42", At: s.end.AddDate(0, 0, -20)},
			Channels: []drift.ChannelEvidence{{Channel: sampler.ChannelPrompt, State: drift.ChannelSame, New: "p7", Code: true}, {Channel: sampler.ChannelModel, State: drift.ChannelNotObserved}},
			Corpus:   drift.CorpusEvidence{Observed: true, Overlap: 0.71, Usual: 0.97, New: 0, Vanished: 0.31, Gone: []string{"経理-00", "経理-01"}},
		},
	}
	pooled := finding
	pooled.Series, pooled.Before, pooled.After, pooled.Drop, pooled.Low, pooled.High = all, drift.Level{N: 4300, Mean: 0.87}, drift.Level{N: 1440, Mean: 0.81}, 0.06, 0.04, 0.08
	in.Incidents = []alert.Incident{
		{ID: "inc_silent_1", Kind: drift.KindSilent, Service: "helpdesk", Opened: s.change.Add(12 * time.Hour), Since: s.change, Updated: s.end, SamplesAfterChange: 90,
			Alerts: []alert.Alert{{Finding: finding}, {Finding: pooled}}, Standin: true},
		{ID: "inc_blind_1", Kind: drift.KindBlind, Service: "helpdesk", Problem: "no_data", Detail: "1d 2h", Opened: s.end.AddDate(0, 0, -32), Since: s.end.AddDate(0, 0, -33), Resolved: s.end.AddDate(0, 0, -30)},
	}
	in.Result.Episodes = []drift.Episode{
		{Series: bad, Kind: drift.KindSilent, From: s.change, Opened: s.change.Add(12 * time.Hour), Finding: finding},
		{Series: all, Kind: drift.KindSilent, From: s.change, Opened: s.change.Add(12 * time.Hour), Finding: pooled},
	}
	in.Result.Notes = []drift.Note{{Kind: "corpus", At: s.end.AddDate(0, 0, -5), Document: "hr-00", Edition: "3", Newest: "4", Count: 412}}
	in.History.Marks = []drift.Mark{
		{Channel: sampler.ChannelRelease, Value: "v41", At: s.end.AddDate(0, 0, -44)},
		{Channel: sampler.ChannelRelease, Value: "v42", At: s.end.AddDate(0, 0, -20)},
		{Channel: sampler.ChannelPrompt, Value: "p7", At: s.end.AddDate(0, 0, -19)},
		{Channel: sampler.ChannelRelease, Value: "v43-hotfix-公開", At: s.end.AddDate(0, 0, -2).Add(14 * time.Hour)},
	}
	s.states(in)
	s.lowest(in)
}

func (s story) states(in *report.Input) {
	add := func(series drift.Series, mean, last, band float64, status string) {
		in.Result.States = append(in.Result.States, drift.State{Series: series, Run: s.end, Last: drift.Level{N: 30, Mean: last},
			Baseline: drift.Level{N: 4300, Mean: mean}, Status: status, LnEvidence: 1.2, Floor: 0.05, Sees10: s.end.AddDate(0, 0, -40), DesignEffect: 1.1, Band: band})
	}
	add(drift.Series{Metric: scorer.Faithfulness, Judge: judge}, 0.87, 0.80, 0.08, "down")
	add(drift.Series{Metric: scorer.AnswerRelevancy, Judge: judge}, 0.82, 0.82, 0.06, "ok")
	for _, d := range departments {
		status, last := "ok", 0.87
		if d == "経理" {
			status, last = "down", 0.5
		}
		add(drift.Series{Metric: scorer.Faithfulness, Dim: "department", Value: d, Judge: judge}, 0.87, last, 0.2, status)
		add(drift.Series{Metric: scorer.AnswerRelevancy, Dim: "department", Value: d, Judge: judge}, 0.82, 0.81, 0.13, "ok")
	}
	for _, m := range drift.Shares {
		add(drift.Series{Metric: m}, 0.97, 0.97, 0.025, "ok")
	}
}

func (s story) lowest(in *report.Input) {
	for i := range 6 {
		score := in.Scores[len(in.Scores)-1-i]
		score.SampleID, score.Channels = fmt.Sprintf("req/%d", 8812+i), map[sampler.Channel]string{sampler.ChannelRelease: "v42"}
		score.Outcomes = map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: math.Round(float64(i)*10) / 100}, scorer.AnswerRelevancy: {Scored: true, Value: 0.81}}
		score.Statements = []scorer.Statement{
			{Text: "経費精算は毎月15日が締め切りです。", Verdict: 0, Reason: "文書には月末締めとあります。"},
			{Text: "申請は経費システムから行います。", Verdict: 1, Reason: "同じ内容が文書にあります。"},
		}
		score.Questions = []scorer.Question{{Text: "経費精算の締め切りはいつですか", Cosine: 0.81}}
		sample := sampler.Sample{Record: sampler.Record{
			ID: score.SampleID, Time: score.Time, Question: s.text + "経費精算の締め日はいつですか",
			Answer:   "経費精算は毎月15日が締め切りです。申請は経費システムから行います。ご不明な点は担当までお問い合わせください。",
			Contexts: []string{s.text + "経費精算は月末締めで、翌月5日までに経費システムで申請します。", "Travel must be booked ten days ahead."},
			Docs:     []sampler.Document{{ID: "経理-04", Version: "3", Date: s.end.AddDate(-1, 0, 0)}, {ID: "travel-01"}},
		}}
		if i == 4 {
			sample.Record = sampler.Record{ID: sample.ID, Time: sample.Time}
		}
		in.Lowest = append(in.Lowest, report.Sample{Sample: sample, Score: score})
	}
}

func manyStatements(n int) []scorer.Statement {
	var all []scorer.Statement
	for range n {
		all = append(all, scorer.Statement{Text: "経費精算は毎月15日が締め切りで、承認は部長が行うという長い文が続きます。", Reason: "検索された文書にはそのような記述が見つかりませんでした。"})
	}
	return all
}

// manyRows are eight weeks of runs twice a day, too many to be drawn one by one, in as many
// cells as are kept apart.
func manyRows(to time.Time) []drift.Row {
	var rows []drift.Row
	for cell := range sampler.MaxCells {
		for h := range 8 * 7 * 2 {
			for _, m := range scorer.Metrics {
				rows = append(rows, drift.Row{
					Due: to.Add(-time.Duration(h) * 12 * time.Hour).UTC(), Metric: m, Judge: judge,
					Cell:    sampler.CellOf(map[string]string{"部門": fmt.Sprintf("とても長い名前の部門その%d", cell), "language": "ja"}),
					Moments: drift.Moments{N: 3, Zeros: h % 3, Mean: 0.7},
				})
			}
		}
	}
	return rows
}
