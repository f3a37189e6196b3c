package price_test

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"testing"

	"leadline/price"
)

func TestAModelIsFoundByItsNameAndNeverByALoosePrefix(t *testing.T) {
	for model, want := range map[string]bool{
		"gpt-6-luna": true, "openai/gpt-6-luna": true, "gpt-6-luna-2026-09-30": true, "openai/gpt-6-luna-2026-09-30": true, "gpt-6-luna@20260930": true,
		"gpt-6-luna-pro": false, "gpt-6-luna-pro-2026-09-30": false, "gpt-6": false, "my-gpt-6-luna": false, "other/gpt-6-luna": false,
		"gpt-4o": false, "gpt-4o-mini-audio": false, "": false,
	} {
		if _, ok := price.Chat(model, "api.openai.com"); ok != want {
			t.Errorf("%q: found %t, want %t", model, ok, want)
		}
	}
	if _, ok := price.Chat("openai/gpt-oss-20b", "gpu.internal"); ok {
		t.Error("open weights on one's own machine have the price of a provider")
	}
	if _, ok := price.Chat("openai/gpt-oss-20b", "api.groq.com"); !ok {
		t.Error("the provider's own price is not found")
	}
	if _, ok := price.Embedding("gpt-6-luna", ""); ok {
		t.Error("a chat model is priced as an embedding model")
	}
}

// 1,000 samples of 3,661 tokens in and 361 out cost 0.547 dollars at gpt-6-luna's price, 0.273
// at half of it: the arithmetic of the list's page, done by hand.
func TestDollarsOfAThousandSamples(t *testing.T) {
	luna, _ := price.Chat("gpt-6-luna", "")
	tokens := price.Tokens{Prompt: 3_661_000, Completion: 361_000}
	near(t, "list price", luna.Dollars(tokens, ""), 0.3661+0.1805)
	near(t, "flex", luna.Dollars(tokens, "flex"), (0.3661+0.1805)/2)
	near(t, "a tier that is not cheaper", luna.Dollars(tokens, "priority"), 0.3661+0.1805)
	tokens.Cached, tokens.CacheWrite = 3_000_000, 61_000
	near(t, "cached", luna.Dollars(tokens, ""), 0.060+0.030+0.007625+0.1805)
	near(t, "at most", luna.Worst(tokens, ""), 3.661*0.125+0.1805)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: %v dollars, want %v", what, got, want)
	}
}

func TestEachPriceHasADateAndASource(t *testing.T) {
	data, err := os.ReadFile("list.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Sources            map[string]string
		Models, Embeddings []struct {
			Name, Date, Source         string
			Prompt, Cached, Completion float64
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	date := regexp.MustCompile(`^20\d\d-\d\d(-\d\d)?$`)
	for _, m := range append(list.Models, list.Embeddings...) {
		if !date.MatchString(m.Date) || list.Sources[m.Source] == "" || m.Prompt <= 0 || m.Cached > m.Prompt {
			t.Errorf("%s: date %q, source %q, prices %v, %v", m.Name, m.Date, m.Source, m.Prompt, m.Cached)
		}
	}
	for _, m := range list.Models {
		if m.Cached <= 0 || m.Completion <= 0 {
			t.Errorf("%s: a price is missing", m.Name)
		}
	}
}
