package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// minPrefix is how long a prompt is at least, in tokens, for a server to cache it.
const minPrefix = 1024

// steersCache says whether the cache of prompts is told what to keep. Left to itself a server
// of this kind writes every prompt to its cache, up to the last message, at 1.25 times the
// price, and reads nothing back: what comes last is never the same twice.
func (j *Judge) steersCache() bool {
	switch j.cfg.PromptCache {
	case "off":
		return false
	case "explicit":
		return !j.cacheRefused.Load()
	}
	return knowsCache(j.cfg.Model) && !j.cacheRefused.Load()
}

// knowsCache says whether a model takes the fields. Models before answer them with 400.
func knowsCache(model string) bool {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	return strings.HasPrefix(model, "gpt-5.6") || strings.HasPrefix(model, "gpt-6")
}

// steer adds what tells the server's cache to keep the prompt, which is the same in each
// call, and nothing behind it. A prompt too short to be kept gets no mark: then nothing is
// written at all.
func (j *Judge) steer(ctx context.Context, t task) (fields []string, steered context.Context) {
	if !j.steersCache() {
		return nil, ctx
	}
	fields = []string{`"prompt_cache_options":{"mode":"explicit"}`}
	if tokens(t.prompt)+tokens(string(t.shape)) < minPrefix {
		return fields, ctx
	}
	return append(fields, `"prompt_cache_key":"leadline-`+t.hash+`"`), withMark(ctx, t.prompt)
}

type markKey struct{}

// withMark has the message with this content marked as the end of what is cached. The client
// library has no field for it.
func withMark(ctx context.Context, content string) context.Context {
	return context.WithValue(ctx, markKey{}, content)
}

// mark writes the content of the marked message as a part with a breakpoint.
func mark(req *http.Request) error {
	content, ok := req.Context().Value(markKey{}).(string)
	if !ok {
		return nil
	}
	defer req.Body.Close()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	part := `"content":[{"type":"text","text":` + string(text) + `,"prompt_cache_breakpoint":{"mode":"explicit"}}]`
	setBody(req, bytes.Replace(body, append([]byte(`"content":`), text...), []byte(part), 1))
	return nil
}

func setBody(req *http.Request, body []byte) {
	req.Body, req.ContentLength, req.GetBody = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
}

// refusesCache says whether the server refused the fields for its cache. It is asked without
// them from then on: they change what is paid and nothing else.
func (j *Judge) refusesCache(err error) bool {
	s, ok := statusOf(err)
	if !ok || s.http != http.StatusBadRequest && s.http != http.StatusUnprocessableEntity || !s.has("prompt_cache") {
		return false
	}
	if j.cacheRefused.Swap(true) {
		return true
	}
	j.chat.log.Warn().Str("model", j.cfg.Model).Msg("the server refuses the fields for its prompt cache; it is asked without them (judge.prompt_cache: off says so for good)")
	return true
}
