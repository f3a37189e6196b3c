package alert_test

import (
	"strings"
	"testing"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
)

// incidents are one of every kind, by the name of their golden file.
func incidents(t *testing.T) map[string]alert.Message {
	t.Helper()
	opened := func(in alert.Input) alert.Message {
		_, changes := alert.Step(nil, in)
		c := only(t, changes)
		return alert.Message{Transition: c.Transition, Incident: &c.Incident}
	}
	hr, all := episode(drift.KindSilent, series("hr"), 40, 44), episode(drift.KindSilent, series(""), 40, 44)
	all.Finding.Before, all.Finding.After, all.Finding.Drop = drift.Level{N: 2400, Mean: 0.92}, drift.Level{N: 300, Mean: 0.86}, 0.06
	all.Finding.Low, all.Finding.High = 0.03, 0.09
	out := map[string]alert.Message{}
	silent := input(44, hr, all)
	silent.Standin = true
	out["silent"] = opened(silent)
	out["regression"] = opened(input(44, released(hr, drift.KindRegression, 0.83)))
	out["undecided"] = opened(input(44, released(hr, drift.KindUndecided, 0.31)))
	drop := hr
	drop.Kind = drift.KindDrop
	drop.Finding.Evidence.Release = drift.ChannelEvidence{Channel: sampler.ChannelRelease, State: drift.ChannelNotObserved}
	out["drop"] = opened(input(44, drop))
	judge := hr
	judge.Kind = drift.KindJudge
	judge.Finding.Evidence.Judge = drift.JudgeEvidence{Items: 24, Shift: -0.05, SE: 0.01, Verdict: "moved"}
	out["judge"] = opened(input(44, judge))
	share := episode(drift.KindSilent, drift.Series{Metric: drift.ShareEmptyRetrieval}, 40, 44)
	share.Finding.Before, share.Finding.After = drift.Level{N: 9000, Mean: 0.98}, drift.Level{N: 1200, Mean: 0.91}
	share.Finding.Drop, share.Finding.Low, share.Finding.High = 0.07, 0.04, 0.1
	share.Finding.Evidence = drift.Evidence{}
	out["share"] = opened(input(44, share))
	blind := input(44)
	blind.Problems = []alert.Problem{
		{Kind: drift.KindBlind, Problem: alert.ProblemCoverage, Detail: "91 % of the last 140", Since: run(42)},
		{Kind: drift.KindBlind, Problem: alert.ProblemJudgeDown, Detail: "timeout", Since: run(43)},
	}
	out["blind"] = opened(blind)
	delivery := input(44)
	delivery.Problems = []alert.Problem{{Kind: drift.KindDelivery, Problem: alert.ProblemReceiverBroken, Detail: "oncall", Since: run(43)}}
	out["delivery"] = opened(delivery)
	out["resolved"] = resolved(t, silent)
	out["digest"] = alert.Message{Report: &alert.Digest{Service: "helpdesk", Week: "2026-W48", Verdict: "drift", Standin: true,
		Lines: []string{"Faithfulness, department=hr: 0.91 → 0.74", "1,900 of 31,000 answers, usually 800"}}}
	return out
}

func resolved(t *testing.T, in alert.Input) alert.Message {
	t.Helper()
	open, _ := alert.Step(nil, in)
	in.Run = run(60)
	for n := range in.Episodes {
		in.Episodes[n].Resolved = run(59)
	}
	_, changes := alert.Step(open, in)
	c := only(t, changes)
	return alert.Message{Transition: c.Transition, Incident: &c.Incident}
}

func speak(m alert.Message, language string) alert.Message {
	m.Language, m.Timezone, m.BaseURL = language, "Asia/Tokyo", "https://leadline.example"
	if m.Incident != nil && len(m.Incident.Alerts) > 0 {
		m.Samples = []alert.SampleRef{{ID: "req-81", Score: 0, Excerpt: "How many days of leave?"}, {ID: "req-12", Score: 0.25}}
	}
	return m
}

func TestMessagesReadAsWritten(t *testing.T) {
	for name, m := range incidents(t) {
		for _, language := range []string{"en", "ja"} {
			golden(t, name+"."+language+".txt", alert.Terminal(alert.Render(speak(m, language))))
		}
	}
}

func TestEveryDropShowsFiveCausesAndWhatIsNotMeasured(t *testing.T) {
	scope := map[string]string{"en": "Correctness is not measured", "ja": "正しさは測定していません"}
	for name, m := range incidents(t) {
		if m.Incident == nil || len(m.Incident.Alerts) == 0 {
			continue
		}
		for language, want := range scope {
			text := alert.Render(speak(m, language))
			causes := 0
			for _, p := range text.Parts {
				if p.Heading == "What changed, and what did not" || p.Heading == "変わったもの、変わらなかったもの" {
					causes = len(p.Lines)
				}
			}
			if causes != 5 {
				t.Errorf("%s in %s shows %d causes, want 5", name, language, causes)
			}
			if !strings.Contains(text.Scope, want) {
				t.Errorf("%s in %s does not say that correctness is not measured: %q", name, language, text.Scope)
			}
		}
	}
}

