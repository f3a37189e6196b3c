// Package store keeps everything in one bbolt file. It is the only place that knows
// keys, encoding, migration and retention.
//
// Each step of the pipeline is one transaction: what was read with its ledgers and
// offsets; the picks of a closed window; its scores; its decision with incidents and
// messages. A crash between two of them loses nothing and repeats nothing.
package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"leadline/drift"
	"leadline/sampler"
)

// Version is the version of the file's layout.
const Version = 1

// ErrLocked says that another process has the file open.
var ErrLocked = errors.New("the store is in use by another process: stop it, or talk to it through its socket")

// ErrNewer says that a newer Leadline wrote the file.
var ErrNewer = errors.New("the store was written by a newer version of leadline: upgrade leadline, or use another store.path")

// Plan says which window a record time belongs to, and how it is sampled. It applies to
// windows that are first seen after Open.
type Plan struct {
	// Window returns the window (start, due] that t falls into.
	Window func(t time.Time) (start, due time.Time)
	Rate   float64
	Salt   string
	PerRun int
	Floor  int
	// WatchFactor is by what PerRun is multiplied for a window that closes while a series
	// is on watch; 0 is 1.
	WatchFactor int
}

// Store is an open file. Its methods may be called from several goroutines.
type Store struct {
	db   *bbolt.DB
	path string
	plan Plan

	mu      sync.Mutex // guards history
	history *drift.History
	result  drift.Result
}

// pageSize is fixed when the file is made: a sample of about 2 KB would fill half a page
// of 4 KB.
const pageSize = 16384

// lockTimeout is how long another process may take to let go of the file.
const lockTimeout = time.Second

// Open opens the file, and makes it and its folder if need be. The caller closes it.
// It returns ErrLocked, ErrNewer or ErrDamaged, wrapped, where these are the cause.
func Open(path string, plan Plan) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the store: %w", err)
	}
	if err := checkWhole(path); err != nil {
		return nil, notOpened(path, err)
	}
	db, err := openFile(path, &bbolt.Options{
		Timeout: lockTimeout, PageSize: pageSize, FreelistType: bbolt.FreelistMapType, NoFreelistSync: true,
	})
	if err != nil {
		return nil, notOpened(path, err)
	}
	// Many small writers share a transaction without waiting long for each other.
	db.MaxBatchDelay, db.MaxBatchSize = time.Millisecond, 64
	s := &Store{db: db, path: path, plan: plan}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Size returns the size of the file in bytes.
func (s *Store) Size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Buckets. Those marked (day) hold one sub-bucket per UTC day, so that retention drops a
// day at once.
var (
	metaBucket       = []byte("meta")
	positionBucket   = []byte("positions")   // topic, partition → position
	rangeBucket      = []byte("ranges")      // topic, partition, from → next
	ledgerBucket     = []byte("ledger")      // offsets by topic and partition; records
	windowBucket     = []byte("windows")     // due → window
	tallyBucket      = []byte("tallies")     // due → sampler.Tally
	poolBucket       = []byte("pools")       // due → sub-bucket: cell, u, id → nothing
	idBucket         = []byte("ids")         // (day) id → idEntry
	sampleBucket     = []byte("samples")     // (day) id → sampler.Sample, with text
	scoreBucket      = []byte("scores")      // (day) id → scorer.Score without text
	detailBucket     = []byte("details")     // (day) id → statements and questions
	rowBucket        = []byte("rows")        // due → []drift.Row
	runBucket        = []byte("runs")        // due → scorer.Run
	controlBucket    = []byte("controls")    // due → []scorer.ControlScore
	markBucket       = []byte("marks")       // seq → drift.Mark
	acceptanceBucket = []byte("acceptances") // seq → drift.Acceptance
	incidentBucket   = []byte("incidents")   // id → alert.Incident
	outboxBucket     = []byte("outbox")      // receiver, group → alert.Delivery
	sentBucket       = []byte("sent")        // seq → alert.Delivery, settled
	memoBucket       = []byte("memo")        // (day) key → reply
	budgetBucket     = []byte("budget")      // day → Day; of earlier versions: tokens
)

var allBuckets = [][]byte{
	metaBucket, positionBucket, rangeBucket, ledgerBucket, windowBucket, tallyBucket, poolBucket, idBucket, sampleBucket,
	scoreBucket, detailBucket, rowBucket, runBucket, controlBucket, markBucket, acceptanceBucket, incidentBucket,
	outboxBucket, sentBucket, memoBucket, budgetBucket,
	judgeBucket, bridgeBucket, bridgeRowBucket, rescoredBucket, recontrolsBucket, reviewBucket, labelBucket,
	ownBucket, ownAuditBucket,
}

