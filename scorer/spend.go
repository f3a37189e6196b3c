package scorer

import "context"

// Kind says what tokens were spent on.
type Kind string

// The kinds. Repairs are second calls, made because the first reply could not be used or did
// not see the canaries among its statements, whatever that was for.
const (
	KindSample     Kind = "samples"
	KindSecondLook Kind = "second_looks"
	KindControl    Kind = "controls"
	KindRepair     Kind = "repairs"
	KindBridge     Kind = "bridge"
	KindProbe      Kind = "probe"
)

// Kinds lists them in the order in which they are shown.
var Kinds = []Kind{KindSample, KindSecondLook, KindControl, KindRepair, KindBridge, KindProbe}

type kindKey struct{}

// For marks calls as being of a kind. What is marked already stays as it is: the controls of
// a bridge are the bridge's.
func For(ctx context.Context, k Kind) context.Context {
	if ctx.Value(kindKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, kindKey{}, k)
}

// KindOf is what calls of a context are for; samples unless they were marked.
func KindOf(ctx context.Context) Kind {
	if k, ok := ctx.Value(kindKey{}).(Kind); ok {
		return k
	}
	return KindSample
}

// Spend is what something takes: prompt, completion and embedding tokens together, and US
// dollars, which are 0 where no price is known.
type Spend struct {
	Tokens  int64   `json:"tokens"`
	Dollars float64 `json:"dollars,omitempty"`
}

// Plus is both together.
func (s Spend) Plus(b Spend) Spend { return Spend{s.Tokens + b.Tokens, s.Dollars + b.Dollars} }

// Minus is what is left of s.
func (s Spend) Minus(b Spend) Spend { return Spend{s.Tokens - b.Tokens, s.Dollars - b.Dollars} }

// Times is s several times, tokens rounded up.
func (s Spend) Times(n float64) Spend {
	tokens := int64(float64(s.Tokens) * n)
	if float64(tokens) < float64(s.Tokens)*n {
		tokens++
	}
	return Spend{tokens, s.Dollars * n}
}

// Spend is what the usage amounts to.
func (u Usage) Spend() Spend {
	return Spend{u.PromptTokens + u.CompletionTokens + u.EmbeddingTokens, u.Dollars}
}

// By is the usage by kind: repairs apart from what k took.
func (u Usage) By(k Kind) map[Kind]Spend {
	repairs := Spend{u.RepairTokens, u.RepairDollars}
	by := map[Kind]Spend{k: u.Spend().Minus(repairs)}
	if repairs != (Spend{}) {
		by[KindRepair] = by[KindRepair].Plus(repairs)
	}
	return by
}
