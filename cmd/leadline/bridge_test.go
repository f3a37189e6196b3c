package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/standin"
	"leadline/server"
	"leadline/store"
)

// judgedWorld is a store that a daemon filled, without a broker: what a broker would give is
// handed to the daemon's sink. Two stand-ins at two addresses are two judges.
type judgedWorld struct {
	cfg      config.Config
	old, new *standin.Server
	oldURL   string
	newURL   string
	offset   int64
	ids      int
	apart    bool // no two answers are alike, so that none comes from the memo
}

func newJudgedWorld(t *testing.T) *judgedWorld {
	t.Helper()
	w := &judgedWorld{old: newStandin(t), new: newStandin(t)}
	for url, s := range map[*string]*standin.Server{&w.oldURL: w.old, &w.newURL: w.new} {
		h := httptest.NewServer(s)
		t.Cleanup(h.Close)
		*url = h.URL + "/v1"
	}
	w.cfg = config.Default()
	w.cfg.Service.Name = "helpdesk"
	w.cfg.Kafka.Brokers, w.cfg.Kafka.Topics = []string{"127.0.0.1:1"}, []string{"rag"}
	w.cfg.Judge.Model, w.cfg.Judge.Embeddings.Model, w.cfg.Judge.Concurrency = standin.Model, standin.Model, 8
	w.cfg.Judge.BaseURL = w.oldURL
	w.cfg.Sample.Rate, w.cfg.Sample.PerRun = 1, 60
	w.cfg.Score.Schedule = "0 0 * * *"
	w.cfg.Store.Path = filepath.Join(t.TempDir(), "leadline.db")
	return w
}