func TestMessagesClaimNoCause(t *testing.T) {
	for name, m := range incidents(t) {
		en := strings.ToLower(alert.Terminal(alert.Render(speak(m, "en"))))
		ja := alert.Terminal(alert.Render(speak(m, "ja")))
		if strings.Contains(en, "caused by") || strings.Contains(en, "because of") || strings.Contains(ja, "が原因") {
			t.Errorf("%s claims a cause", name)
		}
	}
}

func TestNoLinksWithoutABaseURL(t *testing.T) {
	m := speak(incidents(t)["silent"], "en")
	m.BaseURL = ""
	if text := alert.Render(m); len(text.Links) != 0 {
		t.Errorf("got links %v, want none", text.Links)
	}
}

func TestOnlyTheStandInCarriesABanner(t *testing.T) {
	all := incidents(t)
	if alert.Render(speak(all["silent"], "en")).Banner == "" {
		t.Error("the stand-in's numbers came without a banner")
	}
	if b := alert.Render(speak(all["drop"], "en")).Banner; b != "" {
		t.Errorf("a judge's numbers came with the banner %q", b)
	}
}

func TestAnUnknownTimeZoneIsShownAsUTC(t *testing.T) {
	m := speak(incidents(t)["drop"], "en")
	m.Timezone = "Mars/Olympus"
	if got := alert.Render(m).Footer; !strings.Contains(got, run(44).Format("2006-01-02 15:04")+" UTC") {
		t.Errorf("footer is %q, want the run in UTC", got)
	}
}

func TestADropAsksForTheReleaseCommandsWithATime(t *testing.T) {
	got := alert.Terminal(alert.Render(speak(incidents(t)["drop"], "en")))
	for _, want := range []string{"leadline release none --through " + run(41).Format(time.RFC3339), "leadline release add NAME --at TIME"} {
		if !strings.Contains(got, want) {
			t.Errorf("the message does not ask for %q", want)
		}
	}
}

func TestASilentFallSaysWhatElseWasWatched(t *testing.T) {
	for watched, want := range map[bool]string{true: "no release and no other watched code channel changed", false: "no other code channel is watched"} {
		e := episode(drift.KindSilent, series("hr"), 40, 44)
		e.Finding.Evidence.Channels = []drift.ChannelEvidence{
			{Channel: sampler.ChannelPrompt, State: drift.ChannelSame, Code: watched},
			{Channel: sampler.ChannelModel, State: drift.ChannelNotObserved, Code: true},
		}
		_, changes := alert.Step(nil, input(44, e))
		i := only(t, changes).Incident
		if got := alert.Render(alert.Message{Transition: alert.Firing, Incident: &i}).Verdict; !strings.Contains(got, want) {
			t.Errorf("watched %t: %q", watched, got)
		}
	}
}

func TestAResolvedMessageNamesTheSeriesOnce(t *testing.T) {
	var es []drift.Episode
	for n := range 12 {
		e := episode(drift.KindSilent, series(string(rune('a'+n))), 40, 44)
		e.Resolved = run(50)
		es = append(es, e)
	}
	open, _ := alert.Step(nil, input(44, es[0]))
	open[0].Alerts = nil
	for _, e := range es {
		e.Finding.Series = e.Series
		open[0].Alerts = append(open[0].Alerts, alert.Alert{Finding: e.Finding, Opened: e.Opened, Resolved: e.Resolved})
	}
	open[0].Resolved = run(50)
	text := alert.Terminal(alert.Render(alert.Message{Transition: alert.Resolved, Incident: &open[0]}))
	if n := strings.Count(text, "back to normal too"); n != 1 || !strings.Contains(text, "and 3 more") {
		t.Errorf("%d lines of what is back to normal, want one that names eight and counts three:\n%s", n, text)
	}
}

func TestAFirstMessageShowsTheEvidenceThatRaisedIt(t *testing.T) {
	e := episode(drift.KindSilent, series("hr"), 40, 44)
	e.Finding.LnEvidence, e.Finding.LnReached, e.Finding.LnNeeded = 4.4, 5.1, 4.9
	_, changes := alert.Step(nil, input(44, e))
	i := only(t, changes).Incident
	if text := alert.Terminal(alert.Render(alert.Message{Transition: alert.Firing, Incident: &i})); !strings.Contains(text, "10^2.2, alarm at 10^2.1") {
		t.Errorf("the evidence is less than what was needed:\n%s", text)
	}
}
