package openai_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/openai"
)

// wholeJudge answers all three tasks and embeddings of any number of texts.
func wholeJudge(t testing.TB) *script {
	t.Helper()
	return &script{answer: func(path, body string) reply {
		switch {
		case strings.HasSuffix(path, "/embeddings"):
			inputs, _ := field[[]string](t, body, "input")
			return vectorsFor(inputs)
		case strings.Contains(body, "Task id: statements/v2"):
			return says(`{"statements":["a"]}`)
		case strings.Contains(body, "Task id: verdicts/v2"):
			return says(`{"verdicts":[{"i":1,"reason":"r","verdict":1}]}`)
		}
		q := `{"question":"When?","noncommittal":0}`
		return says(q, q, q)
	}}
}

func scoreOnce(t *testing.T, s *script, memo openai.Memo) scorer.Score {
	t.Helper()
	judge := newJudge(t, judgeConfig(), s, openai.Options{Memo: memo})
	sc, err := scorer.New(scorer.Options{Judge: judge, Embedder: judge.Embedder()})
	if err != nil {
		t.Fatal(err)
	}
	record := sampler.Record{ID: "1", Question: "When is it due?", Answer: "On Friday.", Contexts: []string{"Due on Friday."}}
	score, err := sc.Score(t.Context(), sampler.Sample{Record: record})
	if err != nil {
		t.Fatal(err)
	}
	return score
}

func TestNoCallIsPaidTwice(t *testing.T) {
	memo, s := &mapMemo{}, wholeJudge(t)
	first := scoreOnce(t, s, memo)
	paid := s.requests()
	if paid != 4 {
		t.Errorf("%d requests for one sample, want 4: statements, verdicts, questions, vectors", paid)
	}
	second := scoreOnce(t, s, memo) // a new process over the same memo
	if s.requests() != paid {
		t.Errorf("%d requests more for the same sample", s.requests()-paid)
	}
	if second.Usage.ChatRequests != 0 || second.Usage.PromptTokens != 0 || second.Usage.MemoHits != 5 {
		t.Errorf("usage %+v, want 5 memo hits (3 replies, 2 vectors) and nothing paid", second.Usage)
	}
	if !maps.Equal(first.Outcomes, second.Outcomes) || first.ResponseModel != second.ResponseModel {
		t.Errorf("outcomes %+v from the memo, want %+v", second.Outcomes, first.Outcomes)
	}
}

func TestEveryStepOfACrashResumesBehindWhatWasPaid(t *testing.T) {
	full := wholeJudge(t)
	scoreOnce(t, full, nil)
	for crash := 1; crash < 4; crash++ {
		memo, s := &mapMemo{}, wholeJudge(t)
		down, n := s.answer, 0
		s.answer = func(path, body string) reply {
			if n++; n == crash+1 {
				return apiError(401, "invalid_api_key")
			}
			return down(path, body)
		}
		judge := newJudge(t, judgeConfig(), s, openai.Options{Memo: memo})
		sc, err := scorer.New(scorer.Options{Judge: judge, Embedder: judge.Embedder()})
		if err != nil {
			t.Fatal(err)
		}
		record := sampler.Record{ID: "1", Question: "When is it due?", Answer: "On Friday.", Contexts: []string{"Due on Friday."}}
		if _, err := sc.Score(t.Context(), sampler.Sample{Record: record}); !errors.Is(err, scorer.ErrJudgePaused) {
			t.Fatalf("error %v, want a pause", err)
		}
		scoreOnce(t, s, memo)
		if got := s.requests(); got != 5 {
			t.Errorf("stopped after %d calls: %d requests in all, want 4 and the refused one", crash, got)
		}
	}
}

