package openai

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"leadline/config"
	"leadline/scorer"
)

// Format is a rung of the ladder of response formats.
type Format string

// The rungs, the stricter first.
const (
	FormatSchema Format = "json_schema"
	FormatObject Format = "json_object"
)

const (
	limitMaxTokens           = "max_tokens"
	limitMaxCompletionTokens = "max_completion_tokens"
)

// Capabilities are what a server can do with a model. They are found out once, by Probe,
// and kept by the caller: a change of rung in the middle of a run would change the ruler.
type Capabilities struct {
	Format      Format `json:"format"`
	Generations bool   `json:"generations"` // n > 1 gives n choices
	Temperature bool   `json:"temperature"` // may be sent
	TokenLimit  string `json:"token_limit"` // name of the field
}

// DefaultCapabilities are those of a server that follows the API: the newer name of the
// token limit belongs to OpenAI and Azure, and is ignored by some others.
func DefaultCapabilities(cfg config.Judge) Capabilities {
	caps := Capabilities{Format: FormatSchema, Generations: true, Temperature: true, TokenLimit: limitMaxTokens}
	u, err := url.Parse(cfg.BaseURL)
	if cfg.BaseURL == "" || err == nil && (u.Host == "api.openai.com" || strings.HasSuffix(u.Host, ".openai.azure.com")) {
		caps.TokenLimit = limitMaxCompletionTokens
	}
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(cfg.Model, family) {
			caps.TokenLimit = limitMaxCompletionTokens
		}
	}
	return caps
}

// Probe finds out by a few small calls what the servers can do, and uses it from then on.
// It goes down the ladder only where a call was rejected or its reply could not be read.
// Call it before scoring, not during.
func (j *Judge) Probe(ctx context.Context) (Capabilities, error) {
	ctx = scorer.Fresh(ctx)
	var last error
	var unreadable Format
	for _, caps := range rungs(DefaultCapabilities(j.cfg)) {
		if caps.Format == unreadable {
			continue
		}
		j.caps.Store(&caps)
		_, _, err := j.Statements(ctx, "When does the desk open?", "The desk opens at nine. It closes at five.")
		if err == nil {
			return j.probeGenerations(ctx, caps)
		}
		if !mayFit(err) {
			return caps, fmt.Errorf("probe judge: %w", err)
		}
		if u, ok := errors.AsType[*scorer.UnscorableError](err); ok && u.Reason != scorer.ReasonBadRequest {
			unreadable = caps.Format // the request was taken: other parameters are no help
		}
		last = err
	}
	if errors.Is(last, errUnknownModel) {
		return Capabilities{}, fmt.Errorf("probe judge: %w: %w", scorer.ErrJudgePaused, last)
	}
	return Capabilities{}, fmt.Errorf("probe judge: %w: no usable reply, neither as json_schema nor as json_object: %w; check %s, judge.reasoning_effort and judge.service_tier",
		scorer.ErrJudgePaused, last, j.chat.settings.model)
}

// rungs lists what is tried, the first choice first.
func rungs(first Capabilities) []Capabilities {
	other := limitMaxTokens
	if first.TokenLimit == other {
		other = limitMaxCompletionTokens
	}
	var all []Capabilities
	for _, format := range []Format{FormatSchema, FormatObject} {
		for _, temperature := range []bool{true, false} {
			for _, limit := range []string{first.TokenLimit, other} {
				all = append(all, Capabilities{Format: format, Generations: true, Temperature: temperature, TokenLimit: limit})
			}
		}
	}
	return all
}

func (j *Judge) probeGenerations(ctx context.Context, caps Capabilities) (Capabilities, error) {
	r, err := newRequest(j.tasks.question, questionInput{"The desk opens at nine.", "en"}, 256)
	if err != nil {
		return caps, err
	}
	r.n = 2
	a, err := j.call(ctx, r, &scorer.Call{})
	if err != nil && !mayFit(err) {
		return caps, fmt.Errorf("probe judge for several choices: %w", err)
	}
	caps.Generations = err == nil && len(a.Choices) == r.n
	j.caps.Store(&caps)
	return caps, j.probeEmbeddings(ctx)
}

// probeEmbeddings finds out whether the server gives vectors as they are configured: a
// mistake there would only show as answers without a relevancy.
func (j *Judge) probeEmbeddings(ctx context.Context) error {
	if j.embedder == nil {
		return nil
	}
	_, _, err := j.embedder.Embed(ctx, []string{"When does the desk open?"})
	if _, unscorable := errors.AsType[*scorer.UnscorableError](err); unscorable {
		return fmt.Errorf("probe embeddings: %w: %w; check %s and judge.embeddings.dimensions", scorer.ErrJudgePaused, err, j.embedder.client.settings.model)
	}
	if err != nil {
		return fmt.Errorf("probe embeddings: %w", err)
	}
	return nil
}

// mayFit says whether the same server may take another form of the request.
func mayFit(err error) bool {
	_, unscorable := errors.AsType[*scorer.UnscorableError](err)
	return unscorable || refusedByLibrary(err) != nil
}
