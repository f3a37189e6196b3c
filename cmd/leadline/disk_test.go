package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"leadline/sampler"
	"leadline/server"
)

// smallDisk mounts a disk of its own for a store.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size="+size, "leadline-test", dir).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}

func grow(t *testing.T, dir, size string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,size="+size, dir).CombinedOutput(); err != nil {
		t.Fatalf("grow the disk: %v %s", err, out)
	}
}

// ends waits for a daemon that must end by itself, and returns its log.
func (p *process) ends(t *testing.T) string {
	t.Helper()
	timer := time.AfterFunc(time.Minute, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.cmd.Wait() // its code says it
	if code := p.cmd.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("the daemon ended with %d, want %d: %s", code, exitFailed, p.log.String())
	}
	return p.log.String()
}

// sums waits for the decision of all windows and compares both ledgers.
func sums(t *testing.T, p *process, storePath string, records int) {
	t.Helper()
	ended := time.Now().Truncate(10 * time.Minute)
	var st server.Status
	eventually(t, "the decision of all windows", p, func() bool {
		var ok bool
		st, ok = status(t, storePath)
		return ok && !st.LastWindow.Before(ended)
	})
	checkSums(t, st.Offsets, int64(records))
	checkSums(t, st.Records, st.Offsets[sampler.OffsetContributed])
	if n := st.Records[sampler.RecordDuplicate]; n > 0 {
		t.Errorf("%d records were read twice", n)
	}
}

func TestADiskThatFillsWhileReadingLosesNothing(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "512k")
	f := newFixture(t)
	produce(t, f.broker, f.topic, partitions, halfHour(3000))
	judge := httptest.NewServer(f.judge)
	defer judge.Close()
	storePath := filepath.Join(dir, "leadline.db")
	path := f.yamlConfig(t, judge.URL+"/v1", storePath)
	mention(t, start(t, path).ends(t), "no space left on device", storePath, "Free some space")
	grow(t, dir, "64m")
	p := start(t, path)
	sums(t, p, storePath, 3000)
	p.kill(t)
}

func TestADiskThatFillsWhileScoringLosesNothing(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "16m")
	f := newFixture(t)
	produce(t, f.broker, f.topic, partitions, halfHour(1500))
	full := make(chan struct{})
	judge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-full
		f.judge.ServeHTTP(w, r)
	}))
	defer judge.Close()
	storePath := filepath.Join(dir, "leadline.db")
	path := f.yamlConfig(t, judge.URL+"/v1", storePath)
	p := start(t, path)
	eventually(t, "reading", p, func() bool {
		st, ok := status(t, storePath)
		return ok && total(st.Offsets) == 1500
	})
	filler := fill(t, dir)
	close(full)
	mention(t, p.ends(t), "no space left on device", storePath, "Free some space")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	p = start(t, path)
	sums(t, p, storePath, 1500)
	p.kill(t)
}

func total(counts map[sampler.OffsetState]int64) (sum int64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// fill takes the rest of a disk.
func fill(t *testing.T, dir string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	return file.Name()
}
