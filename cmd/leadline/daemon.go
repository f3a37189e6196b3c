package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"leadline/alert"
	"leadline/config"
	"leadline/sampler"
	"leadline/sampler/format"
	"leadline/sampler/kafka"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
	"leadline/server"
	"leadline/store"
)

// daemon is the whole pipeline. Reading newDaemon from top to bottom is following a record.
type daemon struct {
	cfg      config.Config
	log      zerolog.Logger
	registry *prometheus.Registry
	clock    *clock
	store    *store.Store
	consumer *kafka.Consumer
	judge    *openai.Judge
	scorer   atomic.Pointer[scorer.Scorer] // nil until the judge was asked once
	budget   *store.Budget
	// known is what was found out about the judge's server, guarded by whoever asks it.
	known   ability
	doubted atomic.Bool // the server refused what it was found to take
	runner  *runner
	started time.Time
	// adding is held while what was read goes to the store and then to the clock.
	adding sync.Mutex
	read   atomic.Int64 // wall time of the newest read, in nanoseconds
	teller *alert.Teller
	// attended is how the judge is asked when a person waits, without a daemon.
	attended openai.Options
	floored  atomic.Bool // the floor of relevancy was looked up, or asked for, by this process
}

// newDaemon connects the parts. wall is the clock that windows close by; nil means the
// log's own time. The caller closes the daemon.
func newDaemon(cfg config.Config, log zerolog.Logger, wall func() time.Time) (*daemon, error) {
	d := &daemon{cfg: cfg, log: log, registry: prometheus.NewRegistry(), clock: newClock(wall), started: time.Now()}
	d.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	location, err := time.LoadLocation(cfg.Service.Timezone)
	if err != nil {
		return nil, fmt.Errorf("load time zone: %w", err)
	}
	when, err := schedule.Parse(cfg.Score.Schedule, location)
	if err != nil {
		return nil, fmt.Errorf("score.schedule: %w", err)
	}
	d.store, err = store.Open(cfg.Store.Path, store.Plan{
		Window: when.Window, Rate: cfg.Sample.Rate, Salt: cfg.Sample.Salt, PerRun: cfg.Sample.PerRun, Floor: cfg.Sample.Floor,
		WatchFactor: cfg.Sample.WatchFactor,
	})
	if err != nil {
		return nil, err
	}
	if err := d.connect(when, location); err != nil {
		return nil, errors.Join(err, d.store.Close())
	}
	return d, nil
}

// connect makes the stages from left to right.
func (d *daemon) connect(when schedule.Schedule, location *time.Location) error {
	cfg, log := d.cfg, d.log
	decoder, err := format.New(cfg.Record)
	if err != nil {
		return err
	}
	intake := sampler.NewIntake(cfg.Sample, d.boundAge(cfg.Record), decoder, time.Now)
	d.consumer, err = kafka.New(cfg.Kafka, kafka.Options{Intake: intake, Sink: sink{d}, Log: part(log, "kafka"), Registerer: d.registry})
	if err != nil {
		return err
	}
	if err := d.connectJudge(); err != nil {
		return err
	}
	if err := d.connectTeller(); err != nil {
		return err
	}
	reports, err := schedule.Parse(cfg.Report.Schedule, location)
	if err != nil {
		return fmt.Errorf("report.schedule: %w", err)
	}
	d.runner = &runner{
		cfg: cfg, log: part(log, "runner"), clock: d.clock, store: d.store, scoring: d.scoring, judge: d.identity, doubt: func() { d.doubted.Store(true) }, when: when, reports: reports,
		location: location, tell: d.teller.Wake, health: d.health, budget: d.budget, standin: isStandin(cfg.Judge), lastRead: d.lastRead, wake: make(chan struct{}, 1), decided: make(chan struct{}, 1),
		metrics: newMetrics(d.registry, d.newestRecord),
	}
	return nil
}

