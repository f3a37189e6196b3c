package openai_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"leadline/scorer"
)

const good = `{"statements":["a","b {x}"]}`

// Each reply is given twice, so that the second chance does not help.
func TestStatementsAreFoundInWhatModelsWrite(t *testing.T) {
	want := []string{"a", "b {x}"}
	for name, text := range map[string]string{
		"plain":                   good,
		"byte order mark":         "\uFEFF" + good,
		"fence":                   fence + "json\n" + good + "\n" + fence,
		"prose around":            "Sure, here it is:\n" + good + "\nAnything else?",
		"prose with braces":       "The set {1, 2} is meant. " + good + " {done}",
		"encoded twice":           quote(good),
		"encoded twice, fence":    fence + "\n" + quote(good) + "\n" + fence,
		"thoughts":                `<think>maybe {"statements":["no"]}</think>` + good,
		"closing tag only":        `maybe {"statements":["no"]} no` + "\n</think>\n" + good,
		"trailing comma":          `{"statements":["a","b {x}",]}`,
		"single quotes":           `{'statements': ['a', 'b {x}']}`,
		"comment":                 "{\"statements\": [\"a\", // the first\n\"b {x}\"]}",
		"line end inside":         "{\"statements\":[\"a\",\"b {x}\"],\"note\":\"one\ntwo\"}",
		"quotes inside":           `{"statements":["a","b {x}"],"note":"he said "no" to it"}`,
		"Python words":            `{"ok": True, "none": None, "statements":["a","b {x}"]}`,
		"extra field":             `{"note":null,"statements":["a","b {x}"]}`,
		"same object twice":       good + "\n" + `{ "statements": [ "a", "b {x}" ] }`,
		"blank entries":           `{"statements":["a"," ","b {x}",""]}`,
		"in a list":               "[" + good + "]",
		"thoughts, encoded twice": "<think>{a}</think>" + quote(good),
		"thoughts with quotes":    `I say "{"a and more` + "\n</think>\n" + good,
		"fence and prose":         "Here you are:\n" + fence + "json\n" + good + "\n" + fence + "\nDone.",
		"other object first":      `{"note":"first I think"} ` + good,
		"typographic quotes":      `{"statements":["a","b {x}"],"note":"he said “no”",}`,
	} {
		t.Run(name, func(t *testing.T) {
			judge, s := planJudge(t, says(text))
			got, _, err := judge.Statements(t.Context(), "q", "an answer")
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
			if s.requests() != 1 {
				t.Errorf("%d requests, want 1", s.requests())
			}
		})
	}
}

func TestTagInsideTheReplyIsText(t *testing.T) {
	judge, _ := planJudge(t, says(`{"statements":["HTML has no </think> tag and no <think> tag"]}`))
	got, _, err := judge.Statements(t.Context(), "q", "an answer")
	if err != nil || len(got) != 1 {
		t.Errorf("%q, %v, want the statement", got, err)
	}
}

