package scorer

import (
	"context"
	"fmt"
	"unicode/utf8"

	"leadline/sampler"
)

const (
	promptTokens = 1000 // instructions, examples and schema of one call, where the judge does not say
	replyTokens  = 300  // a short reply
	// partAnswer is the length of an answer, in characters, whose statements are more than
	// one call for verdicts takes; mostParts is how many such calls there are.
	partAnswer, mostParts = 300, 3
	// tries is how often a call may be made that brings a reply: it has one second call.
	tries = 2
)

// Budget is where what calls take is set aside before, and counted after.
type Budget interface {
	// Reserve sets aside what something may take at most, or returns ErrOverBudget. settle
	// replaces it by what was used, and is called once.
	Reserve(ctx context.Context, most Spend) (settle func(Usage) error, err error)
}

// AtMost is an upper bound of what the chat calls for a sample take, second calls included.
func (s *Scorer) AtMost(sample sampler.Sample) Spend {
	prompt, completion := s.estimate(sample)
	return s.spend(tries*prompt, tries*completion, 0)
}

// estimate is an upper bound of the tokens of one sample's chat calls without repairs. A
// character is at most about one token in any language that is written in words.
func (s *Scorer) estimate(sample sampler.Sample) (prompt, completion int64) {
	answer, fixed := tokensIn(sample.Answer), s.promptTokens
	if anyText(sample.Contexts) {
		// An answer comes back as statements, which are asked about in parts: those as verdicts.
		parts := 1 + min(answer/partAnswer, mostParts-1)
		prompt += fixed + tokensIn(sample.Question) + answer
		completion += answer + replyTokens
		prompt += parts*(fixed+tokensIn(sample.Contexts...)) + 2*answer
		completion += 2*answer + parts*replyTokens
	}
	if s.embedder != nil {
		n := int64(s.strictness)
		prompt += n * (fixed + answer)
		completion += n * replyTokens
	}
	return prompt, completion
}

func tokensIn(texts ...string) int64 {
	n := 0
	for _, text := range texts {
		n += utf8.RuneCountInString(text)
	}
	return int64(n)
}

func (s *Scorer) spend(prompt, completion, embedding int64) Spend {
	spend := Spend{Tokens: prompt + completion + embedding}
	if s.worst != nil {
		spend.Dollars = s.worst(Usage{PromptTokens: prompt, CompletionTokens: completion, EmbeddingTokens: embedding})
	}
	return spend
}

// reserve sets aside what something may take; the function it returns settles it by what was
// used.
func (s *Scorer) reserve(ctx context.Context, most Spend) (settle func(Usage) error, err error) {
	if s.budget == nil {
		return func(Usage) error { return nil }, nil
	}
	held, err := s.budget.Reserve(ctx, most)
	if err != nil {
		return nil, fmt.Errorf("set tokens aside: %w", err)
	}
	return func(u Usage) error {
		if err := held(u); err != nil {
			return fmt.Errorf("settle tokens: %w", err)
		}
		return nil
	}, nil
}
