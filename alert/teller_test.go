package alert_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/rs/zerolog"

	"leadline/alert"
	"leadline/drift"
)

// box is an outbox in memory.
type box struct {
	mu      sync.Mutex
	waiting []alert.Delivery
	settled []alert.Delivery
	deaf    error // Settle's answer
}

func (b *box) Due(receiver string) ([]alert.Delivery, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []alert.Delivery
	for _, d := range b.waiting {
		if d.Receiver == receiver {
			out = append(out, d)
		}
	}
	return out, nil
}

func (b *box) Settle(d alert.Delivery) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.deaf != nil {
		return b.deaf
	}
	n := slices.IndexFunc(b.waiting, func(w alert.Delivery) bool { return w.ID == d.ID })
	if n < 0 {
		return nil
	}
	if d.Dead || !d.Delivered.IsZero() {
		b.waiting = slices.Delete(b.waiting, n, n+1)
		b.settled = append(b.settled, d)
		return nil
	}
	b.waiting[n] = d
	return nil
}

func (b *box) add(ids ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		b.waiting = append(b.waiting, alert.Delivery{ID: id, Receiver: "r", Group: id, Created: time.Now(), Next: time.Now(),
			Expires: time.Now().Add(24 * time.Hour)})
	}
}

// script is a receiver that fails as told, the last way for ever.
type script struct {
	mu    sync.Mutex
	fails []error
	sent  []string
	at    []time.Time
}

func (s *script) Send(_ context.Context, d alert.Delivery) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent, s.at = append(s.sent, d.ID), append(s.at, time.Now())
	if len(s.fails) == 0 {
		return nil
	}
	return s.fails[min(len(s.sent), len(s.fails))-1]
}

func (s *script) calls() ([]string, []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent), slices.Clone(s.at)
}

func tellerOf(b alert.Outbox, r alert.Receiver) *alert.Teller {
	return alert.NewTeller(alert.TellerOptions{Receivers: map[string]alert.Receiver{"r": r}, Outbox: b, Now: time.Now})
}

// during runs a teller while f does something to it.
func during(t *testing.T, teller *alert.Teller, f func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- teller.Run(ctx) }()
	synctest.Wait()
	f()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestTellerDeliversWhenWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := &box{}, &script{}
		teller := tellerOf(b, s)
		during(t, teller, func() {
			b.add("msg_a")
			teller.Wake()
			synctest.Wait()
			if sent, _ := s.calls(); len(sent) != 1 {
				t.Errorf("sent %v at once, want the one message", sent)
			}
		})
		if len(b.settled) != 1 || b.settled[0].Attempts != 1 || b.settled[0].Delivered.IsZero() {
			t.Errorf("settled %+v", b.settled)
		}
	})
}

func TestTellerKeepsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := &box{}, &script{}
		b.add("msg_a", "msg_b", "msg_c", "msg_d", "msg_e")
		start := time.Now()
		if err := tellerOf(b, s).Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		sent, at := s.calls()
		if !slices.Equal(sent, []string{"msg_a", "msg_b", "msg_c", "msg_d", "msg_e"}) {
			t.Errorf("sent %v, want all in order", sent)
		}
		if third, fifth := at[2].Sub(start), at[4].Sub(start); third != 0 || fifth != 2*time.Second {
			t.Errorf("the third after %s and the fifth after %s, want a burst of 3 and then one a second", third, fifth)
		}
	})
}

func TestAFailurePausesTheReceiverLongerEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := &box{}, &script{fails: []error{&alert.SendError{Class: alert.ClassServerError, Status: 500}}}
		b.add("msg_a", "msg_b")
		teller := tellerOf(b, s)
		during(t, teller, func() { time.Sleep(20 * time.Hour) })
		sent, at := s.calls()
		if slices.Contains(sent, "msg_b") {
			t.Error("the second message overtook the first")
		}
		limit := 5 * time.Second
		for n := 1; n < len(at); n++ {
			wait := at[n].Sub(at[n-1])
			if wait > limit+time.Second {
				t.Errorf("wait %d is %s, want at most %s", n, wait, limit)
			}
			limit = min(3*limit, 30*time.Minute)
		}
		if len(at) < 40 || len(at) > 400 {
			t.Errorf("%d tries in 20 hours", len(at))
		}
		if p := teller.Problems(); len(p) != 1 || p[0].Problem != alert.ProblemReceiverUnreachable || p[0].Kind != drift.KindDelivery || p[0].Detail != "r" {
			t.Errorf("problems are %+v, want the receiver unreachable", p)
		}
	})
}

func TestRetryAfterWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &box{}
		s := &script{fails: []error{&alert.SendError{Class: alert.ClassRateLimited, Status: 429, RetryAfter: 40 * time.Minute}, nil}}
		b.add("msg_a")
		teller := tellerOf(b, s)
		during(t, teller, func() {
			time.Sleep(39 * time.Minute)
			teller.Wake()
			synctest.Wait()
			if sent, _ := s.calls(); len(sent) != 1 {
				t.Errorf("tried %d times within the 40 minutes it was asked to wait", len(sent))
			}
			if st := teller.Statuses()[0]; st.State != alert.ReceiverPaused || st.LastError != alert.ClassRateLimited || st.Waiting != 1 {
				t.Errorf("status is %+v, want paused", st)
			}
			time.Sleep(2 * time.Minute)
		})
		if _, at := s.calls(); len(at) != 2 || at[1].Sub(at[0]) != 40*time.Minute {
			t.Errorf("tries at %v, want two, 40 minutes apart", at)
		}
		if st := teller.Statuses()[0]; st.State != alert.ReceiverOK || st.Waiting != 0 || st.LastSuccess.IsZero() || len(teller.Problems()) != 0 {
			t.Errorf("status is %+v, want ok", st)
		}
	})
}

func TestAPauseSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &box{}
		s := &script{fails: []error{&alert.SendError{Class: alert.ClassRateLimited, RetryAfter: 10 * time.Minute}, nil}}
		b.add("msg_a")
		if err := tellerOf(b, s).Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.add("msg_b")
		again := tellerOf(b, s)
		if err := again.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if sent, _ := s.calls(); len(sent) != 1 {
			t.Fatalf("a new process sent %v inside the pause", sent)
		}
		time.Sleep(10 * time.Minute)
		if err := again.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if sent, _ := s.calls(); !slices.Equal(sent, []string{"msg_a", "msg_a", "msg_b"}) {
			t.Errorf("sent %v, want both after the pause", sent)
		}
	})
}

func TestAPermanentFailureBreaksTheReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := &box{}, &script{fails: []error{&alert.SendError{Class: alert.ClassGone, Status: 410}, nil}}
		b.add("msg_a", "msg_b")
		teller := tellerOf(b, s)
		during(t, teller, func() { time.Sleep(25 * time.Hour) })
		if sent, _ := s.calls(); len(sent) != 1 {
			t.Errorf("a broken receiver was called %d times, want once", len(sent))
		}
		if len(b.settled) != 2 || b.settled[0].LastError != "gone" || b.settled[1].LastError != "expired" || !b.settled[1].Dead {
			t.Errorf("settled %+v, want the first dead and the second expired", b.settled)
		}
		if p := teller.Problems(); len(p) != 1 || p[0].Problem != alert.ProblemReceiverBroken {
			t.Errorf("problems are %+v, want the receiver broken", p)
		}
	})
}

func TestARejectedMessageDoesNotHoldTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := &box{}, &script{fails: []error{&alert.SendError{Class: alert.ClassRejected, Status: 400}, nil}}
		b.add("msg_a")
		teller := tellerOf(b, s)
		if err := teller.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p := teller.Problems(); len(p) != 1 || p[0].Problem != alert.ProblemMessageRejected {
			t.Errorf("problems are %+v, want the message rejected", p)
		}
		b.add("msg_b")
		if err := teller.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(b.settled) != 2 || !b.settled[0].Dead || b.settled[1].Delivered.IsZero() || len(teller.Problems()) != 0 {
			t.Errorf("settled %+v with problems %+v, want one dead and one delivered", b.settled, teller.Problems())
		}
	})
}

