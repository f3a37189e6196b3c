// Package demo is the broker, the made-up traffic and its truth, so that a newcomer
// sees an alarm in a minute. Nothing but the demo command and tests use it.
package demo

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"time"
)

// Message is one log record on its way to the broker. Value is JSON in the plain format.
type Message struct {
	Key, Value []byte
	Time       time.Time
	Partition  int // below Partitions
}

// Partitions is how many partitions the demo's topic has.
const Partitions = 4

// Truth says what was done to a record. It never travels with the record.
type Truth struct {
	Department string
	Language   string // "en" or "ja"
	Document   string // that holds the answer
	// Refused: the bot says that it does not know.
	Refused bool
	// Missed: the retriever did not find Document, and the bot answered all the same.
	Missed bool
	// Beyond counts the sentences of the answer that no retrieved document holds, in an
	// answer whose other sentences are held.
	Beyond int
	// Outdated: Document was served in its old edition.
	Outdated bool
	// Lost: Document was gone from the index.
	Lost bool
}

// Generate returns the log of the made-up company's help-desk bot over Span, in the
// order of time. The same seed gives the same bytes.
func Generate(seed uint64) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for m := range Annotated(seed) {
			if !yield(m) {
				return
			}
		}
	}
}

// Annotated returns the messages of Generate, each with its truth.
func Annotated(seed uint64) iter.Seq2[Message, Truth] {
	return func(yield func(Message, Truth) bool) {
		b := newBot(seed)
		n := 0
		for a := range arrivals(seed) {
			n++
			rec, truth := b.answer(a)
			rec.ID = fmt.Sprintf("hd-%d-%06d", seed, n)
			if !yield(rec.message(a.at, n), truth) {
				return
			}
		}
	}
}

// Count returns how many messages Generate gives for a seed.
func Count(seed uint64) int {
	n := 0
	for range arrivals(seed) {
		n++
	}
	return n
}

// record is one line of the log.
type record struct {
	ID          string     `json:"id"`
	Time        string     `json:"time"`
	Service     string     `json:"service"`
	Environment string     `json:"environment"`
	Department  string     `json:"department"`
	Language    string     `json:"language"`
	Release     string     `json:"release"`
	Prompt      string     `json:"prompt"`
	Model       string     `json:"model"`
	Session     string     `json:"session"`
	Question    string     `json:"question"`
	Answer      string     `json:"answer"`
	Contexts    []string   `json:"contexts"`
	Documents   []document `json:"documents"`
}

// document names the edition that a context was taken from.
type document struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Date    string `json:"date"`
}

func (r record) message(at time.Time, n int) Message {
	r.Time = at.Format("2006-01-02T15:04:05.000Z")
	value, _ := json.Marshal(r) // a struct of strings always encodes
	return Message{Key: []byte(r.Session), Value: value, Time: at, Partition: n % Partitions}
}

// newRand returns a stream of random numbers of its own for each purpose, so that a
// change of what is asked does not change when it is asked.
func newRand(seed uint64, purpose string) *rand.Rand {
	var stream uint64
	for _, c := range []byte(purpose) {
		stream = stream*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, stream))
}

func sessionID(r *rand.Rand) string { return "s-" + strconv.FormatUint(r.Uint64()>>24, 36) }