// boundAge bounds the age of records by how long rows are kept: one broken date must not open
// the windows of decades.
func (d *daemon) boundAge(cfg config.Record) config.Record {
	if kept := d.cfg.Store.RowRetention; d.clock.wall != nil && (cfg.MaxAge == 0 || cfg.MaxAge > kept) {
		cfg.MaxAge = kept
	}
	return cfg
}

// sink stores what was read, and tells clock and runner.
type sink struct{ d *daemon }

// Position returns the next offset to read of a partition.
func (s sink) Position(topic string, partition int) (int64, bool, error) {
	return s.d.store.Position(topic, partition)
}

// Add stores ranges in one transaction. An empty range says how far the log has come; only
// the first of a partition, which says where reading begins, has to be stored.
func (s sink) Add(ctx context.Context, ranges []sampler.Range) error {
	s.d.adding.Lock()
	defer s.d.adding.Unlock()
	var read []sampler.Range
	for _, r := range ranges {
		if r.From < r.Next || r.Anew || !s.d.clock.knows(r) {
			read = append(read, r)
		}
	}
	if len(read) > 0 {
		if err := s.d.store.Add(ctx, read); err != nil {
			return err
		}
		s.d.read.Store(time.Now().UnixNano())
	}
	for _, r := range ranges {
		s.d.clock.observe(r)
	}
	s.d.runner.poke()
	return nil
}

// connectTeller makes the receivers.
func (d *daemon) connectTeller() error {
	receivers := map[string]alert.Receiver{}
	for _, cfg := range d.cfg.Alert.Receivers {
		r, err := alert.NewReceiver(cfg, nil)
		if err != nil {
			return fmt.Errorf("receiver %s: %w", cfg.Name, err)
		}
		receivers[cfg.Name] = r
	}
	d.teller = alert.NewTeller(alert.TellerOptions{
		Receivers: receivers, Outbox: d.store, Now: time.Now, Log: d.log, Registerer: d.registry,
	})
	return nil
}

// part is the log of one part.
func part(log zerolog.Logger, name string) zerolog.Logger {
	return log.With().Str("part", name).Logger()
}

// Close closes the store. It is called after run has returned.
func (d *daemon) Close() error { return d.store.Close() }

// run runs all parts until ctx ends or one of them cannot go on.
func (d *daemon) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	// The ports first: a daemon that cannot have them must not read, pay or tell.
	if err := d.listen(ctx, group); err != nil {
		stop()
		return errors.Join(err, group.Wait())
	}
	group.Go(func() error { return d.consumer.Run(ctx) })
	group.Go(func() error { return d.runner.Run(ctx) })
	group.Go(func() error { return (&watcher{run: d.runner}).Run(ctx) })
	group.Go(func() error { return d.teller.Run(ctx) })
	d.log.Info().Str("version", version()).Str("service", d.cfg.Service.Name).Strs("topics", d.cfg.Kafka.Topics).
		Str("judge", d.cfg.Judge.Model).Str("pages", d.cfg.Server.Listen).Msg("leadline started")
	return group.Wait()
}

// maxSocketPath is what Linux takes, in bytes; macOS takes 103.
const maxSocketPath = 107

