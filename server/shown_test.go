package server_test

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"leadline/drift"
	"leadline/scorer"
	"leadline/server"
)

func TestJSONShowsASharesBadPart(t *testing.T) {
	s := rich("en")
	s.status.Series = append(s.status.Series, server.SeriesStatus{State: drift.State{Series: series(scorer.Faithfulness, "department", "new"), Status: "learning", LnEvidence: -200}})
	st, err := server.ClientOf(handler(s, nil)).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range st.Series {
		switch {
		case x.Series.Metric == drift.ShareRefusal:
			// Stored turned: 0.95 of the records are no refusals.
			if x.Shown.Worse != "higher" || math.Abs(*x.Shown.Usual-0.05) > 1e-9 || math.Abs(*x.Shown.Log10Evidence-0.4/math.Ln10) > 1e-9 {
				t.Errorf("refusals are shown as %+v", x.Shown)
			}
		case x.Status == "learning":
			if x.Shown.Last != nil || x.Shown.Usual != nil || x.Shown.Log10Evidence != nil {
				t.Errorf("a series without scores shows %+v", x.Shown)
			}
		case x.Series == series(scorer.Faithfulness, "", ""):
			if x.Shown.Worse != "lower" || math.Abs(*x.Shown.Usual-0.87) > 1e-9 {
				t.Errorf("faithfulness is shown as %+v", x.Shown)
			}
		}
	}
}

func TestStatusPageShowsTheBudget(t *testing.T) {
	for lang, words := range map[string][]string{
		"en": {"Budget of false alarms", "10\u00a0% chance of a false page per 180 days over all 26 series", "and all releases together", "2.0\u00a0% of it is for releases", "26 came in that time", "needs 6 times the evidence", "10<sup>0.9</sup> / 10<sup>2.4</sup>", "2 (1 open, 0 accepted, 1 over)", "not part of the promise: counted, not inferred"},
		"ja": {"誤報予算", "全26系列と全リリースを合わせた誤報の確率は180日間で最大10%", "うち2.0%はリリース用", "この期間は26件", "6倍の証拠", "10<sup>0.9</sup>", "2件（継続1、承認0、終了1）", "保証の対象外"},
	} {
		s := rich(lang)
		s.status.Ledger = drift.Ledger{
			From: now.AddDate(0, 0, -180), To: now, Live: 26, FalseAlarms: 0.10, Scans: 0.08, ForReleases: 0.02, Releases: 26, Spent: 0.0167, NextRelease: 0.00067, LnNeeded: math.Log(260), Alarms: 2,
			Rows: []drift.LedgerRow{
				{Kind: drift.LedgerScores, Promised: true, Live: 22, Budget: 0.085, Strongest: &drift.Strongest{Series: series(scorer.Faithfulness, "", ""), LnEvidence: 2}, Alarms: 2, Open: 1, Ended: 1},
				{Kind: drift.LedgerBlind},
			},
		}
		body := ask(handler(s, nil), http.MethodGet, "/status", "").Body.String()
		for _, want := range words {
			if !strings.Contains(body, want) {
				t.Errorf("the %s page lacks %q", lang, want)
			}
		}
	}
}
