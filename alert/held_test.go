package alert_test

import (
	"strings"
	"testing"

	"leadline/alert"
	"leadline/drift"
	"leadline/scorer"
)

// moved is a judge that became stricter at run since, found at run opened.
func moved(since, opened int) drift.Move {
	return drift.Move{Metric: scorer.Faithfulness, Judge: "j1", From: run(since), Opened: run(opened), LnEvidence: 12, LnNeeded: 4.6,
		Shift: drift.Shift{Items: 56, Before: 0.62, After: 0.5, Mean: -0.14, SE: 0.03, Low: -0.2, High: -0.08, Only: "ja",
			Languages: []drift.LanguageShift{{Language: "en", Items: 28, SE: 0.02}, {Language: "ja", Items: 28, Mean: -0.24, SE: 0.05}}, Pairs: 12}}
}

// byJudge makes a fall one of which so much is left without the judge.
func byJudge(e drift.Episode, left, low float64) drift.Episode {
	e.Finding.Evidence.Judge = drift.JudgeEvidence{Items: 56, Shift: -0.14, SE: 0.03, Low: -0.2, High: -0.08, Verdict: drift.JudgeMoved,
		Corrected: &drift.Corrected{Drop: left, Low: low, High: left + 0.08, Stands: low > 0}}
	return e
}

func withMove(in alert.Input, m drift.Move) alert.Input {
	in.Episodes = append(in.Episodes, drift.MoveEpisodes([]drift.Move{m}, in.Run)...)
	return in
}

func TestAFallThatMayBeTheJudgesIsHeldBackAndSaid(t *testing.T) {
	fall := byJudge(episode(drift.KindSilent, series(""), 40, 44), 0.03, -0.05)
	open, changes := alert.Step(nil, withMove(input(44, fall), moved(40, 44)))
	told := only(t, changes).Incident
	if told.Kind != drift.KindJudge || len(told.HeldBack) != 1 || told.HeldBack[0].ID != open[0].ID || !open[0].Held {
		t.Fatalf("told of %+v, open %+v", told, open)
	}
	for language, want := range map[string][]string{
		"en": {"[FIRING:1] Judge moved: Faithfulness, control items · helpdesk", "stricter", "0.62", "Held back: the judge moved", open[0].ID, "−0.17", "leadline judge bridge", "only this language moved"},
		"ja": {"評価モデルの変動", "厳しく", "通知を保留中", open[0].ID, "leadline judge bridge", "この言語だけで変動"},
	} {
		text := alert.Render(alert.Message{Transition: alert.Firing, Incident: &told, Language: language, Timezone: "UTC"})
		got := text.Title + "\n" + text.Verdict
		for _, p := range text.Parts {
			got += "\n" + p.Heading
			for _, l := range p.Lines {
				got += "\n" + l.Label + ": " + l.Text
			}
		}
		golden(t, "ruler."+language+".txt", got+"\n")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %q:\n%s", language, w, got)
			}
		}
	}
	if _, again := alert.Step(open, withMove(input(44, fall), moved(40, 44))); len(again) != 0 {
		t.Errorf("the same again says %+v", again)
	}
}

func TestWhatWasHeldBackIsToldWhenItStands(t *testing.T) {
	fall := byJudge(episode(drift.KindSilent, series(""), 40, 44), 0.03, -0.05)
	open, _ := alert.Step(nil, withMove(input(44, fall), moved(40, 44)))
	_, changes := alert.Step(open, withMove(input(45, byJudge(fall, 0.10, 0.02)), moved(40, 44)))
	var fired bool
	for _, c := range changes {
		fired = fired || c.Incident.Kind == drift.KindSilent && c.Transition == alert.Firing && !c.Incident.Held
	}
	if !fired {
		t.Errorf("the fall stands without the judge, and the changes are %+v", changes)
	}
}

func TestWhatWasHeldBackIsToldWhenTheJudgeIsBackAndTheFallIsNot(t *testing.T) {
	fall := byJudge(episode(drift.KindSilent, series(""), 40, 44), 0.03, -0.05)
	open, _ := alert.Step(nil, withMove(input(44, fall), moved(40, 44)))
	back := moved(40, 44)
	back.Resolved, back.End = run(50), drift.EndBack
	_, changes := alert.Step(open, withMove(input(50, episode(drift.KindSilent, series(""), 40, 44)), back))
	got := map[drift.Kind]alert.Transition{}
	for _, c := range changes {
		got[c.Incident.Kind] = c.Transition
	}
	if got[drift.KindJudge] != alert.Resolved || got[drift.KindSilent] != alert.Firing {
		t.Errorf("changes %v, want the judge resolved and the fall told", got)
	}
}

func TestWhatWasHeldBackAndIsOverIsNeverTold(t *testing.T) {
	fall := byJudge(episode(drift.KindSilent, series(""), 40, 44), 0.03, -0.05)
	open, _ := alert.Step(nil, withMove(input(44, fall), moved(40, 44)))
	fall.Resolved = run(50)
	_, changes := alert.Step(open, withMove(input(50, fall), moved(40, 44)))
	for _, c := range changes {
		if c.Incident.Kind == drift.KindSilent {
			t.Errorf("told that what nobody heard of is over: %+v", c)
		}
	}
}

func TestWhatWasToldBeforeTheJudgeWasFoundStaysTold(t *testing.T) {
	fall := episode(drift.KindSilent, series(""), 40, 44)
	open, _ := alert.Step(nil, input(44, fall))
	next, changes := alert.Step(open, withMove(input(45, byJudge(fall, 0.03, -0.05)), moved(40, 45)))
	got := map[drift.Kind]alert.Transition{}
	for _, c := range changes {
		got[c.Incident.Kind] = c.Transition
	}
	if next[0].Held || got[drift.KindSilent] != alert.Updated || got[drift.KindJudge] != alert.Firing {
		t.Errorf("held %t, changes %v; want an update that the judge moved, and the judge's incident", next[0].Held, got)
	}
}

// To take the level of a series for normal says nothing of its judge.
func TestAcceptingALevelDoesNotAcceptTheJudge(t *testing.T) {
	open, _ := alert.Step(nil, withMove(input(44), moved(40, 44)))
	in := withMove(input(45), moved(40, 44))
	in.Acceptances = []drift.Acceptance{{Series: series(""), From: run(44), At: run(44), By: "kim"}}
	if next, _ := alert.Step(open, in); next[0].Accepted != nil {
		t.Error("the judge was accepted by a word on scores")
	}
	in.Acceptances[0].Ruler = true
	if next, _ := alert.Step(open, in); next[0].Accepted == nil {
		t.Error("the word on the judge was not heard")
	}
}
