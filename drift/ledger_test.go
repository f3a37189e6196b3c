package drift_test

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"leadline/drift"
	"leadline/sampler"
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
	if l.Live != 22 || l.Releases != 11 || !near(l.Scans, 0.08) || !near(l.ForReleases, 0.02) || !near(l.LnNeeded, math.Log(22/0.08)) {
		t.Errorf("%d series, %d releases, %.3f for scans, %.3f for releases, needed %.3f; want 22, 11, 0.08, 0.02 and ln 275", l.Live, l.Releases, l.Scans, l.ForReleases, l.LnNeeded)
	}
	// Each took a fifth of what was left.
	if left := 0.02 * math.Pow(0.8, 11); !near(l.Spent, 0.02-left) || !near(l.NextRelease, left/5) {
		t.Errorf("releases were given %.5f, the next has %.6f", l.Spent, l.NextRelease)
	}
	scores, shares, releases := ledgerRow(t, l, drift.LedgerScores), ledgerRow(t, l, drift.LedgerShares), ledgerRow(t, l, drift.LedgerReleases)
	if scores.Live != 18 || shares.Live != 4 || !near(scores.Budget, 0.08*18/22) || !near(shares.Budget, 0.08*4/22) || !near(releases.Budget, 0.02) {
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
	if lnMore, ok := l.LnMore(); !ok || !near(lnMore, -11*math.Log(0.8)) {
		t.Errorf("the next release needs e^%.2f times the evidence of a single one, and that is worth a word: %t", lnMore, ok)
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
	// v2 came 64 days before, and has given back what it took.
	if l.Releases != 1 || !near(l.Spent, 0.004) {
		t.Errorf("%d releases in 30 days, given %.4f; want v3 alone and a fifth of 0.02", l.Releases, l.Spent)
	}
	if _, ok := l.LnMore(); ok {
		t.Error("one release has much left to spend, but it is said to be little")
	}
}

// However many releases come, what all of a period may spend stays within the budget.
func TestReleasesNeverSpendMoreThanIsKeptForThem(t *testing.T) {
	for name, release := range map[string]func(run int) string{
		"every run":     func(run int) string { return "v" + strconv.Itoa(run) },
		"in bursts":     func(run int) string { return "v" + strconv.Itoa(max(run%20, 10)+run/20*20) },
		"every ten":     func(run int) string { return "v" + strconv.Itoa(run/10) },
		"none":          func(int) string { return "v0" },
		"back and back": func(run int) string { return "v" + strconv.Itoa(run/5%3) },
	} {
		w := newWorld(3)
		w.release = release
		cfg := defaults()
		cfg.Period = 20 * 24 * time.Hour
		for _, to := range []int{15, 40, 61} {
			l := drift.Evaluate(w.history(0, to), cfg).Ledger
			if sum := l.Spent + l.NextRelease; sum > 0.02+1e-12 || l.Spent < 0 {
				t.Errorf("releases %s: after %d runs they have %.5f of 0.02, the next %.5f", name, to, l.Spent, l.NextRelease)
			}
			spent := 0.0
			for _, r := range l.Rows {
				spent += r.Budget
			}
			if !near(spent, 0.10) {
				t.Errorf("releases %s: after %d runs all lines together may spend %.5f, want what is promised", name, to, spent)
			}
		}
	}
}

// Where nobody ever told of a release the scans have everything; what they had is not given out
// a second time to one that is told of late.
func TestReleasesGetNothingThatTheScansHad(t *testing.T) {
	w := newWorld(3)
	h := w.history(0, 60)
	for i := range h.Tallies {
		h.Tallies[i].Channels = nil
	}
	for i := range h.Rows {
		h.Rows[i].Releases = nil
	}
	cfg := defaults()
	if l := drift.Evaluate(h, cfg).Ledger; l.Scans != 0.10 || l.ForReleases != 0 || l.NextRelease != 0 {
		t.Errorf("without releases: %+v", l)
	}
	cfg.Period = 80 * 24 * time.Hour
	h.Marks = []drift.Mark{{Channel: sampler.ChannelRelease, Value: "v1", At: w.due(40), Source: "cli"}}
	l := drift.Evaluate(h, cfg).Ledger
	// The scans had 40 of the 80 days, so that half of 0.02 is left.
	if l.Releases != 1 || !near(l.Scans, 0.08) || !near(l.Spent, 0.01/5) {
		t.Errorf("told of one after half a period: %d releases, scans %.3f, spent %.5f", l.Releases, l.Scans, l.Spent)
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
