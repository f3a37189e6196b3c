// Package price says what a model's tokens cost, by a dated list of list prices. It never
// makes a price up: a model that is not in the list has none.
package price

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Price is what a million tokens of a model cost, in US dollars.
type Price struct {
	Prompt     float64 `json:"prompt"` // of an embedding model: of its input
	Cached     float64 `json:"cached"` // read from the server's cache
	CacheWrite float64 `json:"cache_write"`
	Completion float64 `json:"completion"`
	// Half are the service tiers that cost half.
	Half []string `json:"half,omitempty"`
	// Date is when the price was in force (2026-08-02, or 2026-11); Source is where it stood.
	Date   string `json:"date,omitempty"`
	Source string `json:"source,omitempty"`
}

// Tokens are those of calls in one service tier. Cached and CacheWrite are parts of Prompt.
type Tokens struct{ Prompt, Cached, CacheWrite, Completion int64 }

// Dollars is what tokens cost in the tier that was billed; "" is the standard one.
func (p Price) Dollars(t Tokens, tier string) float64 {
	plain := max(t.Prompt-t.Cached-t.CacheWrite, 0)
	sum := float64(plain)*p.Prompt + float64(t.Cached)*p.Cached + float64(t.CacheWrite)*p.CacheWrite + float64(t.Completion)*p.Completion
	if slices.Contains(p.Half, tier) {
		sum /= 2
	}
	return sum / 1e6
}

// Worst is what tokens cost at most: none of them read from a cache, all of them written
// to it where that costs more.
func (p Price) Worst(t Tokens, tier string) float64 {
	p.Prompt = max(p.Prompt, p.CacheWrite)
	return p.Dollars(Tokens{Prompt: t.Prompt, Completion: t.Completion}, tier)
}

// entry is a line of the list.
type entry struct {
	Name string   `json:"name"`
	Also []string `json:"also"` // other names of the same model
	// Providers may stand before the name: openai/gpt-6-luna.
	Providers []string `json:"providers"`
	// Host is the only one at which the price holds; empty: wherever the name is served.
	Host string `json:"host"`
	Price
}

type list struct {
	Sources    map[string]string `json:"sources"`
	Models     []entry           `json:"models"`
	Embeddings []entry           `json:"embeddings"`
}

//go:embed list.json
var file []byte

// listed is read once. The file is compiled in and the tests read it: one that cannot be read
// is a mistake in the program, which no caller could mend.
var listed = sync.OnceValue(func() (l list) {
	if err := json.Unmarshal(file, &l); err != nil {
		panic("price list: " + err.Error())
	}
	return l
})

// Chat returns the list price of a model that is asked at a host; ok is false where the list
// has none.
func Chat(model, host string) (p Price, ok bool) { return find(listed().Models, model, host) }

// Embedding returns the list price of an embedding model.
func Embedding(model, host string) (p Price, ok bool) { return find(listed().Embeddings, model, host) }

func find(entries []entry, model, host string) (Price, bool) {
	for _, e := range entries {
		if !e.names(model) || e.Host != "" && e.Host != host {
			continue
		}
		p := e.Price
		if p.CacheWrite == 0 {
			p.CacheWrite = p.Prompt
		}
		p.Source = listed().Sources[p.Source]
		return p, true
	}
	return Price{}, false
}

// snapshot is how a dated snapshot ends: gpt-6-luna-2026-09-30, or @20260930.
var snapshot = regexp.MustCompile(`^[-@](\d{4}-\d{2}-\d{2}|\d{8})$`)

// names says whether a model is this one: by its name, by a dated snapshot of it, and by
// either behind the name of a provider. A longer name is another model, often a dearer one.
func (e entry) names(model string) bool {
	for _, provider := range e.Providers {
		if rest, ok := strings.CutPrefix(model, provider+"/"); ok {
			model = rest
			break
		}
	}
	for _, name := range append([]string{e.Name}, e.Also...) {
		rest, ok := strings.CutPrefix(model, name)
		if ok && (rest == "" || snapshot.MatchString(rest)) {
			return true
		}
	}
	return false
}
