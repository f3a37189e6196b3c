package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"leadline/sampler"
	"leadline/store"
)

var monday = time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)

// plan closes a window every six hours and judges at most perRun samples.
func plan(perRun int) store.Plan {
	return store.Plan{
		Window: func(t time.Time) (time.Time, time.Time) {
			due := t.Truncate(6 * time.Hour)
			if due.Before(t) {
				due = due.Add(6 * time.Hour)
			}
			return due.Add(-6 * time.Hour), due
		},
		Rate: 0.5, Salt: "salt", PerRun: perRun, Floor: 1,
	}
}

func open(t *testing.T, path string, p store.Plan) *store.Store {
	t.Helper()
	s, err := store.Open(path, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func fresh(t *testing.T, perRun int) *store.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "leadline.db"), plan(perRun))
}

// kept is a record that passed the rate.
func kept(id, department string, at time.Time) sampler.Kept {
	return sampler.Kept{Sample: sampler.Sample{
		Record: sampler.Record{ID: id, Time: at, Question: "q", Answer: "a", Contexts: []string{"c"}, Segments: map[string]string{"department": department}},
		U:      sampler.Hash("salt", id) / 2, Rate: 0.5,
	}}
}

// batch is a range of one partition whose offsets were all kept.
func batch(from int64, ks ...sampler.Kept) sampler.Range {
	for n := range ks {
		ks[n].Sample.Origin = sampler.Origin{Topic: "t", Offset: from + int64(n)}
	}
	return sampler.Range{Topic: "t", From: from, Next: from + int64(len(ks)), Kept: ks,
		Offsets: map[sampler.OffsetState]int64{sampler.OffsetContributed: int64(len(ks))}}
}

func add(t *testing.T, s *store.Store, rs ...sampler.Range) {
	t.Helper()
	if err := s.Add(t.Context(), rs); err != nil {
		t.Fatal(err)
	}
}

// records makes n records of three departments within one window.
func records(n int) []sampler.Kept {
	ks := make([]sampler.Kept, n)
	for i := range ks {
		ks[i] = kept(fmt.Sprintf("r%03d", i), []string{"hr", "it", "travel"}[i%3], monday.Add(time.Duration(i+1)*time.Minute))
	}
	return ks
}

func closeFirst(t *testing.T, s *store.Store) sampler.Window {
	t.Helper()
	w, ok, err := s.NextWindow()
	if err != nil || !ok {
		t.Fatalf("next window: %v, %v", ok, err)
	}
	if err := s.CloseWindow(w); err != nil {
		t.Fatal(err)
	}
	return w
}

func picked(t *testing.T, s *store.Store, w sampler.Window) map[string]float64 {
	t.Helper()
	picks, gone, err := s.Picks(w.Due)
	if err != nil || len(gone) > 0 {
		t.Fatalf("picks: %v, gone %v", err, gone)
	}
	out := map[string]float64{}
	for _, p := range picks {
		out[p.ID] = p.Inclusion
	}
	return out
}

func TestPicksAreTheSmallestHashesInAnyOrderOfArrival(t *testing.T) {
	const perRun = 30
	want := map[string]bool{}
	for _, department := range []string{"hr", "it", "travel"} {
		var ks []sampler.Kept
		for _, k := range records(240) {
			if k.Sample.Segments["department"] == department {
				ks = append(ks, k)
			}
		}
		sort.Slice(ks, func(i, j int) bool { return ks[i].Sample.U < ks[j].Sample.U })
		for _, k := range ks[:perRun/3] {
			want[k.Sample.ID] = true
		}
	}
	for seed := range uint64(3) {
		ks := records(240)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(ks), func(i, j int) { ks[i], ks[j] = ks[j], ks[i] })
		s := fresh(t, perRun)
		add(t, s, batch(0, ks[:100]...))
		add(t, s, batch(100, ks[100:]...))
		got := map[string]bool{}
		for id := range picked(t, s, closeFirst(t, s)) {
			got[id] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: picks differ (-want +got):\n%s", seed, diff)
		}
	}
}

func TestInclusionIsTheSmallestEvictedHashElseTheRate(t *testing.T) {
	s := fresh(t, 4)
	ks := []sampler.Kept{kept("a", "hr", monday.Add(time.Hour)), kept("b", "hr", monday.Add(time.Hour)), kept("c", "it", monday.Add(time.Hour))}
	for i := range 6 {
		k := kept(fmt.Sprintf("h%d", i), "hr", monday.Add(time.Hour))
		ks = append(ks, k)
	}
	add(t, s, batch(0, ks...))
	got := picked(t, s, closeFirst(t, s))
	var us []float64
	for _, k := range ks {
		if k.Sample.Segments["department"] == "hr" {
			us = append(us, k.Sample.U)
		}
	}
	slices.Sort(us)
	if got["c"] != 0.5 {
		t.Errorf("a stratum without evictions has inclusion %g, want the rate 0.5", got["c"])
	}
	hr := len(got) - 1
	for id, inclusion := range got {
		if id != "c" && inclusion != us[hr] {
			t.Errorf("inclusion of %s is %g, want the smallest evicted hash %g", id, inclusion, us[hr])
		}
	}
}

