package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// ErrDamaged says that the file is not a store, or not a whole one.
var ErrDamaged = errors.New("the store is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s. Restore a copy of the file, or move it away: history and offsets then start anew",
		ErrDamaged, fmt.Sprintf(format, args...))
}

// checkWhole says whether the file begins as a store does and has all of its pages. bbolt
// believes what a file says of itself: of one that was cut off it reads beyond the end, and
// that ends the program, in a goroutine where nothing can catch it. A file that is not
// there, or empty, is one to be made.
func checkWhole(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return checkSize(f)
}

// openFile opens the file with bbolt, and gives its errors their meaning.
func openFile(path string, o *bbolt.Options) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0o600, o)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, ErrLocked
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, damaged("%s", err)
	}
	return db, err
}

// notOpened says which file could not be opened.
func notOpened(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // it names the path, too
	}
	return fmt.Errorf("open %s (store.path): %w", path, err)
}

// meta is what one of the first two pages says of the file.
type meta struct {
	pageSize uint32
	pages    uint64
	tx       uint64
}

// checkSize compares the size of the file with what its newest meta page says. It reads both
// meta pages at once: one of them may just be written by the process that holds the file.
func checkSize(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	head := make([]byte, 2*pageSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var newest meta
	for at := 0; at < n; at = max(2*at, 1024) { // the second lies where the size of a page says
		m, ok := parseMeta(head[at:n])
		if ok && (at == 0 || at == int(m.pageSize)) && m.tx >= newest.tx {
			newest = m
		}
	}
	size := int64(newest.pages) * int64(newest.pageSize)
	switch {
	case size == 0, newest.pages > 1<<40:
		return damaged("it does not begin as a store does")
	case info.Size() < size:
		return damaged("it has %d bytes and should have %d, so it was cut off", info.Size(), size)
	}
	return nil
}

// parseMeta reads a meta page as bbolt writes it in this machine's order of bytes: a header,
// then magic, version, size of a page, flags, root and its sequence, free list, number of
// pages, transaction, and the FNV-1a of these.
func parseMeta(page []byte) (m meta, ok bool) {
	const sum = 56
	const magic, version = 0xED0CDAED, 2
	const header = 16
	if len(page) < header+sum+8 {
		return m, false
	}
	b, order := page[header:], binary.NativeEndian
	hash := fnv.New64a()
	hash.Write(b[:sum])
	m = meta{pageSize: order.Uint32(b[8:]), pages: order.Uint64(b[40:]), tx: order.Uint64(b[48:])}
	return m, order.Uint32(b) == magic && order.Uint32(b[4:]) == version && order.Uint64(b[sum:]) == hash.Sum64()
}
