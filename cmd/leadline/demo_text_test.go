package main

import (
	"strings"
	"testing"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/report"
)

func TestTheStoryShowsTheLastMessageOfEachIncidentAndEachReport(t *testing.T) {
	message := func(transition alert.Transition) alert.Message {
		i := alert.Incident{ID: "inc_blind_1", Kind: drift.KindBlind, Service: "helpdesk", Opened: epoch, Updated: epoch, Since: epoch, Problem: alert.ProblemNoData}
		if transition == alert.Resolved {
			i.Resolved = epoch.Add(time.Hour)
		}
		return alert.Message{Transition: transition, Incident: &i, Language: "en", Timezone: "UTC"}
	}
	sent := []alert.Delivery{
		{Receiver: "slack", Group: "inc_blind_1", Delivered: epoch, Message: message(alert.Firing)},
		{Receiver: "webhook", Group: "inc_blind_1", Delivered: epoch, Message: message(alert.Updated)},
		{Receiver: "slack", Group: "report", Delivered: epoch, Message: alert.Message{Report: &alert.Digest{Week: "2026-W10", Verdict: "drift"}}},
		{Receiver: "slack", Group: "inc_blind_1", Delivered: epoch, Message: message(alert.Resolved)},
		{Receiver: "slack", Group: "inc_blind_2", Dead: true, Message: message(alert.Firing)},
	}
	r := demoResult{Records: 31652, Notifications: map[string]int{"slack": 3, "webhook": 1}}
	for lang, want := range map[string][]string{
		"en": {"Read 31,652 records", "RESOLVED", "2026-W10  DRIFT  http://127.0.0.1:8480/reports/2026-W10", "Slack got 3 messages"},
		"ja": {"31,652件を読み", "2026-W10  ドリフト", "正しさは測っていません", "Ctrl-C で終了"},
	} {
		got := demoStory(report.NewWords(lang, time.UTC).With(demoWords), r, sent, demoFlags{listen: "127.0.0.1:8480"})
		for _, s := range want {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %q is missing in:\n%s", lang, s, got)
			}
		}
		if strings.Contains(got, "FIRING") || strings.Contains(got, "UPDATED") {
			t.Errorf("%s: an older or undelivered message is shown:\n%s", lang, got)
		}
	}
}
