package demo

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// producer writes to one broker that leads every partition of one topic.
type producer struct {
	conn   net.Conn
	format *kmsg.RequestFormatter
	topic  string
	sent   int32 // requests
}

func dial(ctx context.Context, broker, topic string) (*producer, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", broker)
	if err != nil {
		return nil, fmt.Errorf("dial broker: %w", err)
	}
	format := kmsg.NewRequestFormatter(kmsg.FormatterClientID("helpdesk"))
	return &producer{conn: conn, format: format, topic: topic}, nil
}

// send writes messages in one request, acknowledged before it returns.
func (p *producer) send(ms []Message) error {
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = 8, -1, 10_000
	t := kmsg.NewProduceRequestTopic()
	t.Topic = p.topic
	for partition := range Partitions {
		batch, n, err := newBatch(ms, partition)
		if err != nil {
			return fmt.Errorf("make batch: %w", err)
		}
		if n > 0 {
			tp := kmsg.NewProduceRequestTopicPartition()
			tp.Partition, tp.Records = int32(partition), batch
			t.Partitions = append(t.Partitions, tp)
		}
	}
	req.Topics = append(req.Topics, t)
	p.sent++
	if _, err := p.conn.Write(p.format.AppendRequest(nil, req, p.sent)); err != nil {
		return fmt.Errorf("write request: %w", err)
	}
	return p.acknowledged(req)
}

func (p *producer) acknowledged(req *kmsg.ProduceRequest) error {
	var size [4]byte
	if _, err := io.ReadFull(p.conn, size[:]); err != nil {
		return fmt.Errorf("read response: %w", err)
	}
	body := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(p.conn, body); err != nil {
		return fmt.Errorf("read response: %w", err)
	}
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	if err := resp.ReadFrom(body[4:]); err != nil { // after the correlation ID
		return fmt.Errorf("decode response: %w", err)
	}
	for _, t := range resp.Topics {
		for _, tp := range t.Partitions {
			if tp.ErrorCode != 0 {
				return fmt.Errorf("partition %d: broker error code %d", tp.Partition, tp.ErrorCode)
			}
		}
	}
	return nil
}

// newBatch returns the messages of one partition as a compressed record batch, and how
// many they are.
func newBatch(ms []Message, partition int) ([]byte, int, error) {
	var records []byte
	var first, last time.Time
	n := 0
	for _, m := range ms {
		if m.Partition != partition {
			continue
		}
		if n == 0 {
			first = m.Time
		}
		last = m.Time
		records = appendRecord(records, m, n, m.Time.Sub(first))
		n++
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(records); err != nil {
		return nil, 0, err
	}
	if err := w.Close(); err != nil {
		return nil, 0, err
	}
	return sealed(kmsg.RecordBatch{PartitionLeaderEpoch: -1, Magic: 2, Attributes: 1, // gzip
		LastOffsetDelta: int32(n - 1), FirstTimestamp: first.UnixMilli(), MaxTimestamp: last.UnixMilli(),
		ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, NumRecords: int32(n), Records: packed.Bytes()}), n, nil
}

func appendRecord(dst []byte, m Message, n int, delta time.Duration) []byte {
	r := kmsg.Record{TimestampDelta64: delta.Milliseconds(), OffsetDelta: int32(n), Key: m.Key, Value: m.Value}
	r.Length = int32(len(r.AppendTo(nil)) - 1) // a length of 0 takes one byte
	return r.AppendTo(dst)
}

// sealed encodes a batch with its length, counted from behind the length field, and its
// checksum, taken from behind the checksum.
func sealed(b kmsg.RecordBatch) []byte {
	const afterLength, checksum = 12, 17
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-afterLength))
	sum := crc32.Checksum(raw[checksum+4:], crc32.MakeTable(crc32.Castagnoli))
	binary.BigEndian.PutUint32(raw[checksum:], sum)
	return raw
}
