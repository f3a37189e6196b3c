package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/scorer"
	"leadline/scorer/standin"
	"leadline/server"
)

// said runs a command to its end and returns what it writes.
func said(ctx context.Context, in io.Reader, args ...string) (code int, out, errs string) {
	var o bytes.Buffer
	var e journal
	code = run(ctx, args, os.LookupEnv, streams{in, &o, &e})
	return code, o.String(), e.String()
}

// judgeFile is the file of a daemon with this judge and no broker.
func judgeFile(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.yaml")
	text := fmt.Sprintf(`service: {name: helpdesk}
kafka: {brokers: ["127.0.0.1:1"], topics: [rag]}
judge: {base_url: %q, model: %s, embeddings: {model: %s}, api_key_file: key}
`, url, standin.Model, standin.Model)
	for name, content := range map[string]string{"leadline.yaml": text, "key": "sk-planted\n"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

const oneRecord = `{"id":"a","question":"When?","answer":"At nine.","contexts":["At nine."]}` + "\n"

func TestWhatTheJudgeRefusesIsToldByItsSetting(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		401: "check judge.api_key_file", 403: "check judge.api_key_file and what it may use, such as judge.model (standin-lexical-v1)",
		404: "check judge.base_url (http://", 402: "or change judge.api_key_file",
	} {
		judge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(judge.Close)
		path := judgeFile(t, judge.URL)
		code, out, errs := said(t.Context(), strings.NewReader(""), "check", "--live", "--config", path)
		if code != exitFailed || !strings.Contains(out, want) {
			t.Errorf("check, %d: exit %d, %s%s", status, code, out, errs)
		}
		code, out, errs = said(t.Context(), strings.NewReader(oneRecord), "score", "--config", path)
		if code != exitFailed || out != "" || !strings.Contains(errs, want) || strings.Contains(errs, "planted") {
			t.Errorf("score, %d: exit %d, %s%s", status, code, out, errs)
		}
	}
}

func TestABudgetBelowTheControlsIsToldBeforeItIsSpent(t *testing.T) {
	t.Parallel()
	judge := httptest.NewServer(newStandin(t))
	t.Cleanup(judge.Close)
	path := judgeFile(t, judge.URL+"/v1")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for limit, warned := range map[string]bool{"1000": true, "1000000000": false} {
		limited := strings.Replace(string(text), "api_key_file", "tokens_per_day: "+limit+", api_key_file", 1)
		if err := os.WriteFile(path, []byte(limited), 0o600); err != nil {
			t.Fatal(err)
		}
		_, out, errs := said(t.Context(), strings.NewReader(""), "check", "--live", "--config", path)
		mention(t, out, "the control items take", "relevancy en: unrelated ", "relevancy ja: unrelated ", ", paraphrase ")
		if got := strings.Contains(out, "WARNING   judge.budget.tokens_per_day is "+limit); got != warned {
			t.Errorf("limit %s: warned %t, want %t:\n%s%s", limit, got, warned, out, errs)
		}
	}
}

func TestWhoWaitsIsToldAtOnceThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	path := judgeFile(t, "http://127.0.0.1:1/v1")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	code, out, errs := said(ctx, strings.NewReader(""), "check", "--live", "--config", path)
	if code != exitFailed {
		t.Errorf("check: exit %d", code)
	}
	mention(t, out, "connection refused; check kafka.brokers", "connection refused; check judge.base_url (http://127.0.0.1:1/v1)")
	mention(t, errs, "asking 127.0.0.1:1\n", "asking 127.0.0.1:1, model standin-lexical-v1\n")
	if code, _, errs = said(ctx, strings.NewReader(oneRecord), "score", "--config", path); code != exitFailed {
		t.Errorf("score: exit %d", code)
	}
	mention(t, errs, "connection refused; check judge.base_url (http://127.0.0.1:1/v1)")
}

func TestTriesThatFollowAreTold(t *testing.T) {
	t.Parallel()
	stand := newStandin(t)
	var busy atomic.Int32
	judge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		stand.ServeHTTP(w, r)
	}))
	defer judge.Close()
	code, out, errs := said(t.Context(), strings.NewReader(oneRecord), "score", "--config", judgeFile(t, judge.URL+"/v1"))
	if code != exitOK || !strings.Contains(out, `"id":"a"`) {
		t.Errorf("exit %d, %s", code, out)
	}
	mention(t, errs, "judge     status 503; try 2 of 6 in ", " at the latest")
}

