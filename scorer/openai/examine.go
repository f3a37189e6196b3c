package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"leadline/scorer"
)

// Level says how much a finding weighs.
type Level string

// The levels. With one that failed, scoring would be refused or be wrong.
const (
	LevelOK      Level = "ok"
	LevelNote    Level = "note"
	LevelWarning Level = "WARNING"
	LevelFailed  Level = "FAILED"
)

// StepEmbeddings is the step without which all but the relevancy can still be scored.
const StepEmbeddings = "embeddings"

// Finding is what was found out about one thing that scoring depends on: what, why, and what
// to do.
type Finding struct {
	Step  string
	Level Level
	Text  string
}

func (f Finding) at(level Level, format string, args []any) Finding {
	f.Level, f.Text = level, fmt.Sprintf(format, args...)
	return f
}

func (f Finding) ok(format string, args ...any) Finding     { return f.at(LevelOK, format, args) }
func (f Finding) note(format string, args ...any) Finding   { return f.at(LevelNote, format, args) }
func (f Finding) warn(format string, args ...any) Finding   { return f.at(LevelWarning, format, args) }
func (f Finding) failed(format string, args ...any) Finding { return f.at(LevelFailed, format, args) }

// Examine is Probe for a person: it finds out all that scoring depends on, with about a dozen
// calls, and tells each finding as it is made. Embeddings that fail are a finding of the step
// StepEmbeddings. An error says that nothing more can be found out.
func (j *Judge) Examine(ctx context.Context, tell func(Finding)) error {
	ctx = scorer.Fresh(ctx)
	for _, f := range j.lookUp(ctx, time.Now()) {
		tell(f)
	}
	p, err := j.probeChat(ctx, nil)
	if err != nil {
		return err
	}
	tell(Finding{Step: "basic call"}.ok("answers as model %s", shortName(p.model)))
	tell(j.formatFinding(ctx, p))
	tell(j.temperatureFinding())
	tell(j.generationsFinding(p))
	for _, step := range []func(context.Context) (Finding, error){j.limitFinding, j.thinkingFinding, j.LongPrompt, j.embeddingsFinding} {
		f, err := step(ctx)
		if err != nil {
			return err
		}
		if f.Text != "" {
			tell(f)
		}
	}
	return nil
}

// formatFinding says which rung is in force and why, and whether a schema binds the reply.
func (j *Judge) formatFinding(ctx context.Context, p probed) Finding {
	f, format := Finding{Step: "format"}, j.Capabilities().Format
	if format == FormatSchema || format == FormatLoose {
		bound, err := j.enforces(ctx)
		switch {
		case err != nil:
			return f.note("%s is taken; whether it binds the reply is not known (%v)", format, err)
		case !bound:
			return f.note("%s is taken and not enforced: replies are read as they come, and one that cannot be read is asked for once more", format)
		}
	}
	if format == FormatSchema {
		return f.ok("json_schema, enforced")
	}
	why := "the rungs above give no reply that can be read"
	for _, err := range p.refusals {
		if e, ok := errors.AsType[*fieldError](err); ok && e.field == fieldFormat {
			why = "the server refuses the rungs above (" + detailOf(err) + ")"
			break
		}
	}
	if format == FormatText {
		return f.note("plain text, read by its JSON: %s", why)
	}
	return f.note("%s: %s", format, why)
}

func detailOf(err error) string {
	if u, ok := errors.AsType[*scorer.UnscorableError](err); ok {
		return u.Detail
	}
	return "refused by the client library"
}

// enforces says whether a schema binds the reply: the prompt asks for something else.
func (j *Judge) enforces(ctx context.Context) (bool, error) {
	t := task{schema: "probe_v1", prompt: "Task id: probe/v1\nReply with the word that the user's JSON object holds, and nothing else.",
		shape: []byte(`{"type":"object","properties":{"probe_7f3a":{"type":"string","enum":["ok"]}},"required":["probe_7f3a"],"additionalProperties":false}`)}
	r, err := newRequest(t, map[string]string{"word": "hello"}, 64)
	if err != nil {
		return false, err
	}
	a, err := j.send(ctx, r, &scorer.Call{}, nil)
	if err != nil {
		return false, err
	}
	var got map[string]string
	return json.Unmarshal([]byte(strings.TrimSpace(a.Choices[0].Content)), &got) == nil && got["probe_7f3a"] == "ok", nil
}

