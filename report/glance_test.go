package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

var glanceEnd = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// answerScore is one scored answer of a department.
func answerScore(i int, department string, f, r float64) scorer.Score {
	return scorer.Score{
		SampleID: fmt.Sprintf("q-%03d", i), Window: glanceEnd, Inclusion: 0.1, Judges: judges,
		Cell: sampler.CellOf(map[string]string{"department": department}),
		Outcomes: map[scorer.Metric]scorer.Outcome{
			scorer.Faithfulness: {Scored: true, Value: f}, scorer.AnswerRelevancy: {Scored: true, Value: r},
		},
	}
}

// aHundred are 100 answers: 10 with an unsupported statement, 4 of them with nothing else,
// and 2 that do not answer. All ten are of hr, which has 20.
func aHundred() report.GlanceInput {
	in := report.GlanceInput{From: glanceEnd.AddDate(0, 0, -7), To: glanceEnd, Judges: judges, Rate: 0.1}
	for i := range 100 {
		department, f, r := "it", 1.0, 0.8
		if i < 20 {
			department = "hr"
		}
		switch {
		case i < 4:
			f = 0
		case i < 10:
			f = 0.75
		case i >= 98:
			r = 0
		}
		in.Scores = append(in.Scores, answerScore(i, department, f, r))
	}
	in.Rows = []drift.Row{
		{Due: glanceEnd, Metric: scorer.Faithfulness, Judge: judge, Statements: 150, Supported: 128},
		{Due: glanceEnd.AddDate(0, 0, -1), Metric: scorer.Faithfulness, Judge: judge, Statements: 250, Supported: 250},
		{Due: glanceEnd.AddDate(0, 0, -8), Metric: scorer.Faithfulness, Judge: judge, Statements: 1000},
		{Due: glanceEnd, Metric: scorer.Faithfulness, Judge: "another", Statements: 1000},
		{Due: glanceEnd, Metric: scorer.AnswerRelevancy, Judge: judge},
	}
	return in
}

// close3 says whether an estimate is the one of a table, to its three digits.
func close3(p report.Portion, n int, share, low, high float64) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.0005 }
	return p.N == n && near(p.Share, share) && near(p.Low, low) && near(p.High, high)
}

// Wilson's intervals of 10, 4 and 2 in 100, and of 10 in 20 and 0 in 80, are from tables.
func TestGlanceCountsWhatTheScoresSayByThemselves(t *testing.T) {
	g := report.NewGlance(aHundred())
	if !close3(g.Unsupported, 100, 0.10, 0.0552, 0.1744) || !close3(g.Nothing, 100, 0.04, 0.0157, 0.0984) || !close3(g.Noncommittal, 100, 0.02, 0.0055, 0.0700) {
		t.Errorf("got %+v, %+v, %+v", g.Unsupported, g.Nothing, g.Noncommittal)
	}
	if g.Statements != 400 || g.UnsupportedStatements != 22 {
		t.Errorf("%d of %d statements; want 22 of 400", g.UnsupportedStatements, g.Statements)
	}
	if len(g.Segments) != 2 || g.Segments[0].Segment != "department=hr" || !close3(g.Segments[0].Unsupported, 20, 0.5, 0.2993, 0.7007) || !close3(g.Segments[1].Unsupported, 80, 0, 0, 0.0458) {
		t.Errorf("segments %+v", g.Segments)
	}
	if len(g.Lowest) != 10 || g.Lowest[0].ID != "q-003" || g.Lowest[0].Value != 0 || g.Lowest[9].Value != 0.75 || g.Lowest[0].Cell != "department=hr" {
		t.Errorf("lowest %+v", g.Lowest)
	}
}

// Half of the answers were picked ten times as often: each of them stands for a tenth.
func TestGlanceWeighsByTheChanceOfHavingBeenPicked(t *testing.T) {
	in := report.GlanceInput{From: glanceEnd.AddDate(0, 0, -7), To: glanceEnd, Judges: judges, Rate: 0.1}
	for i := range 40 {
		s := answerScore(i, "hr", 1, 0.8)
		if i%2 == 0 {
			s = answerScore(i, "it", 0, 0.8)
			s.Inclusion = 1
		}
		in.Scores = append(in.Scores, s)
	}
	p := report.NewGlance(in).Unsupported
	if want := 20.0 / 220; math.Abs(p.Share-want) > 1e-9 || p.N != 40 {
		t.Errorf("got %+v, want %.4f of 40", p, want)
	}
	// Kish: 220² / (20·1 + 20·100) = 23.96 answers say as much; by hand Wilson's interval of
	// 0.0909 in 23.96 is 0.1474 ± 0.1209.
	if math.Abs(p.Low-0.0265) > 0.0005 || math.Abs(p.High-0.2683) > 0.0005 {
		t.Errorf("the interval %.4f to %.4f is not that of 24 answers", p.Low, p.High)
	}
}

