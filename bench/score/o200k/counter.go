// Package o200k counts tokens as OpenAI's newer models do.
package o200k

import (
	"fmt"

	"github.com/tiktoken-go/tokenizer"
)

// Counter counts tokens. The zero value counts nothing, for runs that measure speed.
type Counter struct{ codec tokenizer.Codec }

// NewCounter loads the vocabulary.
func NewCounter() (Counter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return Counter{}, fmt.Errorf("load the o200k vocabulary: %w", err)
	}
	return Counter{codec}, nil
}

// Text returns how many tokens a text has.
func (c Counter) Text(s string) int {
	if c.codec == nil || s == "" {
		return 0
	}
	n, err := c.codec.Count(s)
	if err != nil {
		return 0
	}
	return n
}
