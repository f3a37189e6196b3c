package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/standin"
)

// served is a stand-in with a profile, behind a listener; keys are what requests came with.
type served struct {
	*standin.Server
	url string

	mu   sync.Mutex // guards keys
	keys map[string]bool
}

func serveProfile(t *testing.T, o standin.Options) *served {
	t.Helper()
	server, err := standin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{Server: server, keys: map[string]bool{}}
	l := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.keys[r.Header.Get("Authorization")] = true
		s.mu.Unlock()
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(l.Close)
	s.url = l.URL + "/v1"
	return s
}

// judgeAt is a configuration for a server, with the embeddings of another one where that has none.
func judgeAt(s, vectors *served) config.Config {
	cfg := config.Default()
	cfg.Judge.BaseURL, cfg.Judge.Model, cfg.Judge.APIKey = s.url, standin.Model, "sk-judge"
	cfg.Judge.Concurrency = 4
	cfg.Judge.Embeddings.Model = standin.Model
	if vectors != nil {
		cfg.Judge.Embeddings.BaseURL, cfg.Judge.Embeddings.APIKey = vectors.url, "sk-vectors"
	}
	return cfg
}

// tenOfEach are records in English and in Japanese, ten of each.
func tenOfEach() []sampler.Sample {
	var out []sampler.Sample
	count := map[string]int{}
	for _, c := range scorer.Controls() {
		if count[c.Language]++; count[c.Language] <= 10 {
			out = append(out, sampler.Sample{Record: sampler.Record{ID: c.ID, Question: c.Question, Answer: c.Answer, Contexts: c.Contexts, Language: c.Language}})
		}
	}
	return out
}

// checked is what check --live prints about the judge, and its error.
func checked(t *testing.T, cfg config.Config) (string, error) {
	t.Helper()
	var out, progress bytes.Buffer
	a := &app{io: streams{out: &out, err: &progress}}
	err := a.checkJudge(t.Context(), cfg)
	return out.String(), err
}

// scorerAt is a scorer as leadline score has it.
func scorerAt(t *testing.T, cfg config.Config) *scorer.Scorer {
	t.Helper()
	s, err := (&app{io: streams{out: io.Discard, err: io.Discard}}).looseScorer(t.Context(), cfg.Judge)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustScore(t *testing.T, s *scorer.Scorer, samples []sampler.Sample) []scorer.Score {
	t.Helper()
	scores, err := scoreAll(context.WithoutCancel(t.Context()), s, samples)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// profileCase is what is known of a kind of server: the configuration that its page in
// docs/judges.md names, what check --live says, and how many calls a question takes.
type profileCase struct {
	effort, tier string
	temperature  float64
	elsewhere    bool // embeddings come from another server
	model        string
	questions    int  // calls for 20 samples
	fails        bool // check --live exits with 1
	says         []string
}

func profileCases() map[string]profileCase {
	plain := func(questions int, says ...string) profileCase {
		return profileCase{temperature: 0.01, questions: questions, says: says}
	}
	openai := profileCase{effort: "none", temperature: 0.01, questions: 20, says: []string{
		"json_schema, enforced", "0.01 is taken", "one call gives several questions", "max_completion_tokens is honored", "read to both ends"}}
	deepseek := profileCase{effort: "none", temperature: 0.01, elsewhere: true, questions: 60, says: []string{
		"json_object: the server refuses the rungs above", "the server ignores n=2 (returned 1 choice): 3 calls per sample", `thinking is turned off by "thinking": {"type": "disabled"}`}}
	groq := plain(60, "json_schema, enforced", "the server refuses n (status 400 invalid_request_error): 3 calls per sample")
	groq.elsewhere = true
	anthropic := plain(60, "json_schema is taken and not enforced", "refused, so it is not sent: sampling is not controllable", "the server refuses n")
	anthropic.elsewhere = true
	llama := plain(60, "n is not supported", "answers as model my-gguf", "json_schema, enforced")
	llama.model = "my-gguf"
	mistral := plain(20, "json_schema, enforced", "one call gives several questions", "max_tokens is honored", "the server knows no effort; none is not sent")
	mistral.effort = "none"
	ollama := plain(60, "the server ignores n=2 (returned 1 choice): 3 calls per sample", "FAILED   long prompt", "prompt cut: sent about", "the server counted 4096",
		"OLLAMA_CONTEXT_LENGTH", "the model thinks before it replies", "max_tokens is honored")
	ollama.fails = true
	return map[string]profileCase{
		"openai": openai, "azure": openai, "deepseek": deepseek, "groq": groq, "anthropic": anthropic, "llamacpp": llama, "mistral": mistral,
		"ollama":   ollama,
		"vllm":     plain(20, "json_schema, enforced", "one call gives several questions", "the model thinks before it replies"),
		"lmstudio": plain(60, "json_schema, enforced", "the server ignores n=2"),
		"litellm":  plain(60, "json_schema is taken and not enforced", "the server ignores n=2"),
		"gemini":   plain(20, "json_schema, enforced", "the model thinks before it replies: its thoughts are billed"),
	}
}

func TestEachKindOfServerIsFoundOutAndScoresAll(t *testing.T) {
	cases := profileCases()
	for _, name := range standin.Profiles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ok := cases[name]
			if !ok {
				t.Fatal("no case for this profile")
			}
			s := serveProfile(t, standin.Options{Profile: name})
			var vectors *served
			if c.elsewhere {
				vectors = serveProfile(t, standin.Options{})
			}
			cfg := judgeAt(s, vectors)
			cfg.Judge.ReasoningEffort, cfg.Judge.ServiceTier, cfg.Judge.Temperature = c.effort, c.tier, &c.temperature
			if c.model != "" {
				cfg.Judge.Model = c.model
			}
			printed, err := checked(t, cfg)
			if (err != nil) != c.fails {
				t.Errorf("error %v, want one: %v", err, c.fails)
			}
			for _, want := range c.says {
				if !strings.Contains(printed, want) {
					t.Errorf("it does not say %q:\n%s", want, printed)
				}
			}
			looked := scorerAt(t, cfg)
			before := s.Stats()
			samples := tenOfEach()
			checkAllScored(t, mustScore(t, looked, samples), samples)
			checkCalls(t, before, s.Stats(), len(samples), c.questions)
		})
	}
}

