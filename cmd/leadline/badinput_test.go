package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// journal is a log that may be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// lines are the log's lines with a message.
func (j *journal) lines(message string) []map[string]any {
	var found []map[string]any
	for line := range strings.Lines(j.String()) {
		var fields map[string]any
		if json.Unmarshal([]byte(line), &fields) == nil && fields["message"] == message {
			found = append(found, fields)
		}
	}
	return found
}

func (j *journal) says(message string) bool { return len(j.lines(message)) > 0 }

// freeAddress is an address on which nobody listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l := listen(t, "127.0.0.1:0")
	defer l.Close()
	return l.Addr().String()
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// awayConfig is the file of a daemon whose broker and judge are away.
func awayConfig(t *testing.T, storePath, more string) string {
	t.Helper()
	text := fmt.Sprintf(`service: {name: helpdesk}
kafka: {brokers: ["127.0.0.1:1"], topics: [rag]}
judge: {base_url: "http://127.0.0.1:1/v1", model: small}
store: {path: %q}
%s
`, storePath, more)
	path := filepath.Join(t.TempDir(), "leadline.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fails runs a command that must end by itself with a code, and returns what it says.
func fails(t *testing.T, code int, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var out bytes.Buffer
	var errs journal
	got := run(ctx, args, os.LookupEnv, streams{strings.NewReader(""), &out, &errs})
	if ctx.Err() != nil {
		t.Fatalf("leadline %v did not end by itself: %s", args, errs.String())
	}
	if got != code {
		t.Errorf("leadline %v: exit %d, want %d: %s", args, got, code, errs.String())
	}
	return errs.String()
}

func mention(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not mentioned in: %s", word, text)
		}
	}
}

func TestATakenPortIsNamed(t *testing.T) {
	t.Parallel()
	taken := listen(t, "127.0.0.1:0")
	defer taken.Close()
	address := taken.Addr().String()
	for setting, listeners := range map[string]string{
		"listen":     fmt.Sprintf(`server: {listen: %q, ops_listen: ""}`, address),
		"ops_listen": fmt.Sprintf(`server: {listen: "", ops_listen: %q}`, address),
	} {
		t.Run(setting, func(t *testing.T) {
			path := awayConfig(t, filepath.Join(t.TempDir(), "leadline.db"), listeners)
			mention(t, fails(t, exitFailed, "run", "--config", path), address, "address already in use")
		})
	}
}

func TestALockedStoreIsNamed(t *testing.T) {
	t.Parallel()
	storePath := filepath.Join(t.TempDir(), "leadline.db")
	path := awayConfig(t, storePath, `server: {listen: "", ops_listen: ""}`)
	held, err := store.Open(storePath, store.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	mention(t, fails(t, exitFailed, "run", "--config", path), storePath, "in use by another process")
	// Its holder has no socket: it is not a daemon that could be asked.
	for _, command := range [][]string{{"status"}, {"samples"}, {"report"}, {"release", "add", "1.0"}, {"baseline", "accept", "inc_1", "--by", "me"}} {
		mention(t, fails(t, exitNotReachable, append(command, "--config", path)...), "a daemon has the store open but does not answer")
	}
}

func TestAStoreOfANewerVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	storePath := filepath.Join(t.TempDir(), "leadline.db")
	path := awayConfig(t, storePath, `server: {listen: "", ops_listen: ""}`)
	writeVersion(t, storePath, store.Version+1)
	before := content(t, storePath)
	for _, command := range []string{"run", "status", "samples", "report"} {
		mention(t, fails(t, exitFailed, command, "--config", path), storePath, "written by a newer version of leadline", "upgrade leadline")
	}
	if !bytes.Equal(before, content(t, storePath)) {
		t.Error("the file was changed")
	}
}

// writeVersion makes a store and says that its layout is of another version.
func writeVersion(t *testing.T, path string, version int) {
	t.Helper()
	s, err := store.Open(path, store.Plan{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("version"), fmt.Append(nil, version))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "readonly")
	if err := os.Mkdir(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	for name, parent := range map[string]string{"a file": file, "read-only": folder} {
		t.Run(name, func(t *testing.T) {
			if parent == folder && os.Geteuid() == 0 {
				t.Skip("root may write to read-only folders")
			}
			path := awayConfig(t, filepath.Join(parent, "leadline.db"), `server: {listen: "", ops_listen: ""}`)
			mention(t, fails(t, exitFailed, "run", "--config", path), parent)
			code := exitFailed
			if parent == folder {
				code = exitNotReachable // there is no store in it
			}
			mention(t, fails(t, code, "status", "--config", path), parent)
		})
	}
}
