package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"leadline/drift"
	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/scorer/standin"
	"leadline/store"
)

// The crash test takes more kills than in the ordinary tests by make crash-score N=200 SEED=7.
var (
	crashKills = flag.Int("crash-kills", 5, "how often the daemon is killed while it scores")
	crashSeed  = flag.Uint64("crash-seed", 1, "decides when")
)

const (
	crashSamples     = 60 // per window
	crashWindows     = 2
	crashConcurrency = 4
	killsPerRound    = 12
)

// standinProcess is a stand-in judge in a process of its own: it outlives the daemon.
type standinProcess struct {
	address, url string
	cmd          *exec.Cmd
}

func startStandinProcess(t *testing.T, address string) *standinProcess {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	p := &standinProcess{cmd: exec.Command(path, "standin", "--listen", address, "--latency", "10ms")}
	said, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	var line struct {
		Address string `json:"address"`
	}
	first, err := bufio.NewReader(said).ReadBytes('\n')
	if err := errors.Join(err, json.Unmarshal(first, &line)); err != nil {
		t.Fatalf("the stand-in said %q: %v", first, err)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	p.address, p.url = line.Address, "http://"+line.Address
	return p
}

func (p *standinProcess) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

func (p *standinProcess) stats(t *testing.T) (s standin.Stats) {
	t.Helper()
	resp, err := http.Get(p.url + "/standin/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// crash is a log of two windows, and a daemon that is killed while it scores them.
type crash struct {
	*fixture
	last  time.Time // due time of the second window
	judge string    // address of every stand-in: it is part of the identity of a judge
}

func newCrash(t *testing.T) *crash {
	t.Helper()
	c := &crash{fixture: newFixture(t), last: time.Now().UTC().Truncate(time.Hour), judge: "127.0.0.1:0"}
	var values [][]byte
	for i := range crashWindows * crashSamples {
		at := c.last.Add(-crashWindows*time.Hour + time.Minute + time.Duration(i)*time.Minute*60/crashSamples*58/60)
		var r plainRecord
		if err := json.Unmarshal(faq(i, at, false), &r); err != nil {
			t.Fatal(err)
		}
		// A third say what others say: they ask the judge the same at the same time.
		r.Answer += fmt.Sprintf(" The form has number %d.", i*2/3)
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, line)
	}
	produce(t, c.broker, c.topic, partitions, values)
	return c
}

func (c *crash) config(t *testing.T, judge, store string) string {
	t.Helper()
	text := fmt.Sprintf(`service: {name: helpdesk}
kafka: {brokers: [%q], topics: [%q], initial_offset: earliest, max_fetch_wait: 50ms}
record: {segments: {source: source}, max_age: 0s}
sample: {rate: 1, per_run: %d, second_look: 0.2}
judge: {base_url: %q, model: standin-lexical-v1, concurrency: %d, embeddings: {model: standin-lexical-v1}}
score: {schedule: "0 * * * *", lateness: 0s}
store: {path: %q}
server: {listen: "", ops_listen: ""}
`, c.broker, c.topic, 2*crashSamples, judge+"/v1", crashConcurrency, store)
	path := filepath.Join(filepath.Dir(store), "leadline.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// aftermath is what scoring came to, and what was asked for it.
type aftermath struct {
	kills  int
	stats  standin.Stats
	rows   string // JSON
	scores []scorer.Score
	judged int64
}

// round runs the daemon on a store of its own until both windows are decided. when says
// what to wait for before each kill.
func (c *crash) round(t *testing.T, kills int, rng *rand.Rand) aftermath {
	t.Helper()
	judge := startStandinProcess(t, c.judge)
	defer judge.stop()
	c.judge = judge.address
	store := filepath.Join(t.TempDir(), "leadline.db")
	path := c.config(t, judge.url, store)
	var out aftermath
	p := start(t, path)
	for out.kills < kills && c.waitToKill(t, p, judge, store, rng) {
		p.kill(t)
		out.kills++
		p = start(t, path)
	}
	eventually(t, "the decision of both windows", p, func() bool { return c.isDecided(t, store) })
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ended the daemon with %v, want exit code 0", err)
	}
	out.stats = judge.stats(t)
	c.read(t, store, &out)
	return out
}

func (c *crash) isDecided(t *testing.T, store string) bool {
	t.Helper()
	st, ok := status(t, store)
	return ok && !st.LastWindow.Before(c.last)
}

// waitToKill waits for a random moment: after some more calls, or some time after the start.
// It says false when all is decided before.
func (c *crash) waitToKill(t *testing.T, p *process, judge *standinProcess, store string, rng *rand.Rand) bool {
	t.Helper()
	if rng.IntN(4) == 0 {
		// Real time on purpose: the process dies wherever it is then, not at a point that we know.
		time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
		return true
	}
	at := judge.stats(t).Requests + rng.IntN(90)
	offset := time.Duration(rng.IntN(20)) * time.Millisecond // somewhere within a call
	going := true
	eventually(t, fmt.Sprintf("judge request %d", at), p, func() bool {
		if judge.stats(t).Requests >= at {
			return true
		}
		going = !c.isDecided(t, store)
		return !going
	})
	time.Sleep(offset) // real time, too
	return going
}

// read reads what the store of an ended daemon holds.
func (c *crash) read(t *testing.T, path string, out *aftermath) {
	t.Helper()
	when, err := schedule.Parse("0 * * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(path, store.Plan{Window: when.Window})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	history, _, err := st.History()
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.Clone(history.Rows)
	rows = slices.DeleteFunc(rows, func(r drift.Row) bool { return r.Due.After(c.last) })
	text, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	out.rows = string(text)
	if out.scores, err = st.Scores(time.Time{}, time.Time{}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range out.scores {
		out.scores[i].Usage = scorer.Usage{}
		if s := out.scores[i].Second; s != nil {
			s.Usage = scorer.Usage{}
		}
	}
	slices.SortFunc(out.scores, func(a, b scorer.Score) int { return cmp.Compare(a.SampleID, b.SampleID) })
	l, err := st.Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	out.judged = l.Records[sampler.RecordJudged]
}

// repeats counts the chat requests beyond those of an undisturbed run: both ask the same, but
// for the canaries, which are those of a store.
func repeats(calm, killed standin.Stats) (chat int) {
	for _, task := range []string{"statements", "verdicts", "question"} {
		chat += killed.ByTask[task] - calm.ByTask[task]
	}
	return chat
}

func TestKillNineAnywherePaysForNothingTwice(t *testing.T) {
	c := newCrash(t)
	calm := c.round(t, 0, nil)
	if calm.judged != crashWindows*crashSamples || len(calm.scores) != crashWindows*crashSamples {
		t.Fatalf("undisturbed: %d judged and %d scores, want %d", calm.judged, len(calm.scores), crashWindows*crashSamples)
	}
	var kills, again, texts, rounds int
	for kills < *crashKills {
		seed := *crashSeed + uint64(rounds)
		got := c.round(t, min(killsPerRound, *crashKills-kills), rand.New(rand.NewPCG(seed, 0)))
		rounds++
		kills += got.kills
		chat, vectors := repeats(calm.stats, got.stats), got.stats.TextsAgain-calm.stats.TextsAgain
		again, texts = again+chat, texts+vectors
		// What was in flight at a kill is asked again: so many calls, one of them with vectors.
		if chat > got.kills*crashConcurrency || vectors > got.kills*crashSamples*4 {
			t.Errorf("seed %d: %d chat calls and %d vectors again after %d kills with %d calls in flight", seed, chat, vectors, got.kills, crashConcurrency)
		}
		if got.rows != calm.rows {
			t.Errorf("seed %d: the rows differ:\n%s\nundisturbed:\n%s", seed, got.rows, calm.rows)
		}
		if diff := gocmp.Diff(calm.scores, got.scores); diff != "" {
			t.Errorf("seed %d: scores differ (-undisturbed +killed):\n%s", seed, diff)
		}
		if got.judged != calm.judged {
			t.Errorf("seed %d: %d records judged, want %d", seed, got.judged, calm.judged)
		}
		if got.kills == 0 && t.Failed() {
			break
		}
	}
	t.Logf("%d rounds, %d kills: %d calls in an undisturbed run; asked again: %d chat calls (%.2f a kill), %d vectors",
		rounds, kills, calm.stats.Requests, again, float64(again)/float64(max(kills, 1)), texts)
	if strings.Contains(calm.rows, "form has number") {
		t.Error("rows hold text")
	}
}
