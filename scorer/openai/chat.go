package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"leadline/scorer"
)

const (
	standinModel  = "standin-lexical-v1"
	standinHeader = "X-Leadline-Standin"
	// thinkingTokens is the room for hidden reasoning, which counts against the limit.
	thinkingTokens = 4096
)

// request is one chat call as it is paid for.
type request struct {
	task      task
	messages  []goopenai.ChatCompletionMessage
	n         int // choices asked for
	take      int // which of several equal calls this is
	maxTokens int
	exact     bool // no room for thoughts is added to maxTokens
}

type verdictsInput struct {
	Contexts   []string         `json:"contexts"`
	Statements []statementInput `json:"statements"`
}

type statementInput struct {
	I    int    `json:"i"`
	Text string `json:"text"`
}

type questionInput struct {
	Answer   string `json:"answer"`
	Language string `json:"language"`
}

func verdictsInputOf(contexts, statements []string) verdictsInput {
	in := verdictsInput{Contexts: make([]string, len(contexts)), Statements: make([]statementInput, len(statements))}
	for i, c := range contexts {
		in.Contexts[i] = clean(c)
	}
	for i, s := range statements {
		in.Statements[i] = statementInput{I: i + 1, Text: clean(s)}
	}
	return in
}

func newRequest(t task, data any, maxTokens int) (request, error) {
	user, err := userMessage(data)
	if err != nil {
		return request{}, err
	}
	return request{task: t, n: 1, maxTokens: maxTokens, messages: []goopenai.ChatCompletionMessage{
		{Role: goopenai.ChatMessageRoleSystem, Content: t.prompt},
		{Role: goopenai.ChatMessageRoleUser, Content: user},
	}}, nil
}

// answer is what the memo keeps of a call.
type answer struct {
	Choices     []choice     `json:"choices"`
	Model       string       `json:"model,omitempty"`
	Fingerprint string       `json:"fingerprint,omitempty"`
	Tier        string       `json:"tier,omitempty"` // that was billed
	Standin     bool         `json:"standin,omitempty"`
	Thought     bool         `json:"thought,omitempty"` // the model thought before it replied
	Usage       scorer.Usage `json:"usage"`
}

type choice struct {
	Content string `json:"content"`
	Finish  string `json:"finish,omitempty"`
	Refusal bool   `json:"refusal,omitempty"`
	// OnlyThought is set where there is no content, but thoughts.
	OnlyThought bool `json:"only_thought,omitempty"`
}

