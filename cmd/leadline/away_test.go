package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer/standin"
	"leadline/store"
)

// What the daemon says when it waits.
const (
	noBroker = "kafka cannot be read yet; waiting"
	noTopic  = "the topic does not exist; waiting for it"
	noJudge  = "the judge cannot be asked; scoring waits, reading goes on"
	scoredOf = "window scored"
)

// watched is a daemon on wall time in this process.
type watched struct {
	*daemon
	log journal
	end func() error
}

// begin starts a daemon whose windows end every ten minutes.
func (f *fixture) begin(t *testing.T) *watched {
	t.Helper()
	f.cfg.Score.Schedule, f.cfg.Score.Lateness = "*/10 * * * *", 0
	return f.beginAs(t)
}

// beginAs starts a daemon on the fixture's own schedule.
func (f *fixture) beginAs(t *testing.T) *watched {
	t.Helper()
	w := &watched{}
	d, err := newDaemon(f.cfg, zerolog.New(&w.log), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.run(ctx) }()
	w.daemon, w.end = d, sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-done, d.Close())
	})
	t.Cleanup(func() { _ = w.end() })
	return w
}

// halfHour are n records over the half hour before now: they end in three windows or four.
func halfHour(n int) [][]byte {
	out := make([][]byte, n)
	begin := time.Now().Add(-30 * time.Minute)
	for i := range out {
		out[i] = faq(i, begin.Add(time.Duration(i)*30*time.Minute/time.Duration(n)), false)
	}
	return out
}

// until waits for a condition.
func (w *watched) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	within(t, what, ok, w.log.String)
}

// within waits for a condition, and fails with what there is to say when it does not come.
func within(t *testing.T, what string, ok func() bool, said func() string) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.NewTimer(time.Minute)
	defer timeout.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-timeout.C:
			t.Fatalf("%s did not happen; the log says:\n%s", what, said())
		}
	}
}

// ledgers are what the daemon counts.
func (w *watched) ledgers(t *testing.T) store.Ledgers {
	t.Helper()
	l, err := w.store.Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// hasRead waits until all records are read.
func (w *watched) hasRead(t *testing.T, records int) {
	t.Helper()
	w.until(t, fmt.Sprintf("reading %d records", records), func() bool { return w.ledgers(t).Read == int64(records) })
	checkLedgers(t, w.daemon, records)
}

// decided says whether every window that has ended by now is decided.
func (w *watched) decided(t *testing.T) func() bool {
	t.Helper()
	ended := time.Now().Truncate(10 * time.Minute)
	return func() bool {
		next, ok, err := w.store.NextWindow()
		if err != nil {
			t.Fatal(err)
		}
		return ok && next.Due.After(ended)
	}
}

// retry ends the wait of paused scoring, as if its time had passed.
func (w *watched) retry() {
	w.runner.mu.Lock()
	w.runner.paused.Until = time.Time{}
	w.runner.mu.Unlock()
	w.runner.poke()
}

// laterBroker is a broker that begins to listen when it is told to, on an address that is
// known before.
func laterBroker(t *testing.T) (address string, begin func(topics ...string)) {
	t.Helper()
	at, err := net.ResolveTCPAddr("tcp", freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return at.String(), func(topics ...string) {
		c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(at.Port), kfake.SeedTopics(partitions, topics...),
			kfake.BrokerConfigs(map[string]string{"log.retention.ms": "-1"}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
	}
}

func TestABrokerThatComesLaterIsReadWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, begin := laterBroker(t)
	f.cfg.Kafka.Brokers, f.cfg.Kafka.Topics = []string{address}, []string{"rag"}
	w := f.begin(t)
	w.until(t, "a word about the broker", func() bool { return w.log.says(noBroker) })
	if err := w.isReady(); err == nil {
		t.Error("it is ready before anything was read")
	}
	begin("rag")
	produce(t, address, "rag", partitions, halfHour(60))
	w.hasRead(t, 60)
	w.until(t, "a decision of all windows", w.decided(t))
	if err := w.isReady(); err != nil {
		t.Errorf("it is not ready: %v", err)
	}
	if said := w.log.lines(noBroker); len(said) != 1 {
		t.Errorf("%d lines about the broker within a minute, want 1", len(said))
	}
}

func TestATopicThatIsMadeLaterIsReadWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.cfg.Kafka.InitialOffset = "latest"
	f.cfg.Kafka.Topics = []string{f.topic + "-later"}
	w := f.begin(t)
	w.until(t, "a word about the topic", func() bool { return w.log.says(noTopic) })
	makeTopic(t, f.broker, f.topic+"-later")
	produce(t, f.broker, f.topic+"-later", partitions, halfHour(60))
	w.hasRead(t, 60)
	if said := w.log.lines(noTopic); len(said) != 1 {
		t.Errorf("%d lines about the topic within a minute, want 1", len(said))
	}
}

func makeTopic(t *testing.T, broker, topic string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	forever := "-1"
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), partitions, 1, map[string]*string{"retention.ms": &forever}, topic); err != nil {
		t.Fatal(err)
	}
}

func TestAJudgeThatComesLaterScoresInOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address := freeAddress(t)
	f.cfg.Judge.BaseURL, f.cfg.Judge.Embeddings.BaseURL = "http://"+address+"/v1", ""
	produce(t, f.broker, f.topic, partitions, halfHour(60))
	w := f.begin(t)
	w.hasRead(t, 60)
	w.until(t, "a word about the judge", func() bool { return w.log.says(noJudge) })
	if runs, err := w.store.Runs(0); err != nil || len(runs) > 0 {
		t.Errorf("%d windows are scored without a judge (%v)", len(runs), err)
	}
	produce(t, f.broker, f.topic, partitions, [][]byte{faq(60, time.Now(), false)})
	w.hasRead(t, 61)

	judge := httptest.NewUnstartedServer(f.judge)
	judge.Listener = listen(t, address)
	judge.Start()
	t.Cleanup(judge.Close)
	w.retry()
	w.until(t, "a decision of all windows", w.decided(t))
	var order []string
	for _, line := range w.log.lines(scoredOf) {
		order = append(order, line["window"].(string))
	}
	if len(order) < 3 || !slices.IsSorted(order) {
		t.Errorf("windows were scored in this order: %v; want all of half an hour, oldest first", order)
	}
	if n := w.ledgers(t).Records[sampler.RecordExpired]; n > 0 {
		t.Errorf("%d records expired", n)
	}
}

func TestAWrongJudgeKeyPausesScoringAlone(t *testing.T) {
	t.Parallel()
	const key = "sk-planted-5f1c2e"
	f := newFixture(t)
	f.cfg.Judge.APIKey = config.Secret(key)
	if err := f.judge.SetFaults([]standin.Fault{{Mode: "unauthorized", Rate: 1}}); err != nil {
		t.Fatal(err)
	}
	produce(t, f.broker, f.topic, partitions, halfHour(60))
	w := f.begin(t)
	w.until(t, "a word about the key", func() bool { return w.log.says(noJudge) })
	for range 3 { // tries that follow say nothing new
		asked := f.judge.Stats().Requests
		w.retry()
		w.until(t, "another try", func() bool { return f.judge.Stats().Requests > asked && w.runner.pauseState().Until.After(time.Now()) })
	}
	w.hasRead(t, 60)
	if said := w.log.lines(noJudge); len(said) != 1 {
		t.Errorf("%d lines about the judge within a minute, want 1: %v", len(said), said)
	} else if cause := fmt.Sprint(said[0]["error"]); !strings.Contains(cause, "check judge.api_key") {
		t.Errorf("the line does not say where to mend it: %s", cause)
	}
	st, err := (&source{runner: w.runner, live: w.live}).Status(t.Context())
	if err != nil || st.Judge.Paused == "" {
		t.Errorf("status does not say that scoring is paused: %+v, %v", st.Judge, err)
	}
	if err := f.judge.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	w.retry()
	w.until(t, "a decision of all windows", w.decided(t))
	if text := w.log.String() + fmt.Sprintf("%+v", st); strings.Contains(text, key) {
		t.Error("the key is in the log or the status")
	}
}

// flaky is a receiver that refuses its first message.
type flaky struct {
	mu              sync.Mutex
	refused, bodies []string
}

func (r *flaky) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.refused) == 0 {
		r.refused = append(r.refused, string(body))
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	r.bodies = append(r.bodies, string(body))
	_, _ = io.WriteString(w, "ok")
}

func (r *flaky) taken() (refused, bodies []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.refused), slices.Clone(r.bodies)
}

func TestAReceiverThatFailsOnceIsToldOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	receiver := &flaky{}
	hook := httptest.NewServer(receiver)
	defer hook.Close()
	f.cfg.Alert.Receivers = []config.Receiver{{Name: "slack", Slack: &config.SlackHook{APIURL: config.Secret(hook.URL)}}}
	f.cfg.Score.Schedule = "0 0 * * 1"
	// Fifteen days end two weekly runs, and with the second one the report of the first.
	values := make([][]byte, 120)
	for i := range values {
		at := epoch.Add(time.Duration(i)*6*time.Hour + time.Minute)
		if i >= 60 { // a busy last day carries the log's time to its end
			at = epoch.AddDate(0, 0, 15).Add(time.Duration(i) * time.Minute)
		}
		values[i] = faq(i, at, false)
	}
	produce(t, f.broker, f.topic, partitions, values)
	_, d := f.watch(t, len(values))
	within(t, "a second try", func() bool {
		if err := d.teller.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, bodies := receiver.taken()
		return len(bodies) > 0
	}, func() string { return "" })
	if err := d.teller.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused, bodies := receiver.taken()
	if !slices.Equal(refused, bodies) {
		t.Errorf("taken: %d messages, want the one that was refused, once:\n%s\n%s", len(bodies), bodies, refused)
	}
}
