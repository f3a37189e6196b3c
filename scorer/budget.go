package scorer

import (
	"context"
	"fmt"
	"unicode/utf8"

	"leadline/sampler"
)

const (
	promptTokens = 1500 // instructions, examples and schema of one call, rounded up
	replyTokens  = 300  // a short reply
)

// estimate is an upper bound of the tokens of one sample's chat calls without repairs. A
// character is at most about one token in any language that is written in words.
func (s *Scorer) estimate(sample sampler.Sample) int64 {
	answer := tokensIn(sample.Answer)
	var calls int64
	if anyText(sample.Contexts) {
		statements := promptTokens + tokensIn(sample.Question) + tokensIn(sample.History...) + 2*answer + replyTokens
		verdicts := promptTokens + tokensIn(sample.Contexts...) + 3*answer + replyTokens
		calls += statements + verdicts
	}
	if s.embedder != nil {
		calls += int64(s.strictness) * (promptTokens + answer + replyTokens)
	}
	return calls
}

func tokensIn(texts ...string) int64 {
	n := 0
	for _, text := range texts {
		n += utf8.RuneCountInString(text)
	}
	return int64(n)
}

// reserve sets tokens aside; the function it returns settles them by what was used.
func (s *Scorer) reserve(ctx context.Context, tokens int64) (settle func(Usage) error, err error) {
	if s.budget == nil {
		return func(Usage) error { return nil }, nil
	}
	if err := s.budget.Reserve(ctx, tokens); err != nil {
		return nil, fmt.Errorf("reserve tokens: %w", err)
	}
	return func(u Usage) error {
		used := u.PromptTokens + u.CompletionTokens + u.EmbeddingTokens
		if err := s.budget.Settle(tokens, used); err != nil {
			return fmt.Errorf("settle tokens: %w", err)
		}
		return nil
	}, nil
}
