package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

// judged makes n scores of one window, bad of them not wholly supported.
func judged(window time.Time, n, bad int, inclusion float64) []scorer.Score {
	var scores []scorer.Score
	for i := range n {
		value := 1.0
		if i < bad {
			value = 0.5
		}
		scores = append(scores, scorer.Score{
			SampleID: fmt.Sprint(window, i, inclusion), Window: window, Inclusion: inclusion,
			Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: value}},
			Judges:   map[scorer.Metric]string{scorer.Faithfulness: judge},
		})
	}
	return scores
}

func TestImpactWeighsAnswersByTheirChance(t *testing.T) {
	_, from, to := report.WeekOf(time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC), time.UTC)
	this, last := from.AddDate(0, 0, 3), from.AddDate(0, 0, -3)
	in := report.Input{
		Location: time.UTC, From: from, To: to, SampleRate: 0.1,
		History: drift.History{
			Rows: []drift.Row{{Due: this, Metric: scorer.Faithfulness, Judge: judge, Moments: drift.Moments{N: 1, Mean: 1}}},
			// 3,300 records less 100 errors and 100 without passages, at a rate of a tenth: 31,000 answers.
			Tallies: []sampler.Tally{{Due: this, Decoded: 3300, Errors: 100, NoContexts: 100}, {Due: last, Decoded: 9999}},
		},
		// A rare cell, always picked, 30 of 50 bad; a common one, one in twenty picked, none
		// of 50 bad: 30 of 50 + 20 × 50 = 2.857 % of 31,000 are 885.7. Without weights: 30 %.
		Scores: append(append(judged(this, 50, 30, 1), judged(this, 50, 0, 0.05)...), judged(last, 100, 10, 0)...),
	}
	got := report.Make(in).Impact
	if got.Answers != 31_000 || got.Unsupported != 890 || got.Usually != 3_100 {
		t.Errorf("impact %+v, want 890 of 31,000, usually 3,100", got)
	}
	if got.Low >= 890 || got.High <= 890 {
		t.Errorf("interval %d to %d does not hold the estimate", got.Low, got.High)
	}
	say := report.NewWords("en", time.UTC).Impact(got)
	for _, want := range []string{"About 890 of about 31,000 answers", "usually about 3,100", "10\u00a0%"} {
		if !strings.Contains(say, want) {
			t.Errorf("%q lacks %q", say, want)
		}
	}
}

func TestImpactIsNotGuessed(t *testing.T) {
	in := newStory("en").input()
	in.Scores = nil
	week := report.Make(in)
	if week.Impact.Known || week.Metrics[0].HasHistogram() {
		t.Errorf("without single scores there is %+v", week.Impact)
	}
	if html := page(t, week); !strings.Contains(html, "cannot be estimated") {
		t.Error("page does not say that the impact is not known")
	}
}

func TestEstimateHoldsZerosApart(t *testing.T) {
	_, from, to := report.WeekOf(time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC), time.UTC)
	row := func(m drift.Moments) drift.Row {
		return drift.Row{Due: from.AddDate(0, 0, 1), Metric: scorer.Faithfulness, Judge: judge, Moments: m}
	}
	// 0 0 1 1 and 0.5 0.5: mean 0.5, squares 4 × 0.25, one more for the unseen answer:
	// half an interval is 1.96 × √(2/6/6) = 0.462.
	in := report.Input{Location: time.UTC, From: from, To: to, History: drift.History{Rows: []drift.Row{
		row(drift.Moments{N: 4, Zeros: 2, Mean: 1}), row(drift.Moments{N: 2, Mean: 0.5}),
	}}}
	got := report.Make(in).Metrics[0].This
	if got.N != 6 || got.Mean != 0.5 || got.Zeros != 2.0/6 {
		t.Errorf("estimate %+v, want mean 0.5 of 6 with a third zeros", got)
	}
	if w := got.High - got.Low; w < 0.923 || w > 0.925 {
		t.Errorf("interval is %.4f wide, want 0.924", w)
	}
}

func TestSpansMarkTheNearestSentence(t *testing.T) {
	for name, c := range map[string]struct {
		answer, statement string
		verdict           int
		want              string
	}{
		"verbatim":  {"Leave is asked for in the portal. It must be asked for ten days ahead.", "It must be asked for ten days ahead.", 0, " It must be asked for ten days ahead."},
		"reworded":  {"Leave is asked for in the portal. It must be asked for ten days ahead.", "Leave must be asked for ten days ahead.", 0, " It must be asked for ten days ahead."},
		"japanese":  {"申請は勤怠システムから行います。締め切りは毎月15日です。", "経費の締め切りは毎月15日である。", 0, "締め切りは毎月15日です。"},
		"supported": {"Leave is asked for in the portal.", "Leave is asked for in the portal.", 1, ""},
		"elsewhere": {"Leave is asked for in the portal.", "Parking costs five euros.", 0, ""},
		"no answer": {"", "Parking costs five euros.", 0, ""},
		"decimals":  {"It costs 3.5 euros. Pay by card.", "It costs 3.5 euros.", 0, "It costs 3.5 euros."},
	} {
		var all, marked strings.Builder
		for _, s := range report.Spans(c.answer, []scorer.Statement{{Text: c.statement, Verdict: c.verdict}}) {
			all.WriteString(s.Text)
			if s.Unsupported {
				marked.WriteString(s.Text)
			}
		}
		if marked.String() != c.want {
			t.Errorf("%s: marked %q, want %q", name, marked.String(), c.want)
		}
		if all.String() != c.answer {
			t.Errorf("%s: spans are %q, want the whole answer", name, all.String())
		}
	}
}
