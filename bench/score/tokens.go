package main

import (
	"github.com/tidwall/gjson"

	"leadline/bench/score/o200k"
)

// requestTokens counts the texts of the messages and the schema that comes with them.
func requestTokens(c o200k.Counter, q gjson.Result) int {
	n := c.Text(q.Get("response_format.json_schema.schema").Raw)
	for _, m := range q.Get("messages").Array() {
		if !m.Get("content").IsArray() {
			n += c.Text(m.Get("content").String())
		}
		for _, part := range m.Get("content").Array() {
			n += c.Text(part.Get("text").String())
		}
	}
	return n
}

// replyTokens counts the contents of all choices.
func replyTokens(c o200k.Counter, r gjson.Result) int {
	n := 0
	for _, choice := range r.Get("choices").Array() {
		n += c.Text(choice.Get("message.content").String())
	}
	return n
}

// inputTokens counts the texts of an embedding request.
func inputTokens(c o200k.Counter, q gjson.Result) int {
	n := 0
	for _, text := range q.Get("input").Array() {
		n += c.Text(text.String())
	}
	return n
}
