package scorer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/sampler"
	"leadline/scorer"
)

// wordJudge takes each sentence for a statement, supports it where a context holds it, and
// asks the user's question back. What it does with an answer that begins with "!" is in
// failures.
type wordJudge struct {
	failures map[string]error

	mu        sync.Mutex // guards what is below
	fresh     int
	languages []string
	judged    []string
}

func (w *wordJudge) call(ctx context.Context) scorer.Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	if scorer.IsFresh(ctx) {
		w.fresh++
	}
	return scorer.Call{Model: "m-1", Fingerprint: "f", Usage: scorer.Usage{ChatRequests: 1, PromptTokens: 100, CompletionTokens: 10}}
}

func (w *wordJudge) Statements(ctx context.Context, _, answer string, _ ...string) ([]string, scorer.Call, error) {
	if err := w.failures[answer]; err != nil {
		return nil, w.call(ctx), err
	}
	return strings.Split(answer, ". "), w.call(ctx), nil
}

func (w *wordJudge) Verdicts(ctx context.Context, contexts, statements []string) ([]scorer.Verdict, scorer.Call, error) {
	rows := make([]scorer.Verdict, len(statements))
	for i, s := range statements {
		rows[i].Index = i
		if strings.Contains(strings.Join(contexts, "\n"), s) {
			rows[i].Value = 1
		}
	}
	call := w.call(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.judged = append(w.judged, statements...)
	return rows, call, nil
}

func (w *wordJudge) Questions(ctx context.Context, answer, language string, n int) ([]scorer.Guess, scorer.Call, error) {
	call := w.call(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.languages = append(w.languages, language)
	guesses := make([]scorer.Guess, n)
	for i := range guesses {
		guesses[i] = scorer.Guess{Text: fmt.Sprintf("%s %d?", answer, i)}
		if strings.HasPrefix(answer, "I don't know") {
			guesses[i].Noncommittal = 1
		}
	}
	return guesses, call, nil
}

// countEmbedder gives every text the same vector, and refuses a text that is too long.
type countEmbedder struct{ requests, texts int }

func (e *countEmbedder) Embed(_ context.Context, texts []string) ([][]float64, scorer.Call, error) {
	e.requests++
	e.texts += len(texts)
	call := scorer.Call{Usage: scorer.Usage{EmbeddingRequests: 1, EmbeddingTokens: int64(len(texts))}}
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		if len(text) > 1000 {
			return nil, call, &scorer.UnscorableError{Reason: scorer.ReasonTooLong, Detail: "one text"}
		}
		vectors[i] = []float64{3, 4}
	}
	return vectors, call, nil
}

type purse struct {
	mu       sync.Mutex
	left     int64 // guarded by mu
	reserved int64 // guarded by mu
}

func (p *purse) Reserve(_ context.Context, most scorer.Spend) (func(scorer.Usage) error, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if most.Tokens > p.left {
		return nil, scorer.ErrOverBudget
	}
	p.left -= most.Tokens
	p.reserved += most.Tokens
	return func(used scorer.Usage) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reserved -= most.Tokens
		p.left += most.Tokens - used.Spend().Tokens
		return nil
	}, nil
}

