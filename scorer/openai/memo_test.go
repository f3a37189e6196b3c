package openai_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

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