func TestACommandThatIsInterruptedSaysNoMore(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	judge := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer judge.Close()
	path := judgeFile(t, judge.URL)
	idle, _ := io.Pipe() // nobody types
	for name, c := range map[string]struct {
		args  []string
		ready <-chan struct{}
	}{
		"waiting for the judge": {[]string{"--config", path, "check", "--live"}, asked},
		"waiting for a line":    {[]string{"score", "--standin"}, closed()},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			go func() {
				<-c.ready
				interrupt()
			}()
			code, out, errs := said(ctx, idle, c.args...)
			if code != exitInterrupted || !strings.HasSuffix(errs, "leadline: interrupted\n") || strings.Contains(out+errs, "cancel") {
				t.Errorf("exit %d, says %q and %q", code, out, errs)
			}
		})
	}
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestADaemonThatIsInterruptedHasDoneItsWork(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	path := awayConfig(t, filepath.Join(t.TempDir(), "leadline.db"), `server: {listen: "", ops_listen: ""}`)
	for _, args := range [][]string{{"run", "--config", path}, {"--config", path, "run"}} {
		if code, _, errs := said(ctx, strings.NewReader(""), args...); code != exitOK || strings.Contains(errs, "interrupted") {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}

func shown(t *testing.T, form string, st server.Status, running bool) string {
	t.Helper()
	var out bytes.Buffer
	if err := printStatus(&out, form, st, running); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestStatusShowsSharesAsTheyAreRead(t *testing.T) {
	share := server.SeriesStatus{State: drift.State{Series: drift.Series{Metric: drift.ShareRefusal}, Status: "ok", Floor: 0.02,
		Last: drift.Level{N: 200, Mean: 0.969}, Baseline: drift.Level{N: 1000, Mean: 0.98}}}
	score := server.SeriesStatus{State: drift.State{Series: drift.Series{Metric: scorer.Faithfulness}, Status: "ok", Floor: 0.05,
		Last: drift.Level{N: 60, Mean: 0.969}, Baseline: drift.Level{N: 600, Mean: 0.98}}}
	st := server.Status{Series: []server.SeriesStatus{score, share}}
	var cells []string
	for line := range strings.Lines(shown(t, "markdown", st, true)) {
		cells = append(cells, strings.Join(strings.Fields(strings.ReplaceAll(line, "|", " ")), " "))
	}
	want := []string{"faithfulness all ok 0.969 60 0.980 600 10^0.0 0.050 now", "refusal all ok 3.1 % 200 2.0 % 1000 10^0.0 2.0 % now"}
	if got := cells[2:]; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %q, want %q", got, want)
	}
	mention(t, shown(t, "csv", st, true), "refusal,all,ok,0.031,200,0.020,1000,0.00,0.020,now")
}

func TestStatusShowsWhatKeepsTheMonitorFromSeeing(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	st := server.Status{Now: at.Add(time.Hour), Language: "en", Timezone: "UTC"}
	for _, c := range []struct {
		kafka server.KafkaStatus
		want  string
	}{
		{server.KafkaStatus{Lag: -1, Error: "connection", Since: at}, "kafka    cannot be read since 2026-11-30 09:00Z: connection\n"},
		{server.KafkaStatus{Lag: -1}, "kafka    not read yet\n"},
		{server.KafkaStatus{Lag: 7, LastFetch: at}, "kafka    no fetch since 2026-11-30 09:00Z, 7 messages behind\n"},
		{server.KafkaStatus{Lag: 7, LastFetch: st.Now}, "kafka    reading, 7 messages behind\n"},
	} {
		st.Kafka = c.kafka
		mention(t, shown(t, "table", st, true), c.want)
	}
	st.Incidents = []alert.Incident{
		{ID: "inc_1", Kind: drift.KindBlind, Since: at, Problem: alert.ProblemKafkaUnreadable, Problems: []alert.Problem{
			{Problem: alert.ProblemKafkaUnreadable, Detail: "connection", Since: at}, {Problem: alert.ProblemJudgeDown, Since: at.Add(time.Minute)}}},
		{ID: "inc_2", Kind: drift.KindDelivery, Since: at, Resolved: at.Add(time.Hour), Problem: alert.ProblemReceiverBroken, Detail: "oncall"},
		{ID: "inc_3", Kind: drift.KindSilent, Since: at, Alerts: []alert.Alert{{Finding: drift.Finding{Series: drift.Series{Metric: scorer.Faithfulness, Dim: "department", Value: "hr"},
			Before: drift.Level{Mean: 0.9}, After: drift.Level{Mean: 0.4}, Since: at}}}},
	}
	text := shown(t, "table", st, false)
	mention(t, text, "daemon   does not run; this is what its store holds\n",
		"incident inc_1, since 2026-11-30 09:00Z, open: Monitoring blind\n",
		"         Kafka cannot be read (connection), since 2026-11-30 09:00Z\n         the judge does not answer, since 2026-11-30 09:01Z\n",
		"incident inc_2, since 2026-11-30 09:00Z, resolved 2026-11-30 10:00Z: Alerts not delivered: a receiver refuses messages for good (oncall)\n",
		"incident inc_3, since 2026-11-30 09:00Z, open: Silent drop: Faithfulness of department=hr fell from 0.90 to 0.40 since ")
	if strings.Contains(text, "kafka ") {
		t.Errorf("without a daemon nobody knows of Kafka: %s", text)
	}
}

func TestStatusTellsOfMoreSamplesAndOfSecondLooks(t *testing.T) {
	st := server.Status{Sampling: server.SamplingStatus{PerRun: 60, Next: 120}}
	st.Judge.Agreement = map[scorer.Metric]scorer.Agreement{scorer.Faithfulness: {Judge: "j", Pairs: 50, SumSq: 0.5}}
	got := strings.Join(summary(st, false), "\n")
	for _, want := range []string{
		"sampling up to 120 samples in the next run instead of 60, because a series is on watch",
		"judge    two looks at the same answer differ by ±0.10 in faithfulness (50 answers)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("status lacks %q:\n%s", want, got)
		}
	}
	st.Sampling.Next = 60
	if got := strings.Join(summary(st, false), "\n"); strings.Contains(got, "sampling") {
		t.Errorf("status tells of a usual number of samples:\n%s", got)
	}
}
