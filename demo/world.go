package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Topic is the topic of the log.
const Topic = "helpdesk-answers"

// World is what surrounds the daemon in the demo: a broker with a topic, and two
// receivers of alerts. Close ends it.
type World struct {
	seed      uint64
	broker    *kfake.Cluster
	receivers *receivers
}

// Options says which world.
type Options struct {
	Seed uint64
}

// Start starts the broker and the receivers, all on loopback ports of their own. The
// topic is empty until Produce.
func Start(ctx context.Context, o Options) (*World, error) {
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(Partitions, Topic),
		kfake.BrokerConfigs(map[string]string{"log.retention.ms": "-1"})) // the log is of another year
	if err != nil {
		return nil, fmt.Errorf("start broker: %w", err)
	}
	rs, err := startReceivers(ctx)
	if err != nil {
		broker.Close()
		return nil, fmt.Errorf("start receivers: %w", err)
	}
	return &World{seed: o.Seed, broker: broker, receivers: rs}, nil
}

// Brokers returns the addresses to bootstrap from.
func (w *World) Brokers() []string { return w.broker.ListenAddrs() }

// Produce writes the whole log, a day at a time over all partitions, and tells progress
// after each day, when it is not nil. It is called once.
func (w *World) Produce(ctx context.Context, progress func(done, total int)) error {
	p, err := dial(ctx, w.Brokers()[0], Topic)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = p.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	err = w.produce(p, progress)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return errors.Join(err, p.conn.Close())
}

func (w *World) produce(p *producer, progress func(done, total int)) error {
	total, done := Count(w.seed), 0
	var batch []Message
	flush := func() error {
		if err := p.send(batch); err != nil {
			return fmt.Errorf("produce to %s: %w", Topic, err)
		}
		done += len(batch)
		batch = batch[:0]
		if progress != nil {
			progress(done, total)
		}
		return nil
	}
	for m := range Generate(w.seed) {
		if len(batch) > 0 && m.Time.YearDay() != batch[0].Time.YearDay() {
			if err := flush(); err != nil {
				return err
			}
		}
		batch = append(batch, m)
	}
	return flush()
}

// SlackURL is where the Slack-compatible receiver listens.
func (w *World) SlackURL() string { return w.receivers.url + slackPath }

// WebhookURL is where the generic receiver listens.
func (w *World) WebhookURL() string { return w.receivers.url + webhookPath }

// WebhookSecret is what the generic receiver checks signatures with.
func (w *World) WebhookSecret() string { return w.receivers.secret }

// Received returns the bodies that the two receivers accepted, oldest first.
func (w *World) Received() (slack, webhook [][]byte) { return w.receivers.received() }

// Close stops the broker and the receivers.
func (w *World) Close() {
	w.receivers.close()
	w.broker.Close()
}
