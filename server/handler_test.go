package server_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rs/zerolog"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/server"
)

const token = "t0p-secret"

func handler(s server.Source, o server.Operator) http.Handler {
	baselines, _ := o.(server.Baselines)
	return server.NewHandler(server.Options{Source: s, Operator: o, Baselines: baselines, Token: func() string { return token }, Log: zerolog.Nop()})
}

// ask sends a request as it comes in over TCP on loopback.
func ask(h http.Handler, method, path, body string, head ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	for i := 0; i+1 < len(head); i += 2 {
		r.Header.Set(head[i], head[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var everyPage = []string{"/", "/incidents/inc_silent_20261122", "/incidents/inc_blind_20261101", "/samples", "/samples?metric=answer_relevancy&segment=department%3Dhr&incident=x",
	"/samples/req%2F101", "/reports", "/reports/2026-W48", "/status"}

func TestPagesLoadNothingFromElsewhere(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		h := handler(rich(lang), nil)
		for _, path := range everyPage {
			w := ask(h, http.MethodGet, path, "")
			body := w.Body.String()
			if w.Code != http.StatusOK || !strings.Contains(body, `<html lang="`+lang+`">`) {
				t.Errorf("%s %s: %d", lang, path, w.Code)
			}
			for _, bad := range []string{"<script", "http://", "https://", "<img", "style=", "%!", "ZgotmplZ", "NaN", "<no value>"} {
				if strings.Contains(body, bad) {
					t.Errorf("%s %s contains %q", lang, path, bad)
				}
			}
			if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; style-src ") || !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("%s: content security policy %q", path, csp)
			}
			for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s: %s is %q, want %q", path, name, got, want)
				}
			}
		}
	}
}

func TestStartPageTellsWhatMatters(t *testing.T) {
	for lang, words := range map[string][]string{
		"en": {"DRIFT", "Open incidents", "Silent drop", "No release and no other watched code channel changed", "経理-00", "Document hr-00 is served in edition 3", "stand-in", "Correctness is not measured", "98 of the last 100 samples", "1,204 messages behind", `href="/samples/req%2F100"`},
		"ja": {"ドリフト", "発生中のインシデント", "変更なしの品質低下", "コード側の項目に変更なし", "経理-00", "文書hr-00が旧版3", "代替採点", "回答の正しさは測定していません", "直近100件中98件", "未読1,204", "対照"},
	} {
		body := ask(handler(rich(lang), nil), http.MethodGet, "/", "").Body.String()
		for _, want := range words {
			if !strings.Contains(body, want) {
				t.Errorf("%s start page lacks %q", lang, want)
			}
		}
		if down, steady := strings.Index(body, "department=経理</figcaption>"), strings.Index(body, "department=sales"); down > steady {
			t.Errorf("%s start page shows the steady segment first", lang)
		}
	}
}

// 4.4, 5.1 and 4.9 are 10^1.9, 10^2.2 and 10^2.1.
func TestIncidentPageShowsTheEvidenceThatItsMessageDoes(t *testing.T) {
	s := rich("en")
	i := &s.status.Incidents[0]
	for k := range i.Alerts {
		f := &i.Alerts[k].Finding
		f.LnEvidence, f.LnReached, f.LnNeeded = 4.4, 5.1, 4.9
	}
	body := ask(handler(s, nil), http.MethodGet, "/incidents/"+i.ID, "").Body.String()
	message := alert.Terminal(alert.Render(alert.Message{Transition: alert.Firing, Incident: i}))
	if !strings.Contains(message, "10^2.2, alarm at 10^2.1") {
		t.Errorf("the message shows other evidence:\n%s", message)
	}
	if !strings.Contains(body, "10<sup>2.2</sup>") || !strings.Contains(body, "10<sup>2.1</sup>") || strings.Contains(body, "10<sup>1.9</sup>") {
		t.Error("the page shows other evidence than the message")
	}
}

func TestNothingYetIsUnknown(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		s := &source{status: server.Status{Service: "helpdesk", Language: lang, Timezone: "UTC", Now: now, Kafka: server.KafkaStatus{Lag: -1}}}
		for _, path := range []string{"/", "/status", "/samples", "/reports"} {
			w := ask(handler(s, nil), http.MethodGet, path, "")
			body := w.Body.String()
			if w.Code != http.StatusOK || strings.Contains(body, "STABLE") || strings.Contains(body, "安定し") || strings.Contains(body, `state ok`) {
				t.Errorf("%s %s of a new daemon: %d, or it reassures", lang, path, w.Code)
			}
		}
		got, err := server.ClientOf(handler(s, nil)).Status(t.Context())
		if err != nil || got.Verdict != report.Unknown || got.Sentence == "" {
			t.Errorf("verdict of a new daemon: %s %q, %v", got.Verdict, got.Sentence, err)
		}
	}
}

