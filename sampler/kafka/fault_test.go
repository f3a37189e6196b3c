package kafka_test

import (
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"leadline/sampler"
	"leadline/sampler/kafka"
)

// readAll starts a consumer, waits until the partition is read up to next, and stops it.
func (w *world) readAll(next int64) {
	w.t.Helper()
	_, stop := w.start()
	w.untilRead(0, next)
	if err := stop(); err != nil {
		w.t.Fatalf("Run: %v", err)
	}
}

func (w *world) wantStates(want map[sampler.OffsetState]int64) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.sink.states); diff != "" {
		w.t.Errorf("states (-want +got):\n%s", diff)
	}
}

func TestRetentionThatOvertakesIsCountedAsLost(t *testing.T) {
	inWorld(t, func(w *world) {
		w.produce(messages(0, 0, 10)...)
		w.readAll(10)
		w.produce(messages(0, 10, 40)...)
		if err := w.cluster.DeleteRecords(topic, 0, 30); err != nil {
			t.Fatal(err)
		}
		w.readAll(50)
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: 30, sampler.OffsetLost: 20})
	}, kfake.SeedTopics(1, topic))
}

func TestRetentionThatOvertakesStopsWhereConfigured(t *testing.T) {
	inWorld(t, func(w *world) {
		w.cfg.OnOffsetOutOfRange = "fail"
		w.produce(messages(0, 0, 10)...)
		w.readAll(10)
		w.produce(messages(0, 10, 40)...)
		if err := w.cluster.DeleteRecords(topic, 0, 30); err != nil {
			t.Fatal(err)
		}
		c, stop := w.start()
		w.until("the consumer noticing", func() bool { return len(c.Status().Partitions) > 0 && c.Status().Partitions[0].Trouble != "" })
		time.Sleep(time.Second)
		if err := stop(); err == nil || !strings.Contains(err.Error(), "rag-logs/0: offsets 10 to 29") {
			t.Errorf("Run returned %v, want the range that is lost", err)
		}
		if got := w.sink.at(0); got != 10 {
			t.Errorf("the position moved to %d, want 10", got)
		}
	}, kfake.SeedTopics(1, topic))
}

func TestTopicThatWasMadeAnewIsReadFromItsBeginning(t *testing.T) {
	inWorld(t, func(w *world) {
		w.produce(messages(0, 0, 20)...)
		w.readAll(20)
		if err := w.cluster.DeleteTopic(topic); err != nil {
			t.Fatal(err)
		}
		if err := w.cluster.CreateTopic(topic, 1, nil); err != nil {
			t.Fatal(err)
		}
		w.produce(messages(0, 100, 5)...)
		_, stop := w.start()
		w.until("the new topic being read", func() bool { return w.sink.at(0) == 5 })
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: 25})
	}, kfake.SeedTopics(1, topic))
}

func TestTopicThatIsMissingIsWaitedFor(t *testing.T) {
	inWorld(t, func(w *world) {
		w.cfg.InitialOffset = "latest" // applies to what is there at the start only
		w.cfg.Topics = []string{"other", topic}
		c, stop := w.start()
		time.Sleep(90 * time.Second)
		if diff := cmp.Diff([]string{topic}, c.Status().Missing); diff != "" {
			t.Errorf("missing topics (-want +got):\n%s", diff)
		}
		if err := w.cluster.CreateTopic(topic, 1, nil); err != nil {
			t.Fatal(err)
		}
		w.produce(messages(0, 0, 5)...)
		w.untilRead(0, 5)
		if got := c.Status().Missing; len(got) > 0 {
			t.Errorf("topics %v are still missing", got)
		}
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		if got := strings.Count(w.log.String(), "does not exist"); got != 2 {
			t.Errorf("said %d times in 90 seconds that the topic is missing, want 2:\n%s", got, w.log.String())
		}
	}, kfake.SeedTopics(1, "other"))
}

func TestPartitionsThatAreAddedAreReadFromTheirBeginning(t *testing.T) {
	inWorld(t, func(w *world) {
		w.cfg.InitialOffset = "latest"
		_, stop := w.start()
		w.until("a first position", func() bool { _, ok, _ := w.sink.Position(topic, 0); return ok })
		c := w.client()
		req := kmsg.NewPtrCreatePartitionsRequest()
		req.Topics = []kmsg.CreatePartitionsRequestTopic{{Topic: topic, Count: 3}}
		if _, err := req.RequestWith(w.t.Context(), c); err != nil {
			t.Fatal(err)
		}
		c.Close()
		w.produce(append(messages(1, 0, 5), messages(2, 0, 7)...)...)
		w.untilRead(1, 5)
		w.untilRead(2, 7)
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		if got := len(w.sink.ids); got != 12 {
			t.Errorf("kept %d records, want 12", got)
		}
	}, kfake.SeedTopics(1, topic))
}

func TestLeaderThatMovesIsFollowedAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		_, stop := w.start()
		for i := range 4 {
			w.produce(messages(0, 10*i, 10)...)
			w.untilRead(0, int64(10*(i+1)))
			if err := w.cluster.MoveTopicPartition(topic, 0, int32(i%2)); err != nil {
				t.Fatal(err)
			}
		}
		w.produce(messages(0, 40, 10)...)
		moved := time.Now()
		w.untilRead(0, 50)
		if took := time.Since(moved); took > time.Second {
			t.Errorf("found the new leader after %v, want less than a second", took)
		}
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: 50})
	}, kfake.SeedTopics(1, topic), kfake.NumBrokers(2), kfake.Ports(9092, 9093))
}

func TestNothingIsLostWhenLeadersMoveBeforeASlowSink(t *testing.T) {
	inWorld(t, func(w *world) {
		const partitions, rounds, each = 6, 40, 5
		w.sink.slow = 700 * time.Millisecond
		_, stop := w.start()
		for round := range rounds {
			var batch []*kgo.Record
			for p := range int32(partitions) {
				batch = append(batch, messages(p, each*round, each)...)
			}
			w.produce(batch...)
			if err := w.cluster.MoveTopicPartition(topic, int32(round%partitions), int32(round/partitions%2)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(round) * 10 * time.Millisecond)
		}
		for p := range partitions {
			w.untilRead(p, rounds*each)
		}
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: partitions * rounds * each})
	}, kfake.SeedTopics(6, topic), kfake.NumBrokers(2), kfake.Ports(9092, 9093))
}

func TestBrokerThatIsAwayIsWaitedFor(t *testing.T) {
	opts := []kfake.Opt{kfake.SeedTopics(1, topic), kfake.DataDir(filepath.Join(t.TempDir(), "broker")), kfake.Ports(9092)}
	inWorld(t, func(w *world) {
		w.produce(messages(0, 0, 10)...)
		c, stop := w.start()
		w.untilRead(0, 10)
		w.cluster.Close()
		away := time.Now()
		time.Sleep(10 * time.Minute)
		s := c.Status()
		if s.Trouble != "connection" || s.Since.Sub(away) > time.Minute {
			t.Errorf("status says trouble %q since %v, want connection since %v", s.Trouble, s.Since, away)
		}
		if got := strings.Count(w.log.String(), "trying again"); got < 9 || got > 11 {
			t.Errorf("logged %d lines in ten minutes, want one a minute", got)
		}
		w.cluster = w.broker(opts...)
		w.produce(messages(0, 10, 10)...)
		w.untilRead(0, 20)
		if s := c.Status(); s.Trouble != "" || s.Partitions[0].Lag != 0 {
			t.Errorf("status after the outage: %+v", s)
		}
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: 20})
	}, opts...)
}

func TestStartWithoutABrokerWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		w.cfg.Brokers = []string{"127.0.0.1:1"}
		c, stop := w.start()
		time.Sleep(time.Minute)
		if s := c.Status(); s.Trouble != "connection" || !s.LastFetch.IsZero() {
			t.Errorf("status without a broker: %+v", s)
		}
		if err := stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
	}, kfake.SeedTopics(1, topic))
}

// transaction writes records in one transaction and ends it.
func (w *world) transaction(id string, end kgo.TransactionEndTry, records ...*kgo.Record) {
	w.t.Helper()
	c := w.client(kgo.TransactionalID(id))
	defer c.Close()
	if err := c.BeginTransaction(); err != nil {
		w.t.Fatal(err)
	}
	w.produceBy(c, records...)
	if err := c.EndTransaction(w.t.Context(), end); err != nil {
		w.t.Fatal(err)
	}
}

func TestAbortedTransactionsAreNotRead(t *testing.T) {
	for isolation, want := range map[string]int64{"read_committed": 9, "read_uncommitted": 16} {
		t.Run(isolation, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.cfg.IsolationLevel = isolation
				w.transaction("a", kgo.TryAbort, messages(0, 0, 3)...)
				w.transaction("a", kgo.TryCommit, messages(0, 10, 5)...)
				w.produce(messages(0, 20, 4)...)
				w.transaction("b", kgo.TryAbort, messages(0, 30, 4)...)
				const markers = 3
				w.readAll(16 + markers)
				w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: want, sampler.OffsetNoRecord: 16 + markers - want})
				if r := w.sink.lastRange(0); !r.AtEnd {
					t.Errorf("the last range does not end at the end: %+v", r)
				}
			}, kfake.SeedTopics(1, topic))
		})
	}
}

