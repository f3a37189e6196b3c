package main

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/store"
)

func TestCoverageIsThatOfTheWorseMetric(t *testing.T) {
	run := scorer.Run{
		Scored: map[scorer.Metric]int{scorer.Faithfulness: 80, scorer.AnswerRelevancy: 50},
		Unscorable: map[scorer.Metric]map[scorer.Reason]int{
			scorer.Faithfulness:    {scorer.ReasonNoContext: 30, scorer.ReasonTruncated: 2},
			scorer.AnswerRelevancy: {scorer.ReasonBadEmbedding: 50},
		},
	}
	got := coverage([]scorer.Run{run})
	if got.metric != scorer.AnswerRelevancy || got.scored != 50 || got.samples != 100 {
		t.Errorf("got %+v, want relevancy, 50 of 100", got)
	}
}

func TestCoverageLooksAtTheNewestSamples(t *testing.T) {
	bad := scorer.Run{Unscorable: map[scorer.Metric]map[scorer.Reason]int{scorer.Faithfulness: {scorer.ReasonBadReply: 100}}}
	good := scorer.Run{Scored: map[scorer.Metric]int{scorer.Faithfulness: 120, scorer.AnswerRelevancy: 120}}
	if got := coverage([]scorer.Run{bad, good}); got.share() != 1 {
		t.Errorf("old failures count: %+v", got)
	}
	if got := coverage(nil); got.samples != 0 || got.share() != 1 {
		t.Errorf("no samples: %+v", got)
	}
}

func TestTheLowWatermarkWaitsForEveryPartition(t *testing.T) {
	now := epoch.Add(48 * time.Hour)
	c := newClock(func() time.Time { return now })
	if !c.low().IsZero() {
		t.Error("nothing was read, and the watermark is not zero")
	}
	c.observe(sampler.Range{Topic: "t", Partition: 0})
	c.observe(sampler.Range{Topic: "t", Partition: 1, Watermark: epoch.Add(time.Hour)})
	if !c.low().IsZero() {
		t.Errorf("low is %s although partition 0 was not read", c.low())
	}
	c.observe(sampler.Range{Topic: "t", Partition: 0, Watermark: epoch, AtEnd: true})
	if want := epoch.Add(time.Hour); !c.low().Equal(want) {
		t.Errorf("low is %s, want %s: a partition at its end counts as now", c.low(), want)
	}
	c.observe(sampler.Range{Topic: "t", Partition: 1, Watermark: epoch})
	if want := epoch.Add(time.Hour); !c.low().Equal(want) {
		t.Errorf("low went back to %s", c.low())
	}
}

func TestByTheLogsOwnTimeAnEndIsNotNow(t *testing.T) {
	c := newClock(nil)
	c.observe(sampler.Range{Topic: "t", Watermark: epoch, AtEnd: true})
	if !c.low().Equal(epoch) || !c.now().Equal(epoch) {
		t.Errorf("low %s, now %s, want %s", c.low(), c.now(), epoch)
	}
}

// moody is a judge that never answers about one answer.
type moody struct{ silentOn string }

func (m moody) Statements(_ context.Context, _, answer string, _ ...string) ([]string, scorer.Call, error) {
	if answer == m.silentOn {
		return nil, scorer.Call{}, scorer.ErrJudgeDown
	}
	return []string{answer}, scorer.Call{}, nil
}

func (m moody) Verdicts(_ context.Context, _, statements []string) ([]scorer.Verdict, scorer.Call, error) {
	out := make([]scorer.Verdict, len(statements))
	for i := range out {
		out[i] = scorer.Verdict{Index: i, Value: 1}
	}
	return out, scorer.Call{}, nil
}

func (moody) Questions(context.Context, string, string, int) ([]scorer.Guess, scorer.Call, error) {
	return nil, scorer.Call{}, nil
}

func TestASampleThatIsNeverAnsweredDoesNotStopTheMonitor(t *testing.T) {
	st, w := pickedWindow(t, 5)
	s, err := scorer.New(scorer.Options{Judge: moody{silentOn: "answer 3"}, IDs: map[scorer.Metric]scorer.JudgeID{}})
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{
		store: st, log: zerolog.Nop(), clock: newClock(nil), metrics: newMetrics(prometheus.NewRegistry(), func() float64 { return 0 }),
		scoring: func(context.Context) (*scorer.Scorer, error) { return s, nil },
	}
	done := false
	for range patience + 1 {
		if done {
			t.Fatal("the window was given up before the judge had its tries")
		}
		r.paused = pause{}
		if done, err = r.score(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	if !done {
		t.Fatal("one sample keeps the window from being scored")
	}
	scores, err := st.WindowScores(w)
	if err != nil || len(scores) != 5 {
		t.Fatalf("%d scores, %v; want 5", len(scores), err)
	}
	for _, got := range scores {
		o := got.Outcomes[scorer.Faithfulness]
		if lost := got.SampleID == "r3"; lost != (o.Reason == scorer.ReasonUnanswered) || lost == o.Scored {
			t.Errorf("%s: %+v", got.SampleID, o)
		}
	}
}

// pickedWindow is a closed window with n picks.
func pickedWindow(t *testing.T, n int) (*store.Store, sampler.Window) {
	t.Helper()
	when, err := schedule.Parse("0 */6 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(filepath.Join(t.TempDir(), "leadline.db"), store.Plan{Window: when.Window, Rate: 1, PerRun: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	r := sampler.Range{Topic: "t", Next: int64(n), Offsets: map[sampler.OffsetState]int64{sampler.OffsetContributed: int64(n)}}
	for i := range n {
		record := sampler.Record{ID: fmt.Sprintf("r%d", i), Time: epoch.Add(time.Hour), Question: "q", Answer: fmt.Sprintf("answer %d", i), Contexts: []string{"c"}}
		r.Kept = append(r.Kept, sampler.Kept{Sample: sampler.Sample{Record: record, U: float64(i) / 10, Rate: 1}})
	}
	if err := st.Add(t.Context(), []sampler.Range{r}); err != nil {
		t.Fatal(err)
	}
	w, _, err := st.NextWindow()
	if err != nil {
		t.Fatal(err)
	}
	if err := st.CloseWindow(w); err != nil {
		t.Fatal(err)
	}
	return st, w
}