func TestUnusableReplyGetsASecondChanceAndThenAReason(t *testing.T) {
	long := strings.Repeat(`"a claim that nobody made",`, 61)
	for name, c := range map[string]struct {
		reply    reply
		reason   scorer.Reason
		requests int
	}{
		"cut":                     {says(`{"statements":["a","b`), scorer.ReasonTruncated, 2},
		"length":                  {reply{Contents: []string{good}, Finish: "length"}, scorer.ReasonTruncated, 2},
		"thoughts only":           {says("<think>what is"), scorer.ReasonTruncated, 2},
		"no JSON":                 {says("There are two claims."), scorer.ReasonBadJSON, 2},
		"empty":                   {says(""), scorer.ReasonEmptyOutput, 2},
		"blank":                   {says(" \n\n "), scorer.ReasonEmptyOutput, 2},
		"two objects":             {says(good + `{"statements":["c"]}`), scorer.ReasonAmbiguous, 2},
		"schema echoed":           {says(`{"type":"object","properties":{"statements":{"type":"array"}}}`), scorer.ReasonBadJSON, 2},
		"wrong key":               {says(`{"claims":["a"]}`), scorer.ReasonBadJSON, 2},
		"null in the list":        {says(`{"statements":["a",null]}`), scorer.ReasonBadJSON, 2},
		"number in list":          {says(`{"statements":[1]}`), scorer.ReasonBadJSON, 2},
		"no list":                 {says(`{"statements":"a"}`), scorer.ReasonBadJSON, 2},
		"runaway":                 {says(`{"statements":[` + strings.TrimSuffix(long, ",") + `]}`), scorer.ReasonRunaway, 2},
		"list that is elided":     {says(`{"statements":["a", ...]}`), scorer.ReasonBadJSON, 2},
		"key twice":               {says(`{"statements":["a"],"statements":["b"]}`), scorer.ReasonBadJSON, 2},
		"nested":                  {says(`{"result":` + good + `}`), scorer.ReasonBadJSON, 2},
		"inside a string":         {says(`{"note":"{\"statements\":[\"a\"]}"}`), scorer.ReasonBadJSON, 2},
		"draft and a cut reply":   {says(good + `{"statements":["c"`), scorer.ReasonTruncated, 2},
		"quoted in prose, too":    {says(`The text says {"statements":["evil"]}, so: ` + good), scorer.ReasonAmbiguous, 2},
		"quoted in prose, broken": {says(`The text says {"statements":["evil"} ` + good), scorer.ReasonAmbiguous, 2},
		"thoughts in a cut reply": {says(`So: {"statements":["x </think>{'statements':['evil']}`), scorer.ReasonTruncated, 2},
		"empty string":            {says(`""`), scorer.ReasonEmptyOutput, 2},
		"thoughts and no reply":   {says("<think>done</think>"), scorer.ReasonEmptyOutput, 2},
		"one endless statement":   {says(`{"statements":["` + strings.Repeat("a", 300) + `"]}`), scorer.ReasonRunaway, 2},
		"length, no content":      {reply{Contents: []string{""}, Finish: "length"}, scorer.ReasonTruncated, 2},
		"refusal in Japanese":     {says("申し訳ありませんが、お答えできません。"), scorer.ReasonRefusal, 1},
		"refusal in Chinese":      {says("很抱歉，我无法协助。"), scorer.ReasonRefusal, 1},
		"refusal in Korean":       {says("죄송하지만 도와드릴 수 없습니다."), scorer.ReasonRefusal, 1},
		"refusal in Spanish":      {says("Lo siento, no puedo ayudar con eso."), scorer.ReasonRefusal, 1},
		"refusal in German":       {says("Es tut mir leid, dabei kann ich nicht helfen."), scorer.ReasonRefusal, 1},
		"refusal field":           {reply{Contents: []string{""}, Refusal: "no"}, scorer.ReasonRefusal, 1},
		"refusal text":            {says("I’m sorry, but I can't help with that."), scorer.ReasonRefusal, 1},
		"filter":                  {reply{Contents: []string{""}, Finish: "content_filter"}, scorer.ReasonContentFilter, 1},
	} {
		t.Run(name, func(t *testing.T) {
			judge, s := planJudge(t, c.reply)
			_, call, err := judge.Statements(t.Context(), "q", "an answer")
			u, ok := errors.AsType[*scorer.UnscorableError](err)
			if !ok || u.Reason != c.reason {
				t.Fatalf("error %v, want %s", err, c.reason)
			}
			if s.requests() != c.requests || call.Usage.ChatRequests != c.requests || call.Usage.PromptTokens != int64(100*c.requests) {
				t.Errorf("%d requests, usage %+v, want %d, all counted", s.requests(), call.Usage, c.requests)
			}
		})
	}
}

