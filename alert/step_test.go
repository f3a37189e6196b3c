package alert_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

func TestOneEventIsOnePage(t *testing.T) {
	open, changes := alert.Step(nil, input(44, episode(drift.KindSilent, series("hr"), 40, 44), episode(drift.KindSilent, series(""), 41, 44)))
	c := only(t, changes)
	if c.Transition != alert.Firing || len(c.Incident.Alerts) != 2 {
		t.Errorf("got %s with %d alerts, want firing with 2", c.Transition, len(c.Incident.Alerts))
	}
	if got := c.Incident.ID; got != "inc_silent_20261113T000000Z" {
		t.Errorf("ID is %q", got)
	}
	if !c.Incident.Since.Equal(run(40)) || c.Incident.SamplesAfterChange != 75 {
		t.Errorf("since %s with %d samples, want the earliest %s with 75", c.Incident.Since, c.Incident.SamplesAfterChange, run(40))
	}
	if len(open) != 1 {
		t.Errorf("got %d incidents, want 1", len(open))
	}
}

func TestTheSameInputAgainSaysNothing(t *testing.T) {
	in := input(44, episode(drift.KindSilent, series("hr"), 40, 44))
	in.Problems = []alert.Problem{{Kind: drift.KindBlind, Problem: alert.ProblemCoverage, Since: run(43)}}
	once, _ := alert.Step(nil, in)
	twice, changes := alert.Step(once, in)
	if len(changes) != 0 {
		t.Errorf("got %d changes, want none", len(changes))
	}
	if diff := cmp.Diff(once, twice); diff != "" {
		t.Errorf("a second step moved the incidents:\n%s", diff)
	}
}