func TestHostileTextStaysText(t *testing.T) {
	const hostile = `"></title></text><script>alert(1)</script><img src=x>`
	s := rich("en")
	s.status.Service, s.status.Judge.Model, s.status.Kafka.Error = hostile, hostile, hostile
	s.status.Marks[0].Value, s.status.Notes[0].Document, s.status.Incidents[1].Detail = hostile, hostile, hostile
	s.status.Incidents[0].ID, s.status.Receivers[0].Name, s.status.Reports[0] = "inc_silent_20261122", hostile, hostile
	s.status.Series[3].Series.Value = hostile
	for i := range s.samples {
		x := &s.samples[i]
		x.Sample.Question, x.Sample.Answer, x.Sample.Contexts[0], x.Sample.Docs[0].ID = hostile, hostile, hostile, hostile
		x.Score.Cell, x.Score.Statements[0].Text, x.Score.Statements[0].Reason = hostile, hostile, hostile
	}
	h := handler(s, nil)
	for _, path := range everyPage[:7] {
		if body := ask(h, http.MethodGet, path, "").Body.String(); strings.Contains(body, "<script") || strings.Contains(body, "<img") {
			t.Errorf("%s: text of the log became markup", path)
		}
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	h := handler(rich("ja"), nil)
	for _, path := range []string{"/incidents/inc_none", "/samples/none", "/reports/2020-W01", "/nothing", "/api/v1/reports/2020-W01"} {
		if w := ask(h, http.MethodGet, path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, w.Code)
		}
	}
}

func TestSourceErrorsStayInTheLog(t *testing.T) {
	s := rich("en")
	s.err = errors.New("open /secret/path: disk on fire")
	for _, path := range []string{"/", "/api/v1/status", "/api/v1/samples"} {
		w := ask(handler(s, nil), http.MethodGet, path, "")
		if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestPostNeedsTheToken(t *testing.T) {
	const body = `{"value":"v43","at":"2026-11-30T03:00:00Z"}`
	for name, c := range map[string]struct {
		head []string
		want int
	}{
		"none":         {nil, http.StatusUnauthorized},
		"wrong":        {[]string{"Authorization", "Bearer t0p"}, http.StatusUnauthorized},
		"empty":        {[]string{"Authorization", "Bearer "}, http.StatusUnauthorized},
		"right":        {[]string{"Authorization", "Bearer " + token}, http.StatusCreated},
		"other origin": {[]string{"Authorization", "Bearer " + token, "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"old browser":  {[]string{"Authorization", "Bearer " + token, "Origin", "https://evil.example"}, http.StatusForbidden},
	} {
		o := &operator{}
		w := ask(handler(rich("en"), o), http.MethodPost, "/api/v1/releases", body, c.head...)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d", name, w.Code, c.want)
		}
		if done := len(o.releases) == 1; done != (c.want == http.StatusCreated) {
			t.Errorf("%s: release noted: %t", name, done)
		}
	}
	none := server.NewHandler(server.Options{Source: rich("en"), Operator: &operator{}, Log: zerolog.Nop()})
	if w := ask(none, http.MethodPost, "/api/v1/releases", body, "Authorization", "Bearer "); w.Code != http.StatusUnauthorized {
		t.Errorf("no token configured: %d, want 401", w.Code)
	}
}

func TestReleaseTwiceIsOneRelease(t *testing.T) {
	o := &operator{}
	h := handler(rich("en"), o)
	for i, want := range []int{http.StatusCreated, http.StatusOK} {
		w := ask(h, http.MethodPost, "/api/v1/releases", `{"value":"v43","at":"2026-11-30T03:00:00Z"}`, "Authorization", "Bearer "+token)
		if w.Code != want {
			t.Errorf("time %d: %d, want %d", i+1, w.Code, want)
		}
	}
	want := []server.ReleaseRequest{{Channel: sampler.ChannelRelease, Value: "v43", At: time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC), Source: "api"}}
	if diff := cmp.Diff(want, o.releases); diff != "" {
		t.Errorf("releases (-want +got):\n%s", diff)
	}
}

func TestBadRequestsSayWhatToChange(t *testing.T) {
	o := &operator{}
	h := handler(rich("en"), o)
	for _, c := range []struct{ path, body, says string }{
		{"/api/v1/releases", `{`, "body"},
		{"/api/v1/releases", `{"valeu":"v43"}`, "valeu"},
		{"/api/v1/releases", `{}`, "through"},
		{"/api/v1/releases", `{"value":"` + strings.Repeat("x", 70<<10) + `"}`, "too large"},
		{"/api/v1/baseline/accept", `{"by":"me"}`, "incident or series"},
		{"/api/v1/baseline/accept", `{"incident":"inc_1"}`, "who accepts"},
	} {
		w := ask(h, http.MethodPost, c.path, c.body, "Authorization", "Bearer "+token)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %.40s: %d %s, want 400 that says %q", c.path, c.body, w.Code, w.Body, c.says)
		}
	}
	if len(o.releases)+len(o.accepted) > 0 {
		t.Error("a bad request was done")
	}
	for _, query := range []string{"limit=0", "limit=x", "limit=5000", "since=yesterday"} {
		if w := ask(h, http.MethodGet, "/api/v1/samples?"+query, ""); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d, want 400", query, w.Code)
		}
	}
}

