package kafka_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"leadline/sampler"
)

func TestLedgerIsExactAcrossRestarts(t *testing.T) {
	inWorld(t, func(w *world) {
		var want []string
		for round := range 5 {
			_, stop := w.start()
			for p := range int32(3) {
				batch := messages(p, round*40, 40)
				w.produce(batch...)
				for _, r := range batch {
					want = append(want, string(r.Key))
				}
			}
			if round%2 == 0 { // else stop in the middle of it
				for p := range 3 {
					w.untilRead(p, int64(40*(round+1)))
				}
			}
			if err := stop(); err != nil {
				t.Fatalf("Run: %v", err)
			}
		}
		slices.Sort(want)
		slices.Sort(w.sink.ids)
		if diff := cmp.Diff(want, w.sink.ids); diff != "" {
			t.Errorf("records that were kept (-want +got):\n%s", diff)
		}
		if got := w.sink.count(sampler.OffsetContributed); got != 600 {
			t.Errorf("contributed %d offsets, want 600", got)
		}
	}, kfake.SeedTopics(3, topic))
}

func TestEachMessageEndsInItsState(t *testing.T) {
	inWorld(t, func(w *world) {
		w.produce(
			&kgo.Record{Key: []byte("good"), Value: []byte("question")},
			&kgo.Record{Key: []byte("tombstone")},
			&kgo.Record{Key: []byte("empty"), Value: []byte{}},
			&kgo.Record{Key: []byte("large"), Value: []byte(strings.Repeat("x", 10_001))},
			&kgo.Record{Key: []byte("bad"), Value: []byte("bad")},
			&kgo.Record{Value: []byte("question without a key")},
		)
		_, stop := w.start()
		w.untilRead(0, 6)
		if err := stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		want := map[sampler.OffsetState]int64{
			sampler.OffsetContributed: 3, sampler.OffsetTombstone: 1, sampler.OffsetOversize: 1, sampler.OffsetMalformed: 1,
		}
		if diff := cmp.Diff(want, w.sink.states); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"good", "empty", "rag-logs/0/5"}, w.sink.ids); diff != "" {
			t.Errorf("IDs (-want +got):\n%s", diff)
		}
		if !strings.Contains(w.log.String(), "rag-logs/0 offset 4: message: bad") {
			t.Errorf("the log does not say which message is malformed and why:\n%s", w.log.String())
		}
	}, kfake.SeedTopics(1, topic))
}

func TestMessagesAreReadInEveryCompression(t *testing.T) {
	codecs := map[string]kgo.CompressionCodec{
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				c := w.client(kgo.ProducerBatchCompression(codec))
				w.produceBy(c, messages(0, 0, 100)...)
				c.Close()
				_, stop := w.start()
				w.untilRead(0, 100)
				if err := stop(); err != nil {
					t.Fatalf("Run: %v", err)
				}
				if got := len(w.sink.ids); got != 100 {
					t.Errorf("kept %d records of 100", got)
				}
			}, kfake.SeedTopics(1, topic))
		})
	}
}

func TestInitialOffsetSkipsWhatWasThereBefore(t *testing.T) {
	for initial, want := range map[string]int64{"earliest": 15, "latest": 5} {
		t.Run(initial, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.cfg.InitialOffset = initial
				w.produce(messages(0, 0, 10)...)
				_, stop := w.start()
				w.until("a first position", func() bool { _, ok, _ := w.sink.Position(topic, 0); return ok })
				if err := stop(); err != nil {
					t.Fatalf("Run: %v", err)
				}
				// What comes while it is down is new, whatever the initial offset is.
				w.produce(messages(0, 10, 5)...)
				_, stop = w.start()
				w.untilRead(0, 15)
				if err := stop(); err != nil {
					t.Fatalf("Run: %v", err)
				}
				if got := w.sink.count(sampler.OffsetContributed); got != want {
					t.Errorf("read %d messages, want %d", got, want)
				}
				if got, first := w.sink.first[0].From, 15-want; got != first {
					t.Errorf("the first range starts at %d, want %d", got, first)
				}
			}, kfake.SeedTopics(1, topic))
		})
	}
}

func TestSinkErrorStopsTheConsumer(t *testing.T) {
	inWorld(t, func(w *world) {
		full := errors.New("disk full")
		w.sink.fail = full
		w.produce(messages(0, 0, 10)...)
		_, stop := w.start()
		w.until("an attempt to keep something", func() bool {
			w.sink.mu.Lock()
			defer w.sink.mu.Unlock()
			return w.sink.adds > 0
		})
		if err := stop(); !errors.Is(err, full) {
			t.Errorf("Run returned %v, want the sink's error", err)
		}
	}, kfake.SeedTopics(1, topic))
}