func TestCompactedOffsetsAreNoRecords(t *testing.T) {
	inWorld(t, func(w *world) {
		if err := w.cluster.CreateTopic(topic, 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
			t.Fatal(err)
		}
		w.produce(messages(0, 0, 10)...) // 0–4 and 8–9 stay
		w.produce(messages(0, 5, 3)...)
		w.produce(messages(0, 100, 1)...)
		w.cluster.Compact()
		w.readAll(14)
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: 11, sampler.OffsetNoRecord: 3})
	})
}

func TestBatchThatWasCompactedToNothingIsPassed(t *testing.T) {
	inWorld(t, func(w *world) {
		w.produce(messages(0, 0, 10)...)
		w.cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
			w.cluster.KeepControl()
			if req.(*kmsg.FetchRequest).Topics[0].Partitions[0].FetchOffset >= 5 {
				return nil, nil, false
			}
			return fetched(req, emptyBatch(5)), nil, true
		})
		w.readAll(10)
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: 5, sampler.OffsetNoRecord: 5})
	}, kfake.SeedTopics(1, topic))
}

// emptyBatch is what compaction leaves of a batch of n records at offset 0.
func emptyBatch(n int32) []byte {
	b := kmsg.RecordBatch{Magic: 2, LastOffsetDelta: n - 1, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, PartitionLeaderEpoch: -1}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// fetched is an answer to a fetch of partition 0 of ten offsets.
func fetched(req kmsg.Request, batch []byte) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.FetchResponse)
	resp.Topics = []kmsg.FetchResponseTopic{{Topic: topic, Partitions: []kmsg.FetchResponseTopicPartition{
		{HighWatermark: 10, LastStableOffset: 10, RecordBatches: batch},
	}}}
	return resp
}

func TestBatchWithAWrongChecksumIsNotKept(t *testing.T) {
	inWorld(t, func(w *world) {
		var batch []byte
		w.cluster.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
			batch = append(batch, req.(*kmsg.ProduceRequest).Topics[0].Partitions[0].Records...)
			return nil, nil, false
		})
		w.produce(messages(0, 0, 10)...)
		batch[len(batch)-1] ^= 1
		w.cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
			return fetched(req, batch), nil, true
		})
		w.readAll(10)
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: 10})
		if !strings.Contains(w.log.String(), `"reason":"corrupt"`) {
			t.Errorf("the log does not tell of it:\n%s", w.log.String())
		}
	}, kfake.SeedTopics(1, topic))
}

func TestErrorsOfOnePartitionLeaveTheOthersAlone(t *testing.T) {
	inWorld(t, func(w *world) {
		fault := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: topic, Partitions: []int32{1}, Count: -1})
		var all []*kgo.Record
		for p := range int32(40) {
			all = append(all, messages(p, 0, 3)...)
		}
		w.produce(all...)
		c, stop := w.start()
		for p := range 40 {
			if p != 1 {
				w.untilRead(p, 3)
			}
		}
		w.until("the trouble of partition 1", func() bool { return c.Status().Partitions[1].Trouble == "other" })
		fault.Remove()
		w.untilRead(1, 3)
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		w.wantStates(map[sampler.OffsetState]int64{sampler.OffsetContributed: 120})
	}, kfake.SeedTopics(40, topic), kfake.NumBrokers(3), kfake.Ports(9092, 9093, 9094))
}

func TestIdlePartitionTellsThatItIsAtItsEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.produce(messages(0, 0, 25)...)
		_, stop := w.start()
		w.untilRead(0, 25)
		w.sink.mu.Lock()
		before := w.sink.adds
		w.sink.mu.Unlock()
		time.Sleep(time.Minute)
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		if told := w.sink.adds - before; told < 30 || told > 70 {
			t.Errorf("told the sink %d times in a minute, want about once a second", told)
		}
		r := w.sink.lastRange(0)
		if !r.AtEnd || r.From != 25 || r.Next != 25 || r.Watermark.IsZero() {
			t.Errorf("the last range is %+v, want an empty one at 25, at its end, with a watermark", r)
		}
	}, kfake.SeedTopics(2, topic))
}

func TestCheckTellsWhatTopicsHold(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, topic))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	producer, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	if err := producer.ProduceSync(t.Context(), messages(0, 0, 10)...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	w := &world{}
	w.cfg.Brokers, w.cfg.Topics, w.cfg.DialTimeout = c.ListenAddrs(), []string{topic, "none"}, time.Second
	got, err := kafka.Check(t.Context(), w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	want := []kafka.TopicInfo{{Topic: topic, Exists: true, Partitions: 2, Offsets: 10}, {Topic: "none"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("topics (-want +got):\n%s", diff)
	}
	w.cfg.Brokers = []string{"127.0.0.1:1"}
	if _, err := kafka.Check(t.Context(), w.cfg); err == nil {
		t.Error("no error without a broker")
	}
}
