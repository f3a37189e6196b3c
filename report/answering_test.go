package report_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"leadline/drift"
	"leadline/report"
	"leadline/scorer"
)

// Of ten answers two evade: they score 0, the others 0.9. Mean 0.72, without them 0.9.
func tenAnswers() report.GlanceInput {
	in := report.GlanceInput{From: glanceEnd.AddDate(0, 0, -7), To: glanceEnd, Judges: judges, Rate: 0.1}
	for i := range 10 {
		s := answerScore(i, "hr", 0.9, 0.8)
		s.Evasion = scorer.Answering
		if i < 2 {
			s = answerScore(i, "hr", 0, 0)
			s.Evasion = scorer.Evasive
		}
		in.Scores = append(in.Scores, s)
	}
	return in
}

func TestMeanIsShownWithoutNoncommittalAnswers(t *testing.T) {
	g := report.NewGlance(tenAnswers())
	if w := g.WithoutEvasive; w.N != 10 || w.Left != 8 || math.Abs(w.Mean-0.72) > 1e-9 || math.Abs(w.Without-0.9) > 1e-9 || math.Abs(w.Evasive-0.2) > 1e-9 {
		t.Errorf("got %+v, want 0.72 of 10 and 0.9 of 8", w)
	}
	for lang, want := range map[string]string{
		"en": "Mean Faithfulness is 0.72; without the noncommittal answers, which have nothing to support, it is 0.90 (8 answers).",
		"ja": "忠実度の平均は0.72です。答えになっていない回答（裏付けるべき内容がない）を除くと0.90（8件）です。",
	} {
		if got := report.NewWords(lang, nil).Glance(g); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q: %s", lang, want, got)
		}
	}
}

// An answer that shares no word with its question has a relevancy of 0 by the cosine alone.
func TestZeroRelevancyIsNotNoncommittalWhereTheJudgeSaidSo(t *testing.T) {
	in := tenAnswers()
	for i := range in.Scores {
		in.Scores[i].Outcomes[scorer.AnswerRelevancy] = scorer.Outcome{Scored: true}
	}
	if g := report.NewGlance(in); g.WithoutEvasive.Left != 8 || math.Abs(g.Noncommittal.Share-0.2) > 1e-9 {
		t.Errorf("got %+v, %+v; want two noncommittal answers of ten", g.WithoutEvasive, g.Noncommittal)
	}
	for i := range in.Scores {
		in.Scores[i].Evasion = "" // as stored before it was kept apart
	}
	if g := report.NewGlance(in); g.Noncommittal.Share != 1 {
		t.Errorf("got %+v; want a relevancy of 0 to say so where nothing else does", g.Noncommittal)
	}
}

func TestWeekShowsTheMeanWithoutNoncommittalAnswers(t *testing.T) {
	for lang, words := range map[string][]string{"en": {"Without noncommittal answers", "noncommittal, n=10"}, "ja": {"答えになっていない回答を除く平均", "n=10"}} {
		in := tenAnswers()
		week := report.Input{Service: "helpdesk", Language: lang, Location: time.UTC, From: in.From, To: in.To, Scores: in.Scores, SampleRate: 0.1}
		for _, m := range scorer.Metrics {
			week.History.Rows = append(week.History.Rows, drift.Row{Due: glanceEnd, Metric: m, Judge: judge, Cell: in.Scores[0].Cell, Moments: drift.Moments{N: 10, Mean: 0.72}})
		}
		made := report.Make(week)
		if w := made.Metrics[0].WithoutEvasive; w == nil || math.Abs(w.Without-0.9) > 1e-9 {
			t.Errorf("got %+v, want 0.9", w)
		}
		html := page(t, made)
		for _, want := range words {
			if !strings.Contains(html, want) {
				t.Errorf("the %s report lacks %q", lang, want)
			}
		}
	}
}

func TestRelevancyIsShownBesideItsFloor(t *testing.T) {
	in := tenAnswers() // mean relevancy 0.64
	in.Floors = []scorer.Floor{{Language: "en", Unrelated: 0.2, Paraphrase: 0.8}, {Language: "ja", Unrelated: 0.4, Paraphrase: 0.9}}
	g := report.NewGlance(in)
	for lang, want := range map[string]string{
		"en": "Mean answer relevancy is 0.64. With this embedding model, unrelated questions (en) have 0.20 and paraphrases 0.80, " +
			"unrelated questions (ja) have 0.40 and paraphrases 0.90; compare it with these and with its own past, not with other models. " +
			"As an extra, on a scale where unrelated questions (en) have 0 and equal ones 1: 0.55.",
		"ja": "参考値：無関係な質問（ja）を0、同一の質問を1とする尺度では0.40です。",
	} {
		if got := report.NewWords(lang, nil).Glance(g); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q: %s", lang, want, got)
		}
	}
	in.Floors = nil
	if got := report.NewWords("en", nil).Glance(report.NewGlance(in)); strings.Contains(got, "unrelated questions") {
		t.Errorf("without a floor: %s", got)
	}
}
