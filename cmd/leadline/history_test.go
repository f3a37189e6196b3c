package main

import (
	"slices"
	"testing"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/server"
)

func TestAnOperatorsWordCountsAtOnce(t *testing.T) {
	f := newFixture(t)
	values := eightWeeks(2500, 0.6, 2)
	produce(t, f.broker, f.topic, partitions, values)
	f.cfg.Score.Schedule = "0 0 * * *"
	f.cfg.Record.Channels = map[string]string{"release": "a_field_that_is_not_logged"}
	incidents, d := f.watch(t, len(values))
	if len(incidents) != 1 || incidents[0].Kind != drift.KindDrop {
		t.Fatalf("got %+v, want one drop: no release channel is watched", incidents)
	}
	id, src := incidents[0].ID, &source{runner: d.runner}
	if _, err := src.AddRelease(t.Context(), server.ReleaseRequest{Channel: sampler.ChannelRelease, Value: "2.0", At: incidents[0].Since.Add(-12 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if i := incidentOf(t, d, id); i.Kind == drift.KindDrop || i.Release != "2.0" {
		t.Errorf("after the release was told it is a %s with release %q, want a kind that knows of 2.0", i.Kind, i.Release)
	}
	if _, err := src.Accept(t.Context(), server.AcceptRequest{Incident: id, By: "yuki", Note: "the new wording"}); err != nil {
		t.Fatal(err)
	}
	st, err := src.Status(t.Context())
	if err != nil || len(st.Acceptances) == 0 || st.Acceptances[0].Note != "the new wording" {
		t.Errorf("the status lists %+v, %v", st.Acceptances, err)
	}
	if i := incidentOf(t, d, id); i.Open() || i.Accepted == nil || i.Accepted.By != "yuki" {
		t.Errorf("after it was accepted it is open: %t, accepted: %+v", i.Open(), i.Accepted)
	}
}

func incidentOf(t *testing.T, d *daemon, id string) alert.Incident {
	t.Helper()
	i, err := (&source{runner: d.runner}).incident(id)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestWhatHappenedWhileTheDaemonWasDownIsToldOnceAndOnlyIfItGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		over bool
		want int
	}{"goes on": {false, 1}, "is over": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			produce(t, f.broker, f.topic, partitions, untilNow(2500, c.over))
			f.cfg.Score.Schedule = "0 0 * * *"
			w := f.beginAs(t)
			w.until(t, "catching up", w.caughtUp(t))
			if got := w.told(t); len(got) != c.want {
				t.Errorf("told %d times of incidents, want %d: %+v", len(got), c.want, got)
			}
			all, err := w.store.Incidents()
			if err != nil || len(all) != 1 || all[0].Open() == c.over {
				t.Errorf("got %+v, %v; want one incident, kept as history", all, err)
			}
		})
	}
}

// untilNow are n records over the eight weeks before now. The laptop's document is lost
// after five; after six it is back if the loss is over.
func untilNow(n int, over bool) [][]byte {
	const span = 8 * 7 * 24 * time.Hour
	out, begin := make([][]byte, n), time.Now().Add(-span)
	for i := range out {
		x := float64(i) / float64(n)
		lost := i%5 == 2 && x > 5.0/8 && (!over || x < 6.0/8)
		out[i] = faq(i, begin.Add(time.Duration(x*float64(span))), lost)
	}
	return out
}

// caughtUp says whether every window that has ended is decided and all messages are sent.
func (w *watched) caughtUp(t *testing.T) func() bool {
	return func() bool {
		next, ok, err := w.store.NextWindow()
		if err != nil {
			t.Fatal(err)
		}
		if !ok || !next.Due.After(time.Now()) {
			return false
		}
		return w.teller.Flush(t.Context()) == nil
	}
}

// told are the messages about incidents that were delivered.
func (w *watched) told(t *testing.T) (out []alert.Transition) {
	t.Helper()
	sent, err := w.store.Sent()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range sent {
		if d.Message.Incident != nil {
			out = append(out, d.Message.Transition)
		}
	}
	return out
}

func TestOneBrokenDateDoesNotOpenTheWindowsOfDecades(t *testing.T) {
	f := newFixture(t)
	f.cfg.Record.MaxAge = 0
	produce(t, f.broker, f.topic, 1, [][]byte{faq(1, time.Unix(1, 0), false)})
	w := f.beginAs(t)
	w.hasRead(t, 1)
	if got := w.ledgers(t).Records[sampler.RecordTooOld]; got != 1 {
		t.Errorf("%d records are too old, want 1: its row would be deleted at once", got)
	}
	if next, ok, err := w.store.NextWindow(); ok || err != nil {
		t.Errorf("window %s waits, %v", next.Due, err)
	}
}

func TestAnAcceptanceIsToldWhenTheServiceIsQuiet(t *testing.T) {
	f := newFixture(t)
	const n = 2500
	produce(t, f.broker, f.topic, partitions, untilNow(n, false)[:n*95/100]) // nothing for nearly three days
	f.cfg.Score.Schedule = "0 0 * * *"
	w := f.beginAs(t)
	w.until(t, "catching up", w.caughtUp(t))
	all, err := w.store.Incidents()
	if err != nil || len(all) == 0 || all[0].Kind == drift.KindBlind {
		t.Fatalf("got %+v, %v; want the fall", all, err)
	}
	src := &source{runner: w.runner}
	if _, err := src.Accept(t.Context(), server.AcceptRequest{Incident: all[0].ID, By: "yuki"}); err != nil {
		t.Fatal(err)
	}
	w.until(t, "the end being told", func() bool {
		return w.teller.Flush(t.Context()) == nil && slices.Contains(w.told(t), alert.Resolved)
	})
}
