package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/metadata"
)

const (
	// requestTimeout limits every request besides what a fetch waits for data.
	requestTimeout = 10 * time.Second
	// maxLoops limits the fetches that run at once.
	maxLoops = 16
	// layoutEvery is how often the known layout is looked at.
	layoutEvery = time.Second
)

// layout is the leader of each partition, negative if there is none.
type layout map[TopicPartition]int

var errNoTopics = errors.New("none of the topics exists yet")

// layout returns the leaders of all partitions, and the topics that do not exist. It is
// as fresh as the transport's metadata.
func (c *Consumer) layout(ctx context.Context) (found layout, missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m, err := c.transport.RoundTrip(ctx, c.brokers, &metadata.Request{TopicNames: c.cfg.Topics})
	if err != nil {
		return nil, nil, fmt.Errorf("metadata: %w", err)
	}
	found = layout{}
	for _, t := range m.(*metadata.Response).Topics {
		switch code := kafkago.Error(t.ErrorCode); {
		case code == kafkago.UnknownTopicOrPartition:
			missing = append(missing, t.Name)
		case code != 0:
			return nil, nil, fmt.Errorf("metadata of topic %s: %w", t.Name, code)
		}
		for _, p := range t.Partitions {
			found[TopicPartition{t.Name, int(p.PartitionIndex)}] = int(p.LeaderID)
		}
	}
	return found, missing, nil
}

// discover returns the partitions that exist, in order, with their leaders.
func (c *Consumer) discover(ctx context.Context) ([]*partition, error) {
	found, missing, err := c.layout(ctx)
	if err != nil {
		return nil, err
	}
	c.setMissing(missing)
	if c.fresh == nil {
		c.fresh = map[string]bool{}
		for tp := range found {
			c.fresh[tp.Topic] = true
		}
	}
	for tp := range found {
		c.add(tp)
	}
	var parts, gone, unled []*partition
	for _, p := range c.all() {
		leader, exists := found[p.TopicPartition]
		p.leader = leader
		switch {
		case !exists:
			gone = append(gone, p)
			c.metrics.lag.DeleteLabelValues(p.Topic, strconv.Itoa(p.Partition))
			continue
		case leader < 0:
			unled = append(unled, p)
		}
		parts = append(parts, p)
	}
	c.setTrouble(gone, kindTopic)
	c.setTrouble(unled, kindLeader)
	if len(parts) == 0 {
		return nil, errNoTopics
	}
	return parts, nil
}

func (c *Consumer) add(tp TopicPartition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[tp] == nil {
		c.parts[tp] = newPartition(tp)
	}
}

// all returns the partitions found so far, in order.
func (c *Consumer) all() []*partition {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Values(c.parts), byName)
}

func byName(a, b *partition) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// loops shares the partitions out among at most maxLoops fetch loops, but one for each
// leader at least: a request goes to one broker. Partitions without a leader wait.
func loops(parts []*partition) [][]*partition {
	leaders := map[int][]*partition{}
	total := 0
	for _, p := range parts {
		if p.leader >= 0 {
			leaders[p.leader] = append(leaders[p.leader], p)
			total++
		}
	}
	var groups [][]*partition
	for _, led := range leaders {
		n := max(1, min(len(led), maxLoops*len(led)/max(total, 1)))
		shares := make([][]*partition, n)
		for i, p := range led {
			shares[i%n] = append(shares[i%n], p)
		}
		groups = append(groups, shares...)
	}
	return groups
}