func newScorer(t *testing.T, o scorer.Options) *scorer.Scorer {
	t.Helper()
	if o.Judge == nil {
		o.Judge = &wordJudge{}
	}
	s, err := scorer.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sampleOf(id, answer string, contexts ...string) sampler.Sample {
	return sampler.Sample{Record: sampler.Record{ID: id, Question: "What?", Answer: answer, Contexts: contexts}}
}

func manySamples(n int) []sampler.Sample {
	samples := make([]sampler.Sample, n)
	for i := range samples {
		samples[i] = sampleOf(strconv.Itoa(i), fmt.Sprintf("Answer %d", i), fmt.Sprintf("Answer %d", i))
	}
	return samples
}

func TestScoreCarriesTheSampleAndWhatTheServerSaid(t *testing.T) {
	ids := map[scorer.Metric]scorer.JudgeID{scorer.Faithfulness: {Model: "m"}, scorer.AnswerRelevancy: {Model: "m", Strictness: 3}}
	s := newScorer(t, scorer.Options{Embedder: &countEmbedder{}, IDs: ids})
	sample := sampleOf("a", "Yes. No", "Yes")
	sample.Window = time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	sample.Origin, sample.Cell, sample.Inclusion = sampler.Origin{Topic: "t", Offset: 7}, "lang=en", 0.25
	got, err := s.Score(t.Context(), sample)
	if err != nil {
		t.Fatal(err)
	}
	want := scorer.Score{
		SampleID: "a", Origin: sample.Origin, Window: sample.Window, Cell: "lang=en", Inclusion: 0.25, Evasion: scorer.Answering,
		Outcomes: map[scorer.Metric]scorer.Outcome{
			scorer.Faithfulness: {Scored: true, Value: 0.5}, scorer.AnswerRelevancy: {Scored: true, Value: 1}},
		Judges: map[scorer.Metric]string{
			scorer.Faithfulness: ids[scorer.Faithfulness].Key(), scorer.AnswerRelevancy: ids[scorer.AnswerRelevancy].Key()},
		Statements:    []scorer.Statement{{Text: "Yes", Verdict: 1}, {Text: "No"}},
		Questions:     []scorer.Question{{Text: "Yes. No 0?", Cosine: 1}, {Text: "Yes. No 1?", Cosine: 1}, {Text: "Yes. No 2?", Cosine: 1}},
		Usage:         scorer.Usage{ChatRequests: 3, EmbeddingRequests: 1, PromptTokens: 300, CompletionTokens: 30, EmbeddingTokens: 4},
		ResponseModel: "m-1", Fingerprint: "f",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("score differs (-want +got):\n%s", diff)
	}
}

func TestRepeatedStatementIsJudgedOnceAndCounted(t *testing.T) {
	judge := &wordJudge{}
	s := newScorer(t, scorer.Options{Judge: judge})
	score, err := s.Score(t.Context(), sampleOf("a", "Yes. No. Yes", "Yes"))
	if err != nil {
		t.Fatal(err)
	}
	if got := score.Outcomes[scorer.Faithfulness]; got.Value != 2.0/3 {
		t.Errorf("outcome %+v, want 2/3", got)
	}
	if want := []string{"Yes", "No"}; !slices.Equal(judge.judged, want) {
		t.Errorf("judged %q, want %q", judge.judged, want)
	}
	if score.Statements[0].Count != 2 {
		t.Errorf("count %d, want 2", score.Statements[0].Count)
	}
}

func TestMissingPartsOfASampleOnlyCostTheirMetric(t *testing.T) {
	filter := &scorer.UnscorableError{Reason: scorer.ReasonContentFilter, Detail: "x"}
	judge := &wordJudge{failures: map[string]error{"Bad": filter}}
	full := newScorer(t, scorer.Options{Judge: judge, Embedder: &countEmbedder{}})
	bare := newScorer(t, scorer.Options{Judge: judge})
	for _, c := range []struct {
		name                    string
		scorer                  *scorer.Scorer
		sample                  sampler.Sample
		faithfulness, relevancy scorer.Outcome
	}{
		{"no contexts", full, sampleOf("a", "Yes"), scorer.Outcome{Reason: scorer.ReasonNoContext}, scorer.Outcome{Scored: true, Value: 1}},
		{"no embedder", bare, sampleOf("a", "Yes", "Yes"), scorer.Outcome{Scored: true, Value: 1}, scorer.Outcome{Reason: scorer.ReasonNoEmbeddings}},
		{"filtered", full, sampleOf("a", "Bad", "x"), scorer.Outcome{Reason: scorer.ReasonContentFilter}, scorer.Outcome{Scored: true, Value: 1}},
		{"blank answer", full, sampleOf("a", " \n", "x"), scorer.Outcome{Reason: scorer.ReasonEmptyInput}, scorer.Outcome{Reason: scorer.ReasonEmptyInput}},
	} {
		t.Run(c.name, func(t *testing.T) {
			score, err := c.scorer.Score(t.Context(), c.sample)
			if err != nil {
				t.Fatal(err)
			}
			want := map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: c.faithfulness, scorer.AnswerRelevancy: c.relevancy}
			if diff := cmp.Diff(want, score.Outcomes); diff != "" {
				t.Errorf("outcomes differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoncommittalAnswerNeedsNoEmbedding(t *testing.T) {
	embedder := &countEmbedder{}
	score, err := newScorer(t, scorer.Options{Embedder: embedder}).Score(t.Context(), sampleOf("a", "I don't know"))
	if err != nil {
		t.Fatal(err)
	}
	if got := score.Outcomes[scorer.AnswerRelevancy]; got != (scorer.Outcome{Scored: true}) {
		t.Errorf("outcome %+v, want a score of 0", got)
	}
	if embedder.requests != 0 {
		t.Errorf("%d embedding requests, want none", embedder.requests)
	}
}

func TestScoreAllGivesEverySampleOnceAndSharesEmbeddings(t *testing.T) {
	embedder := &countEmbedder{}
	s := newScorer(t, scorer.Options{Embedder: embedder, Concurrency: 8})
	samples := manySamples(300)
	seen := map[string]int{}
	var usage scorer.Usage
	err := s.ScoreAll(t.Context(), samples, func(score scorer.Score) error {
		seen[score.SampleID]++
		usage.Add(score.Usage)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		if seen[sample.ID] != 1 {
			t.Fatalf("sample %s was handed over %d times, want once", sample.ID, seen[sample.ID])
		}
	}
	if embedder.requests > 3 {
		t.Errorf("%d embedding requests for 300 samples, want at most 3", embedder.requests)
	}
	if usage.EmbeddingRequests != embedder.requests || usage.EmbeddingTokens != int64(embedder.texts) {
		t.Errorf("scores share out %+v, want %d requests and %d tokens", usage, embedder.requests, embedder.texts)
	}
}

func TestOneTextThatCannotBeEmbeddedSparesTheOthers(t *testing.T) {
	samples := manySamples(5)
	samples[2].Question = strings.Repeat("long ", 300)
	reasons := map[string]scorer.Outcome{}
	err := newScorer(t, scorer.Options{Embedder: &countEmbedder{}}).ScoreAll(t.Context(), samples, func(score scorer.Score) error {
		reasons[score.SampleID] = score.Outcomes[scorer.AnswerRelevancy]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, got := range reasons {
		want := scorer.Outcome{Scored: true, Value: 1}
		if id == "2" {
			want = scorer.Outcome{Reason: scorer.ReasonTooLong}
		}
		if got != want {
			t.Errorf("sample %s: %+v, want %+v", id, got, want)
		}
	}
}

func TestErrorOfTheJudgeLeavesTheRestPending(t *testing.T) {
	for _, class := range []error{scorer.ErrJudgeDown, scorer.ErrJudgePaused, scorer.ErrJudgeChanged, errors.New("disk full")} {
		judge := &wordJudge{failures: map[string]error{"Answer 3": fmt.Errorf("call: %w", class)}}
		s := newScorer(t, scorer.Options{Judge: judge, Embedder: &countEmbedder{}})
		var done []string
		err := s.ScoreAll(t.Context(), manySamples(200), func(score scorer.Score) error {
			done = append(done, score.SampleID)
			return nil
		})
		if !errors.Is(err, class) {
			t.Errorf("error %v, want %v", err, class)
		}
		if want := []string{"0", "1", "2"}; !slices.Equal(done, want) {
			t.Errorf("%v: done %v, want %v: what was paid for before is kept, the rest is pending", class, done, want)
		}
	}
}

func TestErrorOfTheCallerStops(t *testing.T) {
	full := errors.New("disk full")
	calls := 0
	err := newScorer(t, scorer.Options{}).ScoreAll(t.Context(), manySamples(5), func(scorer.Score) error {
		calls++
		return full
	})
	if !errors.Is(err, full) || calls != 1 {
		t.Errorf("error %v after %d calls, want disk full after 1", err, calls)
	}
}

func TestJudgeThatRejectsEveryRequestPauses(t *testing.T) {
	judge := &wordJudge{failures: map[string]error{}}
	samples := manySamples(10)
	for _, s := range samples {
		judge.failures[s.Answer] = &scorer.UnscorableError{Reason: scorer.ReasonBadRequest, Detail: "status 400"}
	}
	done := 0
	count := func(scorer.Score) error { done++; return nil }
	err := newScorer(t, scorer.Options{Judge: judge}).ScoreAll(t.Context(), samples, count)
	if !errors.Is(err, scorer.ErrJudgePaused) || done != 0 {
		t.Errorf("error %v with %d scores, want a pause and none", err, done)
	}
	delete(judge.failures, samples[0].Answer)
	err = newScorer(t, scorer.Options{Judge: judge}).ScoreAll(t.Context(), samples, count)
	if err != nil || done != len(samples) {
		t.Errorf("error %v with %d scores, want each sample its reason once one request went through", err, done)
	}
}

func TestBudgetStopsAndIsSettledByWhatWasUsed(t *testing.T) {
	const start = 30_000
	budget := &purse{left: start}
	var used int64
	s := newScorer(t, scorer.Options{Embedder: &countEmbedder{}, Budget: budget})
	err := s.ScoreAll(t.Context(), manySamples(200), func(score scorer.Score) error {
		used += score.Usage.PromptTokens + score.Usage.CompletionTokens + score.Usage.EmbeddingTokens
		return nil
	})
	if !errors.Is(err, scorer.ErrOverBudget) {
		t.Fatalf("error %v, want over budget", err)
	}
	if budget.reserved != 0 || budget.left != start-used || used == 0 {
		t.Errorf("%d reserved, %d left after %d used of %d", budget.reserved, budget.left, used, start)
	}
}

func TestFailedCallsAreSettledToo(t *testing.T) {
	budget := &purse{left: 30_000}
	judge := &wordJudge{failures: map[string]error{"Answer 0": scorer.ErrJudgeDown}}
	err := newScorer(t, scorer.Options{Judge: judge, Budget: budget}).ScoreAll(t.Context(), manySamples(1), nil)
	if !errors.Is(err, scorer.ErrJudgeDown) {
		t.Fatalf("error %v, want judge down", err)
	}
	if got := 30_000 - budget.left; got != 110 || budget.reserved != 0 {
		t.Errorf("%d tokens settled and %d reserved, want 110 and 0", got, budget.reserved)
	}
}

func TestControlsAreScoredFresh(t *testing.T) {
	judge := &wordJudge{}
	s := newScorer(t, scorer.Options{Judge: judge, IDs: map[scorer.Metric]scorer.JudgeID{scorer.Faithfulness: {Model: "m"}}})
	window := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	items := []scorer.Control{
		{ID: "x", Language: "en", Question: "Q?", Answer: "Yes", Contexts: []string{"Yes"}, Expected: "supported"},
		{ID: "y", Language: "ja", Question: "Q?", Answer: "No", Contexts: []string{"Yes"}, Expected: "unsupported"},
	}
	got, err := s.Controls(t.Context(), items, window)
	if err != nil {
		t.Fatal(err)
	}
	if judge.fresh != 4 {
		t.Errorf("%d fresh calls, want all 4", judge.fresh)
	}
	for i, want := range []float64{1, 0} {
		c := got[i]
		if c.Item != items[i].ID || c.Expected != items[i].Expected || c.Language != items[i].Language || !c.Window.Equal(window) ||
			c.Outcomes[scorer.Faithfulness].Value != want || c.Judges[scorer.Faithfulness] == "" || c.Usage.ChatRequests != 2 {
			t.Errorf("control %d: %+v, want value %v", i, c, want)
		}
	}
}
