package alert_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"leadline/alert"
	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
)

// answer is one scripted answer of a fake receiver.
type answer struct {
	status     int
	body       string
	retryAfter string
	torn       bool // the connection breaks inside the body
	hang       bool // until the test ends
	location   string
}

// fake is a receiver that gives its answers in order, the last one for ever.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []answer
	requests []received
}

type received struct {
	header http.Header
	body   []byte
}

func newFake(t *testing.T, answers ...answer) *fake {
	t.Helper()
	f := &fake{answers: answers}
	stop := make(chan struct{})
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		a := f.answers[min(len(f.requests), len(f.answers)-1)]
		f.requests = append(f.requests, received{r.Header.Clone(), body})
		f.mu.Unlock()
		if a.hang {
			<-stop
			return
		}
		if a.retryAfter != "" {
			w.Header().Set("Retry-After", a.retryAfter)
		}
		if a.location != "" {
			w.Header().Set("Location", a.location)
		}
		if a.torn {
			w.Header().Set("Content-Length", "1000")
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	}))
	t.Cleanup(func() {
		close(stop)
		f.Close()
	})
	return f
}

func (f *fake) got() []received {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests
}

func slackTo(t *testing.T, url string, client *http.Client) alert.Receiver {
	t.Helper()
	r, err := alert.NewReceiver(config.Receiver{Name: "slack", Slack: &config.SlackHook{APIURL: config.Secret(url)}}, client)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func delivery(t *testing.T, kind, language string) alert.Delivery {
	t.Helper()
	m := speak(incidents(t)[kind], language)
	return alert.Delivery{ID: "msg_0123456789abcdef01234567", Receiver: "slack", Group: "g", Message: m, Created: run(44),
		Next: run(44), Expires: run(48)}
}

func pretty(t *testing.T, body []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}

func TestSlackBodies(t *testing.T) {
	for _, language := range []string{"en", "ja"} {
		f := newFake(t, answer{status: 200, body: "ok"})
		if err := slackTo(t, f.URL, nil).Send(t.Context(), delivery(t, "silent", language)); err != nil {
			t.Fatal(err)
		}
		golden(t, "slack."+language+".json", pretty(t, f.got()[0].body))
	}
}

func TestSlackStepsDownToWhatIsTaken(t *testing.T) {
	f := newFake(t, answer{status: 400, body: "invalid_blocks"}, answer{status: 400, body: "invalid_attachments"}, answer{status: 200, body: "ok"})
	s := slackTo(t, f.URL, nil)
	d := delivery(t, "silent", "en")
	if err := s.Send(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	got := f.got()
	if len(got) != 3 {
		t.Fatalf("got %d requests, want 3", len(got))
	}
	for n, want := range []string{`"blocks"`, `"attachments"`, `"text"`} {
		if !bytes.Contains(got[n].body, []byte(want)) {
			t.Errorf("form %d has no %s", n, want)
		}
	}
	if bytes.Contains(got[2].body, []byte(`"attachments"`)) || bytes.Contains(got[2].body, []byte(`"blocks"`)) {
		t.Error("the plainest form is more than text")
	}
	golden(t, "slack-attachment.en.json", pretty(t, got[1].body))
	golden(t, "slack-text.en.json", pretty(t, got[2].body))
	if err := s.Send(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if got = f.got(); len(got) != 4 || bytes.Contains(got[3].body, []byte(`"blocks"`)) {
		t.Errorf("the form that was taken was not remembered: %d requests, want 4, the last without blocks", len(got))
	}
}

func TestSlackAnswersAreClassed(t *testing.T) {
	date := time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat)
	tests := []struct {
		answer   answer
		want     alert.Class
		requests int
		retry    bool
		broken   bool
		after    [2]time.Duration
	}{
		{answer{status: 200, body: "<html>Sign in</html>"}, alert.ClassBadAnswer, 1, true, false, [2]time.Duration{}},
		{answer{status: 200, body: `{"ok":false,"error":"invalid_auth"}`}, alert.ClassAuth, 1, false, true, [2]time.Duration{}},
		{answer{status: 400, body: "invalid_payload"}, alert.ClassRejected, 3, false, false, [2]time.Duration{}},
		{answer{status: 400, body: "user_not_found"}, alert.ClassGone, 1, false, true, [2]time.Duration{}},
		{answer{status: 403, body: "invalid_token"}, alert.ClassAuth, 1, false, true, [2]time.Duration{}},
		{answer{status: 404, body: "no_service"}, alert.ClassGone, 1, false, true, [2]time.Duration{}},
		{answer{status: 410, body: "channel_is_archived"}, alert.ClassGone, 1, false, true, [2]time.Duration{}},
		{answer{status: 302}, alert.ClassRedirect, 1, false, true, [2]time.Duration{}},
		{answer{status: 429, body: "rate_limited", retryAfter: "30"}, alert.ClassRateLimited, 1, true, false, [2]time.Duration{30 * time.Second, 30 * time.Second}},
		{answer{status: 429, retryAfter: "0"}, alert.ClassRateLimited, 1, true, false, [2]time.Duration{time.Second, time.Second}},
		{answer{status: 429, retryAfter: "86400"}, alert.ClassRateLimited, 1, true, false, [2]time.Duration{time.Hour, time.Hour}},
		{answer{status: 503, retryAfter: date}, alert.ClassServerError, 1, true, false, [2]time.Duration{9 * time.Minute, 10 * time.Minute}},
		{answer{status: 500, body: "rollup_error"}, alert.ClassServerError, 1, true, false, [2]time.Duration{}},
		{answer{status: 200, body: "ok", torn: true}, alert.ClassUnreachable, 1, true, false, [2]time.Duration{}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d %.12s %s", tt.answer.status, tt.answer.body, tt.want), func(t *testing.T) {
			f := newFake(t, tt.answer)
			err := slackTo(t, f.URL, nil).Send(t.Context(), delivery(t, "silent", "en"))
			failure, ok := errors.AsType[*alert.SendError](err)
			if !ok {
				t.Fatalf("got %v, want a SendError", err)
			}
			if failure.Class != tt.want || failure.Retry() != tt.retry || failure.Broken() != tt.broken {
				t.Errorf("got %s, retry %t, broken %t; want %s, %t, %t", failure.Class, failure.Retry(), failure.Broken(), tt.want, tt.retry, tt.broken)
			}
			if failure.RetryAfter < tt.after[0] || failure.RetryAfter > tt.after[1] {
				t.Errorf("waits %s, want between %s and %s", failure.RetryAfter, tt.after[0], tt.after[1])
			}
			if got := len(f.got()); got != tt.requests {
				t.Errorf("got %d requests, want %d", got, tt.requests)
			}
		})
	}
}

func TestASlackThatHangsTimesOut(t *testing.T) {
	f := newFake(t, answer{hang: true})
	s := slackTo(t, f.URL, &http.Client{Timeout: 20 * time.Millisecond})
	failure, ok := errors.AsType[*alert.SendError](s.Send(t.Context(), delivery(t, "silent", "en")))
	if !ok || failure.Class != alert.ClassTimeout || !failure.Retry() {
		t.Errorf("got %v, want a timeout to try again", failure)
	}
}

// largest is a message in which everything that has a limit is beyond it.
func largest(t *testing.T, language string) alert.Delivery {
	t.Helper()
	long := strings.Repeat("長いlong ", 300)
	var episodes []drift.Episode
	for n := range 40 {
		e := released(episode(drift.KindRegression, series(fmt.Sprint(n, long)), 40, 44), drift.KindRegression, 0.9)
		e.Value = long
		ev := &e.Finding.Evidence
		ev.Release.Old, ev.Release.New, ev.Mix.Worst = long, long, long
		ev.Corpus.Gone = []string{long, long, long, long, long, long, long}
		ev.Channels = nil
		for _, c := range []sampler.Channel{"prompt", "model", "retriever", "embedding", "response_model", "index"} {
			ch := ev.Release
			ch.Channel = c
			ev.Channels = append(ev.Channels, ch)
		}
		episodes = append(episodes, e)
	}
	in := input(44, episodes...)
	in.Service, in.Standin = long, true
	_, changes := alert.Step(nil, in)
	i := only(t, changes).Incident
	m := alert.Message{Transition: alert.Firing, Incident: &i, Language: language, Timezone: "America/Argentina/ComodRivadavia", BaseURL: "https://leadline.example"}
	for range 20 {
		m.Samples = append(m.Samples, alert.SampleRef{ID: long, Excerpt: long})
	}
	return alert.Delivery{ID: "msg_1", Message: m}
}

func TestTheLargestMessageFitsSlack(t *testing.T) {
	for _, language := range []string{"en", "ja"} {
		f := newFake(t, answer{status: 200, body: "ok"})
		if err := slackTo(t, f.URL, nil).Send(t.Context(), largest(t, language)); err != nil {
			t.Fatal(err)
		}
		var m struct {
			Text   string            `json:"text"`
			Blocks []json.RawMessage `json:"blocks"`
		}
		if err := json.Unmarshal(f.got()[0].body, &m); err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, b := range m.Blocks {
			var v any
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatal(err)
			}
			block, longest := textRunes(v)
			if total += block; longest > 3000 {
				t.Errorf("%s: a text of %d runes, Slack takes 3000", language, longest)
			}
		}
		var header struct {
			Text struct{ Text string } `json:"text"`
		}
		if err := json.Unmarshal(m.Blocks[0], &header); err != nil || utf8.RuneCountInString(header.Text.Text) > 150 {
			t.Errorf("%s: header of %d runes, Slack takes 150 (%v)", language, utf8.RuneCountInString(header.Text.Text), err)
		}
		if total > 8000 || len(m.Blocks) > 40 || utf8.RuneCountInString(m.Text) > 4000 {
			t.Errorf("%s: %d runes in %d blocks and %d of text; want at most 8000, 40 and 4000", language, total, len(m.Blocks), utf8.RuneCountInString(m.Text))
		}
	}
}