func TestGlancePassesOverOtherTimesAndJudges(t *testing.T) {
	in := aHundred()
	for i := range 50 {
		late, foreign, without := answerScore(200+i, "hr", 0, 0), answerScore(300+i, "hr", 0, 0), answerScore(400+i, "hr", 0, 0)
		late.Window = in.From
		foreign.Judges = map[scorer.Metric]string{scorer.Faithfulness: "another", scorer.AnswerRelevancy: "another"}
		without.Outcomes = map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Reason: scorer.ReasonNoContext}, scorer.AnswerRelevancy: {Reason: scorer.ReasonNoEmbeddings}}
		in.Scores = append(in.Scores, late, foreign, without)
	}
	if g := report.NewGlance(in); g.Unsupported.N != 100 || g.Noncommittal.N != 100 {
		t.Errorf("%d and %d answers; want the 100 of this judge and time", g.Unsupported.N, g.Noncommittal.N)
	}
}

func TestGlanceSaysWhatItIsAndWhatItIsNot(t *testing.T) {
	en, ja := report.NewWords("en", nil), report.NewWords("ja", nil)
	g := report.NewGlance(aHundred())
	for _, want := range []string{
		"10\u00a0% of the answers contain an unsupported statement (95\u00a0% interval 5.5\u00a0% to 17\u00a0%, 100 answers scored), 4.0\u00a0% have not one that is supported.",
		"22 of 400 statements are unsupported (5.5\u00a0%).", "2.0\u00a0% of the answers do not answer the question",
	} {
		if got := en.Glance(g); !strings.Contains(got, want) {
			t.Errorf("lacks %q: %s", want, got)
		}
	}
	for _, want := range []string{"回答の10%に裏付けのない文が含まれ（95%区間 5.5%〜17%、採点100件）、4.0%は", "400文のうち22文（5.5%）", "回答の2.0%は質問に答えていません"} {
		if got := ja.Glance(g); !strings.Contains(got, want) {
			t.Errorf("lacks %q: %s", want, got)
		}
	}
	if got := en.Glance(report.Glance{}); got != "No answer was scored in this time." {
		t.Errorf("of nothing: %q", got)
	}
	// Without an embedding model there is no relevancy, and no word of it.
	in := aHundred()
	for i := range in.Scores {
		in.Scores[i].Outcomes[scorer.AnswerRelevancy] = scorer.Outcome{Reason: scorer.ReasonNoEmbeddings}
	}
	if got := en.Glance(report.NewGlance(in)); strings.Contains(got, "relevancy") || !strings.Contains(got, "unsupported") {
		t.Errorf("without relevancy: %s", got)
	}
}

// The first week has no baseline: its verdict is unknown, and there is something to see.
func TestReportOfTheFirstWeekShowsWhatNeedsNoBaseline(t *testing.T) {
	for lang, words := range map[string][]string{
		"en": {"UNKNOWN", "Without a baseline", "contain an unsupported statement (95\u00a0% interval", "a judge model&#39;s opinion of what the retrieved passages support, not of what is correct", "department=hr"},
		"ja": {"判定不能", "基準なしで分かること", "裏付けのない文が含まれ（95%区間", "回答の正しさではありません", "department=hr"},
	} {
		in := aHundred()
		week := report.Input{Service: "helpdesk", Language: lang, Location: time.UTC, From: in.From, To: in.To, Scores: in.Scores, SampleRate: 0.1}
		for _, m := range scorer.Metrics {
			week.History.Rows = append(week.History.Rows, drift.Row{Due: glanceEnd, Metric: m, Judge: judge, Cell: in.Scores[0].Cell, Moments: drift.Moments{N: 100, Mean: 0.9}})
		}
		made := report.Make(week)
		if made.Glance.Unsupported.N != 100 || made.Glance.Lowest != nil {
			t.Errorf("%+v", made.Glance)
		}
		html := page(t, made)
		for _, want := range words {
			if !strings.Contains(html, want) {
				t.Errorf("the %s report of the first week lacks %q", lang, want)
			}
		}
	}
}
