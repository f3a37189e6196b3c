package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.etcd.io/bbolt"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer/standin"
	"leadline/server"
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

// What the daemon says when it waits.
const (
	noBroker = "kafka cannot be read yet; waiting"
	noTopic  = "the topic does not exist; waiting for it"
	noJudge  = "the judge cannot be asked; scoring waits, reading goes on"
	scoredOf = "window scored"
)

// watched is a daemon on wall time in this process.
type watched struct {
	*daemon
	log journal
	end func() error
}

// begin starts a daemon whose windows end every ten minutes.
func (f *fixture) begin(t *testing.T) *watched {
	t.Helper()
	f.cfg.Score.Schedule, f.cfg.Score.Lateness = "*/10 * * * *", 0
	w := &watched{}
	d, err := newDaemon(f.cfg, zerolog.New(&w.log), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.run(ctx) }()
	w.daemon, w.end = d, sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-done, d.Close())
	})
	t.Cleanup(func() { _ = w.end() })
	return w
}

// halfHour are n records over the half hour before now: they end in three windows or four.
func halfHour(n int) [][]byte {
	out := make([][]byte, n)
	begin := time.Now().Add(-30 * time.Minute)
	for i := range out {
		out[i] = faq(i, begin.Add(time.Duration(i)*30*time.Minute/time.Duration(n)), false)
	}
	return out
}

// until waits for a condition.
func (w *watched) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	within(t, what, ok, w.log.String)
}

// within waits for a condition, and fails with what there is to say when it does not come.
func within(t *testing.T, what string, ok func() bool, said func() string) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.NewTimer(time.Minute)
	defer timeout.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-timeout.C:
			t.Fatalf("%s did not happen; the log says:\n%s", what, said())
		}
	}
}

// ledgers are what the daemon counts.
func (w *watched) ledgers(t *testing.T) store.Ledgers {
	t.Helper()
	l, err := w.store.Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// hasRead waits until all records are read.
func (w *watched) hasRead(t *testing.T, records int) {
	t.Helper()
	w.until(t, fmt.Sprintf("reading %d records", records), func() bool { return w.ledgers(t).Read == int64(records) })
	checkLedgers(t, w.daemon, records)
}

// decided says whether every window that has ended by now is decided.
func (w *watched) decided(t *testing.T) func() bool {
	t.Helper()
	ended := time.Now().Truncate(10 * time.Minute)
	return func() bool {
		next, ok, err := w.store.NextWindow()
		if err != nil {
			t.Fatal(err)
		}
		return ok && next.Due.After(ended)
	}
}

// retry ends the wait of paused scoring, as if its time had passed.
func (w *watched) retry() {
	w.runner.mu.Lock()
	w.runner.paused.Until = time.Time{}
	w.runner.mu.Unlock()
	w.runner.poke()
}

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
			mention(t, fails(t, exitFailed, "status", "--config", path), parent)
		})
	}
}

// laterBroker is a broker that begins to listen when it is told to, on an address that is
// known before.
func laterBroker(t *testing.T) (address string, begin func(topics ...string)) {
	t.Helper()
	at, err := net.ResolveTCPAddr("tcp", freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return at.String(), func(topics ...string) {
		c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(at.Port), kfake.SeedTopics(partitions, topics...),
			kfake.BrokerConfigs(map[string]string{"log.retention.ms": "-1"}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
	}
}

func TestABrokerThatComesLaterIsReadWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, begin := laterBroker(t)
	f.cfg.Kafka.Brokers, f.cfg.Kafka.Topics = []string{address}, []string{"rag"}
	w := f.begin(t)
	w.until(t, "a word about the broker", func() bool { return w.log.says(noBroker) })
	if err := w.isReady(); err == nil {
		t.Error("it is ready before anything was read")
	}
	begin("rag")
	produce(t, address, "rag", partitions, halfHour(60))
	w.hasRead(t, 60)
	w.until(t, "a decision of all windows", w.decided(t))
	if err := w.isReady(); err != nil {
		t.Errorf("it is not ready: %v", err)
	}
	if said := w.log.lines(noBroker); len(said) != 1 {
		t.Errorf("%d lines about the broker within a minute, want 1", len(said))
	}
}

func TestATopicThatIsMadeLaterIsReadWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.cfg.Kafka.InitialOffset = "latest"
	f.cfg.Kafka.Topics = []string{f.topic + "-later"}
	w := f.begin(t)
	w.until(t, "a word about the topic", func() bool { return w.log.says(noTopic) })
	makeTopic(t, f.broker, f.topic+"-later")
	produce(t, f.broker, f.topic+"-later", partitions, halfHour(60))
	w.hasRead(t, 60)
	if said := w.log.lines(noTopic); len(said) != 1 {
		t.Errorf("%d lines about the topic within a minute, want 1", len(said))
	}
}

func makeTopic(t *testing.T, broker, topic string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	forever := "-1"
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), partitions, 1, map[string]*string{"retention.ms": &forever}, topic); err != nil {
		t.Fatal(err)
	}
}

func TestAJudgeThatComesLaterScoresInOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address := freeAddress(t)
	f.cfg.Judge.BaseURL, f.cfg.Judge.Embeddings.BaseURL = "http://"+address+"/v1", ""
	produce(t, f.broker, f.topic, partitions, halfHour(60))
	w := f.begin(t)
	w.hasRead(t, 60)
	w.until(t, "a word about the judge", func() bool { return w.log.says(noJudge) })
	if runs, err := w.store.Runs(0); err != nil || len(runs) > 0 {
		t.Errorf("%d windows are scored without a judge (%v)", len(runs), err)
	}
	produce(t, f.broker, f.topic, partitions, [][]byte{faq(60, time.Now(), false)})
	w.hasRead(t, 61)

	judge := httptest.NewUnstartedServer(f.judge)
	judge.Listener = listen(t, address)
	judge.Start()
	t.Cleanup(judge.Close)
	w.retry()
	w.until(t, "a decision of all windows", w.decided(t))
	var order []string
	for _, line := range w.log.lines(scoredOf) {
		order = append(order, line["window"].(string))
	}
	if len(order) < 3 || !slices.IsSorted(order) {
		t.Errorf("windows were scored in this order: %v; want all of half an hour, oldest first", order)
	}
	if n := w.ledgers(t).Records[sampler.RecordExpired]; n > 0 {
		t.Errorf("%d records expired", n)
	}
}

func TestAWrongJudgeKeyPausesScoringAlone(t *testing.T) {
	t.Parallel()
	const key = "sk-planted-5f1c2e"
	f := newFixture(t)
	f.cfg.Judge.APIKey = config.Secret(key)
	if err := f.judge.SetFaults([]standin.Fault{{Mode: "unauthorized", Rate: 1}}); err != nil {
		t.Fatal(err)
	}
	produce(t, f.broker, f.topic, partitions, halfHour(60))
	w := f.begin(t)
	w.until(t, "a word about the key", func() bool { return w.log.says(noJudge) })
	for range 3 { // tries that follow say nothing new
		asked := f.judge.Stats().Requests
		w.retry()
		w.until(t, "another try", func() bool { return f.judge.Stats().Requests > asked && w.pauseState().Until.After(time.Now()) })
	}
	w.hasRead(t, 60)
	if said := w.log.lines(noJudge); len(said) != 1 {
		t.Errorf("%d lines about the judge within a minute, want 1: %v", len(said), said)
	}
	st, err := (&source{runner: w.runner, live: w.live}).Status(t.Context())
	if err != nil || st.Judge.Paused == "" {
		t.Errorf("status does not say that scoring is paused: %+v, %v", st.Judge, err)
	}
	if err := f.judge.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	w.retry()
	w.until(t, "a decision of all windows", w.decided(t))
	if text := w.log.String() + fmt.Sprintf("%+v", st); strings.Contains(text, key) {
		t.Error("the key is in the log or the status")
	}
}

func (w *watched) pauseState() pause { return w.runner.pauseState() }

// flaky is a receiver that refuses its first message.
type flaky struct {
	mu              sync.Mutex
	refused, bodies []string
}

func (r *flaky) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.refused) == 0 {
		r.refused = append(r.refused, string(body))
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	r.bodies = append(r.bodies, string(body))
	_, _ = io.WriteString(w, "ok")
}

func (r *flaky) taken() (refused, bodies []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.refused), slices.Clone(r.bodies)
}

func TestAReceiverThatFailsOnceIsToldOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	receiver := &flaky{}
	hook := httptest.NewServer(receiver)
	defer hook.Close()
	f.cfg.Alert.Receivers = []config.Receiver{{Name: "slack", Slack: &config.SlackHook{APIURL: config.Secret(hook.URL)}}}
	f.cfg.Score.Schedule = "0 0 * * 1"
	// Fifteen days end two weekly runs, and with the second one the report of the first.
	values := make([][]byte, 120)
	for i := range values {
		at := epoch.Add(time.Duration(i)*6*time.Hour + time.Minute)
		if i >= 60 { // a busy last day carries the log's time to its end
			at = epoch.AddDate(0, 0, 15).Add(time.Duration(i) * time.Minute)
		}
		values[i] = faq(i, at, false)
	}
	produce(t, f.broker, f.topic, partitions, values)
	_, d := f.watch(t, len(values))
	if refused, _ := receiver.taken(); len(refused) != 1 {
		t.Fatalf("the receiver refused %d messages, want 1", len(refused))
	}
	within(t, "a second try", func() bool {
		if err := d.teller.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, bodies := receiver.taken()
		return len(bodies) > 0
	}, func() string { return "" })
	if err := d.teller.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused, bodies := receiver.taken()
	if !slices.Equal(refused, bodies) {
		t.Errorf("taken: %d messages, want the one that was refused, once:\n%s\n%s", len(bodies), bodies, refused)
	}
}

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
	mention(t, start(t, path).ends(t), "no space left on device", storePath)
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
	mention(t, p.ends(t), "no space left on device", storePath)
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
