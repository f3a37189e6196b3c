package standin

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// maxChoices is the largest n that OpenAI documents.
const maxChoices = 128

// chatRequest is what the stand-in reads of a chat request.
type chatRequest struct {
	model       string
	task        string
	format      string // response_format.type
	n           int
	temperature bool // was sent
	limit       int  // of the reply, in tokens; 0: none
	payload     string
	prompt      int          // estimated tokens
	raw         gjson.Result // the whole body
}

// completion is the reply, in the shape OpenAI gives it.
type completion struct {
	ID          string   `json:"id"`
	Object      string   `json:"object"`
	Created     int64    `json:"created"`
	Model       string   `json:"model"`
	Fingerprint string   `json:"system_fingerprint"`
	Choices     []choice `json:"choices"`
	Usage       usage    `json:"usage"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      message `json:"message"`
	FinishReason string  `json:"finish_reason"`
}

type message struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Refusal *string `json:"refusal"`
	// What a model thought before it replied, where servers put it.
	Reasoning        string `json:"reasoning,omitempty"`
	ReasoningContent string `json:"reasoning_content,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	// Details is left out by models that do not think.
	Details *completionDetails `json:"completion_tokens_details,omitempty"`
}

type completionDetails struct {
	Reasoning int `json:"reasoning_tokens"`
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	q, bad := parseChat(body, s.profile.anyModel)
	x := s.arrive(w, r, q.task, body)
	x.request = q
	if x.takenOver() {
		return
	}
	if bad == nil {
		bad = s.profile.refuses(q)
	}
	if bad != nil {
		s.refuse(w, bad)
		return
	}
	if s.profile.serve != nil {
		s.profile.serve(&x.request)
	}
	contents, bad := s.reply(x)
	if bad != nil {
		s.refuse(w, bad)
		return
	}
	c := newCompletion(contents, x.request.prompt)
	s.profile.shape(x.request, &c)
	c.cut(x.request.limit)
	x.spoil(func(m mode, f Fault) bool {
		if m.reply != nil {
			m.reply(f, &c)
		}
		return m.reply != nil
	})
	x.used = c.Usage
	b, err := json.Marshal(c)
	if err != nil {
		http.Error(w, "encode the completion: "+err.Error(), http.StatusInternalServerError)
		return
	}
	x.finish(b)
}

// reply makes the content of every choice.
func (s *Server) reply(x *exchange) ([]string, *apiError) {
	contents := make([]string, x.request.n)
	for i := range contents {
		if i > 0 && x.request.task != taskQuestion {
			contents[i] = contents[0]
			continue
		}
		content, bad := s.perform(x, i)
		if bad != nil {
			return nil, bad
		}
		x.spoil(func(m mode, _ Fault) bool {
			if m.content != nil {
				content = m.content(content)
			}
			return m.content != nil
		})
		contents[i] = content
	}
	return contents, nil
}

func newCompletion(contents []string, prompt int) completion {
	c := completion{ID: "standin", Object: "chat.completion", Model: Model, Fingerprint: Model, Usage: usage{Prompt: prompt}}
	for i, content := range contents {
		c.Choices = append(c.Choices, choice{Index: i, FinishReason: "stop", Message: message{Role: "assistant", Content: content}})
		c.Usage.Completion += estimateTokens(content)
	}
	c.Usage.Total = c.Usage.Prompt + c.Usage.Completion
	return c
}

// cut ends each choice that is longer than limit tokens. Thoughts come first and count, too.
func (c *completion) cut(limit int) {
	if limit == 0 {
		return
	}
	completion := 0
	for i := range c.Choices {
		ch := &c.Choices[i]
		thoughts := 0
		if c.Usage.Details != nil {
			thoughts = c.Usage.Details.Reasoning / len(c.Choices)
		}
		used := thoughts + estimateTokens(ch.Message.Content)
		if room := limit - thoughts; used > limit {
			runes := []rune(ch.Message.Content)
			ch.Message.Content, ch.FinishReason = string(runes[:min(max(room, 0), len(runes))]), "length"
			used = limit
		}
		completion += used
	}
	c.Usage.Completion = completion
	c.Usage.Total = c.Usage.Prompt + completion
}

// parseChat reads a request as far as it is valid, and says what is wrong with it.
func parseChat(body []byte, anyModel bool) (chatRequest, *apiError) {
	q := chatRequest{task: taskUnknown, n: 1}
	if !gjson.ValidBytes(body) {
		return q, badRequest("", "the body is not JSON")
	}
	var messages gjson.Result
	stream := false
	schema := ""
	q.raw = gjson.ParseBytes(body)
	q.raw.ForEach(func(key, v gjson.Result) bool {
		switch key.String() {
		case "model":
			q.model = v.String()
		case "n":
			q.n = max(1, int(v.Int()))
		case "stream":
			stream = v.Bool()
		case "temperature":
			q.temperature = v.Type == gjson.Number
		case "max_tokens", "max_completion_tokens":
			q.limit = max(q.limit, int(v.Int()))
		case "response_format":
			q.format = v.Get("type").String()
			schema = v.Get("json_schema.name").String()
		case "messages":
			messages = v
			q.prompt = estimateTokens(v.Raw)
		}
		return true
	})
	if schema == "" {
		schema = firstLine(content(messages, "system"))
	}
	q.task = route(schema)
	q.payload = content(messages, "user")
	return q, q.problem(stream, anyModel)
}

func (q chatRequest) problem(stream, anyModel bool) *apiError {
	switch {
	case q.model != Model && !anyModel:
		return wrongModel()
	case stream:
		return badRequest("stream", "the stand-in does not stream")
	case q.n > maxChoices:
		return badRequest("n", "n: must be at most %d", maxChoices)
	case q.task == taskUnknown:
		return badRequest("response_format", "the stand-in compares words and knows only the tasks statements, verdicts and question of v1 and v2, probe_v1 and count_v1")
	case !gjson.Valid(q.payload) || !gjson.Parse(q.payload).IsObject():
		return badRequest("messages", "the first user message must be one JSON object")
	}
	return nil
}

// content returns the text of the first message of a role. Later ones of the user are
// complaints about an earlier reply.
func content(messages gjson.Result, role string) string {
	var found string
	messages.ForEach(func(_, m gjson.Result) bool {
		if m.Get("role").String() != role {
			return true
		}
		found = text(m.Get("content"))
		return false
	})
	return found
}

// text joins a content given as parts.
func text(content gjson.Result) string {
	if !content.IsArray() {
		return content.String()
	}
	var b strings.Builder
	for _, part := range content.Array() {
		b.WriteString(part.Get("text").String())
	}
	return b.String()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}

// route finds the task by the name of the schema asked for, or by the first line of the
// system message.
func route(name string) string {
	switch name {
	case "statements_v1", "statements_v2", "Task id: statements/v1", "Task id: statements/v2":
		return taskStatements
	case "verdicts_v1", "verdicts_v2", "Task id: verdicts/v1", "Task id: verdicts/v2":
		return taskVerdicts
	case "question_v1", "question_v2", "Task id: question/v1", "Task id: question/v2":
		return taskQuestion
	case "probe_v1", "Task id: probe/v1":
		return taskProbe
	case "count_v1", "Task id: count/v1":
		return taskCount
	}
	return taskUnknown
}
