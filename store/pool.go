package store

import (
	"encoding/binary"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"leadline/sampler"
)

// pool puts a sample among the bottom-k of its window and stratum. The pool holds as many
// samples per stratum as may be judged if the window closes under watch; whatever has to
// leave it is evicted.
func (in *intake) pool(w *window, s sampler.Sample) (sampler.RecordState, error) {
	if w.Offered == nil {
		w.Offered, w.Pooled = map[sampler.Cell]int{}, map[sampler.Cell]int{}
	}
	w.Offered[s.Cell]++
	b, err := in.tx.Bucket(poolBucket).CreateBucketIfNotExists(timeKey(w.Due))
	if err != nil {
		return "", err
	}
	if w.Pooled[s.Cell] >= w.MostPicks() {
		largest := lastOf(b, s.Cell)
		if u := poolU(largest, s.Cell); u <= s.U {
			w.evicted(s.Cell, s.U)
			return sampler.RecordEvicted, nil
		}
		if err := in.evict(w, b, largest, s.Cell); err != nil {
			return "", err
		}
	}
	if err := b.Put(poolKey(s.Cell, s.U, s.ID), dayKey(s.Time)); err != nil {
		return "", err
	}
	w.Pooled[s.Cell]++
	samples, err := day(in.tx, sampleBucket, s.Time)
	if err != nil {
		return "", err
	}
	return sampler.RecordWaiting, save(samples, []byte(s.ID), s)
}

// evict takes a waiting sample out of the pool, with its text.
func (in *intake) evict(w *window, pool *bbolt.Bucket, key []byte, cell sampler.Cell) error {
	w.evicted(cell, poolU(key, cell))
	w.Pooled[cell]--
	id, date := poolID(key, cell), slices.Clone(pool.Get(key))
	if err := pool.Delete(key); err != nil {
		return err
	}
	if err := dropSample(in.tx, date, id); err != nil {
		return err
	}
	return in.move(date, id, sampler.RecordWaiting, sampler.RecordEvicted)
}

// move changes the state of a record in the ledger and in the index of IDs.
func (in *intake) move(date, id []byte, from, to sampler.RecordState) error {
	in.records[from]--
	in.records[to]++
	b := in.tx.Bucket(idBucket).Bucket(date)
	var e idEntry
	ok, err := load(b, id, &e)
	if err != nil || !ok {
		return err
	}
	e.State = to
	return save(b, id, e)
}

func (w *window) evicted(c sampler.Cell, u float64) {
	if w.SmallestEvicted == nil {
		w.SmallestEvicted = map[sampler.Cell]float64{}
	}
	if smallest, ok := w.SmallestEvicted[c]; !ok || u < smallest {
		w.SmallestEvicted[c] = u
	}
}

func dropSample(tx *bbolt.Tx, date, id []byte) error {
	b := tx.Bucket(sampleBucket).Bucket(date)
	if b == nil {
		return nil
	}
	return b.Delete(id)
}

// poolKey sorts by cell, then by hash, then by ID.
func poolKey(c sampler.Cell, u float64, id string) []byte {
	key := append([]byte(c), 0)
	key = binary.BigEndian.AppendUint64(key, math.Float64bits(u))
	return append(key, id...)
}

func poolU(key []byte, c sampler.Cell) float64 {
	return math.Float64frombits(binary.BigEndian.Uint64(key[len(c)+1:]))
}

func poolID(key []byte, c sampler.Cell) []byte { return slices.Clone(key[len(c)+9:]) }

// lastOf returns the key with the largest hash of a cell.
func lastOf(b *bbolt.Bucket, c sampler.Cell) []byte {
	cur := b.Cursor()
	end := append([]byte(c), 1)
	if k, _ := cur.Seek(end); k == nil {
		k, _ = cur.Last()
		return slices.Clone(k)
	}
	k, _ := cur.Prev()
	return slices.Clone(k)
}
