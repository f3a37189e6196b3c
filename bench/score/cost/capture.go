package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/tidwall/gjson"

	"leadline/bench/score/o200k"
	"leadline/config"
	"leadline/price"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
)

// call is one chat request as it was sent. Fixed is the prompt with its schema, which every
// request of the task begins with; Marked says that the server is told to keep it.
type call struct {
	task        string
	fixed, rest int
	marked      bool
	completion  int
	run         int
}

// split is what an answer was taken apart into.
type split struct{ n, tokens, reply int }

// sent is all that was sent. It carries the requests to the stand-in.
type sent struct {
	calls      []call
	embeddings int
	prefix     map[string]int
	splits     map[string]split // by answer
}

type recorder struct {
	stand *standin.Server
	count o200k.Counter
	model string
	run   int // which run is on

	mu   sync.Mutex // guards sent
	sent sent
}

// RoundTrip answers as a server with the priced model would.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	asked := bytes.Replace(body, []byte(`"model":"`+r.model+`"`), []byte(`"model":"`+standin.Model+`"`), 1)
	w := httptest.NewRecorder()
	r.stand.ServeHTTP(w, httptest.NewRequestWithContext(req.Context(), http.MethodPost, req.URL.Path, bytes.NewReader(asked)))
	reply := bytes.ReplaceAll(w.Body.Bytes(), []byte(`"model":"`+standin.Model+`"`), []byte(`"model":"`+r.model+`"`))
	r.note(req.URL.Path, gjson.ParseBytes(body), gjson.ParseBytes(reply))
	w.Result().Body.Close()
	return &http.Response{StatusCode: w.Code, Header: w.Header(), Request: req, Body: io.NopCloser(bytes.NewReader(reply)), ContentLength: int64(len(reply))}, nil
}

func (r *recorder) note(path string, q, reply gjson.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.HasSuffix(path, "/embeddings") {
		r.sent.embeddings++
		return
	}
	c := call{task: q.Get("response_format.json_schema.name").String(), run: r.run}
	system, user := q.Get("messages.0.content"), q.Get("messages.1.content").String()
	c.marked = system.IsArray()
	text := system.String()
	if c.marked {
		text = system.Get("0.text").String()
	}
	c.fixed = r.count.Text(text) + r.count.Text(q.Get("response_format.json_schema.schema").Raw)
	for _, m := range q.Get("messages").Array()[1:] {
		c.rest += r.count.Text(m.Get("content").String())
	}
	content := reply.Get("choices.0.message.content").String()
	switch task, _, _ := strings.Cut(c.task, "_"); task {
	case "statements":
		s := split{reply: r.count.Text(content)}
		for _, one := range gjson.Get(content, "statements").Array() {
			s.n++
			s.tokens += r.count.Text(one.String())
		}
		r.sent.splits[gjson.Get(user, "answer").String()] = s
		c.completion = s.reply
	case "verdicts":
		c.completion = int(ourVerdict * float64(len(gjson.Get(user, "statements").Array())))
	default:
		c.completion = ourQuestion * questions
	}
	r.sent.prefix[c.task] = c.fixed
	r.sent.calls = append(r.sent.calls, c)
}

// inFlight is how many requests begin before the first is answered: what is in the cache by
// then none of them can read.
const inFlight = 4

// tokens sums up the calls. With cache, the marked prompts are written by the first requests
// of each run and read by the others: a run is over before they are forgotten (30 minutes).
func (s sent) tokens(cache bool) (t price.Tokens) {
	seen := map[string]int{}
	for _, c := range s.calls {
		t.Prompt += int64(c.fixed + c.rest)
		t.Completion += int64(c.completion)
		if !cache || !c.marked {
			continue
		}
		key := fmt.Sprint(c.run, c.task)
		if seen[key]++; seen[key] <= inFlight {
			t.CacheWrite += int64(c.fixed)
		} else {
			t.Cached += int64(c.fixed)
		}
	}
	return t
}

// capture scores the samples in runs, and returns what was sent.
func capture(ctx context.Context, samples []sampler.Sample, model, prompts string, count o200k.Counter) (sent, error) {
	stand, err := standin.New(standin.Options{})
	if err != nil {
		return sent{}, fmt.Errorf("make the stand-in: %w", err)
	}
	r := &recorder{stand: stand, count: count, model: model, sent: sent{prefix: map[string]int{}, splits: map[string]split{}}}
	cfg := config.Default().Judge
	cfg.BaseURL, cfg.Model, cfg.ReasoningEffort, cfg.ServiceTier, cfg.Embeddings.Model, cfg.Prompts = "http://127.0.0.1/v1", model, "none", config.Flex, standin.Model, prompts
	judge, err := openai.New(cfg, openai.Options{Transport: r, Log: zerolog.Nop()})
	if err != nil {
		return sent{}, err
	}
	s, err := scorer.New(scorer.Options{Judge: judge, Embedder: judge.Embedder(), IDs: judge.IDs(), Concurrency: inFlight, Log: zerolog.Nop()})
	if err != nil {
		return sent{}, err
	}
	for part := range slices.Chunk(samples, perRun) {
		if err := s.ScoreAll(ctx, part, func(scorer.Score) error { return nil }); err != nil {
			return sent{}, fmt.Errorf("score the records: %w", err)
		}
		r.run++
	}
	return r.sent, nil
}
