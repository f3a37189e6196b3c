package scorer_test

import (
	"context"
	"testing"

	"leadline/sampler"
	"leadline/scorer"
)

const (
	englishAnswer  = "Leave is requested in the portal, and the manager has to agree to it."
	japaneseAnswer = "休暇はポータルで申請し、上長の承認が必要です。"
	chineseAnswer  = "请在门户网站上申请休假，并由经理批准。"
)

func TestQuestionIsGeneratedInTheLanguageOfTheUser(t *testing.T) {
	for _, c := range []struct{ question, answer, logged, want string }{
		{"How do I request leave?", japaneseAnswer, "", "en"},
		{"休暇の申請方法は？", englishAnswer, "", "ja"},
		{"休暇申請方法", japaneseAnswer, "", "ja"},
		{"休暇申請方法", englishAnswer, "ja", "ja"},
		{"休假申请方法", chineseAnswer, "", "zh"},
		{"怎么申请休假", japaneseAnswer, "", "zh"},
		{"申请休假", japaneseAnswer, "zh", "zh"},
		{"휴가는 어떻게 신청하나요?", englishAnswer, "", "ko"},
		{"VPN 設定 방법은 무엇입니까", englishAnswer, "", "ko"},
		{"Как оформить отпуск?", englishAnswer, "", "ru"},
		// Mixed scripts.
		{"KubernetesのPodがCrashLoopBackOffになる", englishAnswer, "", "ja"},
		{"What does 有給休暇 mean?", japaneseAnswer, "", "en"},
		{"What is the meaning of いいえ?", japaneseAnswer, "", "en"},
		// Nothing tells: the log, then the answer.
		{"VPN", japaneseAnswer, "", "ja"},
		{"VPN", englishAnswer, "", "en"},
		{"VPN", japaneseAnswer, "en", "en"},
		{"kubectl get pods -n prod", japaneseAnswer, "", "ja"},
		{"select name, owner from users where id = 7", japaneseAnswer, "", "ja"},
		{"404", "404", "", "en"},
		{"???", chineseAnswer, "", "zh"},
		// Romaji.
		{"yuukyuu wa itsu made ni shinsei shimasu ka", japaneseAnswer, "", "ja"},
		// One script, several languages.
		{"¿Cuándo es la reunión para los nuevos?", englishAnswer, "", "es"},
		{"Wann ist die Besprechung?", englishAnswer, "", "de"},
		{"Quand est la réunion pour les nouveaux ?", englishAnswer, "", "fr"},
		{"Je la vois?", englishAnswer, "es", "fr"},
	} {
		judge := &wordJudge{}
		s, err := scorer.New(scorer.Options{Judge: judge, Embedder: &countEmbedder{}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Score(t.Context(), sampler.Sample{Record: sampler.Record{ID: "1", Question: c.question, Answer: c.answer, Language: c.logged}})
		if err != nil {
			t.Fatal(err)
		}
		if got := judge.languages[0]; got != c.want {
			t.Errorf("%q (logged %q): %s, want %s", c.question, c.logged, got, c.want)
		}
	}
}

func TestInLanguage(t *testing.T) {
	for _, c := range []struct {
		text, code string
		want       bool
	}{
		{"休暇はいつまでに申請しますか", "ja", true},
		{"有給休暇の申請期限", "ja", true},
		{"有給休暇申請期限", "ja", true},
		{"VPNの設定方法は？", "ja", true},
		{"How do I request leave?", "ja", false},
		{"What is the meaning of 有給休暇?", "ja", false},
		{"怎么申请休假？", "ja", false},
		{"休暇はいつまでに申請しますか", "zh", false},
		{"怎么申请休假？", "zh", true},
		{"휴가는 어떻게 신청하나요?", "ko", true},
		{"休暇はいつまでに申請しますか", "ko", false},
		{"VPN의 설정 방법은?", "ko", true},
		{"How do I request leave?", "en", true},
		{"What is the meaning of 有給休暇?", "en", true},
		{"VPNとは", "en", false},
		{"When?", "en", true},
		{"VPN setup", "en", true},
		{"How do I request the leave for this year?", "es", false},
		{"¿Cuándo es la reunión?", "es", true},
		{"¿Hay entradas?", "es", true},
		{"Mikä on hinta?", "fi", true},
		{"Когда открыто?", "ru", true},
		{"When is it open?", "ru", false},
		{"42", "en", false},
	} {
		if got := scorer.InLanguage(c.text, c.code); got != c.want {
			t.Errorf("%q in %s: %v, want %v", c.text, c.code, got, c.want)
		}
	}
}

func TestAnswersInAnotherLanguageAreLabelled(t *testing.T) {
	s, err := scorer.New(scorer.Options{Judge: &wordJudge{}, Embedder: &countEmbedder{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		question, answer string
		want             bool
	}{
		{"How do I request leave?", japaneseAnswer, true},
		{"休暇の申請方法は？", englishAnswer, true},
		{"怎么申请休假？", japaneseAnswer, true},
		{"How do I request leave?", englishAnswer, false},
		{"休暇の申請方法は？", japaneseAnswer, false},
		{"休暇申請方法", japaneseAnswer, false},
		{"VPN", japaneseAnswer, false},
		{"休暇の申請方法は？", "VPN", false},
	} {
		score, err := s.Score(t.Context(), sampler.Sample{Record: sampler.Record{ID: "1", Question: c.question, Answer: c.answer}})
		if err != nil {
			t.Fatal(err)
		}
		if score.CrossLanguage != c.want {
			t.Errorf("%q, %q: cross-language %v, want %v", c.question, c.answer, score.CrossLanguage, c.want)
		}
	}
}

func TestRewrittenQuestionIsWhatTheAnswerIsComparedWith(t *testing.T) {
	for rewritten, want := range map[string]string{"": "And on Sundays?", "Is the desk open on Sundays?": "Is the desk open on Sundays?"} {
		seen := &seenEmbedder{}
		s, err := scorer.New(scorer.Options{Judge: &wordJudge{}, Embedder: seen})
		if err != nil {
			t.Fatal(err)
		}
		r := sampler.Record{ID: "1", Question: "And on Sundays?", Rewritten: rewritten, Answer: "It is closed."}
		if _, err := s.Score(t.Context(), sampler.Sample{Record: r}); err != nil {
			t.Fatal(err)
		}
		if seen.texts[0] != want {
			t.Errorf("rewritten %q: compared with %q, want %q", rewritten, seen.texts[0], want)
		}
	}
}

// seenEmbedder remembers the texts of its last request.
type seenEmbedder struct {
	countEmbedder
	texts []string
}

func (e *seenEmbedder) Embed(ctx context.Context, texts []string) ([][]float64, scorer.Call, error) {
	e.texts = texts
	return e.countEmbedder.Embed(ctx, texts)
}
