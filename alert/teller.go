package alert

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"
)

// TellerOptions are what a Teller works with. Now nil means time.Now; it is the clock of
// what is due and expired. Registerer may be nil.
type TellerOptions struct {
	Receivers  map[string]Receiver
	Outbox     Outbox
	Now        func() time.Time
	Log        zerolog.Logger
	Registerer prometheus.Registerer
}

// Teller takes what waits in the outbox to its receivers, one worker for each, in order
// and at least once: a crash between sending and settling sends again under the same ID.
type Teller struct {
	workers []*worker // by name
}

// NewTeller returns a Teller that does nothing until Run or Flush.
func NewTeller(o TellerOptions) *Teller {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := newMetrics(o.Registerer)
	t := &Teller{}
	for _, name := range slices.Sorted(maps.Keys(o.Receivers)) {
		t.workers = append(t.workers, newWorker(name, o, m))
	}
	return t
}

// Run delivers until ctx ends, then finishes the requests in flight within ten seconds;
// the rest waits in the outbox. An error is the outbox's.
func (t *Teller) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, w := range t.workers {
		g.Go(func() error { return w.run(ctx) })
	}
	return g.Wait()
}

// Wake tells the workers that something new waits.
func (t *Teller) Wake() {
	for _, w := range t.workers {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// Flush tries everything that is due now, once, and returns. What a receiver does not
// take stays in the outbox; an error is the outbox's or ctx's.
func (t *Teller) Flush(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, w := range t.workers {
		g.Go(func() error {
			_, err := w.pass(ctx)
			return err
		})
	}
	return g.Wait()
}

// Problems are the receivers that alerts do not reach now, as delivery problems.
func (t *Teller) Problems() []Problem {
	var out []Problem
	for _, w := range t.workers {
		if p, ok := w.problem(); ok {
			out = append(out, p)
		}
	}
	return out
}

// ReceiverState is what a receiver does.
type ReceiverState string

// The states of a receiver.
const (
	ReceiverOK     ReceiverState = "ok"
	ReceiverPaused ReceiverState = "paused" // waits after a failure
	ReceiverBroken ReceiverState = "broken" // until a restart
)

// ReceiverStatus is how one receiver stands.
type ReceiverStatus struct {
	Name        string        `json:"name"`
	Integration string        `json:"integration"`
	State       ReceiverState `json:"state"`
	Waiting     int           `json:"waiting"`
	// PausedUntil is the next try of a paused receiver.
	PausedUntil time.Time `json:"paused_until,omitzero"`
	LastError   Class     `json:"last_error,omitempty"` // of the newest failed try; cleared by a success
	LastSuccess time.Time `json:"last_success,omitzero"`
}

// Statuses returns one status for each receiver, by name.
func (t *Teller) Statuses() []ReceiverStatus {
	out := make([]ReceiverStatus, len(t.workers))
	for n, w := range t.workers {
		out[n] = w.status()
	}
	return out
}
