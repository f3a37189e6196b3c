package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"leadline/config"
	"leadline/scorer"
	"leadline/scorer/openai"
)

// thoughts is a reply whose content is empty, with what was thought in a field of its own.
func thoughts(field string) reply {
	return reply{Body: `{"model":"judge-1","choices":[{"index":0,"finish_reason":"length","message":{"role":"assistant","content":"","` + field + `":"UserText, hm"}}],` +
		`"usage":{"prompt_tokens":100,"completion_tokens":600}}`}
}

func TestModelThatOnlyThinksIsSaidSo(t *testing.T) {
	for name, r := range map[string]reply{
		"reasoning":         thoughts("reasoning"),
		"reasoning_content": thoughts("reasoning_content"),
		"tokens alone": {Body: `{"model":"judge-1","choices":[{"index":0,"finish_reason":"length","message":{"role":"assistant","content":""}}],` +
			`"usage":{"prompt_tokens":100,"completion_tokens":600,"completion_tokens_details":{"reasoning_tokens":600}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			judge, s := planJudge(t, r)
			_, _, err := judge.Statements(t.Context(), "q", "an answer")
			u, ok := errors.AsType[*scorer.UnscorableError](err)
			if !ok || u.Reason != scorer.ReasonOnlyThought || !strings.Contains(u.Detail, "the model only thought") || !strings.Contains(u.Detail, "judge.reasoning_effort") {
				t.Fatalf("error %v, want only_thought and what to do", err)
			}
			first, _ := field[int](t, s.bodies[0], "max_tokens")
			second, _ := field[int](t, s.bodies[1], "max_tokens")
			if len(s.bodies) != 2 || second != 2*first || strings.Contains(s.bodies[1], "not usable") {
				t.Errorf("%d requests with room for %d and %d, want a second with twice the room and no complaint", len(s.bodies), first, second)
			}
			checkSilent(t, err)
		})
	}
}

func TestThoughtsBesideAReplyDoNoHarm(t *testing.T) {
	judge, _ := planJudge(t, reply{Body: `{"model":"judge-1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":` + quote(good) + `,"reasoning":"hm"}}]}`})
	if got, _, err := judge.Statements(t.Context(), "q", "an answer"); err != nil || len(got) == 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestShapesOfErrors has a row for each way in which servers are known to answer.
func TestShapesOfErrors(t *testing.T) {
	for name, c := range map[string]struct {
		reply reply
		want  any // a reason, or an error that it is
	}{
		"OpenAI's object":               {reply{Status: 400, Body: `{"error":{"message":"no","type":"invalid_request_error","param":null,"code":null}}`}, scorer.ReasonBadRequest},
		"its code a number":             {reply{Status: 429, Body: `{"error":{"message":"insufficient_quota","type":"x","code":429}}`}, scorer.ErrJudgePaused},
		"a text (LM Studio)":            {reply{Status: 400, Body: `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`}, scorer.ReasonBadRequest},
		"a text, 401":                   {reply{Status: 401, Body: `{"error":"UserText"}`}, scorer.ErrJudgePaused},
		"HTML":                          {reply{Status: 403, Body: "<html>UserText</html>"}, scorer.ErrJudgePaused},
		"empty":                         {reply{Status: 400}, scorer.ReasonBadRequest},
		"Gemini's list":                 {reply{Status: 400, Body: `[{"error":{"code":400,"message":"UserText","status":"INVALID_ARGUMENT"}}]`}, scorer.ReasonBadRequest},
		"Gemini's list, key":            {reply{Status: 401, Body: `[{"error":{"code":401,"message":"UserText"}}]`}, scorer.ErrJudgePaused},
		"FastAPI's detail":              {reply{Status: 422, Body: `{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"UserText"}]}`}, scorer.ReasonBadRequest},
		"vLLM's flat object, too long":  {reply{Status: 400, Body: `{"object":"error","message":"This model's maximum context length is 4096 tokens","type":"BadRequestError","code":400}`}, scorer.ReasonTooLong},
		"Azure's filter, inner error":   {reply{Status: 400, Body: `{"error":{"message":"UserText","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`}, scorer.ReasonContentFilter},
		"200 with an error object":      {reply{Body: `{"error":{"message":"UserText","type":"server_error"}}`}, scorer.ErrJudgeDown},
		"200 with an error text":        {reply{Body: `{"error":"UserText"}`}, scorer.ErrJudgeDown},
		"200 with HTML":                 {reply{Body: "<html>UserText</html>"}, scorer.ErrJudgeDown},
		"200 with nothing":              {reply{Body: ""}, scorer.ErrJudgeDown},
		"200, cut":                      {reply{Body: `{"model":"judge-1","choices":[{"mess`}, scorer.ErrJudgeDown},
		"see other":                     {reply{Status: 303, Header: map[string]string{"Location": "https://elsewhere.test/"}}, scorer.ErrJudgePaused},
		"permanent redirect":            {reply{Status: 308, Header: map[string]string{"Location": "https://elsewhere.test/"}}, scorer.ErrJudgePaused},
		"created with a fraction":       {reply{Body: `{"model":"judge-1","created":1764576000.25,"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":` + quote(good) + `}}]}`}, nil},
		"created with a fraction, none": {reply{Body: `{"model":"judge-1","created":1764576000.25,"choices":[]}`}, scorer.ErrJudgeDown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				judge, _ := planJudge(t, c.reply)
				_, _, err := judge.Statements(t.Context(), "q", "UserText")
				switch want := c.want.(type) {
				case nil:
					if err != nil {
						t.Errorf("error %v, want none", err)
					}
					return
				case error:
					if !errors.Is(err, want) {
						t.Errorf("error %v, want %v", err, want)
					}
				case scorer.Reason:
					if u, ok := errors.AsType[*scorer.UnscorableError](err); !ok || u.Reason != want {
						t.Errorf("error %v, want %s", err, want)
					}
				}
				checkSilent(t, err)
			})
		})
	}
}

