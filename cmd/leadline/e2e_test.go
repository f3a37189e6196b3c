package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"leadline/alert"
	"leadline/config"
	"leadline/sampler"
	"leadline/scorer/standin"
)

// broker is where the end-to-end tests read from: the real Apache Kafka named by
// LEADLINE_KAFKA, else an embedded one.
func broker(t *testing.T) string {
	t.Helper()
	if address := os.Getenv("LEADLINE_KAFKA"); address != "" {
		return address
	}
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.BrokerConfigs(map[string]string{"log.retention.ms": "-1"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()[0]
}

// newTopic makes a topic of its own for a test. Its records may be of any time.
func newTopic(t *testing.T, broker string, partitions int32) string {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	topic := fmt.Sprintf("rag-%d", time.Now().UnixNano())
	forever := "-1"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := kadm.NewClient(client).CreateTopic(ctx, partitions, 1, map[string]*string{"retention.ms": &forever}, topic); err != nil {
		t.Fatal(err)
	}
	return topic
}

// produce writes values in order, spread over the partitions.
func produce(t *testing.T, broker, topic string, partitions int, values [][]byte) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	records := make([]*kgo.Record, len(values))
	for n, v := range values {
		records[n] = &kgo.Record{Topic: topic, Partition: int32(n % partitions), Value: v}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// slack is a receiver that takes everything.
type slack struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

func newSlack(t *testing.T) *slack {
	t.Helper()
	s := &slack{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bodies = append(s.bodies, string(body))
		_, _ = io.WriteString(w, "ok")
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *slack) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// fixture is what an end-to-end test runs the daemon with.
type fixture struct {
	broker, topic string
	judge         *standin.Server
	slack         *slack
	cfg           config.Config
}

const partitions = 2

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{broker: broker(t), judge: newStandin(t), slack: newSlack(t)}
	f.topic = newTopic(t, f.broker, partitions)
	judge := httptest.NewServer(f.judge)
	t.Cleanup(judge.Close)
	dir := t.TempDir()
	cfg := config.Default()
	cfg.Service.Name = "helpdesk"
	cfg.Kafka.Brokers, cfg.Kafka.Topics, cfg.Kafka.InitialOffset = []string{f.broker}, []string{f.topic}, "earliest"
	cfg.Kafka.MaxFetchWait = 50 * time.Millisecond
	cfg.Record.MaxAge = 0
	cfg.Record.Segments = map[string]string{"source": "source"}
	cfg.Judge.BaseURL, cfg.Judge.Model, cfg.Judge.Embeddings.Model = judge.URL+"/v1", standin.Model, standin.Model
	cfg.Judge.Concurrency = 8
	cfg.Sample.Rate, cfg.Sample.PerRun = 1, 60
	cfg.Store.Path = filepath.Join(dir, "leadline.db")
	cfg.Server.Listen, cfg.Server.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Alert.Receivers = []config.Receiver{{Name: "slack", Slack: &config.SlackHook{APIURL: config.Secret(f.slack.URL)}}}
	f.cfg = cfg
	return f
}

func newStandin(t *testing.T) *standin.Server {
	t.Helper()
	s, err := standin.New(standin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// settleWithin bounds how long a test waits for the daemon to work off a topic.
const settleWithin = 10 * time.Minute

// watch runs the daemon by the log's own time until every record is read and every window
// that can close is decided; then it stops it. It returns what stands in the store.
func (f *fixture) watch(t *testing.T, records int) ([]alert.Incident, *daemon) {
	t.Helper()
	d, err := newDaemon(f.cfg, zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), settleWithin)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- d.run(ctx) }()
	err = d.settle(ctx, records, func(time.Time) {})
	cancel()
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	incidents, err := d.store.Incidents()
	if err != nil {
		t.Fatal(err)
	}
	return incidents, d
}

// plainRecord is a record of the plain format.
type plainRecord struct {
	ID       string   `json:"id"`
	Time     string   `json:"time"`
	Source   string   `json:"source,omitempty"`
	Release  string   `json:"release,omitempty"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Contexts []string `json:"contexts"`
}

// faq is a question whose answer the context supports; the lost variant is answered from
// elsewhere.
func faq(n int, at time.Time, lost bool) []byte {
	topic := []string{"badge", "parking", "laptop", "canteen", "locker"}[n%5]
	days := n%7 + 2
	r := plainRecord{
		ID: fmt.Sprintf("q-%05d", n), Time: at.Format(time.RFC3339Nano), Source: topic, Release: "1.0",
		Question: fmt.Sprintf("How long does a new %s request take?", topic),
		Answer:   fmt.Sprintf("A new %s request takes %d working days after approval.", topic, days),
		Contexts: []string{fmt.Sprintf("Every new %s request takes %d working days after approval by the manager.", topic, days)},
	}
	if n%13 == 0 { // answers are never all right
		r.Answer += " The office dog brings it on a silver tray."
	}
	if lost {
		r.Contexts = []string{"Visitors sign the guest book at the entrance and wear a sticker."}
	}
	line, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return line
}

var epoch = time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)

// eightWeeks are n records over eight weeks; from the change on, those of a topic are lost.
func eightWeeks(n int, change float64, topic int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		x := float64(i) / float64(n)
		at := epoch.Add(time.Duration(x * float64(8*7*24*time.Hour)))
		out[i] = faq(i, at, x >= change && i%5 == topic)
	}
	return out
}

func TestEndToEndALostDocumentBecomesASilentIncident(t *testing.T) {
	f := newFixture(t)
	values := eightWeeks(2500, 0.6, 2)
	produce(t, f.broker, f.topic, partitions, values)
	f.cfg.Record.Channels = map[string]string{"release": "release"}
	f.cfg.Score.Schedule = "0 0 * * *"
	incidents, d := f.watch(t, len(values))
	if len(incidents) != 1 {
		t.Fatalf("%d incidents, want 1: %+v", len(incidents), incidents)
	}
	metric, segment := incidents[0].Headline()
	if incidents[0].Kind != "silent" || metric != "faithfulness" || segment != "source=laptop" {
		t.Errorf("%s incident of %s %s, want silent faithfulness source=laptop", incidents[0].Kind, metric, segment)
	}
	change := epoch.Add(time.Duration(0.6 * float64(8*7*24*time.Hour)))
	if incidents[0].Opened.Before(change) {
		t.Errorf("opened %s, before the change at %s", incidents[0].Opened, change)
	}
	if got := f.slack.received(); len(got) == 0 {
		t.Error("Slack was told nothing")
	}
	checkLedgers(t, d, len(values))
}

func checkLedgers(t *testing.T, d *daemon, records int) {
	t.Helper()
	l, err := d.store.Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	var offsets, recs int64
	for _, n := range l.Offsets {
		offsets += n
	}
	for _, n := range l.Records {
		recs += n
	}
	if offsets != l.Read || l.Read != int64(records) || recs != l.Offsets[sampler.OffsetContributed] {
		t.Errorf("ledgers do not sum: %d offsets of %d read (%d produced), %d records of %d messages", offsets, l.Read, records, recs, l.Offsets[sampler.OffsetContributed])
	}
}

func TestEndToEndBadRecordsHaveTheirStates(t *testing.T) {
	f := newFixture(t)
	f.cfg.Record.MaxSize = 1 << 16
	f.cfg.Record.MaxAge = 0
	f.cfg.Score.Schedule = "0 0 * * *"
	good := eightWeeks(400, 2, 0)
	at := epoch.Add(time.Hour).Format(time.RFC3339)
	far := time.Now().AddDate(1, 0, 0).UTC().Format(time.RFC3339)
	bad := [][]byte{
		[]byte("not json"), []byte(`{"id":`), nil,
		[]byte(`{"id":"b1","time":"` + at + `","question":"","answer":"a","contexts":["c"]}`),
		[]byte(`{"id":"b2","time":"` + at + `","question":"q","contexts":["c"]}`),
		[]byte(`{"id":"b3","time":"` + at + `","question":"q","answer":"   ","contexts":["c"]}`),
		[]byte(`{"id":"b4","time":"` + at + `","question":"What is open?","answer":"The desk is open today.","contexts":[]}`),
		[]byte(`{"id":"b5","time":"` + far + `","question":"q","answer":"a","contexts":["c"]}`),
		append([]byte(`{"id":"b6","time":"`+at+`","question":"q","answer":"`), append(slices.Repeat([]byte("x"), 1<<17), []byte(`"}`)...)...),
		good[0],
	}
	values := append(slices.Clone(good[:50]), bad...)
	values = append(values, good[50:]...)
	produce(t, f.broker, f.topic, partitions, values)
	_, d := f.watch(t, len(values))
	l, err := d.store.Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	for state, want := range map[sampler.OffsetState]int64{sampler.OffsetMalformed: 2, sampler.OffsetTombstone: 1, sampler.OffsetOversize: 1} {
		if l.Offsets[state] != want {
			t.Errorf("%d offsets %s, want %d", l.Offsets[state], state, want)
		}
	}
	for state, want := range map[sampler.RecordState]int64{sampler.RecordNoQuestion: 1, sampler.RecordNoAnswer: 2, sampler.RecordFuture: 1, sampler.RecordDuplicate: 1} {
		if l.Records[state] != want {
			t.Errorf("%d records %s, want %d", l.Records[state], state, want)
		}
	}
	checkSums(t, l.Offsets, int64(len(values)))
	s, ok, err := d.store.Sample("b4")
	if err != nil || !ok {
		t.Fatalf("the record without contexts was not scored: %v", err)
	}
	if f, r := s.Score.Outcomes["faithfulness"], s.Score.Outcomes["answer_relevancy"]; f.Scored || f.Reason != "no_context" || !r.Scored {
		t.Errorf("a record without contexts: faithfulness %+v, relevancy %+v; want no_context and a score", f, r)
	}
}

func checkSums[S cmp.Ordered](t *testing.T, counts map[S]int64, want int64) {
	t.Helper()
	var sum int64
	for _, n := range counts {
		sum += n
	}
	if sum != want {
		t.Errorf("states sum to %d, want %d: %v", sum, want, counts)
	}
}
