package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"leadline/scorer"
	"leadline/scorer/openai"
)

func apiError(status int, code string) reply {
	return reply{Status: status, Body: `{"error":{"message":"You sent ` + secret + ` and the text UserText","type":"` + code + `","code":"` + code + `"}}`}
}

func TestFailuresThatStopScoring(t *testing.T) {
	for name, r := range map[string]reply{
		"wrong key":        apiError(401, "invalid_api_key"),
		"forbidden":        apiError(403, "forbidden"),
		"no such model":    apiError(404, "model_not_found"),
		"no such path":     {Status: 404, Body: "<html>UserText</html>"},
		"quota":            apiError(429, "insufficient_quota"),
		"quota by message": {Status: 429, Body: `{"error":{"message":"insufficient_quota","type":"x","code":429}}`},
		"payment":          apiError(402, "billing"),
		"redirect":         {Status: 307, Header: map[string]string{"Location": "https://elsewhere.test/v1/chat/completions"}},
		"moved":            {Status: 302, Header: map[string]string{"Location": "https://elsewhere.test/"}},
	} {
		t.Run(name, func(t *testing.T) {
			judge, s := planJudge(t, r)
			_, _, err := judge.Statements(t.Context(), "q", "UserText")
			if !errors.Is(err, scorer.ErrJudgePaused) || s.requests() != 1 {
				t.Errorf("error %v after %d requests, want a pause after 1", err, s.requests())
			}
			checkSilent(t, err)
		})
	}
}

func TestFailuresOfOneSample(t *testing.T) {
	for name, c := range map[string]struct {
		reply  reply
		reason scorer.Reason
	}{
		"too long":            {apiError(400, "context_length_exceeded"), scorer.ReasonTooLong},
		"too long by message": {reply{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 4096 tokens"}}`}, scorer.ReasonTooLong},
		"body too large":      {reply{Status: 413, Body: "no"}, scorer.ReasonTooLong},
		"filter":              {apiError(400, "content_filter"), scorer.ReasonContentFilter},
		"bad request":         {apiError(400, "invalid_request_error"), scorer.ReasonBadRequest},
		"FastAPI":             {reply{Status: 422, Body: `{"detail":[{"msg":"UserText"}]}`}, scorer.ReasonBadRequest},
		"n refused":           {reply{Status: 500, Body: `{"error":{"message":"Only one completion choice is allowed","code":500}}`}, scorer.ReasonBadRequest},
		"huge response":       {reply{Body: strings.Repeat("x", 2<<20)}, scorer.ReasonBadReply},
	} {
		t.Run(name, func(t *testing.T) {
			judge, s := planJudge(t, c.reply)
			_, _, err := judge.Statements(t.Context(), "q", "UserText")
			u, ok := errors.AsType[*scorer.UnscorableError](err)
			if !ok || u.Reason != c.reason || s.requests() != 1 {
				t.Errorf("error %v after %d requests, want %s after 1", err, s.requests(), c.reason)
			}
			checkSilent(t, err)
		})
	}
}

func TestFailuresThatPassAreTriedAgain(t *testing.T) {
	for name, r := range map[string]reply{
		"rate limit":          apiError(429, "rate_limit_exceeded"),
		"flex is busy":        apiError(498, "capacity_exceeded"),
		"conflict":            apiError(409, "x"),
		"too early":           apiError(425, "x"),
		"request timeout":     apiError(408, "x"),
		"HTML":                {Status: 500, Body: "<html>UserText</html>"},
		"empty 502":           {Status: 502},
		"text error":          {Status: 503, Body: `{"error":"UserText"}`},
		"Gemini":              {Status: 503, Body: `[{"error":{"code":503,"message":"UserText"}}]`},
		"200 with an error":   {Body: `{"error":{"message":"UserText"}}`},
		"200 without choices": {Body: `{"model":"judge-1","choices":[]}`},
		"200 empty":           {Body: ""},
		"200 cut":             {Body: `{"model":"judge-1","choices":[{"mess`},
		"connection reset":    {Err: io.ErrUnexpectedEOF},
		"timeout":             {Err: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				judge, s := planJudge(t, r, r, says(good))
				_, call, err := judge.Statements(t.Context(), "q", "UserText")
				if err != nil || s.requests() != 3 || call.Usage.ChatRequests != 3 {
					t.Errorf("error %v, %d requests, usage %+v, want success at the third, all counted", err, s.requests(), call.Usage)
				}
				judge, s = planJudge(t, r)
				start := time.Now()
				_, _, err = judge.Statements(t.Context(), "q", "UserText")
				if !errors.Is(err, scorer.ErrJudgeDown) || s.requests() != 6 {
					t.Errorf("error %v after %d requests, want down after 6", err, s.requests())
				}
				if took := time.Since(start); took > 5*time.Minute {
					t.Errorf("gave up after %v, want at most 5 minutes", took)
				}
				checkSilent(t, err)
			})
		})
	}
}

func TestServersWishToWaitIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		header map[string]string
		least  time.Duration
	}{
		"seconds":        {map[string]string{"Retry-After": "20"}, 20 * time.Second},
		"fraction":       {map[string]string{"Retry-After": "7.5"}, 7500 * time.Millisecond},
		"milliseconds":   {map[string]string{"Retry-After-Ms": "9000", "Retry-After": "1"}, 9 * time.Second},
		"duration":       {map[string]string{"Retry-After": "1m30s"}, 90 * time.Second},
		"date":           {map[string]string{"Retry-After": "Sat, 01 Jan 2000 00:00:40 GMT"}, 40 * time.Second}, // a bubble's clock starts at midnight
		"reset":          {map[string]string{"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "6s"}, 6 * time.Second},
		"reset, Azure":   {map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "10"}, 10 * time.Second},
		"not exhausted":  {map[string]string{"X-Ratelimit-Remaining-Tokens": "9", "X-Ratelimit-Reset-Tokens": "6s"}, 0},
		"past date":      {map[string]string{"Retry-After": "Sat, 01 Jan 1999 00:00:00 GMT"}, 0},
		"negative":       {map[string]string{"Retry-After": "-5"}, 0},
		"not understood": {map[string]string{"Retry-After": "soon"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				judge, _ := planJudge(t, reply{Status: 429, Body: "{}", Header: c.header}, says(good))
				start := time.Now()
				if _, _, err := judge.Statements(t.Context(), "q", "an answer"); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took < c.least || took > c.least+time.Second {
					t.Errorf("waited %v, want %v or up to a second of jitter", took, c.least)
				}
			})
		})
	}
}

func TestServerThatAsksForTooLongIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		judge, s := planJudge(t, reply{Status: 503, Header: map[string]string{"Retry-After": "86400000"}})
		start := time.Now()
		_, _, err := judge.Statements(t.Context(), "q", "an answer")
		if !errors.Is(err, scorer.ErrJudgeDown) || s.requests() != 1 || time.Since(start) > time.Second {
			t.Errorf("error %v after %d requests and %v, want down at once", err, s.requests(), time.Since(start))
		}
	})
}

func TestEndOfTheContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		judge, _ := planJudge(t, reply{Status: 429, Header: map[string]string{"Retry-After": "60"}})
		_, _, err := judge.Statements(ctx, "q", "an answer")
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, scorer.ErrJudgeDown) {
			t.Errorf("error %v, want the end of the context, which says nothing about the judge", err)
		}
	})
}

func TestParametersThatTheLibraryRefusesPause(t *testing.T) {
	cfg := judgeConfig()
	cfg.Model = "o3-mini" // takes no temperature
	_, _, err := newJudge(t, cfg, &script{}, options()).Statements(t.Context(), "q", "an answer")
	if !errors.Is(err, scorer.ErrJudgePaused) {
		t.Errorf("error %v, want a pause", err)
	}
}

func TestRealServerGoneIsDown(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	cfg := judgeConfig()
	cfg.BaseURL = server.URL + "/v1"
	server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	judge, err := openai.New(cfg, options())
	if err != nil {
		t.Fatal(err)
	}
	_, call, err := judge.Statements(ctx, "q", "an answer")
	if !errors.Is(err, context.DeadlineExceeded) || call.Usage.ChatRequests == 0 {
		t.Errorf("error %v after %+v, want tries until the context ends", err, call.Usage)
	}
	checkSilent(t, err)
}

