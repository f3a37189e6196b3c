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
	share.Finding.Evidence = drift.Evidence{Release: drift.ChannelEvidence{Channel: sampler.ChannelRelease, State: drift.ChannelSame}}
	out["share"] = opened(input(44, share))
	blind := input(44)
	blind.Problems = []alert.Problem{
		{Kind: drift.KindBlind, Problem: alert.ProblemCoverage, Detail: "faithfulness 128 / 140", Since: run(42)},
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
	for _, want := range []string{"leadline release none --through " + run(44).Format(time.RFC3339), "leadline release add NAME --at TIME"} {
		if !strings.Contains(got, want) {
			t.Errorf("the message does not ask for %q", want)
		}
	}
}

// message steps from nothing and returns the one message that it gives.
func message(t *testing.T, in alert.Input) alert.Message {
	t.Helper()
	_, changes := alert.Step(nil, in)
	c := only(t, changes)
	return alert.Message{Transition: c.Transition, Incident: &c.Incident}
}

func TestASilentFallSaysWhatWasWatched(t *testing.T) {
	const same, changed, unseen = drift.ChannelSame, drift.ChannelChanged, drift.ChannelNotObserved
	for _, c := range []struct {
		release, prompt, model drift.ChannelState
		en, ja                 string
	}{
		{same, same, same, ", although release, prompt and model did not change.", "リリース、プロンプト、モデルに変更はありません。"},
		{same, same, unseen, ", although release and prompt did not change.", "リリース、プロンプトに変更はありません。"},
		{same, changed, unseen, ", and no change of code fits: the nearest, prompt 9f3d, holds 12 % of the weight.",
			"時期が合うコード側の変更はありません（最も近い「プロンプト 9f3d」の重みは 12%）。"},
		{same, unseen, unseen, ", although no release was made; no other code channel is watched.", "ほかのコード側の項目は監視していません。"},
		{unseen, same, unseen, ", although prompt did not change.", "プロンプトに変更はありません。"},
		{unseen, unseen, unseen, "; no code channel is observed over that time any more.", "現在は観測できていません。"},
	} {
		e := episode(drift.KindSilent, series("hr"), 40, 44)
		e.Finding.Evidence.Release.State = c.release
		e.Finding.Evidence.Channels = []drift.ChannelEvidence{
			{Channel: sampler.ChannelPrompt, State: c.prompt, New: "9f3d", Weight: 0.12, Code: true}, {Channel: sampler.ChannelModel, State: c.model, Code: true},
			{Channel: sampler.ChannelIndex, State: changed, New: "n8", Weight: 0.9},
		}
		m := message(t, input(44, e))
		for language, want := range map[string]string{"en": c.en, "ja": c.ja} {
			if got := alert.Render(speak(m, language)).Verdict; !strings.HasSuffix(got, want) {
				t.Errorf("%q does not end with %q", got, want)
			}
		}
	}
}

func TestAWindowOfOneRunIsNoSpan(t *testing.T) {
	for to, want := range map[int]string{40: "2026-11-12 00:00 UTC (90 % window: this run alone)",
		41: "2026-11-12 00:00 UTC (90 % window: the run of 2026-11-12 06:00 UTC)"} {
		e := episode(drift.KindSilent, series("hr"), 40, 44)
		e.Finding.From, e.Finding.To = run(to), run(to)
		if got := alert.Terminal(alert.Render(message(t, input(44, e)))); !strings.Contains(got, want) {
			t.Errorf("the message does not say %q:\n%s", want, got)
		}
	}
}

func TestAResolvedMessageNamesTheSeriesOnce(t *testing.T) {
	i := alert.Incident{Kind: drift.KindSilent, Resolved: run(50)}
	for n := range 12 {
		e := episode(drift.KindSilent, series(string(rune('a'+n))), 40, 44)
		i.Alerts = append(i.Alerts, alert.Alert{Finding: e.Finding, Opened: e.Opened, Resolved: run(50)})
	}
	text := alert.Terminal(alert.Render(alert.Message{Transition: alert.Resolved, Incident: &i}))
	if n := strings.Count(text, "back to normal"); n != 1 || !strings.Contains(text, "and 3 more") {
		t.Errorf("back to normal is said %d times, want once, with eight other series named and three counted:\n%s", n, text)
	}
}

func TestASeriesThatIsBackDoesNotSpeakForTheHeadline(t *testing.T) {
	hr, law := episode(drift.KindSilent, series("hr"), 40, 44), episode(drift.KindSilent, series("law"), 40, 44)
	open, _ := alert.Step(nil, input(44, hr, law))
	law.Resolved = run(49)
	_, changes := alert.Step(open, input(50, hr, law))
	i := only(t, changes).Incident
	text := alert.Terminal(alert.Render(alert.Message{Transition: alert.Updated, Incident: &i}))
	if !strings.Contains(text, "Faithfulness: back to normal: department=law") {
		t.Errorf("the message does not say which series is back:\n%s", text)
	}
}

func TestAnAcceptedPartDoesNotSpeakForTheRest(t *testing.T) {
	hr, law := episode(drift.KindSilent, series("hr"), 40, 44), episode(drift.KindSilent, series("law"), 40, 44)
	open, _ := alert.Step(nil, input(44, hr, law))
	law.Resolved = run(50)
	in := input(50, hr, law)
	in.Acceptances = []drift.Acceptance{{Series: series("law"), From: run(39), By: "mika", At: run(49)}}
	_, changes := alert.Step(open, in)
	i := only(t, changes).Incident
	if got := alert.Render(alert.Message{Transition: alert.Updated, Incident: &i}).Verdict; !strings.Contains(got, "fell from") {
		t.Errorf("hr is still down, and the message says %q", got)
	}
}