// Keys of the meta bucket.
var (
	versionKey = []byte("version")
	closedKey  = []byte("closed")  // due time of the newest closed window
	decidedKey = []byte("decided") // due time of the newest decided window
	cellsKey   = []byte("cells")
	resultKey  = []byte("result")
	lastKey    = []byte("last_record")
)

// prepare makes the buckets and checks the version.
func (s *Store) prepare() error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range allBuckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return fmt.Errorf("make bucket %s: %w", name, err)
			}
		}
		meta := tx.Bucket(metaBucket)
		version := 0
		if _, err := load(meta, versionKey, &version); err != nil {
			return err
		}
		if version > Version {
			return fmt.Errorf("open %s: %w (its layout is %d, this one knows %d)", s.path, ErrNewer, version, Version)
		}
		return save(meta, versionKey, Version)
	})
}

// load decodes the value of a key into v, and says whether there is one.
func load(b *bbolt.Bucket, key []byte, v any) (bool, error) {
	if b == nil {
		return false, nil
	}
	data := b.Get(key)
	if data == nil {
		return false, nil
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("decode a stored %T: %w", v, err)
	}
	return true, nil
}

// save encodes v as the value of a key.
func save(b *bbolt.Bucket, key []byte, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a %T for the store: %w", v, err)
	}
	return b.Put(key, data)
}

// each decodes the values of a bucket in the order of their keys.
func each[T any](b *bbolt.Bucket, f func(key []byte, v T) error) error {
	if b == nil {
		return nil
	}
	return b.ForEach(func(k, data []byte) error {
		if data == nil {
			return nil // a sub-bucket
		}
		var v T
		if err := json.Unmarshal(data, &v); err != nil {
			return fmt.Errorf("decode a stored %T: %w", v, err)
		}
		return f(k, v)
	})
}

// all returns the values of a bucket in the order of their keys.
func all[T any](b *bbolt.Bucket) ([]T, error) {
	var out []T
	err := each(b, func(_ []byte, v T) error {
		out = append(out, v)
		return nil
	})
	return out, err
}

// push adds v under the bucket's next number.
func push(b *bbolt.Bucket, v any) error {
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	return save(b, number(seq), v)
}

// number is a key that sorts as the number does.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// timeKey is a key that sorts as the time does, for times after 1970.
func timeKey(t time.Time) []byte { return number(uint64(t.UnixNano())) }

// partitionKey sorts by topic, then partition.
func partitionKey(topic string, partition int) []byte {
	key := append([]byte(topic), 0)
	return binary.BigEndian.AppendUint32(key, uint32(partition))
}

// dayKey names the UTC day of a time.
func dayKey(t time.Time) []byte { return []byte(t.UTC().Format(time.DateOnly)) }

// day returns the sub-bucket of a day, and makes it.
func day(tx *bbolt.Tx, name []byte, t time.Time) (*bbolt.Bucket, error) {
	return tx.Bucket(name).CreateBucketIfNotExists(dayKey(t))
}

// Position returns the next offset to read of a partition, and whether it was read before.
func (s *Store) Position(topic string, partition int) (next int64, ok bool, err error) {
	var p position
	err = s.db.View(func(tx *bbolt.Tx) error {
		ok, err = load(tx.Bucket(positionBucket), partitionKey(topic, partition), &p)
		return err
	})
	return p.Next, ok, err
}

// position is how far a partition was read.
type position struct {
	Next  int64 `json:"next"`  // the next offset to read
	Read  int64 `json:"read"`  // how many were read
	Range int64 `json:"range"` // where the newest gapless range began
}

// Ledgers are the two ledgers. Each sums to its own total.
type Ledgers struct {
	Offsets map[sampler.OffsetState]int64 `json:"offsets"`
	Records map[sampler.RecordState]int64 `json:"records"`
	// Read is the number of offsets by which the positions moved: what Offsets must sum to.
	Read int64 `json:"read"`
}

// Ledgers returns the state of all offsets and records.
func (s *Store) Ledgers() (Ledgers, error) {
	l := Ledgers{Offsets: map[sampler.OffsetState]int64{}, Records: map[sampler.RecordState]int64{}}
	err := s.db.View(func(tx *bbolt.Tx) error {
		ledger := tx.Bucket(ledgerBucket)
		if _, err := load(ledger, recordsKey, &l.Records); err != nil {
			return err
		}
		err := each(ledger.Bucket(offsetsKey), func(_ []byte, counts map[sampler.OffsetState]int64) error {
			for state, n := range counts {
				l.Offsets[state] += n
			}
			return nil
		})
		if err != nil {
			return err
		}
		return each(tx.Bucket(positionBucket), func(_ []byte, p position) error {
			l.Read += p.Read
			return nil
		})
	})
	return l, err
}

// Keys of the ledger bucket: a sub-bucket per partition, and one value for records.
var (
	offsetsKey = []byte("offsets")
	recordsKey = []byte("records")
)
