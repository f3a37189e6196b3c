package kafka

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// The classes of errors, as the metric and the status name them.
const (
	kindTimeout    = "timeout"
	kindConnection = "connection"
	kindLeader     = "leader"
	kindTopic      = "unknown_topic"
	kindRange      = "offset_out_of_range"
	kindCorrupt    = "corrupt"
	kindAccess     = "access"
	kindOther      = "other"
)

// sinkError is an error of the sink: the consumer stops.
type sinkError struct{ err error }

func (e *sinkError) Error() string { return e.err.Error() }
func (e *sinkError) Unwrap() error { return e.err }

func isFatal(err error) bool {
	_, sink := errors.AsType[*sinkError](err)
	_, lost := errors.AsType[*lostError](err)
	return sink || lost
}

var byCode = map[kafkago.Error]string{
	kafkago.OffsetOutOfRange:           kindRange,
	kafkago.InvalidMessage:             kindCorrupt,
	kafkago.UnknownTopicOrPartition:    kindTopic,
	kafkago.LeaderNotAvailable:         kindLeader,
	kafkago.NotLeaderForPartition:      kindLeader,
	kafkago.BrokerNotAvailable:         kindLeader,
	kafkago.ReplicaNotAvailable:        kindLeader,
	kafkago.FencedLeaderEpoch:          kindLeader,
	kafkago.UnknownLeaderEpoch:         kindLeader,
	kafkago.RequestTimedOut:            kindTimeout,
	kafkago.TopicAuthorizationFailed:   kindAccess,
	kafkago.ClusterAuthorizationFailed: kindAccess,
	kafkago.SASLAuthenticationFailed:   kindAccess,
	kafkago.UnsupportedSASLMechanism:   kindAccess,
}

// classify returns the class of an error.
func classify(err error) string {
	if code, ok := errors.AsType[kafkago.Error](err); ok {
		if kind := byCode[code]; kind != "" {
			return kind
		}
		return kindOther
	}
	netErr, isNet := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, protocol.ErrNoTopic), errors.Is(err, protocol.ErrNoPartition), errors.Is(err, errNoTopics):
		return kindTopic
	case errors.Is(err, protocol.ErrNoLeader):
		return kindLeader
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isNet && netErr.Timeout():
		return kindTimeout
	case isNet, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return kindConnection
	case strings.Contains(err.Error(), "crc32 checksum mismatch"):
		return kindCorrupt
	}
	return kindOther
}

// quiet is how long the same trouble is not logged again.
const quiet = time.Minute

// trouble counts errors, and logs each class once a minute.
type trouble struct {
	log   zerolog.Logger
	count *prometheus.CounterVec

	mu     sync.Mutex // guards logged and open
	logged map[string]time.Time
	open   map[string]bool // classes that were logged and are not over
}

func (t *trouble) report(err error, msg string) {
	kind := classify(err)
	t.count.WithLabelValues(kind).Inc()
	if t.isDue(kind) {
		t.log.Warn().Err(err).Str("reason", kind).Msg(msg)
	}
}

// missing notes a topic that does not exist.
func (t *trouble) missing(topic string) {
	if t.isDue("topic " + topic) {
		t.log.Warn().Str("topic", topic).Msg("the topic does not exist; waiting for it")
	}
}

// malformed notes why a message was malformed.
func (t *trouble) malformed(err error) {
	if err != nil && t.isDue("malformed") {
		t.log.Warn().Err(err).Msg("messages are malformed; the ledger counts them")
	}
}

// over notes that a class of trouble has ended; "" is none.
func (t *trouble) over(kind string) {
	t.mu.Lock()
	was := t.open[kind]
	delete(t.open, kind)
	t.mu.Unlock()
	if was && t.isDue("end of "+kind) {
		t.log.Info().Str("reason", kind).Msg("kafka is read again")
	}
}

// isDue says whether something may be logged now, and notes that it is.
func (t *trouble) isDue(what string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.logged == nil {
		t.logged, t.open = map[string]time.Time{}, map[string]bool{}
	}
	t.open[what] = true
	if last, ok := t.logged[what]; ok && time.Since(last) < quiet {
		return false
	}
	t.logged[what] = time.Now()
	return true
}