func TestAnEndSaysWhatBecomesOfIt(t *testing.T) {
	i := alert.Incident{Kind: drift.KindSilent, Resolved: run(50),
		Alerts: []alert.Alert{{Finding: episode(drift.KindSilent, series("hr"), 40, 44).Finding, Resolved: run(50)}}}
	accepted, merged := i, i
	accepted.Accepted = &drift.Acceptance{By: "mika"}
	merged.MergedInto = "inc_regression_x"
	for want, i := range map[string]alert.Incident{
		"The rows of this time stay out of the baseline.": i,
		"The baseline is learned anew from this level.":   accepted,
		"Follow inc_regression_x.":                        merged,
	} {
		text := alert.Render(alert.Message{Transition: alert.Resolved, Incident: &i})
		if got := alert.Terminal(text); !strings.Contains(got, want) {
			t.Errorf("the message does not say %q:\n%s", want, got)
		}
		if (text.Icon == "✅") == (i.MergedInto != "") {
			t.Errorf("the end by %q has the icon %s", want, text.Icon)
		}
	}
}

func TestTheEndIsToldOfTheHeadlineThatWasTold(t *testing.T) {
	hr, law := episode(drift.KindSilent, series("hr"), 40, 44), episode(drift.KindSilent, series("law"), 40, 44)
	law.Finding.LnEvidence = 9 // law is the headline until it is back
	open, _ := alert.Step(nil, input(44, hr, law))
	law.Resolved = run(49)
	open, changes := alert.Step(open, input(50, hr, law))
	before := only(t, changes).Incident
	hr.Resolved = run(55)
	_, changes = alert.Step(open, input(55, hr, law))
	after := only(t, changes).Incident
	_, was := before.Headline()
	if _, is := after.Headline(); was != "department=hr" || is != was {
		t.Errorf("told of %s, then that %s is over, want department=hr both times", was, is)
	}
}

func TestSharesAreToldInPoints(t *testing.T) {
	e := episode(drift.KindSilent, drift.Series{Metric: drift.ShareRefusal}, 40, 44)
	e.Finding.Evidence.Mix = drift.MixEvidence{Explains: 0.006, Within: 0.064, SE: 0.004, Worst: "department=hr", WorstDrop: 0.18, WorstN: 61}
	got := alert.Terminal(alert.Render(message(t, input(44, e))))
	for _, want := range []string{"accounts for 0.6 points ± 0.4 points of the change", "department=hr +18 points", "can be seen: 2.7 points", "counted, not judged"} {
		if !strings.Contains(strings.ReplaceAll(got, "\n┃     ", " "), want) {
			t.Errorf("the message does not say %q:\n%s", want, got)
		}
	}
}

func TestAProblemIsToldInWholeWords(t *testing.T) {
	in := input(44)
	in.Problems = []alert.Problem{
		{Kind: drift.KindBlind, Problem: alert.ProblemJudgeDown, Since: run(43)},
		{Kind: drift.KindBlind, Problem: alert.ProblemRunsLate, Detail: "4"},
		{Kind: drift.KindBlind, Problem: alert.ProblemNoBudget},
		{Kind: drift.KindBlind, Problem: alert.ProblemNoData, Detail: "26h0m0s"},
	}
	got := alert.Terminal(alert.Render(message(t, in)))
	for _, want := range []string{"• judge down: since 2026-11-12 18:00 UTC\n", "• runs late: 4 or more windows wait\n", "• no budget\n", "• no data: nothing for 26 h 0 min\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the message lacks %q:\n%s", want, got)
		}
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

func TestTheLengthOfAnswersIsASixthLineWhereItIsKnown(t *testing.T) {
	e := episode(drift.KindSilent, series("hr"), 40, 44)
	for language, want := range map[string]map[string]string{
		"en": {
			drift.LengthSame:     "Answer length: steady within luck: 5.5 → 2.1 statements per answer; supported statements 88 % → 79 % (± 1.2 points)",
			drift.LengthExplains: "5.5 → 2.1 statements per answer, accounts for 0.150 ± 0.012 of the change; at the same length 0.020; supported",
			drift.LengthNot:      "accounts for only 0.150 ± 0.012 of the change; at the same length 0.020; supported",
			drift.LengthOpen:     "what it accounts for cannot be told yet: 0.150 ± 0.012, at the same length 0.020; supported",
		},
		"ja": {
			drift.LengthSame:     "回答の長さ: 偶然の範囲内: 1 回答あたりの文 5.5 → 2.1。裏付けのある文 88% → 79%（± 1.2 ポイント）",
			drift.LengthExplains: "変化のうち長さで説明できる分は 0.150 ± 0.012、同じ長さの回答での変化は 0.020。裏付け",
			drift.LengthNot:      "長さで説明できる分は 0.150 ± 0.012 のみで、同じ長さの回答でも 0.020 変化。裏付け",
			drift.LengthOpen:     "まだ判断できません: 0.150 ± 0.012、同じ長さの回答での変化は 0.020。裏付け",
		},
	} {
		for verdict, text := range want {
			e.Finding.Evidence.Length = drift.LengthEvidence{Before: 5.5, After: 2.1, SupportBefore: 0.88, SupportAfter: 0.79,
				SupportSE: 0.012, Explains: 0.15, Within: 0.02, SE: 0.012, Verdict: verdict}
			m := message(t, input(44, e))
			m.Language = language
			got := ""
			for _, p := range alert.Render(m).Parts {
				for _, l := range p.Lines {
					got += l.String() + "\n"
				}
			}
			if !strings.Contains(got, text) {
				t.Errorf("%s, %s: the message lacks %q:\n%s", language, verdict, text, got)
			}
		}
	}
}