// call returns the remembered answer, or pays for one and remembers it. What it cost, and
// what the server said about itself, goes into c.
func (j *Judge) call(ctx context.Context, r request, c *scorer.Call) (answer, error) {
	remember := j.memo != nil && scorer.IsRemembered(ctx)
	var key string
	if remember {
		key = j.key(r) + scorer.MemoName(ctx)
		leave, err := j.turns.enter(ctx, key)
		if err != nil {
			return answer{}, fmt.Errorf("wait for the same call: %w", err)
		}
		defer leave()
		if a, ok, err := j.recall(key); err != nil || ok {
			c.Add(scorer.Call{Usage: scorer.Usage{MemoHits: 1}, Model: a.Model, Fingerprint: a.Fingerprint, Standin: a.Standin})
			return a, errors.Join(err, j.checkPromptRead(r, a))
		}
	}
	a, err := j.send(ctx, r, c, func(a answer) error {
		switch {
		case !j.allows(a.Model):
			return fmt.Errorf("%w: the response names model %q, which is neither judge.model nor in judge.response_models; mend the server, or list the name there if it is the same model",
				scorer.ErrJudgeChanged, shortName(a.Model))
		case remember:
			return j.remember(key, a)
		}
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	return a, j.checkPromptRead(r, a)
}

// weight is about how many tokens a server counts against its limit before it answers.
func (r request) weight() int {
	return r.maxTokens + r.tokens() + tokens(string(r.task.shape))
}

func (j *Judge) recall(key string) (a answer, ok bool, err error) {
	data, ok, err := j.memo.Get(key)
	if err != nil {
		return a, false, fmt.Errorf("look up judge reply: %w", err)
	}
	if !ok {
		return a, false, nil
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, false, fmt.Errorf("decode remembered judge reply: %w", err)
	}
	return a, true, nil
}

func (j *Judge) remember(key string, a answer) error {
	data, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode judge reply: %w", err)
	}
	if err := j.memo.Put(map[string][]byte{key: data}); err != nil {
		return fmt.Errorf("keep judge reply: %w", err)
	}
	return nil
}

// sampling names what is sent to steer it.
func (j *Judge) sampling() string {
	if j.cfg.Temperature == nil || !j.caps.Load().Temperature {
		return "default"
	}
	return "temperature=" + strconv.FormatFloat(*j.cfg.Temperature, 'g', -1, 64)
}

// key names all that can change the reply; not the tier, the limit of time, or the key.
func (j *Judge) key(r request) string {
	caps := j.caps.Load()
	h := sha256.New()
	add := func(fields ...string) {
		for _, f := range fields {
			h.Write([]byte(strconv.Itoa(len(f))))
			h.Write([]byte{':'})
			h.Write([]byte(f))
		}
	}
	add(j.chat.endpoint, j.cfg.Model, r.task.hash, string(caps.Format), j.sampling(), j.effort(),
		strconv.Itoa(r.maxTokens), strconv.Itoa(r.n), strconv.Itoa(r.take))
	for _, m := range r.messages[1:] {
		add(m.Role, m.Content)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// send pays for an answer and keeps it; a nil keep forgets it.
func (j *Judge) send(ctx context.Context, r request, c *scorer.Call, keep func(answer) error) (answer, error) {
	caps := *j.caps.Load()
	wire := j.wire(r, caps)
	var raw []byte // what the library does not read of a reply
	ctx = withCopy(ctx, &raw)
	tier := tierOf(j.cfg)
	var a answer
	err := j.chat.try(ctx, r.weight(), func(ctx context.Context) (reported, error) {
		wire.ServiceTier = goopenai.ServiceTier(tier.name)
		resp, err := j.create(ctx, r, wire, caps, c)
		tier.saw(err)
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field == "created" {
			err = nil // some servers write it as a fraction; nobody needs it
		}
		if err == nil && len(resp.Choices) == 0 {
			err = errNoChoices
		}
		a = answerOf(resp)
		a.think(raw)
		a.bill(raw, j.prices, isSecondTime(ctx))
		j.total.add(a.Usage)
		j.chat.metrics.used(j.cfg.Model, a.Usage)
		c.Add(scorer.Call{Usage: a.Usage, Model: a.Model, Fingerprint: a.Fingerprint, Standin: a.Standin})
		return reported{resp.Header(), resp.Usage.PromptTokens + resp.Usage.CompletionTokens}, err
	}, func() error {
		if keep == nil {
			return nil
		}
		return keep(a)
	})
	return a, err
}

// create makes a request, and a second one where the first was refused for fields that are no
// part of the question.
func (j *Judge) create(ctx context.Context, r request, wire goopenai.ChatCompletionRequest, caps Capabilities, c *scorer.Call) (goopenai.ChatCompletionResponse, error) {
	for {
		fields, steered := j.steer(ctx, r.task)
		isSteered := len(fields) > 0
		c.Usage.ChatRequests++
		resp, err := j.chat.api.CreateChatCompletion(withExtra(steered, j.extra(caps, fields)), wire)
		if !isSteered || !j.refusesCache(err) {
			return resp, err
		}
	}
}

// extra are the fields of the body that the library cannot send.
func (j *Judge) extra(caps Capabilities, fields []string) string {
	if j.cfg.Temperature != nil && caps.Temperature && *j.cfg.Temperature == 0 {
		fields = append(fields, `"temperature":0`) // the library takes 0 for "not set"
	}
	if caps.Effort == effortThinking {
		fields = append(fields, `"thinking":{"type":"disabled"}`)
	}
	return strings.Join(fields, ",")
}

func (j *Judge) wire(r request, caps Capabilities) goopenai.ChatCompletionRequest {
	wire := goopenai.ChatCompletionRequest{
		Model: j.cfg.Model, Messages: r.messages,
		ResponseFormat: formatOf(caps.Format, r.task),
	}
	if caps.Effort == effortField {
		wire.ReasoningEffort = j.cfg.ReasoningEffort
	}
	if r.n > 1 {
		wire.N = r.n
	}
	limit := r.maxTokens
	if effort := wire.ReasoningEffort; caps.Thinks && !r.exact || effort != "" && effort != goopenai.ReasoningEffortNone {
		limit += thinkingTokens
	}
	if caps.TokenLimit == limitMaxTokens {
		wire.MaxTokens = limit //nolint:staticcheck // the only name that Ollama and others know
	} else {
		wire.MaxCompletionTokens = limit
	}
	if j.cfg.Temperature != nil && caps.Temperature {
		wire.Temperature = float32(*j.cfg.Temperature)
	}
	return wire
}

// formatOf returns nil where the format is left to the prompt.
func formatOf(f Format, t task) *goopenai.ChatCompletionResponseFormat {
	if f == FormatText {
		return nil
	}
	if f == FormatObject {
		return &goopenai.ChatCompletionResponseFormat{Type: goopenai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return &goopenai.ChatCompletionResponseFormat{
		Type: goopenai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &goopenai.ChatCompletionResponseFormatJSONSchema{
			Name: t.schema, Schema: json.RawMessage(t.shape), Strict: f != FormatLoose,
		},
	}
}

func answerOf(resp goopenai.ChatCompletionResponse) answer {
	a := answer{Model: resp.Model, Fingerprint: resp.SystemFingerprint, Usage: scorer.Usage{
		PromptTokens: int64(resp.Usage.PromptTokens), CompletionTokens: int64(resp.Usage.CompletionTokens),
	}}
	if d := resp.Usage.PromptTokensDetails; d != nil {
		a.Usage.CachedTokens = int64(d.CachedTokens)
	}
	a.Standin = resp.Header().Get(standinHeader) != "" || a.Model == standinModel || a.Fingerprint == standinModel
	for _, c := range resp.Choices {
		a.Choices = append(a.Choices, choice{Content: c.Message.Content, Finish: string(c.FinishReason), Refusal: c.Message.Refusal != ""})
	}
	return a
}

// allows says whether a server may answer with this model: the configured one, a dated
// snapshot of it, or one of the list. A server that names none is taken at its word.
func (j *Judge) allows(model string) bool {
	if model == "" || model == j.cfg.Model || slices.Contains(j.cfg.ResponseModels, model) {
		return true
	}
	return isSnapshot(model, j.cfg.Model)
}

func shortName(name string) string {
	const limit = 80
	if len(name) > limit {
		return strings.ToValidUTF8(name[:limit], "") + "…"
	}
	return name
}
