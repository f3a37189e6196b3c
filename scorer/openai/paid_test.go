package openai_test

import (
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tidwall/gjson"

	"leadline/config"
	"leadline/scorer/openai"
)

func lunaConfig() config.Judge {
	cfg := judgeConfig()
	cfg.Model, cfg.Embeddings, cfg.PromptCache = "gpt-6-luna", config.Embeddings{}, "auto"
	cfg.ReasoningEffort = "none"
	return cfg
}

// billed is a reply with its bill: the body of a server that caches and has tiers.
func billed(tier string) reply {
	return reply{Body: `{"model":"gpt-6-luna","service_tier":"` + tier + `","choices":[{"index":0,"message":{"role":"assistant","content":"{\"statements\":[\"It opens at nine.\"]}"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":2000,"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":1200,"cache_write_tokens":300}}}`}
}

func TestEachModelIsSentTheCacheFieldsThatItTakes(t *testing.T) {
	for name, c := range map[string]struct {
		model, mode string
		steered     bool
	}{
		"luna": {"gpt-6-luna", "auto", true}, "5.6": {"gpt-5.6-luna", "auto", true}, "behind a provider": {"openai/gpt-6-luna", "auto", true},
		"older": {"gpt-5.5", "auto", false}, "other": {"judge-1", "auto", false}, "off": {"gpt-6-luna", "off", false}, "explicit": {"judge-1", "explicit", true},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := lunaConfig()
			cfg.Model, cfg.PromptCache, cfg.Temperature = c.model, c.mode, nil
			r := billed("default")
			r.Body = strings.ReplaceAll(r.Body, "gpt-6-luna", c.model)
			s := &script{replies: []reply{r}}
			if _, _, err := newJudge(t, cfg, s, openai.Options{}).Statements(t.Context(), "When?", "It opens at nine."); err != nil {
				t.Fatal(err)
			}
			if got := gjson.Get(s.bodies[0], "prompt_cache_options.mode").String() == "explicit"; got != c.steered {
				t.Errorf("steered %t, want %t: %s", got, c.steered, s.bodies[0])
			}
			if !gjson.Valid(s.bodies[0]) {
				t.Error("the body is no JSON")
			}
		})
	}
}

// The end of the prompt is marked where it is long enough to be kept: the text stays the same
// to the byte, and nothing behind it is marked.
func TestOnlyThePromptIsMarkedForTheCache(t *testing.T) {
	plain := &script{replies: []reply{billed("default")}}
	cfg := lunaConfig()
	cfg.PromptCache, cfg.Prompts = "off", "v2-long"
	if _, _, err := newJudge(t, cfg, plain, openai.Options{}).Statements(t.Context(), "When?", "<b>It</b> opens at nine."); err != nil {
		t.Fatal(err)
	}
	steered := &script{replies: []reply{billed("default")}}
	if _, _, err := newJudge(t, lunaConfig(), steered, openai.Options{}).Statements(t.Context(), "When?", "<b>It</b> opens at nine."); err != nil {
		t.Fatal(err)
	}
	prompt := gjson.Get(plain.bodies[0], "messages.0.content").String()
	content := gjson.Get(steered.bodies[0], "messages.0.content")
	if content.Get("0.text").String() != prompt || content.Get("0.prompt_cache_breakpoint.mode").String() != "explicit" || content.Get("#").Int() != 1 {
		t.Errorf("marked part: %s", content.Raw)
	}
	if !strings.HasPrefix(gjson.Get(steered.bodies[0], "prompt_cache_key").String(), "leadline-") {
		t.Error("no key for the cache")
	}
	if a, b := gjson.Get(plain.bodies[0], "messages.1").Raw, gjson.Get(steered.bodies[0], "messages.1").Raw; a != b {
		t.Errorf("the user's message changed: %s, %s", a, b)
	}
}

// A prompt that is too short to be kept gets no mark: nothing is written to the cache then.
func TestAShortPromptIsNotMarked(t *testing.T) {
	s := &script{replies: []reply{billed("default")}}
	cfg := lunaConfig()
	cfg.Prompts = "v2"
	if _, _, err := newJudge(t, cfg, s, openai.Options{}).Statements(t.Context(), "When?", "It opens at nine."); err != nil {
		t.Fatal(err)
	}
	if gjson.Get(s.bodies[0], "messages.0.content").IsArray() || gjson.Get(s.bodies[0], "prompt_cache_options.mode").String() != "explicit" {
		t.Errorf("a short prompt is marked, or left to the server: %s", s.bodies[0])
	}
}

