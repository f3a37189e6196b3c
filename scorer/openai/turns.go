package openai

import (
	"context"
	"sync"
)

// turns lets one call through at a time for each key: of two samples that ask the same at
// once, the second finds the reply to the first. The zero value is ready.
type turns struct {
	mu   sync.Mutex // guards open
	open map[string]chan struct{}
}

// enter waits for its turn. The caller calls leave when it is done.
func (t *turns) enter(ctx context.Context, key string) (leave func(), err error) {
	for {
		t.mu.Lock()
		before, busy := t.open[key]
		if !busy {
			if t.open == nil {
				t.open = map[string]chan struct{}{}
			}
			done := make(chan struct{})
			t.open[key] = done
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.open, key)
				t.mu.Unlock()
				close(done)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-before:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
