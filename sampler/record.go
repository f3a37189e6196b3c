// Package sampler decides, by a hash of its ID, whether a record is worth judging.
// The same log, salt and rate always give the same picks: in any order, twice, or
// after a crash. It does no I/O.
package sampler

import (
	"sort"
	"strings"
	"time"
)

// Record is one answered question as the log tells it. Text fields are as logged.
type Record struct {
	ID       string    `json:"id"` // logical ID: the picking hashes it, duplicates share it
	Time     time.Time `json:"time"`
	Question string    `json:"question"`
	Answer   string    `json:"answer"`
	// History are the turns before the question, oldest first, as "role: text" where the
	// log names roles. It tells what a pronoun means, and is never judged.
	History []string `json:"history,omitempty"`
	// Rewritten is the question as the system asked it, complete without the history; ""
	// where the log has none.
	Rewritten string     `json:"rewritten_question,omitempty"`
	Contexts  []string   `json:"contexts,omitempty"` // in the order the model saw them
	Docs      []Document `json:"docs,omitempty"`     // one per context where logged, else empty
	// Segments maps a configured dimension to its value; a value that is not logged is "unknown".
	Segments map[string]string `json:"segments,omitempty"`
	// Channels maps a channel to its value; a channel that is not logged is absent.
	Channels map[Channel]string `json:"channels,omitempty"`
	Session  string             `json:"session,omitempty"`
	Language string             `json:"language,omitempty"` // BCP 47 primary tag where logged
	// Error is set when the log says that the answer is an error, not an answer.
	Error string `json:"error,omitempty"`
	// Truncated is true when the log says that the model ran out of tokens.
	Truncated bool `json:"truncated,omitempty"`
}

// Document is a retrieved document as the log names it. Zero fields were not logged.
type Document struct {
	ID      string    `json:"id"`
	Version string    `json:"version,omitempty"` // edition
	Date    time.Time `json:"date,omitzero"`     // of that edition
}

// Channel is something that may change between two answers.
type Channel string

// The channels. The first five are changed on purpose by a team (code); the rest are
// environment: suspects of a silent drop, never a reason not to alarm.
const (
	ChannelRelease       Channel = "release"
	ChannelPrompt        Channel = "prompt"
	ChannelModel         Channel = "model" // as requested
	ChannelRetriever     Channel = "retriever"
	ChannelEmbedding     Channel = "embedding"
	ChannelResponseModel Channel = "response_model"
	ChannelIndex         Channel = "index"
)

// Cell is the cross of all segment dimensions as "dim=value,dim=value", dimensions in
// alphabetical order; "" without dimensions. Commas, equals signs and backslashes in
// values are escaped by a backslash.
type Cell string

// CellOther takes the records of all cells beyond the limit.
const CellOther Cell = "other"

// MaxCells is how many cells a service keeps apart.
const MaxCells = 32

var escapeCell = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)

// CellOf returns the cell of a record's segments.
func CellOf(segments map[string]string) Cell {
	dims := make([]string, 0, len(segments))
	for d := range segments {
		dims = append(dims, d)
	}
	sort.Strings(dims)
	var b strings.Builder
	for i, d := range dims {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(escapeCell.Replace(d) + "=" + escapeCell.Replace(segments[d]))
	}
	return Cell(b.String())
}

// Values returns the cell's value per dimension; nil for "" and for other.
func (c Cell) Values() map[string]string {
	if c == "" || c == CellOther {
		return nil
	}
	values := map[string]string{}
	var key, cur strings.Builder
	inValue := false
	flush := func() {
		if inValue {
			values[key.String()] = cur.String()
		}
		key.Reset()
		cur.Reset()
		inValue = false
	}
	for i := 0; i < len(c); i++ {
		switch ch := c[i]; {
		case ch == '\\' && i+1 < len(c):
			i++
			cur.WriteByte(c[i])
		case ch == ',':
			flush()
		case ch == '=' && !inValue:
			key.WriteString(cur.String())
			cur.Reset()
			inValue = true
		default:
			cur.WriteByte(ch)
		}
	}
	flush()
	return values
}