func TestRedirectIsNeverFollowed(t *testing.T) {
	asked := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	cfg := judgeConfig()
	cfg.BaseURL = server.URL
	judge, err := openai.New(cfg, options())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = judge.Statements(t.Context(), "q", "an answer")
	if !errors.Is(err, scorer.ErrJudgePaused) || asked {
		t.Errorf("error %v, other host asked: %v; want a pause and no request", err, asked)
	}
}

func TestConfigurationThatCannotWork(t *testing.T) {
	for _, url := range []string{"judge.test/v1", "ftp://judge.test", "https://user:" + secret + "@judge.test/v1", "https://judge.test/v1?key=" + secret, "https://", "http://[" + secret} {
		cfg := judgeConfig()
		cfg.BaseURL = url
		_, err := openai.New(cfg, options())
		if err == nil {
			t.Errorf("%q was accepted", url)
			continue
		}
		checkSilent(t, err)
	}
	cfg := judgeConfig()
	cfg.APIKey, cfg.APIKeyFile = "", filepath.Join(t.TempDir(), "none")
	if _, err := openai.New(cfg, options()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the key file does not exist", err)
	}
}

func TestKeyComesFromItsFileAndGoesOnlyToItsHost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ url, want string }{
		"same endpoint": {"", "Bearer " + secret},
		"same host":     {"https://judge.test/embed/v1", "Bearer " + secret},
		"other host":    {"https://embeddings.test/v1", ""},
	} {
		cfg := judgeConfig()
		cfg.APIKey, cfg.APIKeyFile = "", file
		cfg.Embeddings.BaseURL = c.url
		s := &script{replies: []reply{says(good), {Body: `{"data":[{"index":0,"embedding":[1]}]}`}}}
		judge := newJudge(t, cfg, s, options())
		if _, _, err := judge.Statements(t.Context(), "q", "an answer"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := judge.Embedder().Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
		if got := s.headers[0].Get("Authorization"); got != "Bearer "+secret {
			t.Errorf("%s: the judge gets %q", name, got)
		}
		if got := s.headers[1].Get("Authorization"); got != c.want {
			t.Errorf("%s: the embedder gets %q, want %q", name, got, c.want)
		}
	}
}

func TestRequestsAndTokensAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewRegistry()
		s := &script{replies: []reply{apiError(429, "rate_limit_exceeded"), says(good)}}
		judge := newJudge(t, judgeConfig(), s, openai.Options{Registerer: reg})
		if _, _, err := judge.Statements(t.Context(), "q", "an answer"); err != nil {
			t.Fatal(err)
		}
		want := `
# HELP leadline_judge_requests_total Requests to the judge and its embedding model, failed ones too, by outcome.
# TYPE leadline_judge_requests_total counter
leadline_judge_requests_total{model="judge-1",outcome="ok"} 1
leadline_judge_requests_total{model="judge-1",outcome="rate_limited"} 1
# HELP leadline_judge_tokens_total Tokens that the judge and its embedding model counted, by kind: prompt, cached (part of prompt), completion, embedding.
# TYPE leadline_judge_tokens_total counter
leadline_judge_tokens_total{kind="cached",model="judge-1"} 5
leadline_judge_tokens_total{kind="completion",model="judge-1"} 10
leadline_judge_tokens_total{kind="prompt",model="judge-1"} 100
`
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "leadline_judge_requests_total", "leadline_judge_tokens_total"); err != nil {
			t.Error(err)
		}
		if _, err := openai.New(judgeConfig(), openai.Options{Registerer: reg}); err == nil {
			t.Error("a second judge on the same registerer was accepted")
		}
	})
}

// checkSilent looks for the planted key and text.
func checkSilent(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, planted := range []string{secret, "UserText", "elsewhere.test"} {
		if strings.Contains(err.Error(), planted) {
			t.Errorf("error shows %q: %v", planted, err)
		}
	}
}