func TestFreshCallsReachTheJudgeAndLeaveNoTrace(t *testing.T) {
	memo, s := &mapMemo{}, wholeJudge(t)
	judge := newJudge(t, judgeConfig(), s, openai.Options{Memo: memo})
	ctx := scorer.Fresh(t.Context())
	for range 2 {
		if _, _, err := judge.Statements(ctx, "q", "an answer"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := judge.Embedder().Embed(ctx, []string{"a"}); err != nil {
			t.Fatal(err)
		}
	}
	if s.requests() != 4 || len(memo.values) != 0 {
		t.Errorf("%d requests and %d remembered, want 4 and none", s.requests(), len(memo.values))
	}
}

func TestMemoTellsRequestsApart(t *testing.T) {
	temperature := 0.7
	changes := map[string]func(*config.Judge){
		"nothing":     func(*config.Judge) {},
		"model":       func(c *config.Judge) { c.Model, c.ResponseModels = "judge-2", []string{"judge-1"} },
		"endpoint":    func(c *config.Judge) { c.BaseURL = "https://other.test/v1" },
		"temperature": func(c *config.Judge) { c.Temperature = &temperature },
		"effort":      func(c *config.Judge) { c.ReasoningEffort = "none" },
		"tier":        func(c *config.Judge) { c.ServiceTier = "flex" },
		"key":         func(c *config.Judge) { c.APIKey = "another" },
	}
	same := []string{"key", "nothing", "tier"}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		memo, s := &mapMemo{}, wholeJudge(t)
		for _, change := range []func(*config.Judge){changes["nothing"], changes[name]} {
			cfg := judgeConfig()
			change(&cfg)
			if _, _, err := newJudge(t, cfg, s, openai.Options{Memo: memo}).Statements(t.Context(), "q", "an answer"); err != nil {
				t.Fatal(err)
			}
		}
		want := 2
		if slices.Contains(same, name) {
			want = 1
		}
		if s.requests() != want {
			t.Errorf("%s: %d requests, want %d", name, s.requests(), want)
		}
	}
}

func TestReplyThatCannotBeKeptIsNotUsed(t *testing.T) {
	full := errors.New("disk full")
	judge := newJudge(t, judgeConfig(), wholeJudge(t), openai.Options{Memo: &mapMemo{err: full}})
	if _, _, err := judge.Statements(t.Context(), "q", "an answer"); !errors.Is(err, full) {
		t.Errorf("error %v, want disk full", err)
	}
	if _, _, err := judge.Embedder().Embed(t.Context(), []string{"a"}); !errors.Is(err, full) {
		t.Errorf("error %v, want disk full", err)
	}
}

func TestMemoHoldsNoKey(t *testing.T) {
	memo := &mapMemo{}
	scoreOnce(t, wholeJudge(t), memo)
	for key, value := range memo.values {
		if strings.Contains(key+string(value), secret) {
			t.Errorf("the memo holds the API key: %s", key)
		}
	}
}