func TestAServerThatRefusesTheCacheFieldsIsAskedWithoutThem(t *testing.T) {
	s := &script{answer: func(_, body string) reply {
		if strings.Contains(body, "prompt_cache") {
			return reply{Status: 400, Body: `{"error":{"message":"Unknown parameter: 'prompt_cache_options'.","param":"prompt_cache_options"}}`}
		}
		return billed("default")
	}}
	j := newJudge(t, lunaConfig(), s, openai.Options{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if _, _, err := j.Statements(t.Context(), "When?", "It opens at nine."); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	before := s.requests()
	if _, call, err := j.Statements(t.Context(), "When?", "It opens at nine."); err != nil || s.requests() != before+1 || call.Usage.ChatRequests != 1 {
		t.Errorf("%v; %d requests more", err, s.requests()-before)
	}
}

func TestABillIsReadAndPricedByItsTier(t *testing.T) {
	full := 500*0.10 + 1200*0.01 + 300*0.125 + 100*0.50 // millionths
	for tier, want := range map[string]float64{"default": full, "flex": full / 2, "": full} {
		cfg := lunaConfig()
		cfg.ServiceTier = config.Flex
		s := &script{replies: []reply{billed(tier)}}
		_, call, err := newJudge(t, cfg, s, openai.Options{}).Statements(t.Context(), "When?", "It opens at nine.")
		if err != nil {
			t.Fatal(err)
		}
		u := call.Usage
		if math.Abs(u.Dollars*1e6-want) > 1e-6 || u.CacheWriteTokens != 300 || u.CachedTokens != 1200 || u.FlexRequests == 1 != (tier == "flex") {
			t.Errorf("tier %q: %+v, want %v millionths of a dollar", tier, u, want)
		}
		if got := gjson.Get(s.bodies[0], "service_tier").String(); got != "flex" {
			t.Errorf("asked for tier %q", got)
		}
	}
	cfg := lunaConfig()
	cfg.Model = "judge-1"
	r := billed("default")
	r.Body = strings.ReplaceAll(r.Body, "gpt-6-luna", "judge-1")
	j := newJudge(t, cfg, &script{replies: []reply{r}}, openai.Options{})
	if _, call, err := j.Statements(t.Context(), "When?", "It opens at nine."); err != nil || call.Usage.Dollars != 0 || j.Worst() != nil {
		t.Errorf("a model without a price costs %v, %v", call.Usage.Dollars, err)
	}
}

func TestFlexWithoutRoomFallsBackWhereItMay(t *testing.T) {
	for _, fallback := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answer: func(_, body string) reply {
				if gjson.Get(body, "service_tier").String() == "flex" {
					return reply{Status: 429, Body: `{"error":{"message":"Resource unavailable for flex","code":"resource_unavailable"}}`}
				}
				return billed("default")
			}}
			cfg := lunaConfig()
			cfg.ServiceTier, cfg.FlexFallback = config.Flex, fallback
			_, call, err := newJudge(t, cfg, s, openai.Options{}).Statements(t.Context(), "When?", "It opens at nine.")
			if fallback != (err == nil) {
				t.Fatalf("fallback %t: %v", fallback, err)
			}
			var tiers []string
			for _, body := range s.bodies {
				tiers = append(tiers, gjson.Get(body, "service_tier").String())
			}
			if got := strings.Join(tiers, " "); fallback && got != strings.Repeat("flex ", 3)+"default" || !fallback && strings.Contains(got, "default") {
				t.Errorf("fallback %t: tiers %s", fallback, got)
			}
			if fallback && (call.Usage.FlexRequests != 0 || call.Usage.Dollars == 0) {
				t.Errorf("billed as %+v", call.Usage)
			}
		})
	}
}

func TestASecondCallIsCountedAsARepair(t *testing.T) {
	bad := billed("default")
	bad.Body = strings.Replace(bad.Body, `{\"statements\":[\"It opens at nine.\"]}`, `no`, 1)
	s := &script{replies: []reply{bad, billed("default")}}
	_, call, err := newJudge(t, lunaConfig(), s, openai.Options{}).Statements(t.Context(), "When?", "It opens at nine.")
	if err != nil {
		t.Fatal(err)
	}
	if u := call.Usage; u.RepairTokens != 2100 || u.Spend().Tokens != 4200 || math.Abs(u.RepairDollars-u.Dollars/2) > 1e-12 {
		t.Errorf("usage %+v", u)
	}
}
