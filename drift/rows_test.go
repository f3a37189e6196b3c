package drift_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

func score(id, release string, cell sampler.Cell, value float64) scorer.Score {
	return scorer.Score{SampleID: id, Cell: cell, Channels: map[sampler.Channel]string{sampler.ChannelRelease: release},
		Judges: map[scorer.Metric]string{scorer.Faithfulness: "j"},
		Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: value},
			scorer.AnswerRelevancy: {Reason: scorer.ReasonNoEmbeddings}},
		Statements: []scorer.Statement{{Verdict: 1}, {Verdict: 0, Count: 2}}}
}

func TestRowsSumScoresPerCellAndSplitThemByRelease(t *testing.T) {
	w := sampler.Window{Start: newWorld(1).due(0), Due: newWorld(1).due(1)}
	scores := []scorer.Score{score("a", "v1", "d=x", 1), score("b", "v2", "d=x", 0), score("c", "v1", "d=y", 0.5)}
	got := drift.Rows(w, scores)
	want := []drift.Row{
		{Start: w.Start, Due: w.Due, Metric: scorer.Faithfulness, Judge: "j", Cell: "d=x", Moments: moments(1, 0), Statements: 6, Supported: 2,
			Lengths:  []drift.LengthCount{{Statements: 3, Supported: 1, Answers: 2}},
			Releases: map[string]drift.Moments{"v1": moments(1), "v2": moments(0)},
			ReleaseLengths: map[string][]drift.LengthCount{
				"v1": {{Statements: 3, Supported: 1, Answers: 1}}, "v2": {{Statements: 3, Supported: 1, Answers: 1}}}},
		{Start: w.Start, Due: w.Due, Metric: scorer.Faithfulness, Judge: "j", Cell: "d=y", Moments: moments(0.5), Statements: 3, Supported: 1,
			Lengths:        []drift.LengthCount{{Statements: 3, Supported: 1, Answers: 1}},
			Releases:       map[string]drift.Moments{"v1": moments(0.5)},
			ReleaseLengths: map[string][]drift.LengthCount{"v1": {{Statements: 3, Supported: 1, Answers: 1}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	slices.Reverse(scores)
	if diff := cmp.Diff(want, drift.Rows(w, scores)); diff != "" {
		t.Errorf("in another order: %s", diff)
	}
}

func TestRowsOfOneReleaseAreNotSplit(t *testing.T) {
	got := drift.Rows(sampler.Window{}, []scorer.Score{score("a", "v1", "", 1), score("b", "v1", "", 0)})
	if len(got) != 1 || got[0].Releases != nil {
		t.Errorf("got %+v, want one row without a split", got)
	}
}

// same is a score of a text, in a session.
func same(id, text, session string, value float64) scorer.Score {
	s := score(id, "v1", "d=x", value)
	s.TextHash, s.SessionHash = text, session
	return s
}

func TestAnAnswerGivenAgainIsCountedOnceAndWeighsForAll(t *testing.T) {
	w := sampler.Window{Rate: 0.5, Offered: map[sampler.Cell]int{"d=x": 40}}
	got := drift.Rows(w, []scorer.Score{
		same("a", "t1", "", 0), same("b", "t1", "", 0), same("c", "t1", "", 0), same("d", "t2", "", 0.5), same("e", "", "", 0.75),
	})
	want := []drift.Row{{Metric: scorer.Faithfulness, Judge: "j", Cell: "d=x", Moments: moments(0, 0.5, 0.75), Statements: 9, Supported: 3,
		Lengths: []drift.LengthCount{{Statements: 3, Supported: 1, Answers: 3}}, Weight: 80, Repeats: &drift.Repeats{N: 2, Mean: 0.25, Zeros: 0.6}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if l := got[0].Traffic(); l.N != 3 || l.Mean != 0.25 || l.Zeros != 0.6 {
		t.Errorf("the traffic's level is %+v, want mean 0.25 with 0.6 zeros", l)
	}
	// Without a count of what was offered, each answer stands for itself.
	if got := drift.Rows(sampler.Window{}, []scorer.Score{same("a", "t", "", 0), same("b", "t", "", 0)}); got[0].Answers() != 2 || got[0].N != 1 {
		t.Errorf("%d observations for %g answers, want 1 for 2", got[0].N, got[0].Answers())
	}
	// Another cell, and the other of two releases, has its own.
	other, newer := same("b", "t", "", 0), same("c", "t", "", 0)
	other.Cell, newer.Channels = "d=y", map[sampler.Channel]string{sampler.ChannelRelease: "v2"}
	got = drift.Rows(sampler.Window{}, []scorer.Score{same("a", "t", "", 0), other, newer, same("d", "t", "", 0)})
	if len(got) != 2 || got[0].N != 2 || got[0].Releases["v1"].N != 1 || got[0].Releases["v2"].N != 1 || got[1].N != 1 {
		t.Errorf("rows %+v, want one of each release in x and one in y", got)
	}
}

// designEffect is the ratio that Clusters is for.
func designEffect(r drift.Row) float64 {
	if r.Clusters == nil {
		return 1
	}
	c, l := r.Clusters, r.Level()
	zeros, others := float64(r.Zeros), float64(r.N-r.Zeros)
	d := r.Mean - l.Mean
	return (c.SumSq - 2*l.Mean*c.SumN + l.Mean*l.Mean*c.NSq) / (r.M2 + others*d*d + zeros*l.Mean*l.Mean)
}

func TestClustersGiveTheDesignEffectOfConversations(t *testing.T) {
	values := []float64{0, 0.5, 1, 0.25, 0.75}
	for _, c := range []struct {
		name    string
		copies  int
		session bool
		want    float64
	}{{"answers on their own", 1, false, 1}, {"one answer a conversation", 1, true, 1}, {"four alike in each", 4, true, 4}, {"no conversations", 4, false, 1}} {
		var scores []scorer.Score
		for n, x := range values {
			for k := range c.copies {
				s := same(string(rune('a'+n))+string(rune('a'+k)), "", "", x)
				if c.session {
					s.SessionHash = string(rune('a' + n))
				}
				scores = append(scores, s)
			}
		}
		rows := drift.Rows(sampler.Window{}, scores)
		if got := designEffect(rows[0]); !near(got, c.want) {
			t.Errorf("%s: design effect %g, want %g", c.name, got, c.want)
		}
		if has := rows[0].Clusters != nil; has != (c.want > 1) {
			t.Errorf("%s: clusters are %v", c.name, rows[0].Clusters)
		}
	}
}

// Two conversations of two and three answers, a loose one; 0.5 twice in one text counts once.
func TestClustersSumOverAllConversations(t *testing.T) {
	rows := drift.Rows(sampler.Window{}, []scorer.Score{
		same("a", "1", "s", 1), same("b", "2", "s", 0.5), same("c", "2", "s", 0.5),
		same("d", "3", "u", 0.5), same("e", "4", "u", 0.5), same("f", "5", "u", -0.1), same("g", "6", "", 1),
	})
	got := rows[0].Clusters
	if want := (drift.Clusters{SumSq: 2.25 + 1 + 1, SumN: 3 + 3 + 1, NSq: 4 + 9 + 1}); got == nil || *got != want {
		t.Errorf("clusters %+v, want %+v", got, want)
	}
}
