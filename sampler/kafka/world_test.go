package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"leadline/config"
	"leadline/sampler"
	"leadline/sampler/kafka"
)

const topic = "rag-logs"

// world is a broker, a producer and a sink, on a network and a clock of their own.
type world struct {
	t       *testing.T
	net     *kfake.VirtualNetwork
	cluster *kfake.Cluster
	sink    *ledger
	cfg     config.Kafka
	rate    float64
	log     strings.Builder
}

// inWorld runs a story against a broker with the options.
func inWorld(t *testing.T, story func(w *world), opts ...kfake.Opt) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: &kfake.VirtualNetwork{}, sink: newLedger(), rate: 1}
		w.cluster = w.broker(opts...)
		w.cfg = config.Kafka{
			Brokers: w.cluster.ListenAddrs(), Topics: []string{topic}, InitialOffset: "earliest", IsolationLevel: "read_committed",
			OnOffsetOutOfRange: "earliest", MaxFetchSize: 1 << 20, MaxFetchWait: 500 * time.Millisecond, DialTimeout: 5 * time.Second,
		}
		t.Cleanup(func() { w.cluster.Close() })
		story(w)
	})
}

func (w *world) broker(opts ...kfake.Opt) *kfake.Cluster {
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.ListenFn(w.net.Listen), kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		w.t.Fatalf("start a broker: %v", err)
	}
	return c
}

// dial opens a connection the way that a real network refuses one.
func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := w.net.DialContext(ctx, network, address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	return conn, nil
}

func (w *world) client(opts ...kgo.Opt) *kgo.Client {
	c, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(w.cfg.Brokers...), kgo.Dialer(w.net.DialContext), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic(topic),
	}, opts...)...)
	if err != nil {
		w.t.Fatalf("make a producer: %v", err)
	}
	return c
}

// produce writes records and returns when the broker has them.
func (w *world) produce(records ...*kgo.Record) {
	w.t.Helper()
	c := w.client()
	defer c.Close()
	w.produceBy(c, records...)
}

func (w *world) produceBy(c *kgo.Client, records ...*kgo.Record) {
	w.t.Helper()
	if err := c.ProduceSync(w.t.Context(), records...).FirstErr(); err != nil {
		w.t.Fatalf("produce: %v", err)
	}
}

// messages are n messages for a partition, numbered from first.
func messages(partition int32, first, n int) []*kgo.Record {
	var list []*kgo.Record
	for i := first; i < first+n; i++ {
		id := fmt.Sprintf("p%d-%d", partition, i)
		list = append(list, &kgo.Record{Partition: partition, Key: []byte(id), Value: []byte("question of " + id)})
	}
	return list
}

// start runs a consumer; stop ends it and returns what Run did.
func (w *world) start() (*kafka.Consumer, func() error) {
	w.t.Helper()
	now := func() time.Time { return time.Now() }
	intake := sampler.NewIntake(config.Sample{Rate: w.rate}, config.Record{MaxSize: 10_000}, decoder{}, now)
	c, err := kafka.New(w.cfg, kafka.Options{Intake: intake, Sink: w.sink, Log: zerolog.New(&w.log), Dial: w.dial})
	if err != nil {
		w.t.Fatalf("make a consumer: %v", err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	return c, func() error {
		cancel()
		return <-done
	}
}

// until waits for a condition, for at most a minute of the world's own time.
func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	for range 6000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.t.Fatalf("a minute went by without %s; log:\n%s", what, w.log.String())
}

// untilRead waits until the sink has n offsets of a partition.
func (w *world) untilRead(partition int, next int64) {
	w.t.Helper()
	w.until(fmt.Sprintf("partition %d being read up to %d (it is at %d)", partition, next, w.sink.at(partition)), func() bool {
		return w.sink.at(partition) >= next
	})
}

// decoder is a log of questions: the value is the question, or "bad".
type decoder struct{}

func (decoder) Session(sampler.Message) string { return "" }

func (decoder) ID(sampler.Message) string { return "" }

func (decoder) Decode(m sampler.Message) ([]sampler.Record, error) {
	if string(m.Value) == "bad" {
		return nil, errors.New("message: bad")
	}
	return []sampler.Record{{Question: string(m.Value), Answer: "yes"}}, nil
}

// ledger is a sink that refuses gaps, overlaps and sums that are wrong.
type ledger struct {
	mu      sync.Mutex
	next    map[kafka.TopicPartition]int64
	states  map[sampler.OffsetState]int64
	ids     []string
	last    map[int]sampler.Range
	first   map[int]sampler.Range
	adds    int
	slow    time.Duration // one Add takes
	fail    error
	refusal error
}

func newLedger() *ledger {
	return &ledger{next: map[kafka.TopicPartition]int64{}, states: map[sampler.OffsetState]int64{}, last: map[int]sampler.Range{}, first: map[int]sampler.Range{}}
}

func (l *ledger) Position(topic string, partition int) (int64, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, ok := l.next[kafka.TopicPartition{Topic: topic, Partition: partition}]
	return next, ok, nil
}

func (l *ledger) Add(_ context.Context, ranges []sampler.Range) error {
	time.Sleep(l.slow)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.adds++
	if l.fail != nil {
		return l.fail
	}
	for _, r := range ranges {
		if err := l.add(r); err != nil {
			l.refusal = err
			return err
		}
	}
	return nil
}

func (l *ledger) add(r sampler.Range) error {
	key := kafka.TopicPartition{Topic: r.Topic, Partition: r.Partition}
	next, known := l.next[key]
	if known && !r.Anew && r.From != next {
		return fmt.Errorf("%s goes on at %d, not at %d", key, r.From, next)
	}
	var sum int64
	for state, n := range r.Offsets {
		sum += n
		l.states[state] += n
	}
	if sum != r.Next-r.From {
		return fmt.Errorf("%s: states of [%d, %d) sum to %d", key, r.From, r.Next, sum)
	}
	for _, k := range r.Kept {
		l.ids = append(l.ids, k.Sample.ID)
	}
	if !known {
		l.first[r.Partition] = r
	}
	l.next[key], l.last[r.Partition] = r.Next, r
	return nil
}

func (l *ledger) at(partition int) int64 {
	next, _, _ := l.Position(topic, partition)
	return next
}

func (l *ledger) count(s sampler.OffsetState) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.states[s]
}

func (l *ledger) lastRange(partition int) sampler.Range {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last[partition]
}
