package scorer_test

import (
	"strings"
	"testing"

	"leadline/scorer"
)

func TestQuestionIsAskedForInTheUsersLanguage(t *testing.T) {
	for _, c := range []struct{ question, answer, logged, want string }{
		{"有給休暇はいつまでに申請しますか", "x", "", "ja"},
		{"有給休暇申請期限", "3営業日前までです。", "", "ja"},
		{"年假申请期限", "三天前。", "", "zh"},
		{"휴가는 언제 신청합니까", "x", "en", "ko"},
		{"Когда открыто?", "x", "", "ru"},
		{"When is the office open?", "月曜から金曜です。", "ja", "en"},
		{"¿Cuándo es la reunión?", "x", "", "es"},
		{"Wann ist das Büro offen?", "x", "", "de"},
		{"VPN", "x", "fr", "fr"},
		{"VPN", "x", "", "en"},
	} {
		judge := &wordJudge{}
		sample := sampleOf("a", c.answer)
		sample.Question, sample.Language = c.question, c.logged
		if _, err := newScorer(t, scorer.Options{Judge: judge, Embedder: &countEmbedder{}}).Score(t.Context(), sample); err != nil {
			t.Fatal(err)
		}
		if got := judge.languages[0]; got != c.want {
			t.Errorf("%q (logged %q): asked in %q, want %q", c.question, c.logged, got, c.want)
		}
	}
}

func TestKeyTellsJudgesApart(t *testing.T) {
	base := scorer.JudgeID{Metric: scorer.AnswerRelevancy, Endpoint: "https://x/v1", Model: "m", Strictness: 3}
	if got := base.Key(); len(got) != 12 || strings.Trim(got, "0123456789abcdef") != "" {
		t.Errorf("key %q, want 12 hex digits", got)
	}
	changed := []func(*scorer.JudgeID){
		func(id *scorer.JudgeID) { id.Metric = scorer.Faithfulness },
		func(id *scorer.JudgeID) { id.Endpoint, id.Model = "https://x/v", "1m" },
		func(id *scorer.JudgeID) { id.Prompt = "p" },
		func(id *scorer.JudgeID) { id.Sampling = "p" },
		func(id *scorer.JudgeID) { id.Effort = "p" },
		func(id *scorer.JudgeID) { id.Format = "p" },
		func(id *scorer.JudgeID) { id.Embedding = "p" },
		func(id *scorer.JudgeID) { id.Dimensions = 1 },
		func(id *scorer.JudgeID) { id.Prefix = "p" },
		func(id *scorer.JudgeID) { id.Strictness = 1 },
		func(id *scorer.JudgeID) { id.Standin = true },
	}
	keys := map[string]bool{base.Key(): true}
	for i, change := range changed {
		id := base
		change(&id)
		if keys[id.Key()] {
			t.Errorf("change %d keeps the key", i)
		}
		keys[id.Key()] = true
	}
}
