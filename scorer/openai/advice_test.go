package openai_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"leadline/scorer"
	"leadline/scorer/openai"
)

// says400 is a rejected request in a server's words.
func says400(message string) reply {
	return reply{Status: 400, Body: `{"error":{"message":` + quote(message) + `,"type":"invalid_request_error"}}`}
}

func TestRefusalsNameTheSettingThatIsWrong(t *testing.T) {
	const chat, embed = "judge.test/v1", "embed.test/v1"
	for name, c := range map[string]struct {
		reply       reply
		judge, both string // what is said of the judge, and of the embeddings
	}{
		"wrong key":    {apiError(401, "invalid_api_key"), "status 401 invalid_api_key; the server does not take the key: check judge.api_key_file", "judge.embeddings.api_key"},
		"not allowed":  {apiError(403, "forbidden"), "status 403 forbidden; the key may not do this: check judge.api_key_file and what it may use, such as judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"no model":     {apiError(404, "model_not_found"), "the server does not know the model: check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"other code":   {apiError(400, "model_not_found"), "the server does not know the model: check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"vLLM":         {reply{Status: 404, Body: `{"object":"error","message":"The model ` + "`judge-1`" + ` does not exist.","type":"NotFoundError","code":404}`}, "check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"wrong path":   {reply{Status: 404, Body: "404 page not found"}, "no such path or model: check judge.base_url (https://judge.test/v1) and judge.model (judge-1)", "judge.embeddings.base_url (https://embed.test/v1)"},
		"quota":        {apiError(429, "insufficient_quota"), "the quota of the key is used up: raise it, or change judge.api_key_file", "judge.embeddings.api_key"},
		"payment":      {apiError(402, "billing"), "the quota of the key is used up: raise it, or change judge.api_key_file", "judge.embeddings.api_key"},
		"redirect":     {reply{Status: 307, Header: map[string]string{"Location": "https://elsewhere.test/"}}, "set judge.base_url (https://judge.test/v1) to where it leads", "judge.embeddings.base_url (https://embed.test/v1)"},
		"Mistral":      {says400("Invalid model: judge-1"), "check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"DeepSeek":     {says400("Model Not Exist"), "check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"OpenRouter":   {says400("judge-1 is not a valid model ID"), "check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"LiteLLM":      {says400("/chat/completions: Invalid model name passed in model=judge-1"), "check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"Bedrock":      {says400("The provided model identifier is invalid."), "check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"Azure":        {reply{Status: 404, Body: `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource is not there."}}`}, "check judge.model (judge-1)", "judge.embeddings.model (embed-1)"},
		"bad request":  {says400("no"), "check judge.model (judge-1), judge.reasoning_effort and judge.service_tier", "check judge.embeddings.model (embed-1) and judge.embeddings.dimensions"},
		"other vector": {reply{Body: `{"data":[{"index":0,"embedding":[1,2]}]}`}, "", "a vector of 2 dimensions; check judge.embeddings.model (embed-1) and judge.embeddings.dimensions"},
	} {
		for _, wrong := range []string{chat, embed} {
			want := c.judge
			if wrong == embed {
				want = c.both
			}
			if want == "" {
				continue
			}
			t.Run(name+" at "+wrong, func(t *testing.T) {
				cfg := judgeConfig()
				cfg.APIKey, cfg.APIKeyFile = "", keyFile(t, secret)
				cfg.Embeddings.BaseURL, cfg.Embeddings.APIKey, cfg.Embeddings.Dimensions = "https://"+embed, secret, 1
				s := &script{answer: func(path, body string) reply {
					if strings.HasSuffix(path, "/embeddings") == (wrong == embed) {
						return c.reply
					}
					return capable(path, body)
				}}
				_, err := newJudge(t, cfg, s, options()).Probe(t.Context())
				if !errors.Is(err, scorer.ErrJudgePaused) || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v\nwant a pause that says %s", err, want)
				}
				checkSilent(t, err)
			})
		}
	}
}

// keyFile is a file with a key.
func keyFile(t *testing.T, key string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRejectedModelOfOneSampleIsNoPause(t *testing.T) {
	judge, _ := planJudge(t, says400("your text: the model was not found"))
	_, _, err := judge.Statements(t.Context(), "q", "an answer")
	if u, ok := errors.AsType[*scorer.UnscorableError](err); !ok || u.Reason != scorer.ReasonBadRequest || errors.Is(err, scorer.ErrJudgePaused) {
		t.Errorf("got %v, want a reason: the words may be a user's", err)
	}
}

func TestMissingKeyIsToldByItsSetting(t *testing.T) {
	cfg := judgeConfig()
	cfg.APIKey = ""
	s := &script{replies: []reply{apiError(401, "missing")}}
	_, err := newJudge(t, cfg, s, options()).Probe(t.Context())
	if err == nil || !strings.HasSuffix(err.Error(), "check judge.api_key_file, which is not set") {
		t.Errorf("got %v", err)
	}
}

func TestEmbeddingsThatShareTheJudgesKeyAndHostNameThose(t *testing.T) {
	for status, want := range map[int]string{401: "check judge.api_key", 405: "this server has no embeddings: set judge.embeddings.base_url, or remove judge.embeddings (status 405 x)"} {
		s := &script{answer: func(path, body string) reply {
			if strings.HasSuffix(path, "/embeddings") {
				return apiError(status, "x")
			}
			return capable(path, body)
		}}
		_, err := newJudge(t, judgeConfig(), s, options()).Probe(t.Context())
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestBusyServerIsNotCalledUnreachable(t *testing.T) {
	for status, want := range map[int]string{
		429: "call judge: the server limits the rate: status 429 x after 6 tries; wait, or lower judge.concurrency",
		503: "call judge: the server is overloaded: status 503 x after 6 tries; wait, or lower judge.concurrency",
		500: "judge is not reachable: status 500 x after 6 tries",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{replies: []reply{apiError(status, "x")}}
			_, err := newJudge(t, judgeConfig(), s, options()).Probe(t.Context())
			if !errors.Is(err, scorer.ErrJudgeDown) || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestRefusalOfTheJudgeIsSaidOnce(t *testing.T) {
	s := &script{replies: []reply{apiError(401, "x")}}
	_, err := newJudge(t, judgeConfig(), s, options()).Probe(t.Context())
	if want := "judge refuses: status 401 x; the server does not take the key: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s...", err, want)
	}
}

func TestCodeThatRepeatsTheStatusIsLeftOut(t *testing.T) {
	s := &script{replies: []reply{{Status: 401, Body: `{"error":{"message":"no","type":"401","code":401}}`}}}
	_, err := newJudge(t, judgeConfig(), s, options()).Probe(t.Context())
	if err == nil || !strings.Contains(err.Error(), "status 401; ") {
		t.Errorf("got %v", err)
	}
}

func TestSwappedModelNamesWhatToDo(t *testing.T) {
	s := &script{replies: []reply{{Model: "house-small", Contents: []string{good}}}}
	_, err := newJudge(t, judgeConfig(), s, options()).Probe(t.Context())
	if !errors.Is(err, scorer.ErrJudgeChanged) || !strings.Contains(err.Error(), "in judge.response_models; mend the server, or list the name there") {
		t.Errorf("got %v", err)
	}
}

func refused() error {
	return &url.Error{Op: "Post", URL: "https://judge.test", Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
}

func TestWhoWaitsIsToldAtOnceThatNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: []reply{{Err: refused()}}}
		start := time.Now()
		_, err := newJudge(t, judgeConfig(), s, openai.Options{FailFast: true}).Probe(t.Context())
		want := "connection refused; check judge.base_url (https://judge.test/v1)"
		if !errors.Is(err, scorer.ErrJudgeDown) || !strings.HasSuffix(err.Error(), want) || time.Since(start) > 0 {
			t.Errorf("got %v after %v, want at once %s", err, time.Since(start), want)
		}
	})
}

func TestServerThatAnsweredBeforeIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: []reply{says(good), {Err: refused()}, says(good)}}
		var told []openai.Retry
		judge := newJudge(t, judgeConfig(), s, openai.Options{FailFast: true, OnRetry: func(r openai.Retry) { told = append(told, r) }})
		for range 2 {
			if _, _, err := judge.Statements(t.Context(), "q", "an answer"); err != nil {
				t.Fatal(err)
			}
		}
		if len(told) != 1 || told[0].Endpoint != "judge" || told[0].Cause != "connection refused" || told[0].Try != 2 || told[0].Tries != 6 ||
			told[0].Until.Before(time.Now()) || told[0].Wait > time.Second {
			t.Errorf("told %+v, want the second try of six", told)
		}
	})
}

func TestServerWhoseCertificateIsNotTrustedIsTold(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	cfg := judgeConfig()
	cfg.BaseURL = server.URL
	judge, err := openai.New(cfg, openai.Options{FailFast: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := judge.Probe(ctx); err == nil || !strings.Contains(err.Error(), "certificate is not trusted; check judge.base_url") {
		t.Errorf("got %v", err)
	}
}

func TestKeyIsReadAgainForEachRequest(t *testing.T) {
	cfg := judgeConfig()
	cfg.APIKey, cfg.APIKeyFile = "", keyFile(t, "sk-old\n")
	s := &script{replies: []reply{says(good)}}
	judge := newJudge(t, cfg, s, options())
	ask := func() error {
		_, _, err := judge.Statements(t.Context(), "q", "an answer")
		return err
	}
	if err := errors.Join(ask(), os.WriteFile(cfg.APIKeyFile, []byte("sk-new\n"), 0o600), ask()); err != nil {
		t.Fatal(err)
	}
	if old, now := s.headers[0].Get("Authorization"), s.headers[1].Get("Authorization"); old != "Bearer sk-old" || now != "Bearer sk-new" {
		t.Errorf("sent %q, then %q", old, now)
	}
	if err := os.Remove(cfg.APIKeyFile); err != nil {
		t.Fatal(err)
	}
	if err := ask(); !errors.Is(err, scorer.ErrJudgePaused) || !strings.Contains(err.Error(), "check judge.api_key_file") || strings.Contains(err.Error(), cfg.APIKeyFile) {
		t.Errorf("without the file: %v", err)
	}
}
