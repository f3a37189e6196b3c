package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/fetch"
)

// tellEvery is how often a partition at its end says so.
const tellEvery = time.Second

// round reads the partitions until the layout changes, one of them has lost its place or
// its leader, or ctx ends.
func (c *Consumer) round(ctx context.Context, parts []*partition, out chan<- chunk) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var running sync.WaitGroup
	for _, group := range loops(parts) {
		running.Go(func() {
			defer end()
			c.loop(ctx, group, out)
		})
	}
	running.Go(func() {
		defer end()
		c.watch(ctx, parts)
	})
	running.Wait()
}

// watch returns when the layout is no longer that of the partitions.
func (c *Consumer) watch(ctx context.Context, parts []*partition) {
	old := layout{}
	for _, p := range parts {
		old[p.TopicPartition] = p.leader
	}
	for ctx.Err() == nil {
		sleep(ctx, layoutEvery)
		found, missing, err := c.layout(ctx)
		if err != nil {
			continue
		}
		c.setMissing(missing)
		if !maps.Equal(old, found) {
			return
		}
	}
}

// loop fetches a group of partitions of one leader, one long poll at a time. It returns
// when the partitions have to be placed or led anew.
func (c *Consumer) loop(ctx context.Context, group []*partition, out chan<- chunk) {
	reader := newReader(c.intake)
	for turn := 0; ctx.Err() == nil; turn++ {
		ready := due(group, turn)
		if len(ready) == 0 {
			sleep(ctx, pauseStep)
			continue
		}
		resp, err := c.fetch(ctx, ready)
		if ctx.Err() != nil {
			return
		}
		moved := false
		if err != nil {
			moved = c.failed(ready, err)
		}
		for p, part := range resp {
			ch, err := reader.read(p, part)
			if err != nil {
				moved = c.failed([]*partition{p}, err) || moved
				continue
			}
			// The place moves only after the chunk was handed on: a round may end here.
			if p.isWorth(ch) && send(ctx, out, ch) != nil {
				return
			}
			c.progress(p, ch, part.HighWatermark)
		}
		if moved {
			return
		}
	}
}

// pauseStep is how long a loop rests that has nothing to fetch.
const pauseStep = 50 * time.Millisecond

// due returns the partitions that are not paused. Each turn another one comes first, so
// that none is starved where the broker fills the answer in order.
func due(group []*partition, turn int) []*partition {
	var ready []*partition
	now := time.Now()
	for i := range group {
		if p := group[(i+turn)%len(group)]; !p.pause.After(now) {
			ready = append(ready, p)
		}
	}
	return ready
}

// fetch asks the leader of the partitions for more.
func (c *Consumer) fetch(ctx context.Context, parts []*partition) (map[*partition]*fetch.ResponsePartition, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout+c.cfg.MaxFetchWait)
	defer cancel()
	m, err := c.transport.RoundTrip(ctx, c.brokers, c.request(parts))
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	resp := m.(*fetch.Response)
	if resp.ErrorCode != 0 {
		return nil, fmt.Errorf("fetch: %w", kafkago.Error(resp.ErrorCode))
	}
	asked := map[TopicPartition]*partition{}
	for _, p := range parts {
		asked[p.TopicPartition] = p
	}
	got := map[*partition]*fetch.ResponsePartition{}
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			part := &resp.Topics[i].Partitions[j]
			if p := asked[TopicPartition{resp.Topics[i].Topic, int(part.Partition)}]; p != nil {
				got[p] = part
			}
		}
	}
	return got, nil
}

func (c *Consumer) request(parts []*partition) *fetch.Request {
	req := &fetch.Request{
		ReplicaID: -1, MaxWaitTime: int32(c.cfg.MaxFetchWait.Milliseconds()), MinBytes: 1, MaxBytes: int32(c.cfg.MaxFetchSize),
		IsolationLevel: int8(kafkago.ReadCommitted), SessionEpoch: -1,
	}
	if c.cfg.IsolationLevel == "read_uncommitted" {
		req.IsolationLevel = int8(kafkago.ReadUncommitted)
	}
	for _, p := range parts {
		want := fetch.RequestPartition{
			Partition: int32(p.Partition), CurrentLeaderEpoch: -1, FetchOffset: p.next, LogStartOffset: -1, PartitionMaxBytes: int32(c.cfg.MaxFetchSize),
		}
		i := slices.IndexFunc(req.Topics, func(t fetch.RequestTopic) bool { return t.Topic == p.Topic })
		if i < 0 {
			req.Topics, i = append(req.Topics, fetch.RequestTopic{Topic: p.Topic}), len(req.Topics)
		}
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, want)
	}
	return req
}

// isWorth says whether a chunk is to be handed on: one that moves, and now and then one
// that tells that the partition is at its end.
func (p *partition) isWorth(ch chunk) bool {
	return ch.From < ch.Next || ch.AtEnd && time.Since(p.told) >= tellEvery
}

// progress moves the partition over what was handed on.
func (c *Consumer) progress(p *partition, ch chunk, end int64) {
	now := time.Now()
	if p.isWorth(ch) {
		p.told = now
	}
	p.next, p.pause = ch.Next, time.Time{}
	p.wait.Reset()
	lag := max(0, end-ch.Next)
	c.metrics.lag.WithLabelValues(p.Topic, strconv.Itoa(p.Partition)).Set(float64(lag))
	c.metrics.lastFetch.Set(float64(now.UnixMilli()) / 1000)
	c.trouble.over(c.setRead(p, PartitionStatus{Topic: p.Topic, Partition: p.Partition, Next: ch.Next, Lag: lag, LastFetch: now}))
}

// failed pauses partitions after an error, and says whether they need a new place or leader.
func (c *Consumer) failed(parts []*partition, err error) bool {
	kind := classify(err)
	c.trouble.report(err, "kafka cannot be read; trying again")
	for _, p := range parts {
		p.pause = time.Now().Add(p.wait.NextBackOff())
		p.placed = p.placed && kind != kindRange
	}
	c.setTrouble(parts, kind)
	if kind == kindLeader || kind == kindTopic {
		c.transport.CloseIdleConnections() // forgets the layout, which may be 5 seconds old
	}
	return kind == kindLeader || kind == kindTopic || kind == kindRange
}