// listen serves pages, API, metrics and probes, and the command line over a socket.
func (d *daemon) listen(ctx context.Context, group *errgroup.Group) error {
	src := &source{runner: d.runner, live: d.live}
	token := func() string {
		t, err := config.ReadSecret(d.cfg.Server.Token, d.cfg.Server.TokenFile)
		if err != nil {
			d.log.Error().Err(err).Msg("token of the API not read")
		}
		return t.Reveal()
	}
	pages := server.NewHandler(server.Options{Source: src, Operator: src, Archive: src, Bridger: src, Keeper: src, Baselines: src, Reviewer: src, Token: token, ExternalHost: externalHost(d.cfg.Server), Log: part(d.log, "server")})
	d.registry.MustRegister(server.NewCollector(&source{runner: d.runner, live: d.live, plain: true}))
	ops := server.NewOps(server.OpsOptions{Gatherer: d.registry, Ready: d.isReady, Log: part(d.log, "server")})
	if path := socketPath(d.cfg.Store.Path); len(path) > maxSocketPath {
		return fmt.Errorf("store.path is too long for the socket beside it: %s has %d bytes, at most %d are possible", path, len(path), maxSocketPath)
	}
	if err := removeStale(socketPath(d.cfg.Store.Path)); err != nil {
		return fmt.Errorf("make the socket for the command line: %w", err)
	}
	for _, l := range []struct {
		network, address string
		handler          http.Handler
	}{
		{"tcp", d.cfg.Server.Listen, pages},
		{"tcp", d.cfg.Server.OpsListen, ops},
		{"unix", socketPath(d.cfg.Store.Path), pages},
	} {
		if l.address == "" {
			continue
		}
		listener, err := new(net.ListenConfig).Listen(ctx, l.network, l.address)
		if err != nil {
			return fmt.Errorf("listen on %s (is another daemon running, or the port taken?): %w", l.address, err)
		}
		group.Go(func() error { return server.Serve(ctx, listener, l.handler, part(d.log, "server")) })
	}
	return nil
}

// externalHost is the name under which people reach the pages.
func externalHost(cfg config.Server) string {
	u, err := url.Parse(cfg.ExternalURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isReady says whether the log was read for the first time.
func (d *daemon) isReady() error {
	if d.clock.seen() {
		return nil
	}
	return errors.New("the log was not read yet")
}

// live is what only the running daemon knows.
func (d *daemon) live() live {
	reading, health := d.consumer.Status(), d.health()
	l := live{
		Kafka:  server.KafkaStatus{Lag: totalLag(reading), LastFetch: reading.LastFetch, Error: health.Kafka, Since: health.KafkaSince},
		Paused: d.runner.pauseState().Reason,
	}
	l.Skipped, l.Resumes = d.runner.runs()
	for _, r := range d.teller.Statuses() {
		l.Receivers = append(l.Receivers, server.ReceiverStatus{
			Name: r.Name, Kind: r.Integration, Waiting: r.Waiting, LastDelivered: r.LastSuccess, LastError: string(r.LastError),
		})
	}
	return l
}

// totalLag sums over all partitions; -1 while one is not known.
func totalLag(s kafka.Status) int64 {
	if len(s.Partitions) == 0 {
		return -1
	}
	var lag int64
	for _, p := range s.Partitions {
		if p.Lag < 0 {
			return -1
		}
		lag += p.Lag
	}
	return lag
}

// health is what the parts around the runner say of themselves.
func (d *daemon) health() health {
	reading := d.consumer.Status()
	h := health{Kafka: reading.Trouble, KafkaSince: reading.Since, Receivers: d.teller.Problems()}
	if h.Kafka == "" && len(reading.Missing) > 0 {
		h.Kafka, h.KafkaSince = "unknown_topic "+strings.Join(reading.Missing, ", "), d.started
	}
	return h
}

// identity is who scores; empty until the judge was asked once.
func (d *daemon) identity() map[scorer.Metric]scorer.JudgeID {
	if s := d.scorer.Load(); s != nil {
		return s.IDs()
	}
	return nil
}

// newestRecord is the time of the newest record read, in seconds; 0 before the first.
func (d *daemon) newestRecord() float64 {
	t, err := d.store.LastRecord()
	if err != nil || t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// lastRead is when anything was read, sampled or not: the start when nothing was yet, and
// zero with the log's own time.
func (d *daemon) lastRead() time.Time {
	if d.clock.wall == nil {
		return time.Time{}
	}
	return time.Unix(0, d.read.Load())
}

// isStandin says whether the judge only compares words.
func isStandin(cfg config.Judge) bool { return cfg.Model == standin.Model }
