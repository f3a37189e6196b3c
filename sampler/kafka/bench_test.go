package kafka_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"leadline/config"
	"leadline/sampler"
	"leadline/sampler/format"
	"leadline/sampler/kafka"
)

// counter is a sink that stops the benchmark after enough offsets.
type counter struct {
	read, want int64
	stop       func()
}

func (*counter) Position(string, int) (int64, bool, error) { return 0, false, nil }

func (c *counter) Add(_ context.Context, ranges []sampler.Range) error {
	for _, r := range ranges {
		c.read += r.Next - r.From
	}
	if c.read >= c.want {
		c.stop()
	}
	return nil
}

// BenchmarkConsumer reads records of 2 KB of JSON from a broker in this process, which
// serves the same batch again and again. CPU time includes the broker's share.
func BenchmarkConsumer(b *testing.B) {
	for _, c := range []struct {
		name, record string
		rate         float64
	}{
		{"id-first", `{"id":"request-%08d","question":"How many days?","answer":"Three.","contexts":["%s"]}`, 0},
		{"id-last", `{"question":"How many days?","answer":"Three.","contexts":["%[2]s"],"id":"request-%08[1]d"}`, 0},
		{"one-percent-kept", `{"id":"request-%08d","question":"How many days?","answer":"Three.","contexts":["%s"]}`, 0.01},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.record, c.rate) })
	}
}

func benchmark(b *testing.B, record string, rate float64) {
	const partitions = 4
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, topic), kfake.SyntheticFetch(kfake.SyntheticBatch{Batch: fullBatch(record)}))
	if err != nil {
		b.Fatal(err)
	}
	defer broker.Close()
	decoder, err := format.New(config.Record{Format: "plain"})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	sink := &counter{want: int64(b.N), stop: stop}
	consumer, err := kafka.New(config.Kafka{
		Brokers: broker.ListenAddrs(), Topics: []string{topic}, InitialOffset: "earliest", IsolationLevel: "read_committed",
		MaxFetchSize: 1 << 20, MaxFetchWait: 500 * time.Millisecond, DialTimeout: time.Second,
	}, kafka.Options{
		Intake: sampler.NewIntake(config.Sample{Rate: rate, Salt: "s"}, config.Record{MaxSize: 1 << 20}, decoder, time.Now),
		Sink:   sink, Log: zerolog.Nop(),
	})
	if err != nil {
		b.Fatal(err)
	}
	before := cpu()
	b.ResetTimer()
	if err := consumer.Run(ctx); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(sink.read)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(sink.read)/(cpu()-before).Seconds(), "records/cpu-s")
	b.ReportMetric(0, "ns/op")
}

// fullBatch is one batch of a megabyte.
func fullBatch(record string) []byte {
	const n = 500
	b := kmsg.RecordBatch{Magic: 2, LastOffsetDelta: n - 1, NumRecords: n, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1}
	b.FirstTimestamp = time.Now().UnixMilli()
	b.MaxTimestamp = b.FirstTimestamp
	for i := range n {
		r := kmsg.Record{OffsetDelta: int32(i), Value: fmt.Appendf(nil, record, i, strings.Repeat("Three days a week. ", 105))}
		r.Length = int32(len(r.AppendTo(nil)) - 1)
		b.Records = r.AppendTo(b.Records)
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
