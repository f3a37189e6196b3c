package kafka

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/cenkalti/backoff/v5"
	kafkago "github.com/segmentio/kafka-go"

	"leadline/sampler"
)

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int
}

func (tp TopicPartition) String() string { return fmt.Sprintf("%s/%d", tp.Topic, tp.Partition) }

// partition is one partition's place. One goroutine at a time works on it: the
// supervisor, or in a round the fetch loop that it is given to.
type partition struct {
	TopicPartition
	leader int // broker ID, negative if there is none

	placed  bool // next is where to go on
	started bool // next was set once
	next    int64
	mark    sampler.Watermark
	told    time.Time // when the last range was handed on

	wait  *backoff.ExponentialBackOff
	pause time.Time // nothing is fetched until then

	status PartitionStatus // guarded by Consumer.mu
}

func newPartition(tp TopicPartition) *partition {
	return &partition{
		TopicPartition: tp, wait: newBackoff(),
		status: PartitionStatus{Topic: tp.Topic, Partition: tp.Partition, Lag: -1},
	}
}

// newBackoff starts low enough for a leader that has just moved.
func newBackoff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.Multiplier, b.MaxInterval = 50*time.Millisecond, 2, 5*time.Second
	return b
}

// rangeTo returns the range from the partition's place to next.
func (p *partition) rangeTo(next int64) sampler.Range {
	return sampler.Range{
		Topic: p.Topic, Partition: p.Partition, From: p.next, Next: next,
		Offsets: map[sampler.OffsetState]int64{}, Watermark: p.mark.Time(),
	}
}

// lostError says that retention took what was not read yet.
type lostError struct {
	TopicPartition
	from, to int64
}

func (e *lostError) Error() string {
	return fmt.Sprintf("%s: offsets %d to %d are no longer on the broker; set kafka.on_offset_out_of_range to earliest to count them as lost and go on",
		e.TopicPartition, e.from, e.to-1)
}

// place gives every partition the offset at which reading goes on, and hands on a range
// for each, before any of them is read: until then no low watermark can pass them.
func (c *Consumer) place(ctx context.Context, parts []*partition, out chan<- chunk) error {
	var open []*partition // those that the brokers must be asked about
	var ready []*partition
	for _, p := range parts {
		switch known, err := c.resume(p); {
		case err != nil:
			return err
		case known:
			ready = append(ready, p)
		case !p.placed:
			open = append(open, p)
		}
	}
	for _, p := range ready {
		if err := c.start(ctx, p, p.rangeTo(p.next), out); err != nil {
			return err
		}
	}
	bounds, err := c.bounds(ctx, open)
	if err != nil {
		return err
	}
	for _, p := range open {
		r, err := c.settle(p, bounds[p.TopicPartition])
		if err != nil {
			return err
		}
		if err := c.start(ctx, p, r, out); err != nil {
			return err
		}
	}
	clear(c.fresh)
	return nil
}

// resume takes the partition's place from the sink, if it has one.
func (c *Consumer) resume(p *partition) (bool, error) {
	if p.started {
		return false, nil
	}
	next, ok, err := c.sink.Position(p.Topic, p.Partition)
	if err != nil {
		return false, &sinkError{fmt.Errorf("position of %s: %w", p, err)}
	}
	if ok {
		p.next, p.started = next, true
		delete(c.fresh, p.Topic)
	}
	return ok, nil
}

// start hands on the first range of a partition and lets it be read.
func (c *Consumer) start(ctx context.Context, p *partition, r sampler.Range, out chan<- chunk) error {
	if err := send(ctx, out, chunk{Range: r}); err != nil {
		return err
	}
	p.next, p.started, p.placed, p.told = r.Next, true, true, time.Now()
	return nil
}

// bound is what a broker has of a partition: offsets from first up to, without, end.
type bound struct{ first, end int64 }

// bounds asks the leaders what they have.
func (c *Consumer) bounds(ctx context.Context, parts []*partition) (map[TopicPartition]bound, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	ask := map[string][]kafkago.OffsetRequest{}
	for _, p := range parts {
		ask[p.Topic] = append(ask[p.Topic], kafkago.FirstOffsetOf(p.Partition), kafkago.LastOffsetOf(p.Partition))
	}
	return listOffsets(ctx, c.transport, c.brokers, ask)
}

func listOffsets(ctx context.Context, t kafkago.RoundTripper, brokers net.Addr, ask map[string][]kafkago.OffsetRequest) (map[TopicPartition]bound, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	client := kafkago.Client{Addr: brokers, Transport: t}
	resp, err := client.ListOffsets(ctx, &kafkago.ListOffsetsRequest{Topics: ask})
	if err != nil {
		return nil, fmt.Errorf("list offsets: %w", err)
	}
	found := map[TopicPartition]bound{}
	for topic, list := range resp.Topics {
		for _, o := range list {
			tp := TopicPartition{topic, o.Partition}
			if o.Error != nil {
				return nil, fmt.Errorf("list offsets of %s: %w", tp, o.Error)
			}
			if o.FirstOffset < 0 || o.LastOffset < o.FirstOffset {
				return nil, fmt.Errorf("list offsets of %s: the broker says %d to %d", tp, o.FirstOffset, o.LastOffset)
			}
			found[tp] = bound{o.FirstOffset, o.LastOffset}
		}
	}
	return found, nil
}

// settle says where a partition goes on that has no place yet, or whose place is not on
// the broker. A place beyond the end means that the topic was made anew.
func (c *Consumer) settle(p *partition, b bound) (sampler.Range, error) {
	switch {
	case !p.started:
		p.next = b.first
		if c.cfg.InitialOffset == "latest" && c.fresh[p.Topic] {
			p.next = b.end
		}
		return p.rangeTo(p.next), nil
	case p.next < b.first && c.cfg.OnOffsetOutOfRange == "fail":
		return sampler.Range{}, &lostError{p.TopicPartition, p.next, b.first}
	case p.next < b.first:
		r := p.rangeTo(b.first)
		r.Offsets[sampler.OffsetLost] = r.Next - r.From
		c.trouble.log.Warn().Stringer("partition", p).Int64("from", r.From).Int64("next", r.Next).
			Msg("offsets were lost to retention before they were read")
		return r, nil
	case p.next > b.end:
		c.trouble.log.Warn().Stringer("partition", p).Int64("stored", p.next).Int64("first", b.first).Int64("end", b.end).
			Msg("the topic was made anew or cut back; reading it from its beginning")
		c.metrics.errors.WithLabelValues("recreated").Inc()
		p.next, p.mark = b.first, sampler.Watermark{}
		r := p.rangeTo(p.next)
		r.Anew = true
		return r, nil
	}
	return p.rangeTo(p.next), nil
}