// daemon opens the store as the daemon does. It reads by the log's own time.
func (w *judgedWorld) daemon(t *testing.T) *daemon {
	t.Helper()
	d, err := newDaemon(w.cfg, zerolog.Nop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// day hands n records of a day to the daemon, counted from the epoch, and works it off. Of
// every ten, lost are answered from elsewhere.
func (w *judgedWorld) day(t *testing.T, d *daemon, day, n, lost int) {
	t.Helper()
	r := sampler.Range{Topic: "rag", From: w.offset, Next: w.offset + int64(n), Offsets: map[sampler.OffsetState]int64{sampler.OffsetContributed: int64(n)}}
	begin := epoch.AddDate(0, 0, day)
	r.Watermark = begin.Add(25 * time.Hour)
	for i := range n {
		at := begin.Add(time.Duration(i+1) * 23 * time.Hour / time.Duration(n+1))
		var p plainRecord
		if err := json.Unmarshal(faq(w.ids, at, i%10 < lost), &p); err != nil {
			t.Fatal(err)
		}
		if w.apart {
			form := fmt.Sprintf(" Form %d has to be signed.", 10000+w.ids)
			p.Answer, p.Contexts[0] = p.Answer+form, p.Contexts[0]+form
		}
		w.ids++
		record := sampler.Record{ID: p.ID, Time: at, Question: p.Question, Answer: p.Answer, Contexts: p.Contexts}
		r.Kept = append(r.Kept, sampler.Kept{Sample: sampler.Sample{Record: record, U: sampler.Hash("leadline", p.ID), Rate: 1}})
	}
	w.offset += int64(n)
	if err := (sink{d}).Add(t.Context(), []sampler.Range{r}); err != nil {
		t.Fatal(err)
	}
	if err := d.runner.work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := d.runner.pauseState(); p.Reason != "" {
		t.Fatalf("scoring is paused: %s", p.Reason)
	}
}

// judgedPerDay is how many records a day has; few days keep the control items from taking the time.
const judgedPerDay = 48

// judgedDays is a world whose old judge scored some days.
func judgedDays(t *testing.T, days int) *judgedWorld {
	t.Helper()
	w := newJudgedWorld(t)
	w.fill(t, days)
	w.cfg.Judge.BaseURL = w.newURL
	return w
}

func (w *judgedWorld) fill(t *testing.T, days int) {
	t.Helper()
	d := w.daemon(t)
	for day := range days {
		w.day(t, d, day, judgedPerDay, 0)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// asked talks to a daemon as the command does.
func asked(d *daemon) *server.Client {
	src := &source{runner: d.runner}
	return server.ClientOf(server.NewHandler(server.Options{Source: src, Operator: src, Bridger: src, Log: zerolog.Nop()}))
}

// bridged makes a bridge to its end.
func bridged(ctx context.Context, d *daemon, q server.BridgeRequest) (server.BridgeReply, error) {
	var quiet strings.Builder
	return (&app{io: streams{err: &quiet, out: &quiet}}).bridge(ctx, asked(d), q)
}

// history is what decisions rest on, as it is on disk.
func (w *judgedWorld) history(t *testing.T, d *daemon) drift.History {
	t.Helper()
	h, _, err := d.store.History()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// rowsOf are the rows of a judge, bridged or not, to the last bit.
func rowsOf(t *testing.T, h drift.History, judge func(drift.Row) bool) string {
	t.Helper()
	rows := slices.DeleteFunc(slices.Clone(h.Rows), func(r drift.Row) bool { return !judge(r) })
	text, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestABridgeGivesTheNewJudgeABaseline(t *testing.T) {
	t.Parallel()
	w := judgedDays(t, 4)
	if err := w.new.SetFaults([]standin.Fault{{Mode: "verdict_strict", Rate: 0.3}}); err != nil {
		t.Fatal(err)
	}
	d := w.daemon(t)
	old := rowsOf(t, w.history(t, d), func(drift.Row) bool { return true })
	ledgers, err := d.store.Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	reply, err := bridged(t.Context(), d, server.BridgeRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(reply.Results) != 2 || reply.Basis != drift.BasisSamples {
		t.Fatalf("%d results on %s, want two metrics on samples", len(reply.Results), reply.Basis)
	}
	f := reply.Results[0]
	// Three of ten supported statements are called unsupported, and an answer has one or two.
	if f.Metric != scorer.Faithfulness || f.N < 100 || f.Verdict != drift.RulerDiffers || f.Low > -0.3 || f.High < -0.3 {
		t.Errorf("%s: %d pairs, shift %.3f (%.3f to %.3f), %s; want 100 or more, about −0.3 and a difference", f.Metric, f.N, f.Shift, f.Low, f.High, f.Verdict)
	}
	if f.State.Status == "learning" || f.Needed != 0 || f.Carried < 100 {
		t.Errorf("the new series is %s with %d carried over, %d needed; want no learning", f.State.Status, f.Carried, f.Needed)
	}
	h := w.history(t, d)
	if now := rowsOf(t, h, func(r drift.Row) bool { return r.Bridged == "" }); now != old {
		t.Errorf("the rows of runs changed: %s", cmp.Diff(old, now))
	}
	if now, err := d.store.Ledgers(); err != nil || !cmp.Equal(ledgers, now) {
		t.Errorf("the ledgers changed, %v: %s", err, cmp.Diff(ledgers, now))
	}
	w.rowsAreThoseScores(t, d, h, f.To)
	st, err := asked(d).Status(t.Context())
	if err != nil || st.Series[0].Series.Judge != f.From {
		t.Errorf("before its first run the new judge is shown as the present one, %v", err)
	}
	w.day(t, d, 4, judgedPerDay, 0)
	if st, err = asked(d).Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := slices.DeleteFunc(st.Series, func(s server.SeriesStatus) bool { return s.Series.Judge == "" })
	for _, s := range all {
		if key := reply.Results[slices.Index(scorer.Metrics, s.Series.Metric)].To; s.Series.Judge != key || s.Status != "ok" || s.Baseline.N < 100 {
			t.Errorf("after its first run: %s of %s is %s on %d samples, want ok under %s", s.Series.Metric, s.Series.Judge, s.Status, s.Baseline.N, key)
		}
	}
	if len(all) != 2 {
		t.Errorf("%d series, want two", len(all))
	}
}

// rowsAreThoseScores scores every stored answer anew and compares sums: the rows must be
// those of the answers that were picked, and the picked ones no matter what they score.
func (w *judgedWorld) rowsAreThoseScores(t *testing.T, d *daemon, h drift.History, key string) {
	t.Helper()
	rescored, err := d.store.Rescored(keysOf(d))
	if err != nil {
		t.Fatal(err)
	}
	sum, n := map[time.Time]float64{}, map[time.Time]int{}
	for _, r := range rescored {
		if o := r.Score.Outcomes[scorer.Faithfulness]; o.Scored {
			sum[r.Score.Window.UTC()] += o.Value
			n[r.Score.Window.UTC()]++
		}
		for _, st := range r.Score.Statements {
			if st.Text != "" || st.Reason != "" {
				t.Error("a text is kept with what was scored again")
			}
		}
	}
	rows := 0
	for _, r := range h.Rows {
		if r.Judge != key {
			continue
		}
		rows++
		due := r.Due.UTC()
		if got := float64(r.N-r.Zeros) * r.Mean; r.N != n[due] || got-sum[due] > 1e-9 || sum[due]-got > 1e-9 {
			t.Errorf("row of %s: %d scores that sum to %.4f, want %d and %.4f", due, r.N, got, n[due], sum[due])
		}
		delete(n, due)
	}
	if rows == 0 || len(n) > 0 {
		t.Errorf("%d rows; runs without one: %v", rows, n)
	}
}

func keysOf(d *daemon) map[scorer.Metric]string {
	keys := map[scorer.Metric]string{}
	for m, id := range d.identity() {
		keys[m] = id.Key()
	}
	return keys
}

func TestABridgeIsPaidOnce(t *testing.T) {
	t.Parallel()
	w := judgedDays(t, 3)
	d := w.daemon(t)
	first, err := bridged(t.Context(), d, server.BridgeRequest{Samples: 40})
	if err != nil {
		t.Fatal(err)
	}
	paid := w.new.Stats().Requests
	again, err := bridged(t.Context(), d, server.BridgeRequest{Samples: 40})
	if err != nil {
		t.Fatal(err)
	}
	if now := w.new.Stats().Requests; !cmp.Equal(now, paid) {
		t.Errorf("asked again: %v, then %v", paid, now)
	}
	if a, b := first.Results[0], again.Results[0]; a.N != 40 || a.N != b.N || a.Shift != b.Shift || a.Carried != b.Carried {
		t.Errorf("the same bridge twice: %d pairs %.4f, then %d pairs %.4f", a.N, a.Shift, b.N, b.Shift)
	}
	if f := first.Results[0]; f.State.Status != "learning" || f.Needed != 60 || !f.LearnedBy.Equal(epoch.AddDate(0, 0, 5)) {
		// at 48 a day, 60 samples take two runs after the last of three
		t.Errorf("40 of 100 samples: %s, %d needed, by %s", f.State.Status, f.Needed, f.LearnedBy)
	}
	larger, err := bridged(t.Context(), d, server.BridgeRequest{Samples: 60})
	if err != nil || larger.Results[0].N != 60 {
		t.Errorf("a larger bridge has %+v, %v; want 60 pairs", larger.Results, err)
	}
}

func TestABridgeTakesNoAnswersOfAnEpisode(t *testing.T) {
	t.Parallel()
	w := newJudgedWorld(t)
	d := w.daemon(t)
	for day := range 6 {
		lost := 0
		if day >= 4 {
			lost = 7
		}
		w.day(t, d, day, judgedPerDay, lost)
	}
	incidents, err := d.store.Incidents()
	if err != nil || len(incidents) == 0 || !incidents[0].Open() {
		t.Fatalf("got %+v, %v; want an open incident", incidents, err)
	}
	from := incidents[0].Since
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	w.cfg.Judge.BaseURL = w.newURL
	d = w.daemon(t)
	reply, err := bridged(t.Context(), d, server.BridgeRequest{Samples: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range w.history(t, d).Rows {
		if r.Metric == scorer.Faithfulness && r.Bridged != "" && !r.Due.Before(from) {
			t.Errorf("a row of %s was bridged, in the episode from %s", r.Due, from)
		}
	}
	if len(reply.Open) != 1 || reply.Open[0].ID != incidents[0].ID {
		t.Errorf("open incidents of the old judge: %+v", reply.Open)
	}
	w.day(t, d, 6, judgedPerDay, 7)
	st, err := asked(d).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hint := "held open by a judge that scores no more; once the fall is over: leadline baseline accept " + incidents[0].ID + " --by NAME"
	if text := strings.Join(summary(st, true), "\n"); !strings.Contains(text, hint) {
		t.Errorf("status lacks %q:\n%s", hint, text)
	}
	if st.Series[0].Status != "watch" && st.Series[0].Status != "down" {
		t.Errorf("seven of ten lost, and the new judge's series is %s: the fall is in its baseline", st.Series[0].Status)
	}
	if _, err := asked(d).Accept(t.Context(), server.AcceptRequest{Incident: incidents[0].ID, By: "yuki"}); err != nil {
		t.Fatal(err)
	}
	if i := incidentOf(t, d, incidents[0].ID); i.Open() {
		t.Error("the old incident is open after it was accepted")
	}
}

func TestWithoutTextsTheControlsAreCompared(t *testing.T) {
	t.Parallel()
	w := judgedDays(t, 3)
	if err := w.new.SetFaults([]standin.Fault{{Mode: "verdict_strict", Rate: 1}}); err != nil {
		t.Fatal(err)
	}
	d := w.daemon(t)
	if err := d.store.Trim(store.Retention{Text: epoch.AddDate(1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	old := rowsOf(t, w.history(t, d), func(drift.Row) bool { return true })
	reply, err := bridged(t.Context(), d, server.BridgeRequest{})
	if err != nil {
		t.Fatal(err)
	}
	f := reply.Results[0]
	if f.Basis != drift.BasisControls || reply.Why == "" || f.N < 30 || f.Verdict != drift.RulerDiffers || f.Shift > -0.5 {
		t.Errorf("%s (%s): %d items, shift %.3f, %s; want the controls, and a judge that supports nothing", f.Basis, reply.Why, f.N, f.Shift, f.Verdict)
	}
	if f.State.Status != "learning" || f.Needed != 100 || f.Carried != 0 || f.LearnedBy.IsZero() {
		t.Errorf("%s, %d needed, %d carried over, by %s; want it to learn", f.State.Status, f.Needed, f.Carried, f.LearnedBy)
	}
	if now := rowsOf(t, w.history(t, d), func(drift.Row) bool { return true }); now != old {
		t.Errorf("rows changed: %s", cmp.Diff(old, now))
	}
	kept, err := d.store.Bridges()
	if err != nil || len(kept) != 2 || kept[0].Basis != drift.BasisControls {
		t.Errorf("stored: %+v, %v", kept, err)
	}
}

func TestABridgeThatCannotBeMadeChangesNothing(t *testing.T) {
	t.Parallel()
	w := judgedDays(t, 3)
	before := w.daemon(t)
	spent, err := before.budget.Standing()
	if err := errors.Join(err, before.Close()); err != nil {
		t.Fatal(err)
	}
	w.cfg.Judge.Budget.TokensPerDay = spent.Today.Tokens + 60_000 // enough for some answers
	d := w.daemon(t)
	old := rowsOf(t, w.history(t, d), func(drift.Row) bool { return true })
	key := ""
	for _, j := range must(asked(d).Judges(t.Context())) {
		key = j.Key
	}
	for want, q := range map[string]server.BridgeRequest{
		"--from nobody: the store has no scores of such a judge":     {From: "nobody"},
		"--to " + key + ": only the configured judge can be asked":   {To: key},
		"the judge's budget is spent":                                {},
		"go on after midnight UTC, or raise judge.budget":            {},
		"of 100 answers are scored again and kept; go on after midn": {},
	} {
		if _, err := bridged(t.Context(), d, q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %q", q, err, want)
		}
	}
	if now := rowsOf(t, w.history(t, d), func(drift.Row) bool { return true }); now != old {
		t.Errorf("rows changed: %s", cmp.Diff(old, now))
	}
	if kept, err := d.store.Bridges(); err != nil || len(kept) > 0 {
		t.Errorf("stored: %+v, %v", kept, err)
	}
	if err := w.new.SetFaults([]standin.Fault{{Mode: "unauthorized", Rate: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	w.cfg.Judge.Budget.TokensPerDay = 0
	d = w.daemon(t)
	_, err = bridged(t.Context(), d, server.BridgeRequest{})
	if !errors.Is(err, server.ErrNotNow) || !strings.Contains(err.Error(), "judge refuses") {
		t.Errorf("a judge that refuses: %v", err)
	}
	if err := w.new.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	first, err := asked(d).Bridge(t.Context(), server.BridgeRequest{})
	if err != nil || first.Done <= bridgePart {
		t.Errorf("%d are done after one part of %d, %v: those scored before the budget was spent are lost", first.Done, bridgePart, err)
	}
	if _, err := bridged(t.Context(), d, server.BridgeRequest{}); err != nil {
		t.Errorf("it does not go on: %v", err)
	}
	key = keysOf(d)[scorer.Faithfulness]
	if _, err := bridged(t.Context(), d, server.BridgeRequest{From: key}); err == nil || !strings.Contains(err.Error(), "is the configured judge itself") {
		t.Errorf("from a judge to itself: %v", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestABridgeNeedsAnotherJudge(t *testing.T) {
	t.Parallel()
	w := judgedDays(t, 1)
	w.cfg.Judge.BaseURL = w.oldURL
	_, err := bridged(t.Context(), w.daemon(t), server.BridgeRequest{})
	if !errors.Is(err, server.ErrInvalid) || !strings.Contains(err.Error(), "there is nothing to bridge from") {
		t.Errorf("got %v", err)
	}
}

func TestWhatWasScoredAgainGoesWithRetention(t *testing.T) {
	t.Parallel()
	w := judgedDays(t, 2)
	d := w.daemon(t)
	if _, err := bridged(t.Context(), d, server.BridgeRequest{Samples: 20}); err != nil {
		t.Fatal(err)
	}
	if again, err := d.store.Rescored(keysOf(d)); err != nil || len(again) != 20 {
		t.Fatalf("%d answers are kept, %v; want 20", len(again), err)
	}
	if err := d.store.Trim(store.Retention{Rows: epoch.AddDate(1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	if again, err := d.store.Rescored(keysOf(d)); err != nil || len(again) > 0 {
		t.Errorf("%d answers are still kept, %v", len(again), err)
	}
	for _, r := range w.history(t, d).Rows {
		if r.Bridged != "" {
			t.Errorf("the row of %s is still there", r.Due)
		}
	}
}
