package main

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"leadline/drift"
	"leadline/scorer"
)

// changing is a judge that changes its mind: nothing is supported the first time it sees an
// answer, everything the second time; then it may be down.
type changing struct {
	moody
	seen      map[string]bool
	downAgain bool
}

func (c changing) Statements(ctx context.Context, question, answer string, history ...string) ([]string, scorer.Call, error) {
	if c.downAgain && c.seen[answer] {
		return nil, scorer.Call{}, scorer.ErrJudgeDown
	}
	return c.moody.Statements(ctx, question, answer, history...)
}

func (c changing) Verdicts(_ context.Context, _, statements []string) ([]scorer.Verdict, scorer.Call, error) {
	out := make([]scorer.Verdict, len(statements))
	for i, s := range statements {
		if c.seen[s] {
			out[i].Value = 1
		}
		c.seen[s] = true
		out[i].Index = i
	}
	return out, scorer.Call{Usage: scorer.Usage{ChatRequests: 1}}, nil
}

func TestSecondLooksTellOfTheJudgeAndEnterNoMean(t *testing.T) {
	for _, downAgain := range []bool{false, true} {
		st, w := pickedWindow(t, 8)
		s, err := scorer.New(scorer.Options{Judge: changing{seen: map[string]bool{}, downAgain: downAgain}, IDs: map[scorer.Metric]scorer.JudgeID{scorer.Faithfulness: {Model: "m"}}})
		if err != nil {
			t.Fatal(err)
		}
		r := &runner{
			store: st, log: zerolog.Nop(), clock: newClock(nil), metrics: newMetrics(prometheus.NewRegistry(), func() float64 { return 0 }),
			scoring: func(context.Context) (*scorer.Scorer, error) { return s, nil },
		}
		r.cfg.Sample.SecondLook = 0.5
		if done, err := r.score(t.Context(), w); !done || err != nil {
			t.Fatalf("down for second looks %v: done %v, %v", downAgain, done, err)
		}
		scores, err := st.WindowScores(w)
		if err != nil || len(scores) != 8 {
			t.Fatalf("%d scores, %v; want 8", len(scores), err)
		}
		looks := map[scorer.Look]int{}
		for _, score := range scores {
			if o := score.Outcomes[scorer.Faithfulness]; !o.Scored || o.Value != 0 {
				t.Errorf("%s: first score %+v, want 0", score.SampleID, o)
			}
			if score.Second != nil {
				looks[score.Second.Why]++
			}
		}
		if row := drift.Rows(w, scores)[0]; row.N != 8 || row.Zeros != 8 {
			t.Errorf("the row holds %d scores, %d of them 0; want 8 of 8", row.N, row.Zeros)
		}
		runs, err := st.Runs(0)
		if err != nil || len(runs) != 1 {
			t.Fatal(runs, err)
		}
		a := agreements(runs)[scorer.Faithfulness]
		if downAgain {
			if len(looks) != 0 || a.Pairs != 0 {
				t.Errorf("looks %v and agreement %+v from a judge that was down", looks, a)
			}
			continue
		}
		if looks[scorer.LookRandom] != 2 || looks[scorer.LookLow] != 2 || a.Pairs != 2 || a.Differ() != 1 || runs[0].Usage.ChatRequests != 12 {
			t.Errorf("looks %v, agreement %+v, usage %+v; want 2 random and 2 low, one apart, 12 requests", looks, a, runs[0].Usage)
		}
		lowest, err := st.Lowest(scorer.Faithfulness, w.Start, w.Due, nil, 4)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lowest {
			if l.Score.Second != nil {
				t.Errorf("%s did not hold and is among the four to read first", l.Score.SampleID)
			}
		}
	}
}
