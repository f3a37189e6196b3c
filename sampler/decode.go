package sampler

import (
	"errors"
	"time"
)

// Message is what Kafka gives: a record's raw form. Key, Value and Headers are valid only
// during the call they are passed to.
type Message struct {
	Topic     string
	Partition int
	Offset    int64
	Time      time.Time // as Kafka has it; zero if not known
	Key       []byte    // nil if there is none
	Value     []byte    // nil for a tombstone
	Headers   []Header
}

// Header is one header of a message.
type Header struct {
	Key   string
	Value []byte
}

// Decoder turns messages of one log format into records.
type Decoder interface {
	// ID returns the logical ID that the message carries, without decoding it; "" if it
	// carries none.
	ID(m Message) string
	// Session returns the ID of the conversation that the message belongs to, without
	// decoding it; "" if it names none.
	Session(m Message) string
	// Decode returns the message's records. The error names the field at fault and never
	// contains text of the message. ErrFiltered comes with the records that the
	// configured filter leaves out.
	Decode(m Message) ([]Record, error)
}

// ErrFiltered says that the configured filter leaves a message out.
var ErrFiltered = errors.New("left out by record.filter")