// refusing is a server that names what it refuses and takes all else.
func refusing(t *testing.T, refused map[string]string) *script {
	return &script{answer: func(path, body string) reply {
		if strings.HasSuffix(path, "/embeddings") {
			return vector
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &fields); err != nil {
			t.Error(err)
		}
		for name, part := range refused {
			if value, ok := fields[name]; ok && strings.Contains(string(value), part) {
				return reply{Status: 400, Body: fmt.Sprintf(`{"error":{"message":"%s is not supported","type":"invalid_request_error","param":%q}}`, name, name)}
			}
		}
		return capable(path, body)
	}}
}

func TestOnlyWhatAServerNamesIsGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		refused  map[string]string
		effort   string
		change   func(*openai.Capabilities)
		requests int
	}{
		"strict":           {map[string]string{"response_format": `"strict":true`}, "", func(c *openai.Capabilities) { c.Format = openai.FormatLoose }, 4},
		"schemas":          {map[string]string{"response_format": `json_schema`}, "", func(c *openai.Capabilities) { c.Format = openai.FormatObject }, 5},
		"every format":     {map[string]string{"response_format": ``}, "", func(c *openai.Capabilities) { c.Format = openai.FormatText }, 6},
		"temperature":      {map[string]string{"temperature": ``}, "", func(c *openai.Capabilities) { c.Temperature = false }, 4},
		"max_tokens":       {map[string]string{"max_tokens": ``}, "", func(c *openai.Capabilities) { c.TokenLimit = "max_completion_tokens" }, 4},
		"effort":           {map[string]string{"reasoning_effort": ``}, "none", func(c *openai.Capabilities) { c.Effort = "thinking" }, 4},
		"effort, thinking": {map[string]string{"reasoning_effort": ``, "thinking": ``}, "none", func(c *openai.Capabilities) { c.Effort = "omitted" }, 5},
		"several at once": {map[string]string{"temperature": ``, "max_tokens": ``, "n": ``}, "", func(c *openai.Capabilities) {
			c.Temperature, c.TokenLimit, c.Generations = false, "max_completion_tokens", false
		}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			s, cfg := refusing(t, c.refused), judgeConfig()
			cfg.ReasoningEffort = c.effort
			want := openai.Capabilities{Format: openai.FormatSchema, Generations: true, Temperature: true, TokenLimit: "max_tokens"}
			c.change(&want)
			got, err := newJudge(t, cfg, s, options()).Probe(t.Context())
			if err != nil || got != want || s.requests() != c.requests {
				t.Errorf("%+v, %v by %d requests, want %+v by %d", got, err, s.requests(), want, c.requests)
			}
		})
	}
}

func TestEffortIsNotDroppedUnlessItIsNone(t *testing.T) {
	cfg := judgeConfig()
	cfg.ReasoningEffort = "low"
	_, err := newJudge(t, cfg, refusing(t, map[string]string{"reasoning_effort": ""}), options()).Probe(t.Context())
	if !errors.Is(err, scorer.ErrJudgePaused) || !strings.Contains(err.Error(), "the server refuses reasoning_effort") {
		t.Errorf("error %v, want a pause that names it", err)
	}
}

func TestProbeAgainKeepsWhatIsTaken(t *testing.T) {
	prior := openai.Capabilities{Format: openai.FormatObject, Generations: true, TokenLimit: "max_completion_tokens"}
	s := &script{answer: capable}
	got, why, err := newJudge(t, judgeConfig(), s, options()).ProbeAgain(t.Context(), prior)
	if err != nil || got != prior || why != "" || s.requests() != 3 {
		t.Errorf("%+v, %q, %v by %d requests, want %+v by 3", got, why, err, s.requests(), prior)
	}
	s = refusing(t, map[string]string{"response_format": "json_object"})
	got, why, err = newJudge(t, judgeConfig(), s, options()).ProbeAgain(t.Context(), prior)
	if err != nil || got.Format != openai.FormatSchema || why != "status 400 invalid_request_error: the server refuses response_format" {
		t.Errorf("%+v, %q, %v, want json_schema and why", got, why, err)
	}
}

