package demo_test

import (
	"cmp"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/demo"
	"leadline/sampler"
	"leadline/sampler/format"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
)

// memo remembers the stand-in's replies over all seeds of a test.
type memo struct{ m sync.Map }

func (m *memo) Get(key string) ([]byte, bool, error) {
	v, ok := m.m.Load(key)
	if !ok {
		return nil, false, nil
	}
	return v.([]byte), true, nil
}

func (m *memo) Put(values map[string][]byte) error {
	for key, value := range values {
		m.m.Store(key, value)
	}
	return nil
}

// settings are those that the demo's daemon runs with.
func settings(t *testing.T, w *demo.World, judgeURL string) config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.yaml")
	if err := os.WriteFile(path, []byte(demo.YAML(w, judgeURL, t.TempDir())), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func newScorer(t *testing.T) (*scorer.Scorer, config.Config) {
	t.Helper()
	handler, err := standin.New(standin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	cfg := settings(t, startWorld(t, 1), server.URL+"/v1")
	judge, err := openai.New(cfg.Judge, openai.Options{Memo: &memo{}, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := scorer.New(scorer.Options{Judge: judge, Embedder: judge.Embedder(), IDs: judge.IDs(),
		Strictness: 3, Concurrency: 4, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	return s, cfg
}

// judgeable is a sample with what was done to its record.
type judgeable struct {
	sampler.Sample
	truth demo.Truth
}

// window is one run's samples, and what was logged in it.
type window struct {
	sampler.Window
	samples []judgeable
	tally   sampler.Tally
}

const every = 6 * time.Hour

// intake takes messages in as the daemon does.
func intake(t *testing.T, cfg config.Config) func(demo.Message) (sampler.Sample, bool) {
	t.Helper()
	decoder, err := format.New(cfg.Record)
	if err != nil {
		t.Fatal(err)
	}
	in := sampler.NewIntake(cfg.Sample, cfg.Record, decoder, func() time.Time { return time.Time{} })
	return func(m demo.Message) (sampler.Sample, bool) {
		state, kept := in.Take(sampler.Message{Topic: demo.Topic, Partition: m.Partition, Key: m.Key, Value: m.Value, Time: m.Time})
		if state == sampler.OffsetNotSampled {
			return sampler.Sample{}, false
		}
		if len(kept) != 1 || kept[0].State != "" {
			t.Fatalf("message of %s is %s with %d records: %v", m.Time, state, len(kept), in.LastMalformed())
		}
		return kept[0].Sample, true
	}
}

// windows picks the samples of the wanted windows of a seed's log as the daemon does.
func windows(t *testing.T, seed uint64, cfg config.Config, wanted func(due time.Time) bool) []window {
	t.Helper()
	take := intake(t, cfg)
	kept := map[time.Time][]judgeable{}
	tallies := map[time.Time]*sampler.Tally{}
	for m, truth := range demo.Annotated(seed) {
		if !wanted(dueOf(m.Time)) {
			continue
		}
		s, ok := take(m)
		if !ok {
			continue
		}
		s.Window = dueOf(s.Time)
		kept[s.Window] = append(kept[s.Window], judgeable{s, truth})
		if tallies[s.Window] == nil {
			tallies[s.Window] = &sampler.Tally{Start: s.Window.Add(-every), Due: s.Window}
		}
		tallies[s.Window].Add(s.Record, s.Cell)
	}
	var all []window
	end := demo.Span().From.Add(12 * 7 * 24 * time.Hour)
	for due := demo.Span().From.Add(every); !due.After(end); due = due.Add(every) {
		if !wanted(due) {
			continue
		}
		w := window{Window: sampler.Window{Start: due.Add(-every), Due: due}, samples: pick(kept[due], cfg.Sample)}
		w.tally = sampler.Tally{Start: w.Start, Due: due}
		if t := tallies[due]; t != nil {
			w.tally = *t
		}
		all = append(all, w)
	}
	return all
}

// dueOf returns the due time of the window that a time belongs to.
func dueOf(t time.Time) time.Time { return t.Add(every - 1).Truncate(every) }

func pick(kept []judgeable, s config.Sample) []judgeable {
	cells := map[sampler.Cell][]judgeable{}
	offered := map[sampler.Cell]int{}
	for _, k := range kept {
		cells[k.Cell] = append(cells[k.Cell], k)
		offered[k.Cell]++
	}
	share := sampler.Allocate(offered, s.PerRun, s.Floor)
	var picked []judgeable
	for _, c := range slices.Sorted(maps.Keys(cells)) {
		slices.SortFunc(cells[c], func(a, b judgeable) int { return cmp.Compare(a.U, b.U) })
		picked = append(picked, cells[c][:share[c]]...)
	}
	return picked
}

// scored scores the windows of one seed and returns their scores by window.
func scored(t *testing.T, s *scorer.Scorer, all []window) map[string]scorer.Score {
	t.Helper()
	var samples []sampler.Sample
	for _, w := range all {
		for _, j := range w.samples {
			samples = append(samples, j.Sample)
		}
	}
	scores := map[string]scorer.Score{}
	err := s.ScoreAll(t.Context(), samples, func(sc scorer.Score) error {
		scores[sc.SampleID] = sc
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return scores
}
