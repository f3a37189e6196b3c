package kafka

import (
	"context"
	"fmt"
	"time"

	"leadline/sampler"
)

// What was read is kept when the first of these is reached.
const (
	flushEvery  = 200 * time.Millisecond
	flushChunks = 64
	flushBytes  = 8 << 20
)

// chunk is a range on its way to the sink.
type chunk struct {
	sampler.Range
	bytes int // of the messages that are kept
}

// send hands a chunk on; it fails only when ctx ends.
func send(ctx context.Context, out chan<- chunk, ch chunk) error {
	select {
	case out <- ch:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pending is what was read and is not kept yet.
type pending struct {
	ranges []sampler.Range
	last   map[TopicPartition]int // index of the partition's last range
	chunks int
	bytes  int
}

// add appends a chunk, to the partition's last range where it goes on from there.
func (p *pending) add(ch chunk) {
	p.chunks++
	p.bytes += ch.bytes
	key := TopicPartition{ch.Topic, ch.Partition}
	i, ok := p.last[key]
	if !ok || ch.Anew || p.ranges[i].Next != ch.From {
		if p.last == nil {
			p.last = map[TopicPartition]int{}
		}
		p.last[key] = len(p.ranges)
		p.ranges = append(p.ranges, ch.Range)
		return
	}
	r := &p.ranges[i]
	r.Next, r.Watermark, r.AtEnd = ch.Next, ch.Watermark, ch.AtEnd
	r.Kept = append(r.Kept, ch.Kept...)
	for state, n := range ch.Offsets {
		r.Offsets[state] += n
	}
}

func (p *pending) isFull() bool { return p.chunks >= flushChunks || p.bytes >= flushBytes }

// flush keeps what comes in until it is closed. The last of it is kept even though ctx
// has ended by then.
func (c *Consumer) flush(ctx context.Context, in <-chan chunk) error {
	var p pending
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		closed := false
		select {
		case ch, ok := <-in:
			closed = !ok
			if ok {
				p.add(ch)
			}
			if ok && !p.isFull() {
				continue
			}
		case <-tick.C:
		}
		if err := c.keep(context.WithoutCancel(ctx), p.ranges); err != nil || closed {
			return err
		}
		p = pending{}
	}
}

// keep gives ranges to the sink.
func (c *Consumer) keep(ctx context.Context, ranges []sampler.Range) error {
	if len(ranges) == 0 {
		return nil
	}
	if err := c.sink.Add(ctx, ranges); err != nil {
		return &sinkError{fmt.Errorf("keep what was read: %w", err)}
	}
	for _, r := range ranges {
		messages := r.Next - r.From - r.Offsets[sampler.OffsetNoRecord] - r.Offsets[sampler.OffsetLost]
		c.metrics.consumed.WithLabelValues(r.Topic).Add(float64(messages))
		if r.Offsets[sampler.OffsetMalformed] > 0 {
			c.trouble.malformed(c.intake.LastMalformed())
		}
	}
	return nil
}
