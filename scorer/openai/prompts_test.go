package openai_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"leadline/scorer"
	"leadline/scorer/openai"
)

// Servers keep a prefix from 1,024 tokens on; what is kept costs a tenth. The shorter prompts
// are paid for in full.
const cachedFrom, wasteful, short = 1024, 1320, 1000

func TestLongPromptsCanBeCachedAndShortOnesAreShort(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []string{"statements", "verdicts", "question"} {
		n, err := o200k.Count(prompt(t, task+".v2"))
		if err != nil {
			t.Fatal(err)
		}
		more, err := o200k.Count(prompt(t, task+".v2.more"))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d tokens, long %d", task, n, n+more)
		if n > short || n+more < cachedFrom || n+more > wasteful {
			t.Errorf("%s: %d tokens, want at most %d; long %d, want %d to %d", task, n, short, n+more, cachedFrom, wasteful)
		}
	}
}

func prompt(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("prompts", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// An example that its own schema or our reading of replies refuses would teach the judge to
// be refused.
func TestExamplesAreValidRepliesToValidData(t *testing.T) {
	for task, keys := range map[string][2]string{
		"statements": {"answer", "statements"}, "verdicts": {"contexts", "verdicts"}, "question": {"answer", "question"},
	} {
		lines := strings.Split(prompt(t, task+".v2")+prompt(t, task+".v2.more"), "\n")
		examples := 0
		for i, line := range lines {
			if !strings.HasPrefix(line, "Example") {
				continue
			}
			examples++
			var data, reply map[string]any
			if err := json.Unmarshal([]byte(lines[i+1]), &data); err != nil || data[keys[0]] == nil {
				t.Errorf("%s, line %d: the data is no JSON object with %s: %v", task, i+2, keys[0], err)
			}
			if err := json.Unmarshal([]byte(lines[i+2]), &reply); err != nil || reply[keys[1]] == nil {
				t.Errorf("%s, line %d: the reply is no JSON object with %s: %v", task, i+3, keys[1], err)
			}
			if code, ok := data["language"].(string); ok && !scorer.InLanguage(reply["question"].(string), code) {
				t.Errorf("%s, line %d: the question is not in %s", task, i+3, code)
			}
		}
		if examples < 4 {
			t.Errorf("%s: %d examples", task, examples)
		}
	}
}

func TestPromptsOfVersionOneStaySelectable(t *testing.T) {
	cfg := judgeConfig()
	cfg.Prompts = "v1"
	s := &script{answer: capable}
	judge := newJudge(t, cfg, s, options())
	if _, _, err := judge.Statements(t.Context(), "q", "an answer", "user: before"); err != nil {
		t.Fatal(err)
	}
	messages, _ := field[[]struct{ Role, Content string }](t, s.bodies[0], "messages")
	if !strings.HasPrefix(messages[0].Content, "Task id: statements/v1\n") || messages[1].Content != `{"question":"q","answer":"an answer"}` {
		t.Errorf("v1 is asked with %.40q and %s", messages[0].Content, messages[1].Content)
	}
	first, newest := judge.IDs(), newJudge(t, judgeConfig(), s, options()).IDs()
	for _, m := range scorer.Metrics {
		if first[m].Key() == newest[m].Key() {
			t.Errorf("%s: both versions have the identity %s", m, first[m].Key())
		}
	}
	// The identities of the stores that were begun with it.
	if first[scorer.Faithfulness].Prompt != promptsOfVersionOne || first[scorer.AnswerRelevancy].Prompt != questionOfVersionOne {
		t.Errorf("v1 is now %s and %s: series that were begun with it end", first[scorer.Faithfulness].Prompt, first[scorer.AnswerRelevancy].Prompt)
	}
}

func TestThePromptsFollowWhatTheServerKeeps(t *testing.T) {
	for _, tt := range []struct{ prompts, cache, model, want string }{
		{"auto", "auto", "gpt-6-luna", "v2-long"}, {"auto", "off", "gpt-6-luna", "v2"}, {"auto", "auto", "llama3.3:70b", "v2"},
		{"auto", "explicit", "house-model", "v2-long"}, {"v2", "explicit", "gpt-6-luna", "v2"}, {"v1", "auto", "gpt-6-luna", "v1"},
		{"v2-long", "off", "llama3.3:70b", "v2-long"}, {"", "", "llama3.3:70b", "v2"},
	} {
		cfg := judgeConfig()
		cfg.Prompts, cfg.PromptCache, cfg.Model = tt.prompts, tt.cache, tt.model
		if got := openai.PromptsOf(cfg); got != tt.want {
			t.Errorf("prompts %q, cache %q, %s: %s, want %s", tt.prompts, tt.cache, tt.model, got, tt.want)
		}
	}
	cfg := judgeConfig()
	cfg.Prompts = "v2"
	short := newJudge(t, cfg, &script{}, options()).IDs()
	cfg.Prompts = "v2-long"
	for m, id := range newJudge(t, cfg, &script{}, options()).IDs() {
		if id.Key() == short[m].Key() {
			t.Errorf("%s: other examples have the same identity", m)
		}
	}
}

func TestUnknownPromptsAreRefused(t *testing.T) {
	cfg := judgeConfig()
	cfg.Prompts = "v9"
	if _, err := openai.New(cfg, options()); err == nil || !strings.Contains(err.Error(), "v9") {
		t.Errorf("error %v, want one that names the version", err)
	}
}

func TestHistoryIsDataForStatementsOnly(t *testing.T) {
	judge, s := planJudge(t, says(`{"statements":["a"]}`))
	if _, _, err := judge.Statements(t.Context(), "And then?", "an answer", "user: Where is it? <|im_start|>", "assistant: Here."); err != nil {
		t.Fatal(err)
	}
	messages, _ := field[[]struct{ Role, Content string }](t, s.bodies[0], "messages")
	const want = `{"answer":"an answer","question":"And then?","history":["user: Where is it? < |im_start|>","assistant: Here."]}`
	if messages[1].Content != want {
		t.Errorf("user message %s, want %s", messages[1].Content, want)
	}
}

const (
	promptsOfVersionOne  = "statements/v1:d0b7113a5e5b verdicts/v1:ca327815933d"
	questionOfVersionOne = "question/v1:52b332ed27f8"
)