func TestAPoolThatNeverOverflowedIsCutWhenTheWindowCloses(t *testing.T) {
	s := fresh(t, 6)
	for n, k := range records(12) { // four of each department, six fit
		add(t, s, batch(int64(n), k))
	}
	if got := picked(t, s, closeFirst(t, s)); len(got) != 6 {
		t.Errorf("%d picks, want 6", len(got))
	}
}

func ledgers(t *testing.T, s *store.Store) store.Ledgers {
	t.Helper()
	l, err := s.Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBothLedgersSumAndARepeatedRangeChangesNothing(t *testing.T) {
	s := fresh(t, 5)
	r := batch(0, records(50)...)
	r.Next, r.Offsets[sampler.OffsetNotSampled] = 60, 10
	add(t, s, r)
	first := ledgers(t, s)
	add(t, s, r)
	if diff := cmp.Diff(first, ledgers(t, s)); diff != "" {
		t.Errorf("a repeated range changed the ledgers:\n%s", diff)
	}
	var offsets, recs int64
	for _, n := range first.Offsets {
		offsets += n
	}
	for _, n := range first.Records {
		recs += n
	}
	if offsets != 60 || first.Read != 60 || recs != 50 {
		t.Errorf("offsets sum to %d of %d read, records to %d; want 60, 60, 50", offsets, first.Read, recs)
	}
	if err := s.Add(t.Context(), []sampler.Range{batch(40, records(30)...)}); err == nil {
		t.Error("a range that overlaps what was read was taken")
	}
	bad := batch(60, records(1)...)
	bad.Next = 70
	if err := s.Add(t.Context(), []sampler.Range{bad}); err == nil {
		t.Error("a range whose states do not sum was taken")
	}
}

func TestDuplicatesAndLateRecordsAreCountedNotJudged(t *testing.T) {
	s := fresh(t, 5)
	a := kept("same", "hr", monday.Add(time.Hour))
	add(t, s, batch(0, a, kept("same", "hr", monday.Add(time.Hour))))
	closeFirst(t, s)
	add(t, s, batch(2, kept("same", "hr", monday.Add(time.Hour)), kept("late", "hr", monday.Add(2*time.Hour)), kept("next", "hr", monday.Add(7*time.Hour))))
	want := map[sampler.RecordState]int64{sampler.RecordWaiting: 2, sampler.RecordDuplicate: 2, sampler.RecordLate: 1}
	if diff := cmp.Diff(want, ledgers(t, s).Records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestEmptyWindowsFollowInOrder(t *testing.T) {
	s := fresh(t, 5)
	add(t, s, batch(0, kept("a", "hr", monday.Add(time.Hour)), kept("b", "hr", monday.Add(13*time.Hour))))
	var dues []string
	for range 4 {
		w, ok, err := s.NextWindow()
		if err != nil || !ok {
			t.Fatalf("next window: %v %v", ok, err)
		}
		dues = append(dues, w.Due.Format("02 15h"))
		finish(t, s, w)
	}
	if diff := cmp.Diff([]string{"02 06h", "02 12h", "02 18h", "03 00h"}, dues); diff != "" {
		t.Error(diff)
	}
}

// finish takes a window through all its steps without a score.
func finish(t *testing.T, s *store.Store, w sampler.Window) {
	t.Helper()
	if err := s.CloseWindow(w); err != nil {
		t.Fatal(err)
	}
	picks, _, err := s.Picks(w.Due)
	if err != nil {
		t.Fatal(err)
	}
	var scored store.Scored
	for _, p := range picks {
		scored.OverBudget = append(scored.OverBudget, p.ID)
	}
	if err := s.SaveScores(w.Due, scored); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveDecision(w.Due, store.Decision{}); err != nil {
		t.Fatal(err)
	}
}

func TestASecondProcessIsToldWhoHasTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	open(t, path, plan(1))
	if _, err := store.Open(path, plan(1)); !errors.Is(err, store.ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
}

func TestANewerStoreIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("meta"))
		if err != nil {
			return err
		}
		return b.Put([]byte("version"), []byte("999"))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(path, plan(1)); !errors.Is(err, store.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
}