func (j *Judge) temperatureFinding() Finding {
	f := Finding{Step: "temperature"}
	switch {
	case j.cfg.Temperature == nil:
		return f.note("not sent (judge.temperature is null): the server's own is used; expect judge noise")
	case !j.Capabilities().Temperature:
		return f.note("refused, so it is not sent: sampling is not controllable; expect judge noise")
	}
	return f.ok("%g is taken", *j.cfg.Temperature)
}

func (j *Judge) generationsFinding(p probed) Finding {
	f, calls := Finding{Step: "n"}, j.cfg.Strictness
	if p.choices == "" {
		return f.ok("one call gives several questions")
	}
	return f.note("%s: %d calls per sample for answer relevancy, its input tokens ×%d", p.choices, calls, calls)
}

// limitFinding asks for more than the limit lets through.
func (j *Judge) limitFinding(ctx context.Context) (Finding, error) {
	f, caps := Finding{Step: "token limit"}, j.Capabilities()
	if effort := j.cfg.ReasoningEffort; effort != "" && effort != goopenai.ReasoningEffortNone {
		return Finding{}, nil // it would be used up by thoughts
	}
	t := task{schema: "count_v1", prompt: "Task id: count/v1\nCount from 1 to 200, as the user's JSON object asks: 1, 2, 3 and so on.",
		shape: []byte(`{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"integer"}}},"required":["numbers"],"additionalProperties":false}`)}
	r, err := newRequest(t, map[string]int{"to": 200}, 8)
	if err != nil {
		return f, err
	}
	r.exact = true
	a, err := j.send(ctx, r, &scorer.Call{}, nil)
	if u, ok := errors.AsType[*scorer.UnscorableError](err); ok {
		return f.note("not known whether %s is honored (%s)", caps.TokenLimit, u.Detail), nil
	}
	if err != nil {
		return f, err
	}
	const most = 16 // servers may round 8 up
	if a.Choices[0].Finish != string(goopenai.FinishReasonLength) && a.Usage.CompletionTokens > most {
		return f.warn("%s is ignored (a limit of 8 gave %d tokens): only judge.timeout ends a reply that runs away", caps.TokenLimit, a.Usage.CompletionTokens), nil
	}
	return f.ok("%s is honored", caps.TokenLimit), nil
}

func (j *Judge) thinkingFinding(context.Context) (Finding, error) {
	f, caps := Finding{Step: "thinking"}, j.Capabilities()
	effort := j.cfg.ReasoningEffort
	switch {
	case caps.Effort == effortThinking:
		return f.note("the server knows no effort none; thinking is turned off by \"thinking\": {\"type\": \"disabled\"}"), nil
	case caps.Thinks && effort == goopenai.ReasoningEffortNone:
		return f.warn("the model thinks although judge.reasoning_effort is none: its thoughts are billed, several times the reply; turn thinking off at the server, or take another model"), nil
	case caps.Thinks && effort == "":
		return f.warn("the model thinks before it replies: its thoughts are billed, several times the reply, and temperature may not count; set judge.reasoning_effort: none"), nil
	case caps.Effort == effortOmitted:
		return f.note("the server knows no effort; none is not sent, and the model does not think"), nil
	}
	return f.ok("none beyond what judge.reasoning_effort asks for"), nil
}

// embeddingsFinding asks for three vectors.
func (j *Judge) embeddingsFinding(ctx context.Context) (Finding, error) {
	f := Finding{Step: StepEmbeddings}
	if j.embedder == nil {
		return f.note("judge.embeddings.model is not set: answer relevancy is not scored"), nil
	}
	texts := []string{"When does the desk open?", "受付は何時に開きますか", "Where do old laptops go?"}
	vectors, _, err := j.embedder.Embed(ctx, texts)
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	if err != nil {
		return f.failed("%v", j.aboutEmbeddings(err)), nil
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return f.failed("vectors of %d and of %d dimensions from the same model; check judge.embeddings", len(vectors[0]), len(v)), nil
		}
	}
	return f.ok("%d vectors for %d texts, of %d dimensions, all finite, each at its place", len(vectors), len(texts), len(vectors[0])), nil
}