func TestGetChangesNothing(t *testing.T) {
	o := &operator{}
	h := handler(rich("en"), o)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, path := range []string{"/api/v1/releases?value=v43", "/api/v1/baseline/accept?incident=inc_silent_20261122&by=me"} {
			if w := ask(h, method, path, `{"value":"v43"}`, "Authorization", "Bearer "+token); w.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d, want 405", method, path, w.Code)
			}
		}
	}
	if len(o.releases)+len(o.accepted) > 0 {
		t.Error("a GET changed something")
	}
}

func TestLoopbackAnswersToItsOwnNamesOnly(t *testing.T) {
	h := server.NewHandler(server.Options{Source: rich("en"), ExternalHost: "quality.example.com", Log: zerolog.Nop()})
	for host, want := range map[string]int{
		"localhost:8080": 200, "127.0.0.1": 200, "[::1]:9": 200, "Quality.example.com": 200,
		"evil.example": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest, "": http.StatusMisdirectedRequest,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %q: %d, want %d", host, w.Code, want)
		}
	}
}

func TestPagesBeyondLoopbackNeedTheToken(t *testing.T) {
	h := handler(rich("en"), nil)
	for name, c := range map[string]struct {
		password string
		want     int
	}{"none": {"", http.StatusUnauthorized}, "wrong": {"x", http.StatusUnauthorized}, "right": {token, http.StatusOK}} {
		r := httptest.NewRequest(http.MethodGet, "http://quality.example.com/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 80}))
		if c.password != "" {
			r.SetBasicAuth("me", c.password)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d", name, w.Code, c.want)
		}
	}
}

func TestClientSeesWhatTheSourceHas(t *testing.T) {
	s, o := rich("ja"), &operator{}
	c := server.ClientOf(handler(s, o))
	got, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != report.Drift {
		t.Errorf("verdict %s, want drift", got.Verdict)
	}
	got.Verdict, got.Sentence = "", ""
	if diff := cmp.Diff(s.status, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("status (-source +client):\n%s", diff)
	}
	one, err := c.Samples(t.Context(), server.SampleQuery{ID: "req/101", Metric: scorer.Faithfulness, Limit: 3})
	if err != nil || len(one) != 1 {
		t.Fatalf("%d samples, %v; want the one", len(one), err)
	}
	if diff := cmp.Diff(s.samples[1], one[0], cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("sample (-source +client):\n%s", diff)
	}
	if _, err := c.Week(t.Context(), "2026-W48"); err != nil {
		t.Error(err)
	}
	if _, err := c.Week(t.Context(), "2020-W01"); !errors.Is(err, server.ErrNotFound) {
		t.Errorf("missing week: %v", err)
	}
}

func TestClientOperates(t *testing.T) {
	o := &operator{}
	c := server.ClientOf(handler(rich("en"), o))
	for _, want := range []bool{true, false} {
		if isNew, err := c.AddRelease(t.Context(), server.ReleaseRequest{Through: now, Source: "cli"}); err != nil || isNew != want {
			t.Errorf("release: created %t, %v; want %t", isNew, err, want)
		}
	}
	a, err := c.Accept(t.Context(), server.AcceptRequest{Series: drift.Series{Metric: scorer.Faithfulness}, By: "me", Note: "new corpus"})
	if err != nil || a.By != "me" {
		t.Errorf("acceptance %+v, %v", a, err)
	}
	if _, err := c.Accept(t.Context(), server.AcceptRequest{Incident: "inc_unknown", By: "me"}); !errors.Is(err, server.ErrNotFound) {
		t.Errorf("unknown incident: %v", err)
	}
	if _, err := c.Accept(t.Context(), server.AcceptRequest{Incident: "inc_1"}); !errors.Is(err, server.ErrInvalid) {
		t.Errorf("nobody accepts: %v", err)
	}
}

func TestSocketNeedsNoTokenAndServeDrains(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	c := server.NewClient(path)
	if _, err := c.Status(t.Context()); !errors.Is(err, server.ErrUnreachable) {
		t.Errorf("no daemon: %v", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	begun, finish := make(chan struct{}), make(chan struct{})
	o := &operator{}
	api := handler(rich("en"), o)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			close(begun)
			<-finish
		}
		api.ServeHTTP(w, r)
	})
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, l, slow, zerolog.Nop()) }()
	if isNew, err := c.AddRelease(t.Context(), server.ReleaseRequest{Value: "v43"}); err != nil || !isNew {
		t.Errorf("release over the socket: %t, %v", isNew, err)
	}
	answered := make(chan error, 1)
	go func() { _, err := c.Status(t.Context()); answered <- err }()
	<-begun
	stop()
	close(finish)
	if err := <-answered; err != nil {
		t.Errorf("request that was under way at the end: %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("serve ends with %v", err)
	}
}

func TestTCPIsNotTrusted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, l, handler(rich("en"), &operator{}), zerolog.Nop()) }()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+"/api/v1/releases", strings.NewReader(`{"value":"v43"}`))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("POST without a token over TCP: %d, want 401", resp.StatusCode)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