// textRunes sums what is shown in a block, and returns its longest piece.
func textRunes(v any) (total, longest int) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if s, ok := x.(string); ok && k == "text" {
				total, longest = total+utf8.RuneCountInString(s), max(longest, utf8.RuneCountInString(s))
				continue
			}
			n, l := textRunes(x)
			total, longest = total+n, max(longest, l)
		}
	case []any:
		for _, x := range v {
			n, l := textRunes(x)
			total, longest = total+n, max(longest, l)
		}
	}
	return total, longest
}

var hostile = []string{
	"<!channel>", "<https://evil.example|click>", "@channel", "@here", "```", "&lt;!here&gt;", "](http://evil.example)",
	"=cmd|'/C calc'!A0", "\u202Egnp.exe", strings.Repeat("a", 100<<10), "\xed\xa0\x80\xff", "a\x00b\x1b[31m", "有給休暇\n\n\r規程",
	"👩‍👩‍👧‍👦", "\u200B<@U123>\u2066", "e" + strings.Repeat("\u0301", 5000),
}

func TestHostileTextStaysText(t *testing.T) {
	for _, text := range hostile {
		e := released(episode(drift.KindRegression, series(text), 40, 44), drift.KindRegression, 0.9)
		e.Value, e.Finding.Evidence.Release.New = text, text
		e.Finding.Evidence.Corpus.Gone = []string{text}
		_, changes := alert.Step(nil, input(44, e))
		i := only(t, changes).Incident
		m := alert.Message{Transition: alert.Firing, Incident: &i, Samples: []alert.SampleRef{{ID: text, Excerpt: text}}}
		f := newFake(t, answer{status: 400, body: "invalid_blocks"}, answer{status: 400, body: "invalid_attachments"}, answer{status: 200, body: "ok"})
		if err := slackTo(t, f.URL, nil).Send(t.Context(), alert.Delivery{ID: "msg_1", Message: m}); err != nil {
			t.Fatal(err)
		}
		for n, r := range f.got() {
			checkInert(t, text, n, r.body)
		}
		if s := alert.Terminal(alert.Render(m)); strings.ContainsAny(s, "\x00\x1b\r\u202E\u200B\u2066") || !utf8.ValidString(s) {
			t.Errorf("%.20q reaches the terminal", text)
		}
	}
}

