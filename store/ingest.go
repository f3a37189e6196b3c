package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"leadline/sampler"
)

// Add stores what was read: samples, both ledgers, the ledger of ranges and the offsets
// in one transaction. A range that was stored before changes nothing.
func (s *Store) Add(_ context.Context, ranges []sampler.Range) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		in, err := newIntake(tx, s.plan)
		if err != nil {
			return err
		}
		for _, r := range ranges {
			if err := in.add(r); err != nil {
				return fmt.Errorf("store %s/%d from offset %d: %w", r.Topic, r.Partition, r.From, err)
			}
		}
		return in.finish()
	})
}

// intake is one transaction's view of what Add changes: windows, tallies and the ledger of
// records are read once and written once, however many records touch them.
type intake struct {
	tx      *bbolt.Tx
	plan    Plan
	closed  time.Time // due time of the newest closed window
	last    time.Time // newest record time
	cells   sampler.Cells
	windows map[int64]*window
	tallies map[int64]*sampler.Tally
	records map[sampler.RecordState]int64
}

// window is a sampler.Window with what bottom-k needs while it is open.
type window struct {
	sampler.Window
	// Pooled counts the samples in the pool per stratum; SmallestEvicted is the smallest
	// hash that had to leave it.
	Pooled          map[sampler.Cell]int     `json:"pooled,omitempty"`
	SmallestEvicted map[sampler.Cell]float64 `json:"smallest_evicted,omitempty"`
}

func newIntake(tx *bbolt.Tx, plan Plan) (*intake, error) {
	in := &intake{tx: tx, plan: plan, windows: map[int64]*window{}, tallies: map[int64]*sampler.Tally{}, records: map[sampler.RecordState]int64{}}
	meta := tx.Bucket(metaBucket)
	if _, err := load(meta, closedKey, &in.closed); err != nil {
		return nil, err
	}
	if _, err := load(meta, lastKey, &in.last); err != nil {
		return nil, err
	}
	if _, err := load(meta, cellsKey, &in.cells); err != nil {
		return nil, err
	}
	_, err := load(tx.Bucket(ledgerBucket), recordsKey, &in.records)
	return in, err
}

// add stores one range.
func (in *intake) add(r sampler.Range) error {
	fresh, err := in.advance(r)
	if err != nil || !fresh {
		return err
	}
	if err := in.countOffsets(r); err != nil {
		return err
	}
	for _, k := range r.Kept {
		if err := in.keep(k); err != nil {
			return err
		}
	}
	return nil
}

// advance moves the partition's position over the range, and says whether the range is new.
func (in *intake) advance(r sampler.Range) (bool, error) {
	positions, key := in.tx.Bucket(positionBucket), partitionKey(r.Topic, r.Partition)
	var p position
	known, err := load(positions, key, &p)
	if err != nil {
		return false, err
	}
	switch {
	case !known:
		p = position{Next: r.From, Range: r.From}
	case r.Anew:
		p.Next, p.Range = r.From, r.From
	case r.From == r.Next, r.Next <= p.Next:
		return false, nil
	case r.From < p.Next:
		return false, fmt.Errorf("it overlaps what was read up to offset %d", p.Next)
	case r.From > p.Next:
		return false, fmt.Errorf("it leaves out offsets from %d on", p.Next)
	}
	p.Read += r.Next - r.From
	p.Next = r.Next
	rangeKey := binary.BigEndian.AppendUint64(append(key, 0), uint64(p.Range))
	if err := save(in.tx.Bucket(rangeBucket), rangeKey, p.Next); err != nil {
		return false, err
	}
	return true, save(positions, key, p)
}

func (in *intake) countOffsets(r sampler.Range) error {
	ledger, err := in.tx.Bucket(ledgerBucket).CreateBucketIfNotExists(offsetsKey)
	if err != nil {
		return err
	}
	var total int64
	for _, n := range r.Offsets {
		total += n
	}
	if total != r.Next-r.From {
		return fmt.Errorf("its states sum to %d, not to its %d offsets", total, r.Next-r.From)
	}
	counts, key := map[sampler.OffsetState]int64{}, partitionKey(r.Topic, r.Partition)
	if _, err := load(ledger, key, &counts); err != nil {
		return err
	}
	for state, n := range r.Offsets {
		counts[state] += n
	}
	return save(ledger, key, counts)
}

// keep gives a kept record its state, and puts it into its window's pool.
func (in *intake) keep(k sampler.Kept) error {
	sample, state := k.Sample, k.State
	if state != "" && state != sampler.RecordErrorAnswer && state != sampler.RecordNoAnswer {
		in.records[state]++
		return nil
	}
	if sample.Time.After(in.last) {
		in.last = sample.Time
	}
	if in.seen(sample) {
		in.records[sampler.RecordDuplicate]++
		return nil
	}
	if !sample.Time.After(in.closed) {
		in.records[sampler.RecordLate]++
		return in.remember(sample, sampler.RecordLate)
	}
	w, err := in.windowOf(sample.Time)
	if err != nil {
		return err
	}
	sample.Window = w.Due
	sample.Cell, in.cells = in.cells.Place(sampler.CellOf(sample.Segments))
	if err := in.count(w, sample); err != nil {
		return err
	}
	if state == "" {
		state, err = in.pool(w, sample)
		if err != nil {
			return err
		}
	}
	in.records[state]++
	return in.remember(sample, state)
}

