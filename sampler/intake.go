package sampler

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"leadline/config"
)

// maxID is the longest logical ID in bytes that is kept as it is; a longer one is hashed.
const maxID = 256

// Intake decides about messages one at a time. It holds nothing between two messages but
// the reason of the last malformed one, and is safe for concurrent use.
type Intake struct {
	sample    config.Sample
	maxSize   int
	maxAge    time.Duration
	decoder   Decoder
	now       func() time.Time
	malformed atomic.Pointer[error]
}

// NewIntake returns an Intake. A now that returns the zero time stands for a clock that
// follows the records: then no record is in the future and none is too old.
func NewIntake(cfg config.Sample, rec config.Record, d Decoder, now func() time.Time) *Intake {
	return &Intake{sample: cfg, maxSize: rec.MaxSize, maxAge: rec.MaxAge, decoder: d, now: now}
}

// Take returns the one state of the message's offset and, for a message that is kept, its
// records with the state that each decides alone. A message is picked by the hash of its
// logical ID before its body is parsed: the ID that the format knows, else the Kafka key,
// else topic, partition and offset. By session, it is picked by that of its session.
func (in *Intake) Take(m Message) (OffsetState, []Kept) {
	if m.Value == nil {
		return OffsetTombstone, nil
	}
	if in.maxSize > 0 && len(m.Value) > in.maxSize {
		return OffsetOversize, nil
	}
	id := in.id(m)
	u := Hash(in.sample.Salt, in.unit(m, id))
	if u >= in.sample.Rate {
		return OffsetNotSampled, nil
	}
	records, err := in.decoder.Decode(m)
	filtered := errors.Is(err, ErrFiltered)
	if err != nil && !filtered {
		err = fmt.Errorf("%s/%d offset %d: %w", m.Topic, m.Partition, m.Offset, err)
		in.malformed.Store(&err)
		return OffsetMalformed, nil
	}
	kept := make([]Kept, len(records))
	for i, r := range records {
		r.ID = id
		if i > 0 {
			r.ID += "#" + strconv.Itoa(i)
		}
		kept[i] = in.keep(m, i, r)
		kept[i].Sample.U = u
		if filtered {
			kept[i].State = RecordFiltered
		}
	}
	return OffsetContributed, kept
}

// LastMalformed returns why the last malformed message was malformed; nil if none was.
func (in *Intake) LastMalformed() error {
	if err := in.malformed.Load(); err != nil {
		return *err
	}
	return nil
}

// Now returns the time by which records are in the future or too old.
func (in *Intake) Now() time.Time { return in.now() }

func (in *Intake) keep(m Message, part int, r Record) Kept {
	if r.Time.IsZero() {
		r.Time = m.Time
	}
	r.Time = r.Time.UTC()
	return Kept{
		Sample: Sample{
			Record:      r,
			Origin:      Origin{Topic: m.Topic, Partition: m.Partition, Offset: m.Offset, Part: part},
			Rate:        in.sample.Rate,
			Cell:        CellOf(r.Segments),
			TextHash:    textHash(in.sample.Salt, r),
			SessionHash: sessionHash(in.sample.Salt, r),
		},
		State: in.state(r, in.now()),
	}
}

// The years outside of which no clock is believed, whatever now is: they would not fit
// into nanoseconds or into JSON either.
const (
	firstYear = 1970
	lastYear  = 2200
)

// state is empty for a record that may be judged. An error comes before a missing answer,
// because a failed request has none.
func (in *Intake) state(r Record, now time.Time) RecordState {
	switch {
	case isFuture(r.Time, now), r.Time.Year() > lastYear:
		return RecordFuture
	case r.Time.Year() < firstYear:
		return RecordTooOld
	case in.maxAge > 0 && !now.IsZero() && now.Sub(r.Time) > in.maxAge:
		return RecordTooOld
	case strings.TrimSpace(r.Question) == "":
		return RecordNoQuestion
	case r.Error != "":
		return RecordErrorAnswer
	case strings.TrimSpace(r.Answer) == "":
		return RecordNoAnswer
	}
	return ""
}

// unit returns what is picked or left as a whole: the record, or its conversation.
func (in *Intake) unit(m Message, id string) string {
	if in.sample.By != "session" {
		return id
	}
	if session := in.decoder.Session(m); session != "" {
		return session
	}
	return id
}

// id returns the logical ID of a message: never empty, valid UTF-8, at most maxID bytes.
func (in *Intake) id(m Message) string {
	id := in.decoder.ID(m)
	if id == "" {
		id = string(m.Key)
	}
	switch {
	case id == "":
		return m.Topic + "/" + strconv.Itoa(m.Partition) + "/" + strconv.FormatInt(m.Offset, 10)
	case len(id) > maxID:
		sum := sha256.Sum256([]byte(id))
		return "sha256:" + hex.EncodeToString(sum[:])
	case !utf8.ValidString(id):
		return "0x" + hex.EncodeToString([]byte(id))
	}
	return id
}
