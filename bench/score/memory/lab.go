package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"leadline/demo"
	"leadline/server"
)

// lab runs the daemon against a broker and a stand-in judge.
type lab struct {
	options
	dir             string
	standin, daemon string // programs
}

// run has the daemon read n samples while there is no judge, and scores them in a process
// that does nothing else.
func (l *lab) run(ctx context.Context, n int) (figures, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the processes
	world, err := demo.Start(ctx, demo.Options{})
	if err != nil {
		return figures{}, err
	}
	defer world.Close()
	end := time.Now().UTC().Truncate(time.Hour)
	topic := fmt.Sprintf("samples-%d", n)
	if err := produce(ctx, world.Brokers(), topic, n, end.Add(-time.Hour)); err != nil {
		return figures{}, err
	}
	dir := filepath.Join(l.dir, topic)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return figures{}, err
	}
	judge, address, err := l.startStandin(ctx)
	if err != nil {
		return figures{}, err
	}
	defer judge.stop()
	config := l.config(dir, world.Brokers()[0], topic, "http://"+address+"/v1", n)
	if err := l.read(ctx, dir, config, address, n); err != nil {
		return figures{}, err
	}
	p, err := l.start(ctx, config)
	if err != nil {
		return figures{}, err
	}
	defer p.stop()
	return l.watch(ctx, p, dir, address, n, end)
}

func (l *lab) config(dir, broker, topic, judge string, n int) string {
	path := filepath.Join(dir, "leadline.yaml")
	text := fmt.Sprintf(`service: {name: helpdesk}
kafka: {brokers: [%q], topics: [%q], initial_offset: earliest, max_fetch_wait: 50ms}
record: {max_age: 0s}
sample: {rate: 1, per_run: %d, second_look: 0.05}
judge: {base_url: %q, model: standin-lexical-v1, concurrency: %d, embeddings: {model: standin-lexical-v1}}
score: {schedule: "0 * * * *", lateness: 0s}
drift: {length_strata: false}
store: {path: leadline.db}
server: {listen: "", ops_listen: ""}
log: {level: warn}
`, broker, topic, 2*n, judge, l.concurrency)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err) // a folder that was made just now
	}
	return path
}

// read runs the daemon until all samples wait for a judge that takes no key.
func (l *lab) read(ctx context.Context, dir, config, address string, n int) error {
	if err := setFaults(ctx, address, `[{"mode": "unauthorized", "rate": 1}]`); err != nil {
		return err
	}
	p, err := l.start(ctx, config)
	if err != nil {
		return err
	}
	defer p.stop()
	err = until(ctx, 5*time.Minute, func() (bool, error) {
		st, err := status(ctx, dir)
		return err == nil && st.Records["waiting"] >= int64(n) && st.Judge.Paused != "", nil
	})
	return errors.Join(err, setFaults(ctx, address, `[]`))
}

func setFaults(ctx context.Context, address, faults string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/standin/faults", strings.NewReader(faults))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("set the stand-in's faults: status %d", resp.StatusCode)
	}
	return errors.Join(err, resp.Body.Close())
}

// watch looks at the daemon until the window is decided.
func (l *lab) watch(ctx context.Context, p *process, dir, address string, n int, end time.Time) (figures, error) {
	f := figures{Samples: n}
	var begin time.Time
	var cpu float64
	scored := false
	before, err := asked(ctx, address)
	if err != nil {
		return f, err
	}
	err = until(ctx, 30*time.Minute, func() (bool, error) {
		mib, err := p.anonymous()
		if err != nil {
			return false, err
		}
		requests, err := asked(ctx, address)
		if err != nil {
			return false, err
		}
		st, err := status(ctx, dir)
		alive := err == nil
		switch {
		case requests == before:
			f.IdleMiB, cpu = mib, p.cpu()
		case begin.IsZero():
			begin = time.Now()
		}
		if alive && !scored && st.Records["waiting"] == 0 {
			scored = true
			f.Seconds = time.Since(begin).Seconds()
			f.CPUPerSample = (p.cpu() - cpu) * 1000 / float64(n)
			f.Requests = requests - before
		}
		if scored {
			f.DecidingMiB = max(f.DecidingMiB, mib)
		} else {
			f.ScoringMiB = max(f.ScoringMiB, mib)
		}
		return alive && !st.LastWindow.Before(end), nil
	})
	f.PerSecond = float64(n) / f.Seconds
	f.RequestsLimit = float64(l.concurrency) / (float64(l.latency) / 1000) / (float64(f.Requests) / float64(n))
	return f, err
}

// until asks again and again, until it is so or takes too long.
func until(ctx context.Context, most time.Duration, isSo func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, most, errors.New("the daemon does not get on"))
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		if ok, err := isSo(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

func status(ctx context.Context, dir string) (server.Status, error) {
	return server.NewClient(filepath.Join(dir, "leadline.db.sock")).Status(ctx)
}

func asked(ctx context.Context, address string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/standin/stats", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var s struct {
		Requests int `json:"requests"`
	}
	err = json.NewDecoder(resp.Body).Decode(&s)
	return s.Requests, err
}

// process is a program that runs.
type process struct{ *exec.Cmd }

func (l *lab) start(ctx context.Context, config string) (*process, error) {
	p := &process{exec.CommandContext(ctx, l.daemon, "run", "--config", config)}
	p.Stderr = os.Stderr
	return p, p.Start()
}

func (p *process) stop() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

func (l *lab) startStandin(ctx context.Context) (*process, string, error) {
	p := &process{exec.CommandContext(ctx, l.standin, "standin", "--listen", "127.0.0.1:0", "--latency", fmt.Sprintf("%dms", l.latency))}
	said, err := p.StderrPipe()
	if err != nil {
		return nil, "", err
	}
	if err := p.Start(); err != nil {
		return nil, "", err
	}
	var line struct {
		Address string `json:"address"`
	}
	first, err := bufio.NewReader(said).ReadBytes('\n')
	if err := errors.Join(err, json.Unmarshal(first, &line)); err != nil {
		p.stop()
		return nil, "", fmt.Errorf("start the stand-in: %w", err)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return p, line.Address, nil
}

// anonymous is the memory of a process that is not in a file, in MiB.
func (p *process) anonymous() (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if kib, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			n, err := strconv.Atoi(strings.Fields(kib)[0])
			return float64(n) / 1024, err
		}
	}
	return 0, errors.New("the system does not say RssAnon")
}

// cpu is the processor time of a process so far, in seconds.
func (p *process) cpu() float64 {
	const ticksPerSecond = 100 // of Linux
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	_, after, ok := strings.Cut(string(data), ") ")
	fields := strings.Fields(after)
	if err != nil || !ok || len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return float64(user+system) / ticksPerSecond
}

// produce writes n records of the hour after begin, of about 6 KB each.
func produce(ctx context.Context, brokers []string, topic string, n int, begin time.Time) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return err
	}
	defer client.Close()
	forever := "-1"
	if _, err := kadm.NewClient(client).CreateTopic(ctx, 1, 1, map[string]*string{"retention.ms": &forever}, topic); err != nil {
		return err
	}
	records := make([]*kgo.Record, n)
	for i := range records {
		at := begin.Add(time.Minute + time.Duration(float64(i)/float64(n)*float64(58*time.Minute)))
		records[i] = &kgo.Record{Topic: topic, Value: record(i, at)}
	}
	return client.ProduceSync(ctx, records...).FirstErr()
}
