package scorer

import (
	"context"
	"fmt"
	"unicode/utf8"

	"leadline/sampler"
)

const (
	promptTokens = 1500 // instructions, examples and schema of one call, where the judge does not say
	replyTokens  = 300  // a short reply
	// partAnswer is the length of an answer, in tokens at most, whose statements are more than
	// one call for verdicts takes; mostParts is how many such calls there are.
	partAnswer, mostParts = 400, 3
	// longContexts is how long contexts are, in tokens at most, that may be judged in parts.
	longContexts = 20_000
	// markedTokens is what numbers, quotes and canaries add to the statements of a call.
	markedTokens = 500
)

// Budget is where what calls take is set aside before, and counted after.
type Budget interface {
	// Reserve sets aside what something may take at most, or returns ErrOverBudget. settle
	// replaces it by what was used, and is called once.
	Reserve(ctx context.Context, most Spend) (settle func(Usage) error, err error)
}

// AtMost is an upper bound of what the chat calls for a sample take, second calls included:
// each reply may need one, and one for verdicts that fail their canaries another.
func (s *Scorer) AtMost(sample sampler.Sample) Spend {
	answer, fixed := tokensIn(sample.Answer), s.promptTokens
	var prompt, completion int64
	if anyText(sample.Contexts) {
		prompt += 2 * (fixed + tokensIn(sample.Question) + tokensIn(sample.History...) + answer)
		completion += 2 * (answer + replyTokens)
		// The statements are the answer once more. They are asked about in parts where there are
		// many, and by parts of the contexts where those are long.
		contexts := tokensIn(sample.Contexts...)
		parts, sections := 1+min(answer/partAnswer, mostParts-1), 1+contexts/longContexts
		prompt += 4 * (parts*contexts + sections*(parts*(fixed+markedTokens)+2*answer))
		completion += 4 * sections * (2*answer + parts*replyTokens)
	}
	if s.embedder != nil {
		n := int64(s.strictness)
		prompt += 2 * n * (fixed + answer)
		completion += 2 * n * replyTokens
	}
	return s.spend(prompt, completion, 0)
}

// tokensIn is an upper bound of the tokens of texts: a character is at most about one in any
// language that is written in words, and two ASCII characters are.
func tokensIn(texts ...string) int64 {
	n := 0
	for _, text := range texts {
		ascii := 0
		for i := range len(text) {
			if text[i] < utf8.RuneSelf {
				ascii++
			}
		}
		n += (ascii+1)/2 + utf8.RuneCountInString(text) - ascii
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
