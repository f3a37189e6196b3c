package openai

import (
	"context"
	"slices"
	"sync"
)

const (
	// firstSlots is how many calls are in flight before a server has shown what it bears.
	firstSlots = 4
	// raiseAfter is after how many good calls one more is tried.
	raiseAfter = 20
)

// slots bound the calls in flight at one server: one more after some that went well, half
// as many after one that says the server has too much to do, never fewer than one.
type slots struct {
	most int

	mu      sync.Mutex // guards what is below
	limit   int
	used    int
	good    int
	halved  int             // how often
	waiting []chan struct{} // in the order in which they came
}

func newSlots(most int) *slots {
	most = max(most, 1)
	return &slots{most: most, limit: min(firstSlots, most)}
}

// enter waits for a slot. It returns what leave has to be told.
func (s *slots) enter(ctx context.Context) (halved int, err error) {
	s.mu.Lock()
	if s.used < s.limit && len(s.waiting) == 0 {
		s.used++
		halved = s.halved
		s.mu.Unlock()
		return halved, nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	select {
	case <-turn:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		return s.halved, nil
	}
	if i := slices.Index(s.waiting, turn); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else { // it was given a slot at the same moment
		s.used--
		s.admit()
	}
	return 0, err
}

// leave gives a slot back. Calls that were in flight together and fail together halve the
// limit once.
func (s *slots) leave(halved int, ok, crowded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	switch {
	case crowded && halved == s.halved:
		s.limit, s.good = max(s.limit/2, 1), 0
		s.halved++
	case ok:
		s.good++
		if s.good >= raiseAfter && s.limit < s.most {
			s.limit, s.good = s.limit+1, 0
		}
	}
	s.admit()
}

// admit lets in who waits, as far as there is room. The caller holds mu.
func (s *slots) admit() {
	for s.used < s.limit && len(s.waiting) > 0 {
		close(s.waiting[0])
		s.waiting = s.waiting[1:]
		s.used++
	}
}

func (s *slots) state() (used, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.limit
}
