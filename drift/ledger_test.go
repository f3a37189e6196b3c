package drift_test

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"leadline/drift"
	"leadline/scorer"
)

func ledgerRow(t *testing.T, l drift.Ledger, kind drift.LedgerKind) drift.LedgerRow {
	t.Helper()
	at := slices.IndexFunc(l.Rows, func(r drift.LedgerRow) bool { return r.Kind == kind })
	if at < 0 {
		t.Fatalf("the ledger has no line %s: %+v", kind, l.Rows)
	}
	return l.Rows[at]
}

func TestLedgerAddsUpWhatSeriesAndReleasesMaySpend(t *testing.T) {
	w := newWorld(3)
	w.release = func(run int) string { return "v" + strconv.Itoa(run/7) } // v0 is there from the start, v1 to v11 come
	l := drift.Evaluate(w.history(0, 84), defaults()).Ledger
	// Two metrics, each of all, six departments and two languages; and four shares.
	if l.Live != 22 || l.Releases != 11 || !near(l.Bound, 0.10+11*0.02) || !near(l.LnNeeded, math.Log(220)) {
		t.Errorf("%d series, %d releases, bound %.3f, needed %.3f; want 22, 11, 0.32 and ln 220", l.Live, l.Releases, l.Bound, l.LnNeeded)
	}
	scores, shares, releases := ledgerRow(t, l, drift.LedgerScores), ledgerRow(t, l, drift.LedgerShares), ledgerRow(t, l, drift.LedgerReleases)
	if scores.Live != 18 || shares.Live != 4 || !near(scores.Budget, 0.10*18/22) || !near(shares.Budget, 0.10*4/22) || !near(releases.Budget, 0.22) {
		t.Errorf("got %+v, %+v and %+v", scores, shares, releases)
	}
	if releases.Live == 0 || releases.Strongest == nil || releases.Strongest.Release != "v10" && releases.Strongest.Release != "v11" {
		t.Errorf("the newest releases are on trial, got %+v", releases)
	}
	for _, kind := range []drift.LedgerKind{drift.LedgerJudge, drift.LedgerBlind, drift.LedgerDelivery} {
		if r := ledgerRow(t, l, kind); r.Promised || r.Budget != 0 {
			t.Errorf("%s is not part of the promise, got %+v", kind, r)
		}
	}
	chance, lnMore, ok := l.LessPerRelease()
	// 0.10 / 11 = 0.00909…, cut to one digit; 0.02 / 0.009 times the evidence.
	if !ok || !near(chance, 0.009) || !near(lnMore, math.Log(0.02/0.009)) {
		t.Errorf("for releases that spend less: %v, %v, %t", chance, lnMore, ok)
	}
}

func TestLedgerCountsOnlyTheLastPeriodAndNoReturningRelease(t *testing.T) {
	w := newWorld(3)
	w.release = func(run int) string {
		switch {
		case run < 20, run >= 70:
			return "v1"
		case run < 60:
			return "v2"
		}
		return "v3"
	}
	h := w.history(0, 84)
	cfg := defaults()
	if l := drift.Evaluate(h, cfg).Ledger; l.Releases != 2 {
		t.Errorf("%d releases in 180 days, want v2 and v3 and not the return of v1", l.Releases)
	}
	cfg.Period = 30 * 24 * time.Hour
	l := drift.Evaluate(h, cfg).Ledger
	if l.Releases != 1 || !near(l.Bound, 0.12) {
		t.Errorf("%d releases in 30 days, bound %.3f; want v3 alone and 0.12", l.Releases, l.Bound)
	}
	if _, _, ok := l.LessPerRelease(); ok {
		t.Error("one release spends less than the series, but a smaller budget for it is proposed")
	}
}

func TestLedgerTellsWhatBecameOfAlarms(t *testing.T) {
	w := demo(1)
	h, r := w.play(w.history(0, 10), 10)
	// v3 did harm and was taken back; a department's documents are lost.
	l := r.Ledger
	ended, open := 0, 0
	for _, row := range l.Rows {
		ended, open = ended+row.Ended, open+row.Open
	}
	if l.Alarms != 2 || ended != 1 || open != 1 || l.Releases != 2 {
		t.Errorf("got %d alarms, %d ended, %d open, %d releases; want 2, 1, 1 and v2 and v3: %+v", l.Alarms, ended, open, l.Releases, l.Rows)
	}
	all := drift.Series{Metric: scorer.Faithfulness, Judge: "j1"}
	h.Acceptances = []drift.Acceptance{{Series: all, From: w.due(70), By: "mika", At: w.due(83)}}
	l = drift.Evaluate(h, defaults()).Ledger
	accepted := 0
	for _, row := range l.Rows {
		accepted += row.Accepted
	}
	// The release that was taken back was over long before.
	if accepted != 1 || l.Alarms != 2 {
		t.Errorf("after it was accepted: %+v", l.Rows)
	}
}

func TestLedgerSaysWhichSeriesIsClosest(t *testing.T) {
	w := newWorld(4)
	r := drift.Evaluate(w.history(0, 60), defaults())
	most := r.States[0]
	for _, s := range r.States {
		if slices.Contains(scorer.Metrics, s.Series.Metric) && s.LnEvidence > most.LnEvidence {
			most = s
		}
	}
	got := ledgerRow(t, r.Ledger, drift.LedgerScores).Strongest
	if got == nil || got.Series != most.Series || got.LnEvidence != most.LnEvidence {
		t.Errorf("strongest is %+v, want %+v with %.2f", got, most.Series, most.LnEvidence)
	}
}

func TestLedgerOfALearningServiceHasNoEvidence(t *testing.T) {
	w := newWorld(4)
	l := drift.Evaluate(w.history(0, 1), defaults()).Ledger
	if l.Live != 0 || ledgerRow(t, l, drift.LedgerScores).Strongest != nil {
		t.Errorf("after one run: %+v", l)
	}
}
