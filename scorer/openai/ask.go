package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"leadline/scorer"
)

// ask makes a call for one choice and reads it.
func ask[T any](ctx context.Context, j *Judge, r request, c *scorer.Call, parse func(string) (T, error)) (T, error) {
	a, err := j.call(ctx, r, c)
	if err != nil {
		var none T
		return none, err
	}
	return read(ctx, j, r, c, a.Choices[0], parse)
}

// read returns what the choice says. A choice that cannot be used gets one second call:
// with room for twice the tokens where it was cut off, else with what was wrong. Where
// the second is no better, a value with a soft problem is returned as it is.
func read[T any](ctx context.Context, j *Judge, r request, c *scorer.Call, first choice, parse func(string) (T, error)) (T, error) {
	value, p, err := readChoice(first, parse)
	c.Usage.Replies++
	if p == nil {
		return value, err
	}
	c.Usage.Repairs++
	j.chat.metrics.repairs.WithLabelValues(j.cfg.Model, string(p.reason)).Inc()
	again, err := j.call(secondTime(ctx), secondCall(r, first, p), c)
	if err != nil {
		return value, err
	}
	better, q, err := readChoice(again.Choices[0], parse)
	switch {
	case q == nil && err == nil:
		return better, nil
	case p.soft:
		return value, nil
	case q != nil && q.soft:
		return better, nil
	case q != nil:
		err = &scorer.UnscorableError{Reason: q.reason, Detail: q.feedback}
	}
	return value, fmt.Errorf("%s, asked twice: %w", r.task.id, err)
}

// readChoice returns a problem where a second call may help, and an error where not.
func readChoice[T any](ch choice, parse func(string) (T, error)) (value T, p *problem, err error) {
	switch {
	case ch.Refusal:
		return value, nil, &scorer.UnscorableError{Reason: scorer.ReasonRefusal, Detail: "the judge refuses"}
	case ch.Finish == string(goopenai.FinishReasonContentFilter):
		return value, nil, &scorer.UnscorableError{Reason: scorer.ReasonContentFilter, Detail: "the judge's filter stopped it"}
	case ch.OnlyThought:
		return value, &problem{reason: scorer.ReasonOnlyThought, feedback: onlyThought}, nil
	case ch.Finish == string(goopenai.FinishReasonLength):
		return value, cutOff("the reply is cut off"), nil
	}
	value, err = parse(ch.Content)
	if p, ok := errors.AsType[*problem](err); ok {
		if p.reason == scorer.ReasonRefusal {
			return value, nil, &scorer.UnscorableError{Reason: p.reason, Detail: p.feedback}
		}
		return value, p, nil
	}
	return value, nil, err
}

// secondCall never sends a truncated reply back: that would only lengthen the prompt.
func secondCall(r request, bad choice, p *problem) request {
	r.n = 1
	if p.reason == scorer.ReasonTruncated || p.reason == scorer.ReasonOnlyThought {
		r.maxTokens *= 2
		return r
	}
	r.messages = slices.Clone(r.messages)
	if strings.TrimSpace(bad.Content) != "" {
		r.messages = append(r.messages, goopenai.ChatCompletionMessage{Role: goopenai.ChatMessageRoleAssistant, Content: bad.Content})
	}
	r.messages = append(r.messages, goopenai.ChatCompletionMessage{Role: goopenai.ChatMessageRoleUser,
		Content: "Your reply was not usable: " + p.feedback + ". Return only the JSON object."})
	return r
}
