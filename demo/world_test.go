package demo_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/twmb/franz-go/pkg/kgo"

	"leadline/demo"
)

func startWorld(t *testing.T, seed uint64) *demo.World {
	t.Helper()
	w, err := demo.Start(t.Context(), demo.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func TestBrokerHoldsWhatWasProducedUntilItWasStopped(t *testing.T) {
	w := startWorld(t, 1)
	ctx, stop := context.WithCancel(t.Context())
	produced := 0
	err := w.Produce(ctx, func(done, total int) {
		if want := demo.Count(1); total != want {
			t.Errorf("progress is of %d, want %d", total, want)
		}
		if produced = done; produced > 3000 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	log := consume(t, w, produced)
	at := [demo.Partitions]int{}
	for m := range demo.Generate(1) {
		if at[m.Partition] == len(log[m.Partition]) {
			break
		}
		got := log[m.Partition][at[m.Partition]]
		at[m.Partition]++
		if !bytes.Equal(got.Value, m.Value) || !bytes.Equal(got.Key, m.Key) || !got.Timestamp.Equal(m.Time) {
			t.Fatalf("partition %d offset %d is not the record of %s", m.Partition, got.Offset, m.Time)
		}
	}
	if n := at[0] + at[1] + at[2] + at[3]; n < produced {
		t.Errorf("compared %d of %d records", n, produced)
	}
}

// consume reads n records with another implementation of the protocol, which checks the
// batches' sums.
func consume(t *testing.T, w *demo.World, n int) [demo.Partitions][]*kgo.Record {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(w.Brokers()...), kgo.ConsumeTopics(demo.Topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var log [demo.Partitions][]*kgo.Record
	for read := 0; read < n; {
		fetches := c.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d of %d records: %v", read, n, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			log[r.Partition] = append(log[r.Partition], r)
			read++
		})
	}
	return log
}

func TestReceiversKeepWhatTheyAccept(t *testing.T) {
	w := startWorld(t, 1)
	if got := post(t, w.SlackURL(), []byte(`{"text":"hello"}`), nil); got != http.StatusOK {
		t.Errorf("slack receiver answers %d", got)
	}
	body := []byte(`{"version":"4"}`)
	if got := post(t, w.WebhookURL(), body, nil); got != http.StatusUnauthorized {
		t.Errorf("webhook without a signature is answered %d, want 401", got)
	}
	if got := post(t, w.WebhookURL(), body, signature(t, w, []byte(`{"version":"5"}`))); got != http.StatusUnauthorized {
		t.Errorf("webhook with the signature of another body is answered %d, want 401", got)
	}
	if got := post(t, w.WebhookURL(), body, signature(t, w, body)); got != http.StatusOK {
		t.Errorf("signed webhook is answered %d, want 200", got)
	}
	slack, webhook := w.Received()
	if len(slack) != 1 || string(slack[0]) != `{"text":"hello"}` || len(webhook) != 1 || !bytes.Equal(webhook[0], body) {
		t.Errorf("kept %q and %q", slack, webhook)
	}
}

func signature(t *testing.T, w *demo.World, body []byte) http.Header {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(w.WebhookSecret())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	sum, err := hook.Sign("msg_1", now, body)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	h.Set(standardwebhooks.HeaderWebhookID, "msg_1")
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, sum)
	return h
}

func post(t *testing.T, url string, body []byte, h http.Header) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if h != nil {
		req.Header = h
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