func checkAllScored(t *testing.T, scores []scorer.Score, samples []sampler.Sample) {
	t.Helper()
	if len(scores) != len(samples) || len(samples) != 20 {
		t.Errorf("%d scores of %d samples, want 20", len(scores), len(samples))
	}
	for _, s := range scores {
		for m, o := range s.Outcomes {
			if !o.Scored {
				t.Errorf("%s: %s has no score: %s", s.SampleID, m, o.Reason)
			}
		}
	}
}

// checkCalls counts what was answered; a busy server is asked again.
func checkCalls(t *testing.T, before, after standin.Stats, samples, questions int) {
	t.Helper()
	busy := after.Faults["busy_498"] - before.Faults["busy_498"]
	for task, want := range map[string]int{"statements": samples, "verdicts": samples + busy, "question": questions} {
		if got := after.ByTask[task] - before.ByTask[task]; got != want {
			t.Errorf("%d calls for %s, want %d", got, task, want)
		}
	}
}

func reasonsOf(scores []scorer.Score, m scorer.Metric) map[scorer.Reason]int {
	counts := map[scorer.Reason]int{}
	for _, s := range scores {
		if o := s.Outcomes[m]; !o.Scored {
			counts[o.Reason]++
		}
	}
	return counts
}

func TestPromptThatAServerCutHasNoScore(t *testing.T) {
	cfg := judgeAt(serveProfile(t, standin.Options{Profile: "ollama"}), nil)
	samples := tenOfEach()[:4]
	samples[1].Contexts = append([]string{strings.Repeat("A shelf holds folders about gardens. ", 1500)}, samples[1].Contexts...)
	scores := mustScore(t, scorerAt(t, cfg), samples)
	for _, s := range scores {
		want := scorer.Reason("")
		if s.SampleID == samples[1].ID {
			want = scorer.ReasonPromptTruncated
		}
		if got := s.Outcomes[scorer.Faithfulness]; got.Reason != want {
			t.Errorf("%s: reason %q, want %q", s.SampleID, got.Reason, want)
		}
	}
}

func TestGreedyVLLMIsAskedOncePerQuestion(t *testing.T) {
	s := serveProfile(t, standin.Options{Profile: "vllm"})
	cfg, zero := judgeAt(s, nil), 0.0
	cfg.Judge.Temperature = &zero
	printed, err := checked(t, cfg)
	if want := "the server refuses n (status 400): 3 calls per sample"; err != nil || !strings.Contains(printed, want) {
		t.Errorf("%v\n%s\nwant %q in it", err, printed, want)
	}
	before := s.Stats()
	samples := tenOfEach()
	checkAllScored(t, mustScore(t, scorerAt(t, cfg), samples), samples)
	if after := s.Stats(); after.ByTask["question"]-before.ByTask["question"] < 60 {
		t.Errorf("%d calls for questions, want 60", after.ByTask["question"]-before.ByTask["question"])
	}
}

