package main

import (
	"fmt"

	"github.com/tidwall/gjson"
	"github.com/tiktoken-go/tokenizer"
)

// tokenCounter counts as OpenAI's newer models do (o200k). The zero value counts nothing, for
// runs that measure speed.
type tokenCounter struct{ codec tokenizer.Codec }

func newTokenCounter() (tokenCounter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return tokenCounter{}, fmt.Errorf("load the o200k vocabulary: %w", err)
	}
	return tokenCounter{codec}, nil
}

func (c tokenCounter) text(s string) int {
	if c.codec == nil || s == "" {
		return 0
	}
	n, err := c.codec.Count(s)
	if err != nil {
		return 0
	}
	return n
}

// request counts the texts of the messages and the schema that comes with them.
func (c tokenCounter) request(q gjson.Result) int {
	n := c.text(q.Get("response_format.json_schema.schema").Raw)
	for _, m := range q.Get("messages").Array() {
		if !m.Get("content").IsArray() {
			n += c.text(m.Get("content").String())
		}
		for _, part := range m.Get("content").Array() {
			n += c.text(part.Get("text").String())
		}
	}
	return n
}

// reply counts the contents of all choices.
func (c tokenCounter) reply(r gjson.Result) int {
	n := 0
	for _, choice := range r.Get("choices").Array() {
		n += c.text(choice.Get("message.content").String())
	}
	return n
}

// input counts the texts of an embedding request.
func (c tokenCounter) input(q gjson.Result) int {
	n := 0
	for _, text := range q.Get("input").Array() {
		n += c.text(text.String())
	}
	return n
}