// idEntry is what is remembered of a logical ID.
type idEntry struct {
	State  sampler.RecordState `json:"state"`
	Origin sampler.Origin      `json:"origin"`
	Time   time.Time           `json:"time"`
	Window time.Time           `json:"window,omitzero"`
}

// seen says whether a record with this ID was read before. IDs are kept by the day of
// the record; a repeated record has nearly the time of the first, so three days are enough.
func (in *intake) seen(s sampler.Sample) bool {
	ids := in.tx.Bucket(idBucket)
	for _, shift := range []int{0, -1, 1} {
		b := ids.Bucket(dayKey(s.Time.AddDate(0, 0, shift)))
		if b != nil && b.Get([]byte(s.ID)) != nil {
			return true
		}
	}
	return false
}

func (in *intake) remember(s sampler.Sample, state sampler.RecordState) error {
	b, err := day(in.tx, idBucket, s.Time)
	if err != nil {
		return err
	}
	return save(b, []byte(s.ID), idEntry{State: state, Origin: s.Origin, Time: s.Time, Window: s.Window})
}

// windowOf returns the window of a record time, and opens it.
func (in *intake) windowOf(t time.Time) (*window, error) {
	for _, w := range in.windows {
		if t.After(w.Start) && !t.After(w.Due) {
			return w, nil
		}
	}
	w, err := openWindow(in.tx, in.plan, t)
	if err != nil {
		return nil, err
	}
	in.windows[w.Due.UnixNano()] = w
	return w, nil
}

// openWindow finds the stored window of t, or makes it by the plan, cut so that it does
// not overlap its stored neighbors: those may come from an older schedule.
func openWindow(tx *bbolt.Tx, plan Plan, t time.Time) (*window, error) {
	start, due := plan.Window(t)
	next, prev, err := neighbors(tx, t)
	if err != nil {
		return nil, err
	}
	if next != nil && t.After(next.Start) {
		return next, nil
	}
	if next != nil {
		due = earlier(due, next.Start)
	}
	if prev != nil && prev.Due.After(start) {
		start = prev.Due
	}
	return &window{Window: sampler.Window{
		Start: start.UTC(), Due: due.UTC(), State: sampler.WindowOpen,
		Rate: plan.Rate, Salt: plan.Salt, PerRun: plan.PerRun, Floor: plan.Floor, WatchFactor: plan.WatchFactor,
	}}, nil
}

// neighbors returns the first stored window that ends at or after t, and the one before
// it; nil where there is none.
func neighbors(tx *bbolt.Tx, t time.Time) (next, prev *window, err error) {
	c := tx.Bucket(windowBucket).Cursor()
	k, data := c.Seek(timeKey(t))
	if k == nil {
		k, data = c.Last()
		prev, err = decodeWindow(k, data)
		return nil, prev, err
	}
	if next, err = decodeWindow(k, data); err != nil {
		return nil, nil, err
	}
	prev, err = decodeWindow(c.Prev())
	return next, prev, err
}

func decodeWindow(k, data []byte) (*window, error) {
	if k == nil {
		return nil, nil
	}
	w := &window{}
	if err := json.Unmarshal(data, w); err != nil {
		return nil, fmt.Errorf("decode a stored window: %w", err)
	}
	return w, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// count adds the record to the tally of its window.
func (in *intake) count(w *window, s sampler.Sample) error {
	key := w.Due.UnixNano()
	tally := in.tallies[key]
	if tally == nil {
		tally = &sampler.Tally{Start: w.Start, Due: w.Due}
		if _, err := load(in.tx.Bucket(tallyBucket), timeKey(w.Due), tally); err != nil {
			return err
		}
		in.tallies[key] = tally
	}
	tally.Add(s.Record, s.Cell)
	return nil
}

// finish writes what the intake gathered.
func (in *intake) finish() error {
	for _, w := range in.windows {
		if err := save(in.tx.Bucket(windowBucket), timeKey(w.Due), w); err != nil {
			return err
		}
	}
	for _, t := range in.tallies {
		if err := save(in.tx.Bucket(tallyBucket), timeKey(t.Due), t); err != nil {
			return err
		}
	}
	meta := in.tx.Bucket(metaBucket)
	if err := save(meta, cellsKey, in.cells); err != nil {
		return err
	}
	if err := save(meta, lastKey, in.last); err != nil {
		return err
	}
	return save(in.tx.Bucket(ledgerBucket), recordsKey, in.records)
}
