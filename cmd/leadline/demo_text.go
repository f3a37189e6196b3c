package main

import (
	"fmt"
	"strings"
	"time"

	"leadline/alert"
	"leadline/demo"
	"leadline/report"
)

// demoWords are the demo's own lines.
var demoWords = map[string]report.Label{
	"demo.read": {
		En: "Read %s records of twelve weeks, judged %s of them in %s runs, in %.0f s.",
		Ja: "12週間分の%s件を読み、うち%s件を%s回に分けて採点しました（%.0f秒）。",
	},
	"demo.standin": {
		En: "The judge was the built-in stand-in: these numbers come from word overlap. Correctness is not measured.",
		Ja: "評価には内蔵のスタンドインを使いました。数値は単語の重なりによるもので、正しさは測っていません。",
	},
	"demo.messages": {En: "What Slack was told last of each incident:", Ja: "Slackに届いた、各インシデントの最新の通知:"},
	"demo.note":     {En: "Note, not a page: %s", Ja: "参考（呼び出しなし）: %s"},
	"demo.reports":  {En: "Weekly reports:", Ja: "週次レポート:"},
	"demo.counts": {
		En: "Slack got %d messages, the webhook %d.",
		Ja: "Slackに%d件、Webhookに%d件を送りました。",
	},
	"demo.page": {
		En: "The page is at %s until you press Ctrl-C.",
		Ja: "画面は %s にあります（Ctrl-C で終了）。",
	},
}

// showDemo prints what came of the demo.
func (a *app) showDemo(d *daemon, world *demo.World, f demoFlags, took time.Duration) error {
	result, err := d.demoResult(world, f, took)
	if err != nil {
		return err
	}
	if f.json {
		return writeJSON(a.io.out, result)
	}
	sent, err := d.store.Sent()
	if err != nil {
		return err
	}
	w := report.NewWords(f.lang, d.runner.location).With(demoWords)
	return a.printf("%s", demoStory(w, result, sent, f))
}

// demoStory is the story for a person: the messages are those that Slack took.
func demoStory(w report.Words, r demoResult, sent []alert.Delivery, f demoFlags) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("\n%s", w.T("demo.read", w.Int(r.Records), w.Int(int64(r.Sampled)), w.Int(int64(r.Runs)), r.Seconds))
	line("%s\n\n%s\n", w.T("demo.standin"), w.T("demo.messages"))
	incidents, reports := lastTold(sent, "slack")
	for _, m := range incidents {
		line("%s", alert.Terminal(alert.Render(m)))
	}
	for _, n := range r.Notes {
		line("%s\n", w.T("demo.note", w.Note(n)))
	}
	line("%s", w.T("demo.reports"))
	for _, d := range reports {
		address := ""
		if !f.exit {
			address = "  http://" + f.listen + "/reports/" + d.Week
		}
		line("  %s  %s%s", d.Week, w.T("verdict."+d.Verdict), address)
	}
	line("\n%s", w.T("demo.counts", r.Notifications["slack"], r.Notifications["webhook"]))
	if !f.exit {
		line("%s", w.T("demo.page", "http://"+f.listen))
	}
	return b.String()
}

// lastTold are the last messages to a receiver about each incident, in the order of the
// first, and the reports.
func lastTold(sent []alert.Delivery, receiver string) (incidents []alert.Message, reports []alert.Digest) {
	at := map[string]int{}
	for _, d := range sent {
		if d.Receiver != receiver || d.Delivered.IsZero() {
			continue
		}
		if d.Message.Report != nil {
			reports = append(reports, *d.Message.Report)
			continue
		}
		n, ok := at[d.Group]
		if !ok {
			n = len(incidents)
			at[d.Group] = n
			incidents = append(incidents, alert.Message{})
		}
		incidents[n] = d.Message
	}
	return incidents, reports
}
