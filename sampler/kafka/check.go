package kafka

import (
	"context"
	"fmt"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/metadata"

	"leadline/config"
)

// TopicInfo is what the brokers say of a topic.
type TopicInfo struct {
	Topic      string
	Exists     bool
	Partitions int
	// Leaderless counts the partitions that cannot be read now.
	Leaderless int
	// Offsets is the number of offsets that the broker holds: about the messages to read
	// from the beginning.
	Offsets int64
}

// Check asks the brokers about the configured topics, in their order. The error says what
// could not be asked: no broker, no access.
func Check(ctx context.Context, cfg config.Kafka) ([]TopicInfo, error) {
	t := newTransport(cfg, nil)
	defer t.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	brokers := kafkago.TCP(cfg.Brokers...)
	m, err := t.RoundTrip(ctx, brokers, &metadata.Request{TopicNames: cfg.Topics})
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	var infos []TopicInfo
	for _, topic := range m.(*metadata.Response).Topics {
		info := TopicInfo{Topic: topic.Name, Exists: topic.ErrorCode == 0, Partitions: len(topic.Partitions)}
		if code := kafkago.Error(topic.ErrorCode); code != 0 && code != kafkago.UnknownTopicOrPartition {
			return infos, fmt.Errorf("metadata of topic %s: %w", topic.Name, code)
		}
		var ask []kafkago.OffsetRequest
		for _, p := range topic.Partitions {
			if p.LeaderID < 0 {
				info.Leaderless++
				continue
			}
			ask = append(ask, kafkago.FirstOffsetOf(int(p.PartitionIndex)), kafkago.LastOffsetOf(int(p.PartitionIndex)))
		}
		if len(ask) > 0 {
			bounds, err := listOffsets(ctx, t, brokers, map[string][]kafkago.OffsetRequest{topic.Name: ask})
			if err != nil {
				return infos, err
			}
			for _, b := range bounds {
				info.Offsets += b.end - b.first
			}
		}
		infos = append(infos, info)
	}
	return infos, nil
}