func TestAMessageIsSentAgainWhenNobodyNotedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := &box{deaf: errors.New("killed")}, &script{}
		b.add("msg_a")
		if err := tellerOf(b, s).Flush(t.Context()); err == nil {
			t.Fatal("an outbox that keeps nothing is no error")
		}
		b.deaf = nil
		if err := tellerOf(b, s).Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if sent, _ := s.calls(); !slices.Equal(sent, []string{"msg_a", "msg_a"}) {
			t.Errorf("sent %v, want the same ID twice", sent)
		}
	})
}

// slow takes its time, and sees whether it was cut off.
type slow struct{ cut chan error }

func (s slow) Send(ctx context.Context, _ alert.Delivery) error {
	select {
	case <-ctx.Done():
		s.cut <- ctx.Err()
		return &alert.SendError{Class: alert.ClassTimeout}
	case <-time.After(30 * time.Second):
		return nil
	}
}

func TestStoppingLetsARequestFinishForTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := &box{}, slow{make(chan error, 1)}
		b.add("msg_a")
		start := time.Now()
		during(t, tellerOf(b, s), func() { time.Sleep(time.Second) })
		<-s.cut
		if took := time.Since(start); took != 11*time.Second {
			t.Errorf("stopped after %s, want a second and ten of grace", took)
		}
		if len(b.waiting) != 1 {
			t.Error("the message that was cut off is not kept")
		}
	})
}

func TestTellerMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := &box{}, &script{fails: []error{&alert.SendError{Class: alert.ClassRejected}, nil}}
		b.add("msg_a", "msg_b")
		reg := prometheus.NewRegistry()
		teller := alert.NewTeller(alert.TellerOptions{Receivers: map[string]alert.Receiver{"r": s}, Outbox: b, Now: time.Now, Registerer: reg})
		if err := teller.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := `
# HELP leadline_notification_queue_length Messages that wait for a receiver.
# TYPE leadline_notification_queue_length gauge
leadline_notification_queue_length{receiver="r"} 0
# HELP leadline_notifications_failed_total Tries to send a message that failed, by reason.
# TYPE leadline_notifications_failed_total counter
leadline_notifications_failed_total{integration="other",reason="authError",receiver="r"} 0
leadline_notifications_failed_total{integration="other",reason="clientError",receiver="r"} 1
leadline_notifications_failed_total{integration="other",reason="contextDeadlineExceeded",receiver="r"} 0
leadline_notifications_failed_total{integration="other",reason="other",receiver="r"} 0
leadline_notifications_failed_total{integration="other",reason="rateLimited",receiver="r"} 0
leadline_notifications_failed_total{integration="other",reason="serverError",receiver="r"} 0
# HELP leadline_notifications_total Messages that a receiver took.
# TYPE leadline_notifications_total counter
leadline_notifications_total{integration="other",receiver="r"} 1
`
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want)); err != nil {
			t.Error(err)
		}
		if lint, err := testutil.GatherAndLint(reg); err != nil || len(lint) != 0 {
			t.Errorf("promlint: %v %v", lint, err)
		}
	})
}

func TestSecretsReachNoLogAndNoOutbox(t *testing.T) {
	const canary = "CANARY7f3a"
	var log strings.Builder
	b := &box{}
	b.add("msg_a")
	teller := alert.NewTeller(alert.TellerOptions{Receivers: map[string]alert.Receiver{"r": slackTo(t, "http://127.0.0.1:1/"+canary, nil)},
		Outbox: b, Now: time.Now, Log: zerolog.New(&log)})
	if err := teller.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "message not delivered") || b.waiting[0].LastError != "unreachable" {
		t.Fatalf("the failure was not noted: %s", log.String())
	}
	if strings.Contains(log.String(), canary) {
		t.Error("the log shows the secret")
	}
}
