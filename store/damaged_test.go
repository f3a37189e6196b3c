package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/sampler"
	"leadline/store"
)

// filled is the content of a store with two thousand records in it.
func filled(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.db")
	s := open(t, path, plan(5000))
	for from := int64(0); from < 2000; from += 500 {
		var ks []sampler.Kept
		for n := range 500 {
			ks = append(ks, kept(fmt.Sprintf("r%04d", from+int64(n)), "hr", monday.Add(time.Duration(n+1)*time.Minute)))
		}
		add(t, s, batch(from, ks...))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// openBytes opens a file of this content.
func openBytes(t *testing.T, data []byte) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path, plan(60))
	if err == nil {
		err = s.Close()
	} else if !strings.Contains(err.Error(), path) {
		t.Errorf("the error does not name the file: %v", err)
	}
	return err
}

func TestFileThatWasCutOffIsToldWithWhatToDo(t *testing.T) {
	data := filled(t)
	if len(data) < 10*16384 {
		t.Fatalf("the store has only %d bytes", len(data))
	}
	for _, size := range []int{1, 100, 4096, 16384, 16384 + 100, 2 * 16384, 3 * 16384, len(data) / 2} {
		err := openBytes(t, data[:size])
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "Restore a copy of the file, or move it away") {
			t.Errorf("%d of %d bytes: %v, want that it is damaged", size, len(data), err)
		}
	}
}

func TestFileOfSomethingElseIsToldWithWhatToDo(t *testing.T) {
	for name, data := range map[string][]byte{
		"text": []byte("service: {name: helpdesk}\n"), "zeros": make([]byte, 1<<20), "SQLite": append([]byte("SQLite format 3\x00"), make([]byte, 1<<16)...),
	} {
		if err := openBytes(t, data); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "does not begin as a store does") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOneWholeMetaPageIsEnough(t *testing.T) {
	for page := range 2 {
		data := filled(t)
		copy(data[page*16384:], make([]byte, 16384))
		if err := openBytes(t, data); err != nil {
			t.Errorf("without page %d: %v", page, err)
		}
	}
}

func TestEmptyFileBecomesAStore(t *testing.T) {
	if err := openBytes(t, nil); err != nil {
		t.Error(err)
	}
}
