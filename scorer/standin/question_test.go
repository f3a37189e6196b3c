package standin_test

import (
	"encoding/json"
	"math"
	"testing"

	"leadline/scorer/standin"
)

func TestNoncommittalInSevenLanguages(t *testing.T) {
	h := newServer(t, standin.Options{})
	for answer, want := range map[string]int{
		"I'm sorry. I could not find anything about this.": 1,
		"The documents don’t mention the opening hours.":   1,
		"申し訳ございません。ご質問の内容は資料に記載がありません。":                    1,
		"その件についてはお答えできかねます。":                               1,
		"抱歉，我不知道。":                                         1,
		"죄송하지만 잘 모르겠습니다.":                                  1,
		"Lo siento, no tengo información sobre eso.":       1,
		"Das kann ich leider nicht beantworten.":           1,
		"Désolé, je ne sais pas.":                          1,

		"Hold the key for ten seconds to start over.":                              0,
		"パスワードを忘れたときは、再設定の画面を開きます。":                                                0,
		"The gate opens at 6. It closes at 9. I don't know about public holidays.": 0,
	} {
		if got := askQuestion(t, h, answer).Noncommittal; got != want {
			t.Errorf("%q: noncommittal %d, want %d", answer, got, want)
		}
	}
}

func TestQuestionFollowsTheChoice(t *testing.T) {
	h := newServer(t, standin.Options{})
	payload := map[string]any{"answer": "Badges are ordered online. 入館証は当日限りです。", "language": "en"}
	r := send(t, h, "/v1/chat/completions", chatBody(t, "question_v1", payload, map[string]any{"n": 3}))
	want := []string{"Is it true that Badges are ordered online?", "入館証は当日限りですか", "Is it true that Badges are ordered online?"}
	if len(r.Parsed.Choices) != len(want) {
		t.Fatalf("%d choices, want %d: %s", len(r.Parsed.Choices), len(want), r.Body)
	}
	for i, c := range r.Parsed.Choices {
		var q question
		decode(t, c.Message.Content, &q)
		if c.Index != i || q.Question != want[i] {
			t.Errorf("choice %d has index %d and asks %q, want %q", i, c.Index, q.Question, want[i])
		}
	}
}

func TestEmbeddings(t *testing.T) {
	inputs := []string{
		"How do I order a visitor badge?", "Visitor badges are ordered at the front desk.",
		"Color printing is limited to 200 pages.", "在宅勤務は週何日までですか", "在宅勤務は週3日までです。", "?!",
	}
	got := embed(t, inputs)
	for i, v := range got {
		if len(v) != standin.Dimensions || math.Abs(dot(v, v)-1) > 1e-5 {
			t.Errorf("%q: %d numbers of length %v, want %d of length 1", inputs[i], len(v), dot(v, v), standin.Dimensions)
		}
	}
	for _, pair := range [][2]int{{0, 1}, {3, 4}} {
		if c := dot(got[pair[0]], got[pair[1]]); c < 0.3 {
			t.Errorf("%q and %q: cosine %.3f, want at least 0.3", inputs[pair[0]], inputs[pair[1]], c)
		}
	}
	for _, pair := range [][2]int{{0, 2}, {1, 2}, {0, 3}, {2, 4}} {
		if c := dot(got[pair[0]], got[pair[1]]); math.Abs(c) > 0.17 {
			t.Errorf("%q and %q: cosine %.3f, want about 0", inputs[pair[0]], inputs[pair[1]], c)
		}
	}
}

func embed(t *testing.T, inputs []string) [][]float64 {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": standin.Model, "input": inputs})
	if err != nil {
		t.Fatal(err)
	}
	r := send(t, newServer(t, standin.Options{}), "/v1/embeddings", body)
	if len(r.Parsed.Data) != len(inputs) || r.Parsed.Usage.Prompt == 0 {
		t.Fatalf("%d vectors for %d inputs: %.200s", len(r.Parsed.Data), len(inputs), r.Body)
	}
	var out [][]float64
	for i, d := range r.Parsed.Data {
		if d.Index != i {
			t.Errorf("vector %d has index %d", i, d.Index)
		}
		out = append(out, d.Embedding)
	}
	return out
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
