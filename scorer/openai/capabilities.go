package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"leadline/config"
	"leadline/scorer"
)

// Format is a rung of the ladder of response formats. It is part of a judge's identity.
type Format string

// The rungs, the stricter first.
const (
	FormatSchema Format = "json_schema"       // strict
	FormatLoose  Format = "json_schema_loose" // the same schema, not strict
	FormatObject Format = "json_object"
	FormatText   Format = "text" // nothing is sent; the prompt asks for an object
)

const (
	limitMaxTokens           = "max_tokens"
	limitMaxCompletionTokens = "max_completion_tokens"
)

// How an effort is sent that is configured as none. Any other is sent as it is, or not at all.
const (
	effortField    = ""         // reasoning_effort
	effortThinking = "thinking" // "thinking": {"type": "disabled"}
	effortOmitted  = "omitted"
)

// Capabilities are what a server can do with a model. They are found out once, by Probe,
// and kept by the caller: a change of rung in the middle of a run would change the ruler.
type Capabilities struct {
	Format      Format `json:"format"`
	Generations bool   `json:"generations"` // n > 1 gives n choices
	Temperature bool   `json:"temperature"` // may be sent
	TokenLimit  string `json:"token_limit"` // name of the field
	// Effort is how the effort none is sent: empty, thinking or omitted.
	Effort string `json:"effort,omitempty"`
	// Thinks is true of a model that thinks before it replies, which needs room.
	Thinks bool `json:"thinks,omitempty"`
	// Window is how many tokens the server counted of a long prompt that it cut without a
	// word; 0: it was not seen to.
	Window int64 `json:"window,omitempty"`
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

// AskedOf names a server, a model and what is sent to it: what Capabilities were found out for.
// Those of releases before had other names, which follow.
func AskedOf(cfg config.Judge) (names []string, err error) {
	t, err := loadTasks(cfg)
	if err != nil {
		return nil, err
	}
	sampling := "default"
	if cfg.Temperature != nil {
		sampling = fmt.Sprint(*cfg.Temperature)
	}
	server := []string{"judge", cfg.BaseURL, cfg.Model}
	sum := sha256.Sum256([]byte(strings.Join([]string{sampling, cfg.ReasoningEffort, cfg.ServiceTier,
		t.statements.hash, t.verdicts.hash, t.question.hash}, "\x00")))
	return []string{
		strings.Join(append(slices.Clone(server), hex.EncodeToString(sum[:6])), " "),
		strings.Join(append(server, sampling, cfg.ReasoningEffort), " "),
	}, nil
}

// ladder lists what is tried, the first choice first. Prior, where there is one, is what was
// in force before: a server that still takes it is asked as before.
func ladder(cfg config.Judge, prior *Capabilities) []Capabilities {
	first := DefaultCapabilities(cfg)
	other := limitMaxTokens
	if first.TokenLimit == other {
		other = limitMaxCompletionTokens
	}
	temperatures, efforts := []bool{true, false}, []string{effortField}
	if cfg.Temperature == nil {
		temperatures = []bool{true}
	}
	if cfg.ReasoningEffort == goopenai.ReasoningEffortNone {
		efforts = []string{effortField, effortThinking, effortOmitted}
	}
	var all []Capabilities
	if prior != nil {
		all = append(all, Capabilities{Format: prior.Format, Generations: true, Temperature: prior.Temperature,
			TokenLimit: prior.TokenLimit, Effort: prior.Effort, Thinks: prior.Thinks, Window: prior.Window})
	}
	for _, format := range []Format{FormatSchema, FormatLoose, FormatObject, FormatText} {
		for _, effort := range efforts {
			for _, temperature := range temperatures {
				for _, limit := range []string{first.TokenLimit, other} {
					all = append(all, Capabilities{Format: format, Generations: true, Temperature: temperature, TokenLimit: limit, Effort: effort})
				}
			}
		}
	}
	return all
}

// field is a part of a request that servers refuse by its name.
type field string

const (
	fieldNone        field = ""
	fieldFormat      field = "response_format"
	fieldTemperature field = "temperature"
	fieldLimit       field = "max_tokens"
	fieldEffort      field = "reasoning_effort"
	fieldTier        field = "service_tier"
	fieldN           field = "n"
)

// fieldError says which part of a request a server named when it refused it.
type fieldError struct{ field field }

func (e *fieldError) Error() string { return "the server refuses " + string(e.field) }

// named finds the one part of the request that a refusal is about.
func (s status) named() field {
	if s.param == "thinking" {
		return fieldEffort
	}
	if f := fieldNamed(s.param); f != fieldNone {
		return f
	}
	return fieldNamed(s.text)
}

func fieldNamed(text string) field {
	found := fieldNone
	for _, f := range []struct {
		field field
		words []string
	}{
		{fieldFormat, []string{"response_format", "json_schema", "json_object"}},
		{fieldTemperature, []string{"temperature"}},
		{fieldLimit, []string{"max_tokens", "max_completion_tokens"}},
		{fieldEffort, []string{"reasoning_effort", `"thinking"`, "'thinking'"}},
		{fieldTier, []string{"service_tier"}},
		{fieldN, []string{"n must be", "'n'", `"n"`, "n: must be"}},
	} {
		if !slices.ContainsFunc(f.words, func(w string) bool { return strings.Contains(text, w) }) && text != string(f.field) {
			continue
		}
		if found != fieldNone {
			return fieldNone // it may be about either
		}
		found = f.field
	}
	return found
}

// left are those still worth trying after a failed: where the server named what it refuses,
// none with the same; where it took the request but its reply could not be read, none with
// the same format, because other parameters are no help.
func left(all []Capabilities, a Capabilities, err error) []Capabilities {
	refused := fieldNone
	if e, ok := errors.AsType[*fieldError](err); ok {
		refused = e.field
	}
	u, unscorable := errors.AsType[*scorer.UnscorableError](err)
	unreadable := unscorable && u.Reason != scorer.ReasonBadRequest
	return slices.DeleteFunc(slices.Clone(all), func(b Capabilities) bool {
		switch {
		case a == b:
			return true
		case unreadable:
			return a.Format.kind() == b.Format.kind()
		case refused == fieldFormat:
			return a.Format == b.Format
		case refused == fieldTemperature:
			return b.Temperature == a.Temperature
		case refused == fieldLimit:
			return a.TokenLimit == b.TokenLimit
		case refused == fieldEffort:
			return a.Effort == b.Effort
		}
		return refused == fieldTier // no rung is without it
	})
}

// kind is what is asked for, strictly or not.
func (f Format) kind() Format {
	if f == FormatLoose {
		return FormatSchema
	}
	return f
}

// effort is what of the configured effort is sent, for a judge's identity.
func (j *Judge) effort() string {
	switch j.caps.Load().Effort {
	case effortThinking:
		return "thinking=disabled"
	case effortOmitted:
		return ""
	}
	return j.cfg.ReasoningEffort
}
