package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/sampler"
	"leadline/server"
)

// binaryDir is where binary builds; TestMain makes and removes it.
var binaryDir string

// binary builds the program once for all tests that need it as a process.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaryDir, "leadline")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	os.Exit(withBinaryDir(m.Run))
}

func withBinaryDir(tests func() int) int {
	dir, err := os.MkdirTemp("", "leadline-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binaryDir = dir
	return tests()
}

// process is a running daemon of its own.
type process struct {
	cmd *exec.Cmd
	log bytes.Buffer
}

func start(t *testing.T, configPath string) *process {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(path, "run", "--config", configPath)}
	p.cmd.Stderr = &p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // it says that it was killed
}

// status asks a daemon over its socket; ok is false while it does not answer.
func status(t *testing.T, store string) (server.Status, bool) {
	t.Helper()
	st, err := server.NewClient(socketPath(store)).Status(t.Context())
	return st, err == nil
}

// yamlConfig is the file of a daemon on wall time, whose windows end every ten minutes.
func (f *fixture) yamlConfig(t *testing.T, judgeURL, store string) string {
	t.Helper()
	text := fmt.Sprintf(`service: {name: helpdesk}
kafka: {brokers: [%q], topics: [%q], initial_offset: earliest, max_fetch_wait: 50ms}
record: {segments: {source: source}, max_age: 0s}
sample: {rate: 0.5, per_run: 40}
judge: {base_url: %q, model: standin-lexical-v1, concurrency: 8, embeddings: {model: standin-lexical-v1}}
score: {schedule: "*/10 * * * *", lateness: 0s}
store: {path: %q}
server: {listen: "", ops_listen: ""}
`, f.broker, f.topic, judgeURL, store)
	path := filepath.Join(filepath.Dir(store), "leadline.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// recentHours are n records over the three hours before now.
func recentHours(n int) [][]byte {
	out := make([][]byte, n)
	begin := time.Now().Add(-3 * time.Hour)
	for i := range out {
		out[i] = faq(i, begin.Add(time.Duration(float64(i)/float64(n)*float64(3*time.Hour))), false)
	}
	return out
}

// eventually waits for a condition, within the bound of the tests.
func eventually(t *testing.T, what string, p *process, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.NewTimer(time.Minute)
	defer timeout.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-timeout.C:
			t.Fatalf("%s did not happen; the daemon said:\n%s", what, p.log.String())
		}
	}
}

func TestKafkaKillNineInTheMiddleOfARunChangesNothing(t *testing.T) {
	f := newFixture(t)
	const n = 1500
	produce(t, f.broker, f.topic, partitions, recentHours(n))
	until := time.Now().Truncate(10 * time.Minute)

	calm, calmRequests := f.totals(t, until, nil)
	killed, killedRequests := f.totals(t, until, []int{20, 150, 400, 700})
	if diff := cmp.Diff(calm, killed); diff != "" {
		t.Errorf("totals differ after kill -9 (-undisturbed +killed):\n%s", diff)
	}
	// What was in flight at a kill may be paid again: at most concurrency calls each time,
	// and the controls of the interrupted window.
	inFlight := 4 * (f.cfg.Judge.Concurrency + 3*controlCalls)
	if killedRequests > calmRequests+inFlight {
		t.Errorf("%d judge requests with four kills, %d without: more than %d in flight were paid again", killedRequests, calmRequests, inFlight)
	}
}

// controlCalls bounds the control items.
const controlCalls = 32

// killBroker ends a real broker as a crash would and starts it again, with its data, while
// the daemon runs. An embedded broker cannot be killed: there it does nothing.
func killBroker(t *testing.T) {
	t.Helper()
	script, dir := os.Getenv("LEADLINE_KAFKA_SCRIPT"), os.Getenv("LEADLINE_KAFKA_DIR")
	if script == "" || dir == "" {
		return
	}
	for _, action := range []string{"kill", "start"} {
		if out, err := exec.CommandContext(t.Context(), script, action, dir).CombinedOutput(); err != nil {
			t.Fatalf("%s broker: %v: %s", action, err, out)
		}
	}
}

// totals runs the daemon on a store of its own until the windows up to a time are decided,
// killing it whenever the judge has had so many requests, and a
// real broker after that. It returns what it came to.
func (f *fixture) totals(t *testing.T, until time.Time, killAt []int) (map[sampler.RecordState]int64, int) {
	t.Helper()
	judge := newStandin(t)
	at := httptest.NewServer(judge)
	defer at.Close()
	store := filepath.Join(t.TempDir(), "leadline.db")
	path := f.yamlConfig(t, at.URL+"/v1", store)
	p := start(t, path)
	for _, requests := range killAt {
		eventually(t, fmt.Sprintf("judge request %d", requests), p, func() bool { return judge.Stats().Requests >= requests })
		p.kill(t)
		p = start(t, path)
	}
	if len(killAt) > 0 {
		killBroker(t)
	}
	var st server.Status
	eventually(t, "the decision of all windows", p, func() bool {
		var ok bool
		st, ok = status(t, store)
		return ok && !st.LastWindow.Before(until)
	})
	p.kill(t)
	if strings.Contains(p.log.String(), "silver tray") {
		t.Error("the log holds text of users")
	}
	delete(st.Records, sampler.RecordWaiting) // of the window that is still open
	return st.Records, judge.Stats().Requests
}

func TestStatusIsTheSameWithAndWithoutADaemon(t *testing.T) {
	f := newFixture(t)
	produce(t, f.broker, f.topic, partitions, recentHours(200))
	store := filepath.Join(t.TempDir(), "leadline.db")
	judge := httptest.NewServer(f.judge)
	defer judge.Close()
	path := f.yamlConfig(t, judge.URL+"/v1", store)
	p := start(t, path)
	until := time.Now().Truncate(10 * time.Minute)
	eventually(t, "the decision of all windows", p, func() bool {
		st, ok := status(t, store)
		return ok && !st.LastWindow.Before(until)
	})
	running := leadline(t, "status", "--config", path, "-o", "json")
	p.kill(t)
	stopped := leadline(t, "status", "--config", path, "-o", "json")
	var a, b server.Status
	for text, st := range map[string]*server.Status{running: &a, stopped: &b} {
		if err := json.Unmarshal([]byte(text), st); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	if diff := cmp.Diff(a.Records, b.Records); diff != "" || !a.LastWindow.Equal(b.LastWindow) || len(a.Series) != len(b.Series) {
		t.Errorf("status differs: %s\n%v %v", diff, a.LastWindow, b.LastWindow)
	}
}

// leadline runs a command in this process and returns its output.
func leadline(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, os.LookupEnv, streams{strings.NewReader(""), &out, &errs}); code != exitOK {
		t.Fatalf("leadline %v: exit %d: %s", args, code, errs.String())
	}
	return out.String()
}
