package main

import (
	"strings"
	"testing"

	"leadline/alert"
	"leadline/drift"
	"leadline/scorer"
	"leadline/scorer/standin"
	"leadline/server"
)

// openNow are the open incidents by kind.
func openNow(t *testing.T, d *daemon) map[drift.Kind]alert.Incident {
	t.Helper()
	all, err := d.store.Incidents()
	if err != nil {
		t.Fatal(err)
	}
	open := map[drift.Kind]alert.Incident{}
	for _, i := range all {
		if i.Open() {
			open[i.Kind] = i
		}
	}
	return open
}

func (w *judgedWorld) strict(t *testing.T, rate float64) {
	t.Helper()
	var faults []standin.Fault
	if rate > 0 {
		faults = []standin.Fault{{Mode: "verdict_strict", Rate: rate}}
	}
	if err := w.old.SetFaults(faults); err != nil {
		t.Fatal(err)
	}
}

// Through the real judge's client, scorer and store: a judge that takes a third of the
// supported statements for unsupported is told as that, and no fall of the service is; when
// it is back, so is everything.
func TestAStricterJudgeIsToldAsTheJudgeFromEndToEnd(t *testing.T) {
	w := newJudgedWorld(t)
	w.apart = true
	d := w.daemon(t)
	for day := range 14 {
		w.day(t, d, day, judgedPerDay, 0)
	}
	w.strict(t, 0.35)
	for day := 14; day < 18; day++ {
		w.day(t, d, day, judgedPerDay, 0)
	}
	open := openNow(t, d)
	judge, ok := open[drift.KindJudge]
	if !ok {
		t.Fatalf("no incident of the judge; open: %v", open)
	}
	for kind, i := range open {
		if kind != drift.KindJudge && kind != drift.KindBlind && !i.Held {
			head, _ := i.Head()
			t.Errorf("%s was told, with the verdict %+v", kind, head.Finding.Evidence.Judge)
		}
	}
	m := judge.Alerts[0].Finding.Ruler
	if m.Metric != scorer.Faithfulness || m.Shift.Mean > -0.15 || m.Shift.Embedding() {
		t.Errorf("the move is %+v", m)
	}
	w.strict(t, 0)
	for day := 18; day < 32; day++ {
		w.day(t, d, day, judgedPerDay, 0)
	}
	if open := openNow(t, d); len(open) > 0 {
		t.Errorf("the judge is back, and open is %v", open)
	}
}

func TestAWorseServiceIsNotToldAsTheJudgeFromEndToEnd(t *testing.T) {
	w := newJudgedWorld(t)
	w.apart = true
	d := w.daemon(t)
	for day := range 20 {
		lost := 0
		if day >= 14 {
			lost = 4
		}
		w.day(t, d, day, judgedPerDay, lost)
	}
	open := openNow(t, d)
	if _, ok := open[drift.KindJudge]; ok {
		t.Error("the judge did not move, and an incident says so")
	}
	found := false
	for kind, i := range open {
		head, ok := i.Head()
		if found = found || ok; ok && (i.Held || head.Finding.Evidence.Judge.Verdict != drift.JudgeCleared) {
			t.Errorf("%s: held %t, verdict on the judge %+v", kind, i.Held, head.Finding.Evidence.Judge)
		}
	}
	if !found {
		t.Error("the fall was not found")
	}
	st, err := (&source{runner: d.runner}).Status(t.Context())
	if err != nil || len(st.Rulers) != 2 || !strings.Contains(strings.Join(summary(st, false), "\n"), "of the judge's tokens") {
		t.Errorf("rulers %+v, %v\n%s", st.Rulers, err, strings.Join(summary(st, false), "\n"))
	}
}

// Only the embedding model is another: no chat call shows it, the pairs do.
func TestAMovedEmbeddingModelIsToldAsThatFromEndToEnd(t *testing.T) {
	w := newJudgedWorld(t)
	d := w.daemon(t)
	for day := range 10 {
		w.day(t, d, day, 12, 0)
	}
	if err := w.old.SetFaults([]standin.Fault{{Mode: "embeddings_moved", Rate: 1}}); err != nil {
		t.Fatal(err)
	}
	for day := 10; day < 13; day++ {
		w.day(t, d, day, 12, 0)
	}
	judge, ok := openNow(t, d)[drift.KindJudge]
	if !ok || !judge.Alerts[0].Finding.Ruler.Shift.Embedding() || judge.Alerts[0].Finding.Series.Metric != scorer.AnswerRelevancy {
		t.Errorf("the embedding model moved, and open is %+v", openNow(t, d))
	}
}

func TestOwnControlsAreScoredWithTheOthers(t *testing.T) {
	w := newJudgedWorld(t)
	d := w.daemon(t)
	src := &source{runner: d.runner}
	reply, err := src.AddControl(t.Context(), server.ControlRequest{Name: "vpn", Question: "How do I get VPN?", Answer: "Ask the desk.", Contexts: []string{"Ask the desk for VPN."}, By: "kim"})
	if err != nil || !reply.Added {
		t.Fatalf("%+v, %v", reply, err)
	}
	w.day(t, d, 0, judgedPerDay, 0)
	all, err := src.Controls(t.Context())
	if err != nil || len(all.Items) != len(scorer.Controls())+1 {
		t.Fatalf("%d items, %v", len(all.Items), err)
	}
	own := all.Items[len(all.Items)-1]
	if own.ID != reply.Item || !own.Own || own.Runs != 1 || own.Faithfulness == nil {
		t.Errorf("own item %+v", own)
	}
	if _, err := src.RemoveControl(t.Context(), server.ControlRequest{Item: "en-verbatim", By: "kim"}); err == nil {
		t.Error("a frozen item was removed")
	}
	if _, err := src.AddControl(t.Context(), server.ControlRequest{Sample: "nobody", By: "kim"}); err == nil {
		t.Error("a sample that is not there became an item")
	}
}
