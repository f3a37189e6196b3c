// Package kafka moves records from topics through the sampler into a sink. It reads all
// partitions itself, without a consumer group: the sink keeps the offsets, in the same
// transaction as what was read, so that nothing is lost or counted twice.
//
// It fetches with kafka-go's Transport instead of its Reader, which hides aborted
// transactions, gaps, checksums and the ends of partitions.
package kafka

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	kafkago "github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"

	"leadline/config"
	"leadline/sampler"
)

// Sink keeps what was read.
type Sink interface {
	// Position returns the next offset to read of a partition; ok is false for one that
	// no range was kept of.
	Position(topic string, partition int) (next int64, ok bool, err error)
	// Add keeps ranges, in order, in one transaction. A range without offsets sets the
	// position of a partition that has none, and tells that it was read to its end. An
	// error stops the consumer.
	Add(ctx context.Context, ranges []sampler.Range) error
}

// Options are what a Consumer works with.
type Options struct {
	Intake     *sampler.Intake
	Sink       Sink
	Log        zerolog.Logger
	Registerer prometheus.Registerer // nil: no metrics
	// Dial opens connections to brokers; nil is plain TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Consumer reads topics. It is made for one Run.
type Consumer struct {
	cfg    config.Kafka
	intake *sampler.Intake
	sink   Sink

	transport *kafkago.Transport
	brokers   net.Addr
	metrics   metrics
	trouble   trouble

	mu        sync.Mutex // guards parts and the status in each of them, down to missing
	parts     map[TopicPartition]*partition
	lastFetch time.Time
	waiting   string // why nothing can be read
	// waitingSince is when that began.
	waitingSince time.Time
	missing      []string

	// fresh are the topics to which initial_offset applies: those that exist at the start
	// and of which nothing was kept. Topics and partitions that are added later are read
	// from their beginning, for all they hold is new. Only the supervisor touches it.
	fresh map[string]bool
}

// New returns a Consumer. It does not connect.
func New(cfg config.Kafka, o Options) (*Consumer, error) {
	if len(cfg.Brokers) == 0 || len(cfg.Topics) == 0 {
		return nil, errors.New("kafka: needs brokers and topics")
	}
	m, err := newMetrics(o.Registerer)
	if err != nil {
		return nil, err
	}
	return &Consumer{
		cfg: cfg, intake: o.Intake, sink: o.Sink,
		transport: newTransport(cfg, o.Dial), brokers: kafkago.TCP(cfg.Brokers...),
		metrics: m, trouble: trouble{log: o.Log, count: m.errors},
		parts: map[TopicPartition]*partition{},
	}, nil
}

// metadataTTL is how old the known layout of the cluster may be.
const metadataTTL = 5 * time.Second

func newTransport(cfg config.Kafka, dial func(context.Context, string, string) (net.Conn, error)) *kafkago.Transport {
	return &kafkago.Transport{
		Dial: dial, DialTimeout: cfg.DialTimeout, ClientID: cfg.ClientID,
		MetadataTTL: metadataTTL, MetadataTopics: slices.Clone(cfg.Topics),
	}
}

// Run reads until ctx ends, and then returns nil after what was read is kept. It returns
// an error when the sink does, or when offsets are lost and the configuration says that
// this is to stop. A broker or a topic that is away is waited for.
func (c *Consumer) Run(ctx context.Context) error {
	defer c.transport.CloseIdleConnections()
	group, running := errgroup.WithContext(ctx)
	read := make(chan chunk)
	group.Go(func() error {
		defer close(read)
		return c.supervise(running, read)
	})
	group.Go(func() error { return c.flush(running, read) })
	return group.Wait()
}

// supervise runs the fetch loops, and starts them anew whenever the layout of the
// cluster or the place of a partition changes.
func (c *Consumer) supervise(ctx context.Context, out chan<- chunk) error {
	wait := newBackoff()
	for ctx.Err() == nil {
		parts, err := c.discover(ctx)
		if err == nil {
			err = c.place(ctx, parts, out)
		}
		switch {
		case ctx.Err() != nil:
		case isFatal(err):
			return err
		case err != nil:
			c.trouble.report(err, "kafka cannot be read yet; waiting")
			c.setWaiting(classify(err))
			sleep(ctx, wait.NextBackOff())
		default:
			wait.Reset()
			c.setWaiting("")
			c.round(ctx, parts, out)
		}
	}
	return nil
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
