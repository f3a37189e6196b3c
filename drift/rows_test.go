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