func TestOrderOfEpisodesDoesNotMatter(t *testing.T) {
	episodes := []drift.Episode{
		episode(drift.KindSilent, series("hr"), 40, 44), episode(drift.KindSilent, series(""), 41, 44),
		episode(drift.KindRegression, series("it"), 10, 44), episode(drift.KindSilent, series("law"), 3, 44),
	}
	want, _ := alert.Step(nil, input(44, episodes...))
	for seed := range uint64(20) {
		shuffled := slices.Clone(episodes)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		got, _ := alert.Step(nil, input(44, shuffled...))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

func TestAFindingIsNeverLost(t *testing.T) {
	hr := episode(drift.KindSilent, series("hr"), 40, 44)
	far := episode(drift.KindSilent, series("law"), 80, 84)
	open, _ := alert.Step(nil, input(44, hr))
	next, changes := alert.Step(open, input(84, hr, far))
	c := only(t, changes)
	if c.Transition != alert.Updated || len(next) != 1 || len(next[0].Alerts) != 2 {
		t.Errorf("got %s, %d incidents, %d alerts; want the one open silent incident updated to 2", c.Transition, len(next), len(next[0].Alerts))
	}
}

func TestDepartmentOfAnotherKindJoinsWhatItsChangeSetReaches(t *testing.T) {
	all := episode(drift.KindSilent, series(""), 40, 44)
	open, _ := alert.Step(nil, input(44, all))
	hr := released(episode(drift.KindUndecided, series("hr"), 42, 45), drift.KindUndecided, 0.2)
	next, changes := alert.Step(open, input(45, all, hr))
	if len(changes) != 0 || len(next) != 1 || len(next[0].Alerts) != 2 {
		t.Errorf("got %d changes and %d incidents, want the one to take it in, and to say so within a day", len(changes), len(next))
	}
	next, changes = alert.Step(next, input(48, all, hr))
	if c := only(t, changes); c.Transition != alert.Updated || len(next) != 1 {
		t.Errorf("a day later: got %s and %d incidents, want one updated", c.Transition, len(next))
	}
	hr = released(episode(drift.KindUndecided, series("hr"), 60, 64), drift.KindUndecided, 0.2)
	if next, _ = alert.Step(open, input(64, all, hr)); len(next) != 2 {
		t.Errorf("a change set far away of another kind gave %d incidents, want 2", len(next))
	}
}

func TestASharperKindMovesTheIncident(t *testing.T) {
	for _, from := range []drift.Kind{drift.KindSilent, drift.KindUndecided, drift.KindDrop} {
		before := episode(from, series("hr"), 40, 44)
		open, _ := alert.Step(nil, input(44, before))
		next, changes := alert.Step(open, input(45, released(before, drift.KindRegression, 0.8)))
		c := only(t, changes)
		if len(next) != 1 || c.Transition != alert.Updated || c.Incident.Kind != drift.KindRegression || c.Incident.ID != open[0].ID {
			t.Errorf("%s: got %s of %s %s and %d incidents, want the same one as regression", from, c.Transition, c.Incident.Kind, c.Incident.ID, len(next))
		}
		if c.Incident.Channel != sampler.ChannelRelease || c.Incident.Release != "v42" {
			t.Errorf("%s: came with %q %q, want release v42", from, c.Incident.Channel, c.Incident.Release)
		}
	}
}

func TestTwoIncidentsThatBecomeOfOneKindAreOne(t *testing.T) {
	a := episode(drift.KindSilent, series("hr"), 10, 14)
	b := released(episode(drift.KindUndecided, series("it"), 60, 64), drift.KindUndecided, 0.3)
	open, _ := alert.Step(nil, input(14, a))
	open, _ = alert.Step(open, input(64, a, b))
	b.Kind, b.Finding.Kind = drift.KindSilent, drift.KindSilent
	next, changes := alert.Step(open, input(65, a, b))
	if len(changes) != 2 || changes[0].Transition != alert.Updated || changes[1].Transition != alert.Resolved {
		t.Fatalf("got %+v, want the older updated and the younger resolved", changes)
	}
	if next[1].MergedInto != next[0].ID || len(next[0].Alerts) != 2 {
		t.Errorf("merged into %q with %d alerts, want %q with 2", next[1].MergedInto, len(next[0].Alerts), next[0].ID)
	}
	a.Resolved, b.Resolved = run(70), run(70)
	if next, changes = alert.Step(next, input(71, a, b)); len(next) != 2 || only(t, changes).Transition != alert.Resolved {
		t.Errorf("the merged incident did not resolve as one: %d incidents", len(next))
	}
}

func TestResolvedWhenAllItsSeriesAre(t *testing.T) {
	a, b := episode(drift.KindSilent, series("hr"), 40, 44), episode(drift.KindSilent, series(""), 40, 44)
	open, _ := alert.Step(nil, input(44, a, b))
	a.Resolved = run(50)
	open, changes := alert.Step(open, input(51, a, b))
	if c := only(t, changes); c.Transition != alert.Updated || !c.Incident.Open() {
		t.Fatalf("one of two series normal: got %s, want updated and open", c.Transition)
	}
	b.Resolved = run(52)
	open, changes = alert.Step(open, input(53, a, b))
	if c := only(t, changes); c.Transition != alert.Resolved || !c.Incident.Resolved.Equal(run(53)) {
		t.Fatalf("got %s at %s, want resolved at %s", c.Transition, c.Incident.Resolved, run(53))
	}
	open, changes = alert.Step(open, input(54, a, b))
	if len(changes) != 0 {
		t.Errorf("a closed incident spoke again: %+v", changes)
	}
	again := episode(drift.KindSilent, series("hr"), 80, 84)
	if open, _ = alert.Step(open, input(84, a, b, again)); len(open) != 2 {
		t.Errorf("a new fall of a recovered series gave %d incidents, want a second", len(open))
	}
}

func TestMissingEpisodesAreNoNews(t *testing.T) {
	open, _ := alert.Step(nil, input(44, episode(drift.KindSilent, series("hr"), 40, 44)))
	next, changes := alert.Step(open, input(45))
	if len(changes) != 0 || !next[0].Open() {
		t.Errorf("no episodes ended the incident: %+v", changes)
	}
}

func TestDecimalsAreNoNewsButSizeIs(t *testing.T) {
	e := episode(drift.KindSilent, series("hr"), 40, 44)
	open, _ := alert.Step(nil, input(44, e))
	for n, drop := range []float64{0.18, 0.15, 0.2, 0.16, 0.25, 0.1} {
		e.Finding.Drop, e.Finding.After.Mean = drop, 0.91-drop
		var changes []alert.Change
		if open, changes = alert.Step(open, input(45+n, e)); len(changes) != 0 {
			t.Fatalf("a drop of %g was told again", drop)
		}
	}
	e.Finding.Drop = 0.3
	_, changes := alert.Step(open, input(60, e))
	only(t, changes)
}

func TestTheReleaseStateIsToldOnceItChanges(t *testing.T) {
	e := episode(drift.KindDrop, series("hr"), 40, 44)
	e.Finding.Evidence.Release.State = drift.ChannelNotObserved
	open, _ := alert.Step(nil, input(44, e))
	e.Kind, e.Finding.Kind, e.Finding.Evidence.Release.State = drift.KindSilent, drift.KindSilent, drift.ChannelSame
	open, changes := alert.Step(open, input(45, e))
	if c := only(t, changes); c.Incident.Kind != drift.KindSilent {
		t.Errorf("kind is %s, want silent", c.Incident.Kind)
	}
	if _, changes = alert.Step(open, input(46, e)); len(changes) != 0 {
		t.Errorf("told twice: %+v", changes)
	}
}

func TestProblemsAreOneIncidentOfTheirKind(t *testing.T) {
	down := alert.Problem{Kind: drift.KindBlind, Problem: alert.ProblemJudgeDown, Detail: "12 min", Since: run(43)}
	coverage := alert.Problem{Kind: drift.KindBlind, Problem: alert.ProblemCoverage, Detail: "91 %", Since: run(42)}
	in := input(44)
	in.Problems = []alert.Problem{coverage, down}
	open, changes := alert.Step(nil, in)
	if c := only(t, changes); c.Incident.Problem != alert.ProblemJudgeDown || !c.Incident.Since.Equal(run(42)) {
		t.Errorf("got %s since %s, want the worst since the first", c.Incident.Problem, c.Incident.Since)
	}
	in.Run, in.Problems[0].Detail = run(45), "90 %"
	if open, changes = alert.Step(open, in); len(changes) != 0 {
		t.Errorf("figures alone were told: %+v", changes)
	}
	in.Run, in.Problems = run(46), in.Problems[:1]
	open, changes = alert.Step(open, in)
	if c := only(t, changes); c.Transition != alert.Updated || c.Incident.Problem != alert.ProblemCoverage {
		t.Errorf("got %s of %s, want updated to coverage", c.Transition, c.Incident.Problem)
	}
	in.Run, in.Problems = run(47), nil
	_, changes = alert.Step(open, in)
	if c := only(t, changes); c.Transition != alert.Resolved || c.Incident.Problem != alert.ProblemCoverage {
		t.Errorf("got %s of %q, want resolved, saying what it was", c.Transition, c.Incident.Problem)
	}
}

func TestEachBrokenReceiverIsTold(t *testing.T) {
	in := input(44)
	in.Problems = []alert.Problem{{Kind: drift.KindDelivery, Problem: alert.ProblemReceiverBroken, Detail: "slack"}}
	open, _ := alert.Step(nil, in)
	in.Problems = append(in.Problems, alert.Problem{Kind: drift.KindDelivery, Problem: alert.ProblemReceiverBroken, Detail: "hook"})
	_, changes := alert.Step(open, in)
	if c := only(t, changes); c.Transition != alert.Updated || len(c.Incident.Problems) != 2 {
		t.Errorf("got %s with %d problems, want updated with 2", c.Transition, len(c.Incident.Problems))
	}
}

func TestServicesAndEnvironmentsDoNotMeet(t *testing.T) {
	e := episode(drift.KindSilent, series("hr"), 40, 44)
	open, _ := alert.Step(nil, input(44, e))
	other := input(44, e)
	other.Service = "shop"
	open, changes := alert.Step(open, other)
	c := only(t, changes)
	if len(open) != 2 || c.Incident.ID == open[0].ID {
		t.Errorf("two services share %d incidents and the ID %s", len(open), c.Incident.ID)
	}
	staging := input(44, e)
	staging.Environment = "staging"
	_, changes = alert.Step(open, staging)
	if got := alert.Deliveries(changes, alert.DeliveryOptions{Receivers: []string{"slack"}}, run(44)); len(got) != 0 {
		t.Errorf("staging paged: %+v", got)
	}
}

func TestAcceptanceIsNamedWhenTheIncidentEnds(t *testing.T) {
	e := episode(drift.KindSilent, series("hr"), 40, 44)
	open, _ := alert.Step(nil, input(44, e))
	e.Resolved = run(50)
	in := input(50, e)
	in.Acceptances = []drift.Acceptance{{Series: series("hr"), From: run(49), By: "mika", At: run(49)}}
	_, changes := alert.Step(open, in)
	c := only(t, changes)
	if c.Incident.Accepted == nil || c.Transition != alert.Resolved {
		t.Fatalf("got %s, accepted %v", c.Transition, c.Incident.Accepted)
	}
	if got := alert.Render(alert.Message{Transition: c.Transition, Incident: &c.Incident}).Verdict; !strings.Contains(got, "accepted as normal by mika") {
		t.Errorf("verdict is %q", got)
	}
}

func TestStepLeavesItsInputAlone(t *testing.T) {
	e := episode(drift.KindSilent, series("hr"), 40, 44)
	open, _ := alert.Step(nil, input(44, e))
	before := slices.Clone(open)
	before[0].Alerts = slices.Clone(open[0].Alerts)
	e.Resolved = run(50)
	alert.Step(open, input(51, e))
	if diff := cmp.Diff(before, open); diff != "" {
		t.Errorf("the incidents before were changed:\n%s", diff)
	}
}

// TestInvariantsOverRandomHistories checks what must hold whatever happens: one open
// incident of a kind, no finding lost, a step without news is silent, every incident that
// was told of ends in a message.
func TestInvariantsOverRandomHistories(t *testing.T) {
	kinds := []drift.Kind{drift.KindSilent, drift.KindRegression, drift.KindUndecided, drift.KindDrop, drift.KindJudge}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var incidents []alert.Incident
		var episodes []drift.Episode
		told := map[string]bool{}
		for n := 20; n < 120; n++ {
			if rng.IntN(6) == 0 {
				s := series([]string{"", "hr", "it", "law"}[rng.IntN(4)])
				if rng.IntN(3) == 0 {
					s.Metric = scorer.AnswerRelevancy
				}
				episodes = append(episodes, episode(kinds[rng.IntN(len(kinds))], s, n-rng.IntN(12), n))
			}
			for i := range episodes {
				switch e := &episodes[i]; {
				case !e.Resolved.IsZero():
				case rng.IntN(15) == 0:
					e.Resolved = run(n)
				case rng.IntN(15) == 0 && e.Kind != drift.KindJudge:
					e.Kind = kinds[rng.IntN(4)]
				}
			}
			in := input(n, slices.Clone(episodes)...)
			next, changes := alert.Step(incidents, in)
			for _, c := range changes {
				told[c.Incident.ID] = c.Incident.Open()
			}
			checkInvariants(t, seed, next, episodes, told)
			if _, again := alert.Step(next, in); len(again) != 0 {
				t.Fatalf("seed %d run %d: the same input again said %+v", seed, n, again)
			}
			incidents = next
		}
	}
}

func checkInvariants(t *testing.T, seed uint64, incidents []alert.Incident, episodes []drift.Episode, told map[string]bool) {
	t.Helper()
	open := map[drift.Kind]int{}
	ids := map[string]bool{}
	held := map[string]bool{}
	key := func(s drift.Series, opened time.Time) string { return string(s.Metric) + s.Segment() + opened.String() }
	for _, i := range incidents {
		if ids[i.ID] {
			t.Fatalf("seed %d: ID %s twice", seed, i.ID)
		}
		ids[i.ID] = true
		if told[i.ID] != i.Open() {
			t.Fatalf("seed %d: %s is open: %t, told: %t", seed, i.ID, i.Open(), told[i.ID])
		}
		if !i.Open() {
			continue
		}
		if open[i.Kind]++; open[i.Kind] > 1 {
			t.Fatalf("seed %d: two open incidents of kind %s", seed, i.Kind)
		}
		for _, a := range i.Alerts {
			held[key(a.Finding.Series, a.Opened)] = true
		}
	}
	for _, e := range episodes {
		if e.Resolved.IsZero() && !held[key(e.Series, e.Opened)] {
			t.Fatalf("seed %d: the open episode of %s at %s is in no open incident", seed, e.Series.Segment(), e.Opened)
		}
	}
}

func TestDeliveriesAreTheSameAfterAReplay(t *testing.T) {
	_, changes := alert.Step(nil, input(44, episode(drift.KindSilent, series("hr"), 40, 44)))
	o := alert.DeliveryOptions{Receivers: []string{"slack", "hook"}, Language: "ja", ExpireAfter: 24 * time.Hour,
		Samples: func(alert.Incident) []alert.SampleRef { return []alert.SampleRef{{ID: "req-1"}} }}
	a, b := alert.Deliveries(changes, o, run(44)), alert.Deliveries(changes, o, run(45))
	if len(a) != 2 || a[0].ID == a[1].ID {
		t.Fatalf("got %+v, want one delivery of its own ID for each receiver", a)
	}
	times := cmpopts.IgnoreFields(alert.Delivery{}, "Created", "Next", "Expires")
	if diff := cmp.Diff(a, b, times); diff != "" {
		t.Errorf("a replay differs:\n%s", diff)
	}
	if !strings.HasPrefix(a[0].ID, "msg_") || strings.Contains(a[0].ID, ".") || a[0].Expires != run(44).Add(24*time.Hour) {
		t.Errorf("got ID %q, expires %s", a[0].ID, a[0].Expires)
	}
}

func TestAStateThatComesBackIsANewMessage(t *testing.T) {
	e := episode(drift.KindSilent, series("hr"), 40, 44)
	u := released(e, drift.KindUndecided, 0.3)
	open, _ := alert.Step(nil, input(44, e))
	seen := map[string]bool{}
	for n, e := range []drift.Episode{u, e, u, e} {
		var changes []alert.Change
		open, changes = alert.Step(open, input(45+n, e))
		id := alert.Deliveries(changes, alert.DeliveryOptions{Receivers: []string{"slack"}}, run(45+n))[0].ID
		if seen[id] {
			t.Fatalf("step %d has the ID of an earlier message", n)
		}
		seen[id] = true
	}
}

func TestReportsHaveTheirOwnGroupAndTime(t *testing.T) {
	d := &alert.Digest{Service: "helpdesk", Week: "2026-W48", Verdict: "stable"}
	got := alert.ReportDeliveries(d, alert.DeliveryOptions{Receivers: []string{"slack"}, ExpireAfter: time.Hour}, run(44))
	if len(got) != 1 || !strings.Contains(got[0].Group, "2026-W48") || got[0].Expires != run(44).Add(7*24*time.Hour) {
		t.Errorf("got %+v", got)
	}
}

func TestSinceFollowsTheNewestView(t *testing.T) {
	e := episode(drift.KindSilent, series("hr"), 30, 44)
	open, _ := alert.Step(nil, input(44, e))
	e.Finding.Since = run(40)
	open, changes := alert.Step(open, input(45, e))
	if len(changes) != 0 || !open[0].Since.Equal(run(40)) || open[0].SamplesAfterChange != 75 {
		t.Errorf("since %s with %d samples and %d changes, want %s with 75 and none", open[0].Since, open[0].SamplesAfterChange, len(changes), run(40))
	}
}
