package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"leadline/scorer"
)

// checkPromptRead finds servers that cut a long prompt to their window without a word: they
// count far fewer tokens than were sent, or just as many as the window holds that LongPrompt
// found.
func (j *Judge) checkPromptRead(r request, a answer) error {
	const worthChecking, share = 3000, 0.6
	sent, got := r.tokens(), a.Usage.PromptTokens
	if window := float64(j.Capabilities().Window); window > 0 && float64(got) >= 0.95*window && float64(got) <= 1.01*window {
		return cutError(sent, got)
	}
	if sent > worthChecking && got > 0 && float64(got) < share*float64(sent) {
		return cutError(sent, got)
	}
	return nil
}

// tokens estimates those of all messages.
func (r request) tokens() (n int) {
	for _, m := range r.messages {
		n += tokens(m.Content)
	}
	return n
}

func cutError(sent int, got int64) error {
	return &scorer.UnscorableError{Reason: scorer.ReasonPromptTruncated,
		Detail: fmt.Sprintf("prompt cut: sent about %d tokens, the server counted %d; %s", sent, got, enlarge(sent))}
}

// enlarge says how a server reads all of a prompt.
func enlarge(sent int) string {
	window := 8192
	for window < sent+4096 {
		window *= 2
	}
	return fmt.Sprintf("give it a context window of %d tokens or more (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile)", window)
}

// The facts that a long prompt begins and ends with.
const (
	firstFact = "The spare key of the boathouse hangs behind the blue kettle."
	lastFact  = "The ferry to Lark Island leaves at seven from the north pier."
)

// LongPrompt finds out whether the server reads a prompt of the length that scoring sends at
// most, and remembers in the capabilities where it cuts one. The answer to a prompt that was
// cut looks like any other; so it is asked for facts at both ends. An error is one of the
// server; that it gave no answer in time is a finding.
func (j *Judge) LongPrompt(ctx context.Context) (Finding, error) {
	found := Finding{Step: "long prompt"}
	caps := j.Capabilities()
	caps.Window = 0
	j.Use(caps)
	r, err := newRequest(j.tasks.verdicts, verdictsInputOf(longContexts(maxContextTokens-100), []string{firstFact, lastFact}), 512)
	if err != nil {
		return found, err
	}
	limited, cancel := context.WithTimeout(scorer.Fresh(ctx), 2*j.chat.timeout)
	defer cancel()
	var call scorer.Call
	a, err := j.call(limited, r, &call)
	var rows []scorer.Verdict
	if err == nil {
		rows, err = read(limited, j, r, &call, a.Choices[0], func(text string) ([]scorer.Verdict, error) { return parseVerdicts(text, 2) })
	}
	u, unscorable := errors.AsType[*scorer.UnscorableError](err)
	switch {
	case ctx.Err() != nil:
		return found, ctx.Err()
	case unscorable && u.Reason == scorer.ReasonPromptTruncated:
		caps.Window = call.Usage.PromptTokens
		j.Use(caps)
		return found.failed("%s. Until then longer prompts have no score (prompt_truncated)", u.Detail), nil
	case unscorable && u.Reason == scorer.ReasonTooLong:
		return found.note("about %d tokens are too many, which the server says: samples that long have no score (too_long)", r.tokens()), nil
	case limited.Err() != nil:
		return found.warn("no answer to about %d tokens within %s: not known whether long prompts are read to their end", r.tokens(), 2*j.chat.timeout), nil
	case unscorable:
		return found.warn("no usable reply to about %d tokens (%s): long samples may have no score", r.tokens(), u.Detail), nil
	case err != nil:
		return found, err
	}
	return found.ends(rows, r.tokens(), a.Usage.PromptTokens), nil
}

// ends says which of the two facts were missed.
func (f Finding) ends(rows []scorer.Verdict, sent int, got int64) Finding {
	missed := ""
	for _, row := range rows {
		if row.Value != 1 {
			missed = []string{"beginning", "end"}[row.Index]
		}
	}
	counted := fmt.Sprintf("the server counted %d", got)
	if got == 0 {
		counted = "the server does not count"
	}
	switch {
	case missed != "":
		return f.failed("a fact at the %s of a prompt of about %d tokens was missed (%s): the prompt is cut, or the model does not read all of it; %s, or take another model", missed, sent, counted, enlarge(sent))
	case got == 0:
		return f.ok("read to both ends (about %d tokens; %s them, so a prompt cut in scoring would not be noticed)", sent, counted)
	}
	return f.ok("read to both ends (sent about %d tokens, %s)", sent, counted)
}

// longContexts are passages of about so many tokens together, with a fact at either end.
func longContexts(size int) []string {
	const passages = 8
	out := make([]string, passages)
	for p := range out {
		var b strings.Builder
		if p == 0 {
			b.WriteString(firstFact + " ")
		}
		for n := 0; 4*(size/passages)-b.Len() > 120; n++ {
			fmt.Fprintf(&b, "Shelf %d of room %d holds folders about gardens, bridges and weather. ", n+1, p+1)
		}
		if p == passages-1 {
			b.WriteString(lastFact)
		}
		out[p] = b.String()
	}
	return out
}