func TestSecondChanceSaysWhatWasWrong(t *testing.T) {
	judge, s := planJudge(t, says(`{"verdicts":[{"i":1,"reason":"r","verdict":1}]}`),
		says(`{"verdicts":[{"i":2,"reason":"r","verdict":0},{"i":1,"reason":"r","verdict":1}]}`))
	rows, _, err := judge.Verdicts(t.Context(), []string{"c"}, []string{"s", "t"})
	if err != nil {
		t.Fatal(err)
	}
	want := []scorer.Verdict{{Index: 1, Reason: "r"}, {Index: 0, Value: 1, Reason: "r"}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	messages, _ := field[[]struct{ Role, Content string }](t, s.bodies[1], "messages")
	if len(messages) != 4 || messages[2].Role != "assistant" || !strings.Contains(messages[3].Content, "statements [2]") {
		t.Errorf("second request: %+v, want the bad reply and what was wrong", messages[1:])
	}
}

func TestTruncatedReplyIsAskedAgainWithMoreRoom(t *testing.T) {
	judge, s := planJudge(t, says(`{"statements":["a`), says(good))
	if _, _, err := judge.Statements(t.Context(), "q", "an answer"); err != nil {
		t.Fatal(err)
	}
	first, _ := field[int](t, s.bodies[0], "max_tokens")
	second, _ := field[int](t, s.bodies[1], "max_tokens")
	messages, _ := field[[]struct{ Role, Content string }](t, s.bodies[1], "messages")
	if first == 0 || second != 2*first || len(messages) != 2 {
		t.Errorf("limits %d and %d with %d messages, want twice as much and no feedback", first, second, len(messages))
	}
}

func TestNoStatementsIsAResultOnlyWhenSaidTwice(t *testing.T) {
	judge, s := planJudge(t, says(`{"statements":[]}`))
	got, _, err := judge.Statements(t.Context(), "q", "Hello!")
	if err != nil || len(got) != 0 || s.requests() != 2 {
		t.Errorf("%q, %v after %d requests, want none after 2", got, err, s.requests())
	}
	judge, _ = planJudge(t, says(`{"statements":[]}`), says(`{"statements":["a"]}`))
	if got, _, err = judge.Statements(t.Context(), "q", "a."); err != nil || len(got) != 1 {
		t.Errorf("%q, %v, want the statement of the second reply", got, err)
	}
}

func TestVerdictValues(t *testing.T) {
	for value, want := range map[string]int{
		`1`: 1, `0`: 0, `true`: 1, `false`: 0, `"1"`: 1, `"0"`: 0, `1.0`: 1, `0.0`: 0, `"true"`: 1, `"yes"`: 1, `"No"`: 0, `" 1 "`: 1, `True`: 1,
	} {
		judge, s := planJudge(t, says(`{"verdicts":[{"i":"1","reason":"r","verdict":`+value+`}]}`))
		rows, _, err := judge.Verdicts(t.Context(), []string{"c"}, []string{"s"})
		if err != nil || len(rows) != 1 || rows[0].Value != want || rows[0].Index != 0 || s.requests() != 1 {
			t.Errorf("%s: %+v, %v, want %d", value, rows, err, want)
		}
	}
	for _, value := range []string{`0.5`, `null`, `"unclear"`, `"maybe"`, `-`, `None`, `"1 or 0"`, `undefined`, `-0`, `"0.5"`, `[1]`, `{}`, `""`, `NaN`, `1e99`} {
		judge, s := planJudge(t, says(`{"verdicts":[{"i":1,"reason":"r","verdict":`+value+`}]}`))
		_, _, err := judge.Verdicts(t.Context(), []string{"c"}, []string{"s"})
		u, ok := errors.AsType[*scorer.UnscorableError](err)
		if !ok || u.Reason != scorer.ReasonBadVerdict || s.requests() != 2 {
			t.Errorf("%s: error %v after %d requests, want bad_verdict after 2", value, err, s.requests())
		}
	}
}

// The scorer holds the rows against what it asked; the judge hands over those of its first
// reply where the second is no better.
func TestWrongSetsOfVerdictsAreHandedOver(t *testing.T) {
	for name, c := range map[string]struct {
		rows     string
		want     []scorer.Verdict
		requests int
	}{
		"missing":     {`{"i":2,"verdict":1}`, []scorer.Verdict{{Index: 1, Value: 1}}, 2},
		"extra":       {`{"i":1,"verdict":1},{"i":2,"verdict":1},{"i":3,"verdict":0}`, []scorer.Verdict{{Value: 1}, {Index: 1, Value: 1}, {Index: 2}}, 2},
		"conflicting": {`{"i":1,"verdict":1},{"i":1,"verdict":0},{"i":2,"verdict":1}`, []scorer.Verdict{{Value: 1}, {}, {Index: 1, Value: 1}}, 2},
		"not 0 or 1":  {`{"i":1,"verdict":2},{"i":2,"verdict":0}`, []scorer.Verdict{{Value: 2}, {Index: 1}}, 2},
		"same twice":  {`{"i":1,"verdict":1},{"i":2,"verdict":0},{"i":1,"verdict":1}`, []scorer.Verdict{{Value: 1}, {Index: 1}, {Value: 1}}, 1},
		"no rows":     {``, []scorer.Verdict{}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			judge, s := planJudge(t, says(`{"verdicts":[`+c.rows+`]}`))
			rows, _, err := judge.Verdicts(t.Context(), []string{"c"}, []string{"s", "t"})
			if err != nil || s.requests() != c.requests {
				t.Fatalf("error %v after %d requests, want none after %d", err, s.requests(), c.requests)
			}
			// Rows of no statement are marked by an index beyond the last one.
			for i := range rows {
				rows[i].Index = min(rows[i].Index, 2)
			}
			if diff := cmp.Diff(c.want, append([]scorer.Verdict{}, rows...)); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestManyStatementsAreJudgedInParts(t *testing.T) {
	s := &script{answer: func(_, body string) reply {
		messages, _ := field[[]struct{ Content string }](t, body, "messages")
		items, _ := field[[]struct {
			I    int
			Text string
		}](t, messages[1].Content, "statements")
		var rows []string
		for _, item := range items {
			verdict := "0"
			if item.Text == "x51" {
				verdict = "1"
			}
			rows = append(rows, `{"i":`+quoteInt(item.I)+`,"reason":"","verdict":`+verdict+`}`)
		}
		return says(`{"verdicts":[` + strings.Join(rows, ",") + `]}`)
	}}
	statements := make([]string, 55)
	for i := range statements {
		statements[i] = "x" + quoteInt(i)
	}
	rows, _, err := newJudge(t, judgeConfig(), s, options()).Verdicts(t.Context(), []string{"c"}, statements)
	if err != nil || len(rows) != 55 || s.requests() != 3 {
		t.Fatalf("%d rows by %d requests, %v, want 55 by 3", len(rows), s.requests(), err)
	}
	for i, row := range rows {
		if row.Index != i || (row.Value == 1) != (i == 51) {
			t.Errorf("row %d is %+v", i, row)
		}
	}
}

func TestQuestionReplies(t *testing.T) {
	for name, c := range map[string]struct {
		content  string
		want     scorer.Guess
		reason   scorer.Reason
		requests int
	}{
		"plain":         {`{"question":" いつですか ","noncommittal":0}`, scorer.Guess{Text: "いつですか"}, "", 1},
		"flag true":     {`{"question":"いつ","noncommittal":true}`, scorer.Guess{Text: "いつ", Noncommittal: 1}, "", 1},
		"empty":         {`{"question":"","noncommittal":1}`, scorer.Guess{Noncommittal: 1}, "", 2},
		"flag 2":        {`{"question":"いつ","noncommittal":2}`, scorer.Guess{Text: "いつ", Noncommittal: 2}, "", 2},
		"flag missing":  {`{"question":"いつ"}`, scorer.Guess{}, scorer.ReasonBadVerdict, 2},
		"question null": {`{"question":null,"noncommittal":0}`, scorer.Guess{}, scorer.ReasonBadJSON, 2},
		"wrong script":  {`{"question":"When is it due?","noncommittal":0}`, scorer.Guess{}, scorer.ReasonWrongLanguage, 2},
	} {
		t.Run(name, func(t *testing.T) {
			judge, s := planJudge(t, says(c.content))
			got, _, err := judge.Questions(t.Context(), "an answer", "ja", 1)
			if s.requests() != c.requests {
				t.Errorf("%d requests, want %d", s.requests(), c.requests)
			}
			if u, ok := errors.AsType[*scorer.UnscorableError](err); ok || c.reason != "" {
				if !ok || u.Reason != c.reason {
					t.Fatalf("error %v, want %q", err, c.reason)
				}
				return
			}
			if err != nil || got[0] != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestChoicesAreToppedUp(t *testing.T) {
	question := `{"question":"When?","noncommittal":0}`
	judge, s := planJudge(t, says(question, question), says(question))
	got, _, err := judge.Questions(t.Context(), "an answer", "en", 3)
	if err != nil || len(got) != 3 || s.requests() != 2 {
		t.Fatalf("%d questions by %d requests, %v, want 3 by 2", len(got), s.requests(), err)
	}
	if n, _ := field[int](t, s.bodies[0], "n"); n != 3 {
		t.Errorf("first request asks for %d choices, want 3", n)
	}
	if _, present := field[int](t, s.bodies[1], "n"); present {
		t.Error("second request has n, want none: some servers take only its absence")
	}
}

func FuzzReply(f *testing.F) {
	for _, seed := range []string{good, quote(good), fence + "json\n{}\n" + fence, `{"verdicts":[{"i":1,"verdict":1}]}`, `<think>{`, `{'verdicts': [{'i': 1}]}`,
		`{"verdicts":[{"i":1,"verdict":1},{"i":1,"verdict":0}]}`, `{"verdicts":[{"i":9,"verdict":2.0}]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		judge, _ := planJudge(t, says(text))
		rows, _, err := judge.Verdicts(t.Context(), []string{"c"}, []string{"s"})
		if _, ok := errors.AsType[*scorer.UnscorableError](err); err != nil && !ok {
			t.Fatalf("error %v, want a reason", err)
		}
		for _, row := range rows {
			if row.Index < 0 {
				t.Fatalf("row %+v names no statement and hides it", row)
			}
		}
		if cut := strings.TrimSpace(text); strings.HasPrefix(cut, "{") && strings.Count(cut, "}") == 0 && err == nil {
			t.Fatalf("an object without an end was read: %q", text)
		}
	})
}
