package kafka

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"

	"leadline/sampler"
)

// abortMarker is the type of the control record that ends a transaction that was aborted.
const abortMarker = 0

// reader turns what a fetch brought into ranges. It is used by one goroutine.
type reader struct {
	intake     *sampler.Intake
	key, value []byte // reused from message to message
}

func newReader(in *sampler.Intake) *reader {
	return &reader{intake: in, key: make([]byte, 0, 64), value: make([]byte, 0, 4096)}
}

// walk is the way through one answer.
type walk struct {
	p      *partition
	r      sampler.Range
	seen   int64 // offsets that gave a message
	size   int   // bytes of the messages that are kept
	next   int64
	now    time.Time
	hidden map[int64]bool // producers whose open transaction was aborted
	ahead  []fetch.ResponseTransaction
}

// read returns the range that the answer covers. An offset without a message (control
// records, aborted or compacted ones) is no_record. It leaves the partition's place alone.
func (rd *reader) read(p *partition, part *fetch.ResponsePartition) (chunk, error) {
	if part.ErrorCode != 0 {
		return chunk{}, fmt.Errorf("fetch %s: %w", p, kafkago.Error(part.ErrorCode))
	}
	w := &walk{p: p, r: p.rangeTo(p.next), next: p.next, now: rd.intake.Now(), ahead: slices.Clone(part.AbortedTransactions)}
	slices.SortFunc(w.ahead, func(a, b fetch.ResponseTransaction) int { return cmp.Compare(a.FirstOffset, b.FirstOffset) })
	stream, _ := part.RecordSet.Records.(*protocol.RecordStream)
	if stream == nil {
		w.r.AtEnd = p.next >= part.HighWatermark
		return chunk{Range: w.r}, nil
	}
	for _, batch := range stream.Records {
		if err := rd.batch(w, batch); err != nil {
			return chunk{}, fmt.Errorf("read %s at offset %d: %w", p, w.next, err)
		}
	}
	// A batch came, but nothing in it from here on: its tail was compacted away. kafka-go
	// does not tell where the batch ends, so go on by one offset.
	w.r.Next = max(w.next, p.next+1)
	if gone := w.r.Next - w.r.From - w.seen; gone > 0 {
		w.r.Offsets[sampler.OffsetNoRecord] = gone
	}
	w.r.AtEnd, w.r.Watermark = w.r.Next >= part.HighWatermark, p.mark.Time()
	return chunk{w.r, w.size}, nil
}

func (rd *reader) batch(w *walk, batch protocol.RecordReader) error {
	visit := func(r *protocol.Record) error { return rd.message(w, r) }
	switch b := batch.(type) {
	case *protocol.ControlBatch:
		return w.control(b)
	case *protocol.RecordBatch:
		if w.isHidden(b) {
			visit = func(*protocol.Record) error { return nil }
		}
		w.next = max(w.next, b.BaseOffset)
	}
	for {
		r, err := batch.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.Offset >= w.p.next {
			err = visit(r)
			w.next = r.Offset + 1
		}
		release(r)
		if err != nil {
			return err
		}
	}
}

// control passes a batch of transaction markers.
func (w *walk) control(b *protocol.ControlBatch) error {
	w.next = max(w.next, b.BaseOffset)
	for {
		c, err := b.ReadControlRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if c.Type == abortMarker {
			delete(w.hidden, b.ProducerID)
		}
		w.next = max(w.next, c.Offset+1)
	}
}

// isHidden says whether a batch belongs to a transaction that was aborted. The broker
// lists those when it is asked for committed records only.
func (w *walk) isHidden(b *protocol.RecordBatch) bool {
	for len(w.ahead) > 0 && w.ahead[0].FirstOffset <= b.BaseOffset {
		if w.hidden == nil {
			w.hidden = map[int64]bool{}
		}
		w.hidden[w.ahead[0].ProducerID] = true
		w.ahead = w.ahead[1:]
	}
	return b.Attributes.Transactional() && w.hidden[b.ProducerID]
}

// message takes one message through the sampler.
func (rd *reader) message(w *walk, r *protocol.Record) (err error) {
	m := sampler.Message{Topic: w.p.Topic, Partition: w.p.Partition, Offset: r.Offset, Time: timeOf(r)}
	if m.Key, err = read(r.Key, &rd.key); err != nil {
		return err
	}
	if m.Value, err = read(r.Value, &rd.value); err != nil {
		return err
	}
	for _, h := range r.Headers {
		m.Headers = append(m.Headers, sampler.Header(h))
	}
	state, kept := rd.intake.Take(m)
	w.r.Offsets[state]++
	w.seen++
	for _, k := range kept {
		if k.State != sampler.RecordFuture && k.State != sampler.RecordTooOld {
			w.p.mark.Observe(k.Sample.Time, w.now)
		}
	}
	if len(kept) > 0 {
		w.r.Kept = append(w.r.Kept, kept...)
		w.size += len(m.Value)
	}
	return nil
}

// timeOf returns the time of a record; zero for the -1 that means none, and for one that
// is beyond what a time in JSON can say.
func timeOf(r *protocol.Record) time.Time {
	if r.Time.Unix() < 0 || r.Time.Year() > 9999 {
		return time.Time{}
	}
	return r.Time.UTC()
}

// read copies bytes into a buffer that the next message reuses; nil stays nil.
func read(b protocol.Bytes, buf *[]byte) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	*buf = slices.Grow((*buf)[:0], b.Len())[:b.Len()]
	_, err := io.ReadFull(b, *buf)
	return *buf, err
}

func release(r *protocol.Record) {
	for _, b := range []protocol.Bytes{r.Key, r.Value} {
		if b != nil {
			_ = b.Close() // returns memory, never fails
		}
	}
}
