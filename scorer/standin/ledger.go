package standin

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// maxBodies bounds the request bodies told apart; further ones count in the totals only.
const maxBodies = 1 << 19

// Stats counts what arrived since the start.
type Stats struct {
	Requests int            `json:"requests"`
	ByTask   map[string]int `json:"by_task"` // statements, verdicts, question, embeddings, models
	Distinct int            `json:"distinct"`
	// AnsweredAgain counts requests whose very body had been answered usably before.
	AnsweredAgain int `json:"answered_again"`
	// TextsAgain counts texts of embedding requests that had been given a vector before.
	TextsAgain       int            `json:"texts_again"`
	Faults           map[string]int `json:"faults"` // by mode
	PromptTokens     int64          `json:"prompt_tokens"`
	CompletionTokens int64          `json:"completion_tokens"`
	Bodies           []Body         `json:"bodies,omitempty"` // ordered by Hash
}

// Body counts the requests that had the same task and body.
type Body struct {
	Hash     string `json:"hash"` // hex
	Task     string `json:"task"`
	Requests int    `json:"requests"`
	Answered int    `json:"answered"` // usably: not by a fault that spoils the reply
}

// ledger counts requests. The zero value is ready.
type ledger struct {
	mu     sync.Mutex
	total  Stats
	bodies map[uint64]*Body
	texts  map[uint64]bool // that were given a vector
}

func bodyHash(task string, body []byte) uint64 {
	h := sha256.New()
	h.Write([]byte(task))
	h.Write([]byte{0})
	h.Write(body)
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// arrived counts a request and returns which attempt of its body it is, from 0.
func (l *ledger) arrived(task string, hash uint64) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bodies == nil {
		l.bodies = map[uint64]*Body{}
		l.total.ByTask, l.total.Faults = map[string]int{}, map[string]int{}
	}
	l.total.Requests++
	l.total.ByTask[task]++
	b := l.bodies[hash]
	if b == nil {
		b = &Body{Task: task}
		if len(l.bodies) < maxBodies {
			l.bodies[hash] = b
		}
	}
	if b.Answered > 0 {
		l.total.AnsweredAgain++
	}
	b.Requests++
	return b.Requests - 1
}

// faulted counts a fault that was in force for a request.
func (l *ledger) faulted(mode string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total.Faults[mode]++
}

// answered counts an answer and what it would have cost.
func (l *ledger) answered(hash uint64, u usage, usable bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total.PromptTokens += int64(u.Prompt)
	l.total.CompletionTokens += int64(u.Completion)
	if b := l.bodies[hash]; b != nil && usable {
		b.Answered++
	}
}

// embedded counts the texts that were given a vector.
func (l *ledger) embedded(texts []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.texts == nil {
		l.texts = map[uint64]bool{}
	}
	for _, text := range texts {
		hash := hashBytes([]byte(text))
		if l.texts[hash] {
			l.total.TextsAgain++
		} else if len(l.texts) < maxBodies {
			l.texts[hash] = true
		}
	}
}

// Stats returns what was counted so far, with every body.
func (s *Server) Stats() Stats {
	l := &s.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.total
	t.ByTask, t.Faults = maps.Clone(t.ByTask), maps.Clone(t.Faults)
	t.Distinct = len(l.bodies)
	t.Bodies = make([]Body, 0, len(l.bodies))
	for hash, b := range l.bodies {
		c := *b
		c.Hash = strconv.FormatUint(hash, 16)
		t.Bodies = append(t.Bodies, c)
	}
	slices.SortFunc(t.Bodies, func(a, b Body) int { return cmp.Compare(a.Hash, b.Hash) })
	return t
}

// getStats leaves the bodies out unless ?bodies=1 asks for them.
func (s *Server) getStats(w http.ResponseWriter, r *http.Request) {
	t := s.Stats()
	if r.URL.Query().Get("bodies") == "" {
		t.Bodies = nil
	}
	writeJSON(w, http.StatusOK, t)
}