func TestModelsEndIsTold(t *testing.T) {
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, c := range []struct{ model, now, want string }{
		{"gpt-4o-mini", "2026-11-30", "shuts down on 2027-01-14 (45 days)"},
		{"gpt-4o-mini-2024-07-18", "2026-11-30", "shuts down on 2027-01-14 (45 days)"},
		{"openai/gpt-5-mini", "2026-11-30", "shuts down on 2026-12-11 (11 days)"},
		{"gpt-4.1-nano", "2026-11-30", "was to shut down on 2026-10-23"},
		{"gpt-4o", "2026-10-16", "shuts down on 2027-01-14 (90 days)"},
		{"gpt-4o", "2026-10-15", ""},
		{"gpt-4o-audio", "2026-11-30", ""},
		{"gpt-6-luna", "2026-11-30", ""},
	} {
		end, ok := openai.ShutdownOf(c.model, day(c.now))
		if ok != (c.want != "") || ok && !strings.Contains(end.Text(day(c.now)), c.want) {
			t.Errorf("%s on %s: %v %q, want %q", c.model, c.now, ok, end.Text(day(c.now)), c.want)
		}
		if ok && (!strings.Contains(end.Text(day(c.now)), "leadline judge bridge") || !strings.Contains(end.Text(day(c.now)), "as of 2026-11-30")) {
			t.Errorf("%s: %q names neither the way out nor the date", c.model, end.Text(day(c.now)))
		}
	}
}

func TestListOfModelsIsRead(t *testing.T) {
	soon := time.Now().Add(30 * 24 * time.Hour)
	for name, c := range map[string]struct {
		list reply
		want []string
	}{
		"there":       {reply{Body: `{"data":[{"id":"other"},{"id":"judge-1"}]}`}, []string{"ok models judge-1 is on the server's list of 2"}},
		"Gemini":      {reply{Body: `{"data":[{"id":"models/judge-1"}]}`}, []string{"ok models judge-1 is on the server's list of 1"}},
		"absent":      {reply{Body: `{"data":[{"id":"other"}]}`}, []string{"WARNING models judge-1 is not on the server's list of 1: check judge.model; it has other"}},
		"no list":     {reply{Status: 404, Body: "no"}, []string{"note models the server lists no models"}},
		"wrong key":   {apiError(401, "x"), []string{"note models unknown: status 401; whether it has judge-1 is seen in the next step"}},
		"rate":        {apiError(429, "x"), []string{"note models unknown: status 429; "}},
		"overloaded":  {apiError(503, "x"), []string{"note models unknown: status 503; "}},
		"no server":   {reply{Err: refused()}, []string{"note models unknown: connection refused; "}},
		"not a list":  {reply{Body: "<html>"}, []string{"note models the server lists no models"}},
		"a date":      {reply{Body: `{"data":[{"id":"judge-1","shutdown_date":"` + soon.Format(time.DateOnly) + `"}]}`}, []string{"WARNING shutdown model judge-1 shuts down on " + soon.UTC().Format(time.DateOnly)}},
		"seconds":     {reply{Body: fmt.Sprintf(`{"data":[{"id":"judge-1","shutdown_date":%d}]}`, soon.Unix())}, []string{"WARNING shutdown model judge-1 shuts down on " + soon.UTC().Format(time.DateOnly), "by the server's list"}},
		"deprecation": {reply{Body: `{"data":[{"id":"judge-1","deprecation":"` + soon.UTC().Format(time.RFC3339) + `"}]}`}, []string{"WARNING shutdown model judge-1 shuts down on"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{answer: func(path, body string) reply {
				switch {
				case strings.HasSuffix(path, "/models"):
					return c.list
				case strings.Contains(body, "Task id: verdicts/v1"):
					return says(`{"verdicts":[{"i":1,"reason":"","verdict":1},{"i":2,"reason":"","verdict":1}]}`)
				}
				return capable(path, body)
			}}
			cfg := judgeConfig()
			cfg.Embeddings = config.Embeddings{}
			var told []string
			err := newJudge(t, cfg, s, options()).Examine(t.Context(), func(f openai.Finding) {
				told = append(told, string(f.Level)+" "+f.Step+" "+f.Text)
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(strings.Join(told, "\n"), want) {
					t.Errorf("told\n%s\nwant %q in it", strings.Join(told, "\n"), want)
				}
			}
		})
	}
}

func TestFactMissedAtTheEndOfALongPromptFails(t *testing.T) {
	for missed, verdicts := range map[string][2]int{"beginning": {0, 1}, "end": {1, 0}, "": {1, 1}} {
		judge, _ := planJudge(t, reply{Prompt: 24_000, Contents: []string{fmt.Sprintf(`{"verdicts":[{"i":1,"reason":"","verdict":%d},{"i":2,"reason":"","verdict":%d}]}`, verdicts[0], verdicts[1])}})
		f, err := judge.LongPrompt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := openai.LevelFailed
		if missed == "" {
			want = openai.LevelOK
		}
		if f.Level != want || missed != "" && !strings.Contains(f.Text, "a fact at the "+missed) {
			t.Errorf("missed %q: %s %s", missed, f.Level, f.Text)
		}
	}
}
