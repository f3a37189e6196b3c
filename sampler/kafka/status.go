package kafka

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Status is how reading goes.
type Status struct {
	// LastFetch is when a broker last answered a fetch of any partition; zero if none did.
	LastFetch time.Time
	// Trouble is the class of what keeps Kafka from being read, and Since when it began;
	// empty when no topic and no partition is in trouble.
	Trouble string
	Since   time.Time
	// Missing are the configured topics that do not exist.
	Missing []string
	// Partitions are those that were found, ordered by topic and partition.
	Partitions []PartitionStatus
}

// PartitionStatus is how reading one partition goes.
type PartitionStatus struct {
	Topic     string
	Partition int
	Next      int64 // next offset to fetch
	Lag       int64 // messages up to the high watermark; -1 while not known
	LastFetch time.Time
	// Trouble is the class of the last error, and Since when it began; empty after a
	// fetch that went well.
	Trouble string
	Since   time.Time
}

// Status returns how reading goes. It may be called at any time.
func (c *Consumer) Status() Status {
	parts := c.all()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{LastFetch: c.lastFetch, Trouble: c.waiting, Since: c.waitingSince, Missing: slices.Clone(c.missing)}
	for _, p := range parts {
		s.Partitions = append(s.Partitions, p.status)
		if p.status.Trouble != "" && (s.Trouble == "" || p.status.Since.Before(s.Since)) {
			s.Trouble, s.Since = p.status.Trouble, p.status.Since
		}
	}
	return s
}

// setWaiting notes that nothing can be read, or with an empty kind that it can.
func (c *Consumer) setWaiting(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kind == "" {
		c.waitingSince = time.Time{}
	} else if c.waiting == "" {
		c.waitingSince = time.Now()
	}
	c.waiting = kind
}

// setRead notes a fetch that went well, and returns the trouble that it ends; "" if none.
func (c *Consumer) setRead(p *partition, now PartitionStatus) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ended := p.status.Trouble
	p.status, c.lastFetch = now, now.LastFetch
	return ended
}

// setMissing notes the topics that do not exist.
func (c *Consumer) setMissing(topics []string) {
	for _, topic := range topics {
		c.trouble.missing(topic)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missing = topics
}

// setTrouble notes the class of an error of partitions.
func (c *Consumer) setTrouble(parts []*partition, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range parts {
		if p.status.Trouble == "" {
			p.status.Since = time.Now()
		}
		p.status.Trouble = kind
	}
}

// metrics are listed in docs/metrics.md.
type metrics struct {
	consumed  *prometheus.CounterVec
	lag       *prometheus.GaugeVec
	errors    *prometheus.CounterVec
	lastFetch prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) (metrics, error) {
	m := metrics{
		consumed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_kafka_messages_consumed_total", Help: "Messages read and kept account of.",
		}, []string{"topic"}),
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "leadline_kafka_consumer_lag", Help: "Messages up to the high watermark that are not read yet.",
		}, []string{"topic", "partition"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadline_kafka_fetch_errors_total", Help: "Requests to Kafka that went wrong, by reason.",
		}, []string{"reason"}),
		lastFetch: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "leadline_kafka_last_fetch_timestamp_seconds", Help: "When a broker last answered a fetch, as Unix time.",
		}),
	}
	if r == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.consumed, m.lag, m.errors, m.lastFetch} {
		if err := r.Register(c); err != nil {
			return m, err
		}
	}
	return m, nil
}
