package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/backtest"
	"leadline/drift"
)

// upsAndDowns are n records over eight weeks with everything that opens an episode: a
// document that is lost for a while, then a release that is bad and taken back.
func upsAndDowns(n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		x := float64(i) / float64(n)
		lost := x >= 0.4 && x < 0.6 && i%5 == 2
		bad := x >= 0.75 && x < 0.85
		at := epoch.Add(time.Duration(x * float64(8*7*24*time.Hour)))
		out[i] = faq(i, at, lost || bad && i%2 == 0)
		if bad {
			out[i] = []byte(strings.Replace(string(out[i]), `"release":"1.0"`, `"release":"1.1"`, 1))
		}
	}
	return out
}

// file writes a configuration for the fixture's store. It names no judge and no broker that
// can be reached: a replay asks neither.
func (f *fixture) file(t *testing.T, drift string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.yaml")
	text := fmt.Sprintf("service: {name: helpdesk}\nkafka: {brokers: [\"127.0.0.1:1\"], topics: [rag]}\n"+
		"judge: {base_url: \"http://127.0.0.1:1/v1\", model: m}\nscore: {schedule: %q}\nstore: {path: %q}\ndrift: {%s}\n",
		f.cfg.Score.Schedule, f.cfg.Store.Path, drift)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func replayOf(t *testing.T, args ...string) replayed {
	t.Helper()
	code, out, errs := said(t.Context(), strings.NewReader(""), append([]string{"backtest", "-o", "json"}, args...)...)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var r replayed
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAReplayUnderTheSameSettingsIsWhatLiveWas(t *testing.T) {
	f := newFixture(t)
	f.cfg.Score.Schedule = "0 0 * * *"
	f.cfg.Record.Channels = map[string]string{"release": "release"}
	values := upsAndDowns(3000)
	produce(t, f.broker, f.topic, partitions, values)
	incidents, d := f.watch(t, len(values))
	_, live, err := d.store.History()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[drift.Kind]bool{}
	for _, e := range live.Episodes {
		kinds[e.Kind] = true
	}
	if !kinds[drift.KindSilent] || !kinds[drift.KindRegression] || len(incidents) < 2 {
		t.Fatalf("live found %v in %d incidents, want a silent fall and a regression", kinds, len(incidents))
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	path := f.file(t, "")
	r := replayOf(t, "--config", path, "--drops", "none")
	if diff := cmp.Diff(live.Episodes, r.Episodes); diff != "" {
		t.Errorf("episodes (-live +replayed):\n%s", diff)
	}
	if len(r.Incidents) != len(incidents) {
		t.Errorf("%d incidents are listed, live raised %d", len(r.Incidents), len(incidents))
	}
	for _, c := range r.Incidents {
		if c.Verdict != backtest.Same {
			t.Errorf("%+v is %s, want same: live %+v", c.Shown(), c.Verdict, c.Live)
		}
	}
}

func TestADaemonThatRunsTellsItsHistoryAndItsSettings(t *testing.T) {
	f := newFixture(t)
	f.cfg.Score.Schedule = "0 0 * * *"
	if err := makeDecided(t.Context(), f.cfg, 50); err != nil {
		t.Fatal(err)
	}
	f.cfg.Drift.FalseAlarms = 0.2
	w := f.beginAs(t)
	path := f.file(t, "false_alarms: 0.3, no_data_after: 2d")
	w.until(t, "the socket", func() bool { return reachable(t.Context(), socketPath(f.cfg.Store.Path)) })
	r := replayOf(t, "--config", path, "--drops", "0.1")
	if want := []changedSetting{{"drift.false_alarms", "0.3", "0.2"}}; !cmp.Equal(r.Changed, want) {
		t.Errorf("changed %+v, want %+v: live is what the daemon runs with", r.Changed, want)
	}
	fixed := map[string]changedSetting{}
	for _, c := range r.Fixed {
		fixed[c.Path] = c
	}
	if c := fixed["drift.no_data_after"]; c.Here != "2d" || c.Live != "1d" {
		t.Errorf("drift.no_data_after is %+v among what is not replayed", c)
	}
	if c := fixed["sample.rate"]; c.Here != "0.1" || c.Live != "1" {
		t.Errorf("sample.rate is %+v among what is not replayed", c)
	}
	if len(r.Incidents) != 1 || r.Incidents[0].Live == nil || len(r.SimulatedLive) != len(r.Simulated) {
		t.Errorf("incidents %+v, %d drops here and %d live; want the one of live, and drops for both", r.Incidents, len(r.Simulated), len(r.SimulatedLive))
	}
}
