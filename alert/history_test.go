package alert_test

import (
	"testing"

	"leadline/alert"
	"leadline/drift"
)

// late is the input of a run that is worked off long after its time.
func late(n int, episodes ...drift.Episode) alert.Input {
	in := input(n, episodes...)
	in.History = true
	return in
}

func TestAnOldFallThatGoesOnIsToldOnceWhenCaughtUp(t *testing.T) {
	fall := episode(drift.KindSilent, series("hr"), 40, 44)
	open, changes := alert.Step(nil, late(44, fall))
	if len(changes) != 0 || len(open) != 1 {
		t.Fatalf("got %d changes and %d incidents, want none told and one kept", len(changes), len(open))
	}
	fall.Finding.Drop = 0.4
	open, changes = alert.Step(open, late(48, fall))
	if len(changes) != 0 {
		t.Fatalf("got %+v, want nothing told while the runs are old", changes)
	}
	open, changes = alert.Step(open, input(49, fall))
	if c := only(t, changes); c.Transition != alert.Firing || c.Incident.ToldDrop != 0.4 {
		t.Errorf("got %s of a drop of %g, want firing with the newest view, 0.4", c.Transition, c.Incident.ToldDrop)
	}
	if _, changes = alert.Step(open, input(50, fall)); len(changes) != 0 {
		t.Errorf("told again: %+v", changes)
	}
}

func TestAnOldFallThatIsOverIsToldToNobody(t *testing.T) {
	fall := episode(drift.KindSilent, series("hr"), 40, 44)
	open, _ := alert.Step(nil, late(44, fall))
	fall.Resolved = run(60)
	open, changes := alert.Step(open, late(60, fall))
	if len(changes) != 0 || open[0].Open() {
		t.Fatalf("got %+v, want it over and nothing told", changes)
	}
	if _, changes = alert.Step(open, input(61, fall)); len(changes) != 0 {
		t.Errorf("got %+v, want no word of what nobody heard of", changes)
	}
}

func TestWhatWasToldIsResolvedWhenCaughtUp(t *testing.T) {
	fall := episode(drift.KindSilent, series("hr"), 40, 44)
	open, _ := alert.Step(nil, input(44, fall))
	fall.Resolved = run(60)
	open, changes := alert.Step(open, late(60, fall))
	if len(changes) != 0 {
		t.Fatalf("got %+v, want nothing told yet", changes)
	}
	open, changes = alert.Step(open, input(70, fall))
	if c := only(t, changes); c.Transition != alert.Resolved || !c.Incident.Resolved.Equal(run(60)) {
		t.Errorf("got %s at %s, want resolved at %s", c.Transition, c.Incident.Resolved, run(60))
	}
	if _, changes = alert.Step(open, input(71, fall)); len(changes) != 0 {
		t.Errorf("told again: %+v", changes)
	}
}

func TestProblemsAreToldWhateverTheAgeOfTheRun(t *testing.T) {
	in := late(44)
	in.Problems = []alert.Problem{{Kind: drift.KindBlind, Problem: alert.ProblemJudgeDown, Since: run(43)}}
	open, changes := alert.Step(nil, in)
	if c := only(t, changes); c.Transition != alert.Firing {
		t.Errorf("got %s, want firing", c.Transition)
	}
	unwatched := input(45)
	unwatched.Unwatched = true
	next, changes := alert.Step(open, unwatched)
	if len(changes) != 0 || !next[0].Open() {
		t.Errorf("got %+v, want the incident as it was: nobody looked", changes)
	}
}
