package main

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"leadline/bench/score/o200k"
	"leadline/scorer/standin"
)

func TestRagasGetsTheStandinsAnswersInItsOwnShape(t *testing.T) {
	e, err := newEndpoint(0, o200k.Counter{})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(title, input string) gjson.Result {
		t.Helper()
		body := encode(map[string]any{"model": standin.Model, "messages": []map[string]string{
			{"role": "system", "content": `{"title": "Other"} {"title": "` + title + `"}`},
			{"role": "user", "content": "An example\ninput: {\"answer\": \"not this\"}\nNow\ninput: " + input + "\nOutput: "},
		}})
		w := e.answer(t.Context(), theirPath, "/chat/completions", []byte(body))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %s", title, w.Code, w.Body)
		}
		return gjson.Parse(gjson.Get(w.Body.String(), "choices.0.message.content").String())
	}

	statements := ask("StatementGeneratorOutput", `{"question": "When?", "answer": "The gate opens at 7. Dogs stay outside."}`).Get("statements")
	if n := len(statements.Array()); n != 2 {
		t.Errorf("%d statements, want 2: %s", n, statements)
	}
	rows := ask("NLIStatementOutput", `{"context": "The gate opens at 7.\nCats too.", "statements": ["The gate opens at 7.", "The gate opens at 8."]}`).Get("statements").Array()
	if len(rows) != 2 || rows[0].Get("verdict").Int() != 1 || rows[1].Get("verdict").Int() != 0 || rows[1].Get("statement").String() != "The gate opens at 8." {
		t.Errorf("verdicts %v, want the first supported, the second not, each with its statement", rows)
	}
	var questions []string
	for range 3 {
		questions = append(questions, ask("AnswerRelevanceOutput", `{"response": "The gate opens at 7. Dogs stay outside."}`).Get("question").String())
	}
	if questions[0] == questions[1] || questions[0] != questions[2] {
		t.Errorf("questions %q, want one per sentence and then the first again, as from one request for three", questions)
	}
}

func TestRagasGetsVectorsAsItsClientAsksForThem(t *testing.T) {
	e, err := newEndpoint(0, o200k.Counter{})
	if err != nil {
		t.Fatal(err)
	}
	w := e.answer(context.Background(), theirPath, "/embeddings", []byte(`{"model":"`+standin.Model+`","input":"a gate","encoding_format":"base64"}`))
	packed := gjson.Get(w.Body.String(), "data.0.embedding").String()
	if got, want := len(packed), base64.StdEncoding.EncodedLen(4*standin.Dimensions); w.Code != http.StatusOK || got != want {
		t.Errorf("status %d and %d characters, want %d", w.Code, got, want)
	}
}

func TestBothSidesCompareWithOneText(t *testing.T) {
	user := encode(map[string]any{"contexts": []string{"one", "two"}, "statements": []string{}})
	body := encode(map[string]any{"model": "m", "messages": []map[string]string{{"role": "system", "content": "s"}, {"role": "user", "content": user}}})
	joined := string(joinContexts([]byte(body)))
	got := gjson.Get(joined, "messages.1.content").String()
	if contexts := gjson.Get(got, "contexts").Array(); len(contexts) != 1 || contexts[0].String() != "one\ntwo" {
		t.Errorf("contexts %v, want one of both", contexts)
	}
	if gjson.Get(joined, "messages.0.content").String() != "s" || gjson.Get(joined, "model").String() != "m" {
		t.Errorf("the rest of the request changed: %s", joined)
	}
	single := strings.Replace(body, `\"two\"`, ``, 1)
	if !gjson.Valid(string(joinContexts([]byte(single)))) {
		t.Error("a request with one context is spoiled")
	}
}

func TestDeviationsHaveNames(t *testing.T) {
	value := func(x float64) outcome { return outcome{Value: &x} }
	for _, tt := range []struct {
		ours, theirs outcome
		within       float64
		want         string
	}{
		{value(0.5), value(0.5), 0, same},
		{value(0.5), value(0.5 + 1e-9), closeEnough, same},
		{value(0.5), value(0.5 + 1e-9), 0, different},
		{outcome{Error: "no_statements"}, outcome{NaN: true}, 0, noStatements},
		{outcome{Error: "bad_reply"}, outcome{NaN: true}, 0, different},
		{value(1), outcome{Error: "InstructorRetryException"}, 0, ragasFailed},
		{outcome{Error: "wrong_language"}, value(0), closeEnough, wrongScript},
		{outcome{}, outcome{}, 0, different},
	} {
		if got := judge(tt.ours, tt.theirs, tt.within); got != tt.want {
			t.Errorf("%+v beside %+v: %q, want %q", tt.ours, tt.theirs, got, tt.want)
		}
	}
}

func TestGoalsFailWhereScoresDiffer(t *testing.T) {
	r := report{Records: 2, Parity: &comparison{Parity: parity{Faithfulness: map[string]int{different: 1}}}}
	for _, g := range goalsOf(r) {
		if g.ID == "parity_faithfulness" && g.Pass {
			t.Error("a different faithfulness passes")
		}
	}
}