func checkInert(t *testing.T, text string, form int, body []byte) {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	if links, media := m["unfurl_links"], m["unfurl_media"]; m["parse"] != "none" || links != any(false) || media != any(false) {
		t.Errorf("form %d lets Slack parse or fetch", form)
	}
	blocks, _ := json.Marshal(m["blocks"])
	for _, kind := range []string{`"mrkdwn"`, `"markdown"`, `"user"`, `"broadcast"`, `"link"`} {
		if bytes.Contains(blocks, []byte(`"type":`+kind)) {
			t.Errorf("form %d: %.20q sits beside an element %s", form, text, kind)
		}
	}
	delete(m, "blocks")
	parsed, _ := json.Marshal(m)
	var rest bytes.Buffer
	for _, s := range stringsIn(m) {
		rest.WriteString(s + "\n")
	}
	for _, bad := range []string{"<!", "<@", "<http", "@channel", "@here", "`", "](http", "http://evil", "https://evil"} {
		if strings.Contains(rest.String(), bad) {
			t.Errorf("form %d: %.20q leaves %q where Slack parses", form, text, bad)
		}
	}
	if len(parsed) > 40<<10 {
		t.Errorf("form %d has %d bytes for %.20q", form, len(parsed), text)
	}
}

func stringsIn(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		for _, x := range v {
			out = append(out, stringsIn(x)...)
		}
	case []any:
		for _, x := range v {
			out = append(out, stringsIn(x)...)
		}
	}
	return out
}

func TestEmojiSequencesStayWhole(t *testing.T) {
	e := episode(drift.KindSilent, series("👩‍👩‍👧‍👦"), 40, 44)
	_, changes := alert.Step(nil, input(44, e))
	i := only(t, changes).Incident
	if got := alert.Render(alert.Message{Incident: &i}).Title; !strings.Contains(got, "👩‍👩‍👧‍👦") {
		t.Errorf("title is %q", got)
	}
}