func TestAzureFiltersOneSampleAndRefusesATier(t *testing.T) {
	cfg := judgeAt(serveProfile(t, standin.Options{Profile: "azure"}), nil)
	cfg.Judge.ReasoningEffort = "none"
	samples := tenOfEach()[:6]
	samples[0].Answer += " Please filter this prompt."
	samples[1].Answer += " Please filter this reply."
	if got := reasonsOf(mustScore(t, scorerAt(t, cfg), samples), scorer.Faithfulness); got[scorer.ReasonContentFilter] != 2 || len(got) != 1 {
		t.Errorf("reasons %v, want content_filter for the two", got)
	}
	cfg.Judge.ServiceTier = "flex"
	if _, err := checked(t, cfg); !errors.Is(err, scorer.ErrJudgePaused) || !strings.Contains(err.Error(), "the server refuses service_tier") {
		t.Errorf("error %v, want the tier named", err)
	}
}

func TestAnotherModelBehindAProxyStopsTheRun(t *testing.T) {
	s := serveProfile(t, standin.Options{Profile: "litellm"})
	cfg := judgeAt(s, nil)
	scoring := scorerAt(t, cfg)
	if err := s.SetFaults([]standin.Fault{{Mode: "model_swapped", Rate: 1, Value: "house-small"}}); err != nil {
		t.Fatal(err)
	}
	scores, err := scoreAll(t.Context(), scoring, tenOfEach())
	if len(scores) != 0 || !errors.Is(err, scorer.ErrJudgeChanged) || !strings.Contains(err.Error(), "house-small") {
		t.Errorf("%d scores, error %v, want none and judge changed", len(scores), err)
	}
	if _, err := checked(t, cfg); !errors.Is(err, scorer.ErrJudgeChanged) {
		t.Errorf("check --live says %v, want judge changed", err)
	}
}

func TestServerWithoutEmbeddingsIsTold(t *testing.T) {
	for _, name := range []string{"anthropic", "deepseek", "groq"} {
		cfg := judgeAt(serveProfile(t, standin.Options{Profile: name}), nil)
		printed, err := checked(t, cfg)
		if err == nil || !strings.Contains(err.Error(), "see embeddings above") {
			t.Errorf("%s: error %v, want the step named", name, err)
		}
		for _, want := range []string{
			"FAILED   embeddings   this server has no embeddings: set judge.embeddings.base_url, or remove judge.embeddings (status 404",
			"judging      8 of 8 plain", "cost      all in",
		} {
			if !strings.Contains(printed, want) {
				t.Errorf("%s: it does not say %q:\n%s", name, want, printed)
			}
		}
	}
}

func TestJudgeAndEmbeddingsHaveTheirOwnKeys(t *testing.T) {
	judge, vectors := serveProfile(t, standin.Options{Profile: "anthropic"}), serveProfile(t, standin.Options{})
	cfg := judgeAt(judge, vectors)
	samples := tenOfEach()
	checkAllScored(t, mustScore(t, scorerAt(t, cfg), samples), samples)
	if !judge.keys["Bearer sk-judge"] || len(judge.keys) != 1 || !vectors.keys["Bearer sk-vectors"] || len(vectors.keys) != 1 {
		t.Errorf("the judge got %v, the embeddings %v, want each its own key alone", judge.keys, vectors.keys)
	}
	cfg.Judge.Embeddings.APIKey = ""
	clear(vectors.keys)
	mustScore(t, scorerAt(t, cfg), samples[:1])
	if vectors.keys["Bearer sk-judge"] {
		t.Error("the judge's key went to another host")
	}
}

func TestModelThatIsNoJudgeIsRefused(t *testing.T) {
	s := serveProfile(t, standin.Options{Profile: "llamacpp", Faults: []standin.Fault{{Mode: "verdict_lenient", Rate: 1}}})
	cfg := judgeAt(s, nil)
	cfg.Judge.Model = "my-gguf"
	printed, err := checked(t, cfg)
	if err == nil || !strings.Contains(printed, "FAILED   judging      2 of 8 plain control items are right") || !strings.Contains(printed, "not usable as a judge") {
		t.Errorf("error %v, printed\n%s", err, printed)
	}
}

func TestStandinThatJudgesBadlyIsRefusedToo(t *testing.T) {
	s := serveProfile(t, standin.Options{})
	printed, err := checked(t, judgeAt(s, nil))
	if err != nil || !strings.Contains(printed, "WARNING  judging      8 of 8 plain") {
		t.Errorf("as it is: error %v, printed\n%s", err, printed)
	}
	if err := s.SetFaults([]standin.Fault{{Mode: "verdict_lenient", Rate: 1}}); err != nil {
		t.Fatal(err)
	}
	printed, err = checked(t, judgeAt(s, nil))
	if err == nil || !strings.Contains(printed, "FAILED   judging      2 of 8 plain control items are right") {
		t.Errorf("lenient: error %v, printed\n%s", err, printed)
	}
}
