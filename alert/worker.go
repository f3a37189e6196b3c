package alert

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"leadline/drift"
)

const (
	perSecond        = 1 // messages to one receiver
	burst            = 3
	shutdownGrace    = 10 * time.Second
	unreachableAfter = time.Hour // of failing tries until the other receivers are told
	idleCheck        = time.Minute
)

// worker serves one receiver.
type worker struct {
	name, integration string
	receiver          Receiver
	outbox            Outbox
	now               func() time.Time
	log               zerolog.Logger
	metrics           metrics
	pace              *rate.Limiter
	wake              chan struct{}

	passing sync.Mutex // one pass at a time: Run and Flush may meet
	mu      sync.Mutex // guards state
	state   ReceiverStatus
	failing time.Time // first failure since the last success
}

func newWorker(name string, o TellerOptions, m metrics) *worker {
	w := &worker{
		name: name, integration: integrationOf(o.Receivers[name]), receiver: o.Receivers[name],
		outbox: o.Outbox, now: o.Now, metrics: m, pace: rate.NewLimiter(perSecond, burst),
		log:  o.Log.With().Str("part", "alert").Str("receiver", name).Logger(),
		wake: make(chan struct{}, 1),
	}
	w.state = ReceiverStatus{Name: name, Integration: w.integration, State: ReceiverOK}
	m.start(name, w.integration)
	return w
}

func integrationOf(r Receiver) string {
	switch r.(type) {
	case *Slack:
		return "slack"
	case *Webhook:
		return "webhook"
	}
	return "other"
}

func (w *worker) run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait, err := w.pass(ctx)
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// pass tries each waiting delivery that is due, oldest first, and returns how long
// there is nothing to do.
func (w *worker) pass(ctx context.Context) (time.Duration, error) {
	w.passing.Lock()
	defer w.passing.Unlock()
	due, err := w.outbox.Due(w.name)
	if err != nil {
		return 0, err
	}
	w.pauseAsStored(due)
	waiting := len(due)
	w.setWaiting(waiting)
	for _, d := range due {
		settled, err := w.deliver(ctx, d)
		if err != nil {
			return 0, err
		}
		if settled {
			waiting--
			w.setWaiting(waiting)
		}
	}
	return w.pause(), nil
}

// deliver moves one delivery on and says whether it is settled for good.
func (w *worker) deliver(ctx context.Context, d Delivery) (bool, error) {
	if !w.now().Before(d.Expires) {
		d.Dead, d.LastError = true, string(ClassExpired)
		w.metrics.failed(w.name, w.integration, ClassExpired)
		w.log.Error().Str("delivery", d.ID).Msg("message expired undelivered")
		return true, w.outbox.Settle(d)
	}
	if !w.ready() {
		return false, nil
	}
	if err := w.pace.Wait(ctx); err != nil {
		return false, err
	}
	err := w.send(ctx, d)
	d.Attempts++
	w.settle(&d, err)
	return d.Dead || !d.Delivered.IsZero(), w.outbox.Settle(d)
}

// send lets a request in flight finish when ctx ends: stopping must not tear it.
func (w *worker) send(ctx context.Context, d Delivery) error {
	inFlight, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(shutdownGrace, cancel)
		context.AfterFunc(inFlight, func() { timer.Stop() })
	})
	defer stop()
	return w.receiver.Send(inFlight, d)
}

// settle writes what a try came to into the delivery and the receiver's state.
func (w *worker) settle(d *Delivery, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if err == nil {
		d.Delivered, d.LastError = now, ""
		w.state.State, w.state.LastError, w.state.LastSuccess = ReceiverOK, "", now
		w.state.PausedUntil, w.failing = time.Time{}, time.Time{}
		w.metrics.delivered(w.name, w.integration)
		return
	}
	failure := &SendError{Class: ClassUnreachable}
	_ = errors.As(err, &failure)
	w.metrics.failed(w.name, w.integration, failure.Class)
	d.LastError, w.state.LastError = string(failure.Class), failure.Class
	w.failing = earlier(w.failing, now)
	level := zerolog.WarnLevel
	switch {
	case failure.Retry():
		d.Next = now.Add(delay(d.Attempts, failure.RetryAfter))
		w.state.State, w.state.PausedUntil = ReceiverPaused, d.Next
	case failure.Broken():
		d.Dead = true
		w.state.State, w.state.PausedUntil = ReceiverBroken, time.Time{}
		level = zerolog.ErrorLevel
	default:
		d.Dead = true
		w.state.State, w.state.PausedUntil = ReceiverOK, time.Time{}
	}
	w.log.WithLevel(level).Str("delivery", d.ID).Str("class", string(failure.Class)).Int("status", failure.Status).
		Int("attempts", d.Attempts).Time("next", d.Next).Bool("dead", d.Dead).Msg("message not delivered")
}

// delay is 5 s, then three times as long each time up to 30 min, with full jitter; what
// the receiver asks for wins. backoff spreads around the interval, so half of it with a
// factor of one is full jitter.
func delay(attempts int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	b := backoff.ExponentialBackOff{
		InitialInterval: 5 * time.Second / 2, Multiplier: 3, MaxInterval: 15 * time.Minute, RandomizationFactor: 1,
	}
	b.Reset()
	wait := b.NextBackOff()
	for range min(attempts, 20) - 1 {
		wait = b.NextBackOff()
	}
	return max(wait, time.Second)
}

// pauseAsStored takes up a pause that began before a restart.
func (w *worker) pauseAsStored(due []Delivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range due {
		if d.Attempts > 0 && w.state.State != ReceiverBroken && d.Next.After(w.now()) && d.Next.After(w.state.PausedUntil) {
			w.state.State, w.state.PausedUntil = ReceiverPaused, d.Next
			w.failing = earlier(w.failing, d.Created)
		}
	}
}

func (w *worker) ready() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.State != ReceiverBroken && !w.state.PausedUntil.After(w.now())
}

// pause is how long until the receiver may be tried again, at most idleCheck so that
// expiry and a clock that jumps are seen.
func (w *worker) pause() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if until := w.state.PausedUntil.Sub(w.now()); w.state.Waiting > 0 && until > 0 {
		return min(until, idleCheck)
	}
	return idleCheck
}

func (w *worker) setWaiting(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Waiting = n
	w.metrics.queue(w.name, n)
}

func (w *worker) status() ReceiverStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// problem is what a delivery incident says of the receiver. Its words do not change
// from try to try.
func (w *worker) problem() (Problem, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := Problem{Kind: drift.KindDelivery, Detail: w.name, Since: w.failing}
	switch {
	case w.state.State == ReceiverBroken:
		p.Problem = ProblemReceiverBroken
	case w.state.LastError == ClassRejected:
		p.Problem = ProblemMessageRejected
	case !w.failing.IsZero() && w.now().Sub(w.failing) >= unreachableAfter:
		p.Problem = ProblemReceiverUnreachable
	default:
		return Problem{}, false
	}
	return p, true
}