// BenchmarkSample is what one sample costs besides the network and the judge.
func BenchmarkSample(b *testing.B) {
	judge := newJudge(b, judgeConfig(), wholeJudge(b), options())
	sc, err := scorer.New(scorer.Options{Judge: judge, Embedder: judge.Embedder()})
	if err != nil {
		b.Fatal(err)
	}
	record := sampler.Record{ID: "1", Question: "When is it due?", Answer: "On Friday.", Contexts: []string{"Due on Friday."}}
	for b.Loop() {
		if _, err := sc.Score(b.Context(), sampler.Sample{Record: record}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestASecondLookIsPaidOnceAndNotTakenFromTheFirst(t *testing.T) {
	memo, s := &mapMemo{}, wholeJudge(t)
	scoreOnce(t, s, memo)
	paid := s.requests()
	look := func() map[string]*scorer.SecondLook {
		judge := newJudge(t, judgeConfig(), s, openai.Options{Memo: memo})
		sc, err := scorer.New(scorer.Options{Judge: judge, Embedder: judge.Embedder()})
		if err != nil {
			t.Fatal(err)
		}
		record := sampler.Record{ID: "1", Question: "When is it due?", Answer: "On Friday.", Contexts: []string{"Due on Friday."}}
		looks := map[string]*scorer.SecondLook{}
		one := func(yield func(sampler.Sample, error) bool) { yield(sampler.Sample{Record: record}, nil) }
		err = sc.LookAgain(t.Context(), time.Time{}, one, func(s scorer.Score) error {
			looks[s.SampleID] = &scorer.SecondLook{Outcomes: s.Outcomes, Usage: s.Usage}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return looks
	}
	first := look()
	// The question that the judge writes is the same here, so its vector is known.
	if got := s.requests() - paid; got != 3 || first["1"].Usage.ChatRequests != 3 {
		t.Errorf("%d requests for a second look with usage %+v, want three to the judge", got, first["1"].Usage)
	}
	paid = s.requests()
	if again := look(); s.requests() != paid || again["1"].Usage.ChatRequests != 0 || !maps.Equal(again["1"].Outcomes, first["1"].Outcomes) {
		t.Errorf("the same look after a crash made %d requests and gave %+v", s.requests()-paid, again["1"])
	}
}

// A long answer is judged in parts; a fault in one of them must not make the others dear.
func TestAFaultInOnePartDoesNotPayTheOthersAgain(t *testing.T) {
	statements := make([]string, 55)
	for i := range statements {
		statements[i] = fmt.Sprintf("part %d, statement %d", i/25, i)
	}
	for part := range 3 {
		memo, fails, asked := &mapMemo{}, true, map[int]int{}
		s := &script{answer: func(_, body string) reply {
			messages, _ := field[[]struct{ Content string }](t, body, "messages")
			items, _ := field[[]struct{ Text string }](t, messages[1].Content, "statements")
			var which int
			if _, err := fmt.Sscanf(items[0].Text, "part %d", &which); err != nil {
				t.Fatal(err)
			}
			asked[which]++
			if fails && which == part {
				return apiError(401, "invalid_api_key")
			}
			var rows []string
			for i := range items {
				rows = append(rows, fmt.Sprintf(`{"i":%d,"reason":"","verdict":%d}`, i+1, which%2))
			}
			return says(`{"verdicts":[` + strings.Join(rows, ",") + `]}`)
		}}
		judge := func() *openai.Judge { return newJudge(t, judgeConfig(), s, openai.Options{Memo: memo}) }
		if _, _, err := judge().Verdicts(t.Context(), []string{"c"}, statements); !errors.Is(err, scorer.ErrJudgePaused) {
			t.Fatalf("error %v, want a pause", err)
		}
		fails = false
		rows, call, err := judge().Verdicts(t.Context(), []string{"c"}, statements) // a new process
		if err != nil || len(rows) != 55 || rows[30].Value != 1 || rows[54].Value != 0 {
			t.Fatalf("%d rows, %v, want 55", len(rows), err)
		}
		for which, n := range asked {
			want := 1
			if which == part {
				want = 2
			}
			if n != want {
				t.Errorf("fault in part %d: part %d was asked %d times, want %d", part, which, n, want)
			}
		}
		if call.Usage.MemoHits != part {
			t.Errorf("fault in part %d: %d parts from the memo", part, call.Usage.MemoHits)
		}
	}
}

// A prompt that was read in part is paid for once, too.
func TestAPromptThatWasReadInPartIsNotSentAgain(t *testing.T) {
	memo, s := &mapMemo{}, &script{replies: []reply{{Contents: []string{good}, Prompt: 2050}}}
	for range 2 {
		_, _, err := newJudge(t, judgeConfig(), s, openai.Options{Memo: memo}).Statements(t.Context(), "q", strings.Repeat("A long text. ", 2000))
		if u, ok := errors.AsType[*scorer.UnscorableError](err); !ok || u.Reason != scorer.ReasonPromptTruncated {
			t.Errorf("error %v, want prompt_truncated", err)
		}
	}
	if s.requests() != 1 {
		t.Errorf("%d requests, want 1", s.requests())
	}
}

func TestRepliesAndRepairsAreCounted(t *testing.T) {
	reg := prometheus.NewRegistry()
	s := &script{replies: []reply{says("what?"), says(good), says(good)}}
	judge := newJudge(t, judgeConfig(), s, openai.Options{Registerer: reg})
	var used scorer.Usage
	for range 2 {
		_, call, err := judge.Statements(t.Context(), "q", "an answer")
		if err != nil {
			t.Fatal(err)
		}
		used.Add(call.Usage)
	}
	if used.Replies != 2 || used.Repairs != 1 || used.ChatRequests != 3 {
		t.Errorf("usage %+v, want two replies, one of them asked for again", used)
	}
	want := `
# HELP leadline_judge_repairs_total Replies of the judge that could not be used, so that it was asked a second time, by what was wrong.
# TYPE leadline_judge_repairs_total counter
leadline_judge_repairs_total{model="judge-1",reason="bad_json"} 1
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "leadline_judge_repairs_total"); err != nil {
		t.Error(err)
	}
}
