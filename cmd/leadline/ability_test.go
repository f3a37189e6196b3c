package main

import (
	"bytes"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/openai"
	"leadline/scorer/standin"
	"leadline/server"
	"leadline/store"
)

// judgingDaemon is a daemon as far as it asks the judge.
func judgingDaemon(t *testing.T, s *served, st *store.Store) (*daemon, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	d := &daemon{cfg: judgeAt(s, nil), log: zerolog.New(&log), registry: prometheus.NewRegistry(), store: st}
	if err := d.connectJudge(); err != nil {
		t.Fatal(err)
	}
	return d, &log
}

func emptyStore(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), "leadline.db"), store.Plan{Window: func(time.Time) (time.Time, time.Time) { return time.Time{}, time.Time{} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func idsOf(t *testing.T, d *daemon) map[scorer.Metric]scorer.JudgeID {
	t.Helper()
	s, err := d.scoring(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.IDs()
}

func TestFormatThatAServerNoLongerTakesIsChangedBetweenRunsAndTold(t *testing.T) {
	s, st := serveProfile(t, standin.Options{}), emptyStore(t)
	d, log := judgingDaemon(t, s, st)
	before := idsOf(t, d)
	if err := s.SetFaults([]standin.Fault{{Mode: "json_schema_rejected", Rate: 1}}); err != nil {
		t.Fatal(err)
	}
	r := &runner{doubt: func() { d.doubted.Store(true) }, log: d.log}
	if now := idsOf(t, d); !maps.Equal(now, before) {
		t.Fatal("the judge changed before it was seen that the server refuses")
	}
	scoring := d.scorer.Load()
	scores, err := scoreAll(t.Context(), scoring, tenOfEach())
	if len(scores) != 0 || err == nil {
		t.Fatalf("%d scores, %v, want none with the refused format", len(scores), err)
	}
	r.lookOver(nil, err)
	after := idsOf(t, d)
	if f := after[scorer.Faithfulness]; f.Format != string(openai.FormatObject) || f.Key() == before[scorer.Faithfulness].Key() {
		t.Errorf("format %s, want json_object and another judge", f.Format)
	}
	if !strings.Contains(log.String(), "leadline judge bridge") || !strings.Contains(log.String(), "json_schema") {
		t.Errorf("the log says %s, want what changed and what to do", log.String())
	}
	mustScore(t, d.scorer.Load(), tenOfEach())

	form, err := askedForm(st, d.cfg.Judge)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Join(judgeFormLines(server.JudgeStatus{Asked: form}), "\n")
	for _, want := range []string{"asked by json_object;", "asked by json_object instead of json_schema (status 400", "new series; leadline judge bridge"} {
		if !strings.Contains(lines, want) {
			t.Errorf("status says %s, want %q in it", lines, want)
		}
	}

	again, _ := judgingDaemon(t, s, st) // after a restart
	if got := idsOf(t, again); !maps.Equal(got, after) {
		t.Errorf("identities %v after a restart, want %v", got, after)
	}
}

func TestAfterAWeekTheServerIsAskedAgainAndKeptAsItIs(t *testing.T) {
	s, st := serveProfile(t, standin.Options{}), emptyStore(t)
	d, _ := judgingDaemon(t, s, st)
	names, err := openai.AskedOf(d.cfg.Judge)
	if err != nil {
		t.Fatal(err)
	}
	// A record of an earlier release: no date, another name, a lower rung than the server has.
	err = st.Remember(names[1], map[string]any{"format": "json_object", "generations": true, "temperature": true, "token_limit": "max_tokens"})
	if err != nil {
		t.Fatal(err)
	}
	d, log := judgingDaemon(t, s, st)
	before := s.Stats().Requests
	if f := idsOf(t, d)[scorer.Faithfulness].Format; f != "json_object" {
		t.Errorf("format %s, want the one in force: series go on", f)
	}
	if s.Stats().Requests == before || strings.Contains(log.String(), "bridge") {
		t.Errorf("%d requests, log %s; want a probe that changes nothing", s.Stats().Requests-before, log.String())
	}
	before = s.Stats().Requests
	idsOf(t, d)
	if got := s.Stats().Requests - before; got != 0 {
		t.Errorf("%d requests right after a probe, want none", got)
	}
	d.known.Probed = time.Now().Add(-8 * 24 * time.Hour)
	idsOf(t, d)
	if s.Stats().Requests == before {
		t.Error("no request after a week")
	}
}

func TestServerThatCutsPromptsIsToldInLogAndStatus(t *testing.T) {
	s, st := serveProfile(t, standin.Options{Profile: "ollama"}), emptyStore(t)
	d, log := judgingDaemon(t, s, st)
	idsOf(t, d)
	if !strings.Contains(log.String(), "OLLAMA_CONTEXT_LENGTH") {
		t.Errorf("the log says %s", log.String())
	}
	form, err := askedForm(st, d.cfg.Judge)
	if err != nil || form.Window != 4096 {
		t.Fatalf("%+v, %v, want a window of 4096", form, err)
	}
	if lines := strings.Join(judgeFormLines(server.JudgeStatus{Asked: form}), "\n"); !strings.Contains(lines, "it counted 4096 tokens") {
		t.Errorf("status says %s", lines)
	}
	// Just above the window: too near to be told by its share.
	sample := tenOfEach()[1]
	sample.Contexts = append([]string{strings.Repeat("A shelf holds folders about gardens. ", 420)}, sample.Contexts...)
	scores := mustScore(t, d.scorer.Load(), []sampler.Sample{sample})
	if o := scores[0].Outcomes[scorer.Faithfulness]; o.Reason != scorer.ReasonPromptTruncated {
		t.Errorf("outcome %+v, want prompt_truncated", o)
	}
}
