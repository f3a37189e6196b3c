package store_test

import (
	"errors"
	"testing"
	"time"

	"leadline/alert"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/store"
)

// judged takes the first window to its decision with a score for every pick.
func judged(t *testing.T, s *store.Store) sampler.Window {
	t.Helper()
	w := closeFirst(t, s)
	picks, _, err := s.Picks(w.Due)
	if err != nil {
		t.Fatal(err)
	}
	var scored store.Scored
	for n, p := range picks {
		scored.Scores = append(scored.Scores, scorer.Score{
			SampleID: p.ID, Time: p.Time, Window: p.Window, Cell: p.Cell,
			Outcomes:   map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: float64(n) / 10}},
			Statements: []scorer.Statement{{Text: "claim", Verdict: 1}},
		})
	}
	if err := s.SaveScores(w.Due, scored); err != nil {
		t.Fatal(err)
	}
	d := store.Decision{Rows: []drift.Row{{Due: w.Due, Metric: scorer.Faithfulness}}}
	if err := s.SaveDecision(w.Due, d); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestTextGoesBeforeScores(t *testing.T) {
	s := fresh(t, 5)
	add(t, s, batch(0, records(5)...))
	judged(t, s)
	if err := s.Trim(store.Retention{Text: monday.AddDate(0, 0, 2)}); err != nil {
		t.Fatal(err)
	}
	lowest, err := s.Lowest(scorer.Faithfulness, time.Time{}, time.Time{}, nil, 10)
	if err != nil || len(lowest) != 5 {
		t.Fatalf("%d scores left, %v; want 5", len(lowest), err)
	}
	if lowest[0].Sample.Question != "" || len(lowest[0].Score.Statements) > 0 {
		t.Error("text outlived its retention")
	}
	if err := s.Trim(store.Retention{Rows: monday.AddDate(0, 0, 2)}); err != nil {
		t.Fatal(err)
	}
	if lowest, err = s.Lowest(scorer.Faithfulness, time.Time{}, time.Time{}, nil, 10); err != nil || len(lowest) != 0 {
		t.Errorf("%d scores left, %v; want none", len(lowest), err)
	}
}

func TestSamplesWithoutAScoreAreFoundByTheirReason(t *testing.T) {
	s := fresh(t, 5)
	add(t, s, batch(0, records(4)...))
	w := closeFirst(t, s)
	picks, _, err := s.Picks(w.Due)
	if err != nil {
		t.Fatal(err)
	}
	var scored store.Scored
	for n, p := range picks {
		outcomes := map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Reason: scorer.ReasonInjection}, scorer.AnswerRelevancy: {Scored: true}}
		if n == 0 {
			outcomes = map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true}, scorer.AnswerRelevancy: {Reason: scorer.ReasonInjection}}
		}
		scored.Scores = append(scored.Scores, scorer.Score{SampleID: p.ID, Time: p.Time, Window: p.Window, Outcomes: outcomes})
	}
	if err := s.SaveScores(w.Due, scored); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason scorer.Reason
		metric scorer.Metric
		limit  int
		want   int
	}{
		{scorer.ReasonInjection, "", 10, 4}, {scorer.ReasonInjection, scorer.Faithfulness, 10, 3}, {scorer.ReasonInjection, scorer.Faithfulness, 2, 2},
		{scorer.ReasonTooLong, "", 10, 0},
	} {
		got, err := s.Unscored(tt.reason, tt.metric, time.Time{}, time.Time{}, nil, tt.limit)
		if err != nil || len(got) != tt.want {
			t.Errorf("%s, metric %q, at most %d: %d samples, %v; want %d", tt.reason, tt.metric, tt.limit, len(got), err, tt.want)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Score.Time.After(got[i-1].Score.Time) {
				t.Errorf("%s: sample %d is newer than the one before it", tt.reason, i)
			}
		}
	}
}

func TestAWaitingSampleWhoseTextIsGoneIsNamed(t *testing.T) {
	s := fresh(t, 5)
	add(t, s, batch(0, records(3)...))
	w := closeFirst(t, s)
	if err := s.Trim(store.Retention{Text: monday.AddDate(0, 0, 2)}); err != nil {
		t.Fatal(err)
	}
	picks, gone, err := s.Picks(w.Due)
	if err != nil || len(picks) != 0 || len(gone) != 3 {
		t.Errorf("%d picks, %d gone, %v; want 0 and 3", len(picks), len(gone), err)
	}
}

func TestAStepDoneTwiceCountsOnce(t *testing.T) {
	s := fresh(t, 5)
	add(t, s, batch(0, records(5)...))
	w := judged(t, s)
	before := ledgers(t, s)
	if err := errors.Join(s.CloseWindow(w), s.SaveDecision(w.Due, store.Decision{})); err != nil {
		t.Fatal(err)
	}
	h, _, err := s.History()
	if err != nil || len(h.Rows) != 1 {
		t.Errorf("history has %d rows, %v; want 1", len(h.Rows), err)
	}
	if got := ledgers(t, s).Records; got[sampler.RecordJudged] != 5 || got[sampler.RecordJudged] != before.Records[sampler.RecordJudged] {
		t.Errorf("records %v, want 5 judged", got)
	}
}

func TestEveryPickNeedsAnOutcome(t *testing.T) {
	s := fresh(t, 5)
	add(t, s, batch(0, records(5)...))
	w := closeFirst(t, s)
	if err := s.SaveScores(w.Due, store.Scored{}); err == nil {
		t.Error("a window was scored although its picks have no outcome")
	}
}

func delivery(id, group string, created time.Time) alert.Delivery {
	return alert.Delivery{ID: id, Receiver: "slack", Group: group, Created: created}
}

func TestANewerStateReplacesTheWaitingOne(t *testing.T) {
	s := fresh(t, 1)
	first, second := delivery("msg_1", "inc", monday), delivery("msg_2", "inc", monday.Add(time.Hour))
	other := delivery("msg_3", "other", monday)
	if err := s.SaveIncidents(nil, []alert.Delivery{first, other, second}); err != nil {
		t.Fatal(err)
	}
	due, err := s.Due("slack")
	if err != nil || len(due) != 2 || due[0].ID != "msg_3" || due[1].ID != "msg_2" {
		t.Fatalf("due: %v, %v", due, err)
	}
	// The older one was under way when it was replaced: what became of it must not
	// bring it back, nor take the newer one away.
	first.Attempts = 1
	if err := s.Settle(first); err != nil {
		t.Fatal(err)
	}
	first.Delivered = monday.Add(2 * time.Hour)
	if err := s.Settle(first); err != nil {
		t.Fatal(err)
	}
	if due, err = s.Due("slack"); err != nil || len(due) != 2 || due[1].ID != "msg_2" {
		t.Errorf("due: %v, %v", due, err)
	}
	second.Delivered = monday.Add(3 * time.Hour)
	if err := s.Settle(second); err != nil {
		t.Fatal(err)
	}
	sent, err := s.Sent()
	if err != nil || len(sent) != 2 {
		t.Errorf("sent: %v, %v", sent, err)
	}
}

func TestTheMemoForgetsAfterItsRetention(t *testing.T) {
	s := fresh(t, 1)
	now := monday
	memo := s.Memo(func() time.Time { return now })
	if err := memo.Put(map[string][]byte{"key": []byte("reply")}); err != nil {
		t.Fatal(err)
	}
	now = monday.AddDate(0, 0, 3)
	if got, ok, err := memo.Get("key"); err != nil || !ok || string(got) != "reply" {
		t.Errorf("got %q, %v, %v", got, ok, err)
	}
	if err := s.Trim(store.Retention{Memo: monday.AddDate(0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := memo.Get("key"); ok {
		t.Error("the memo remembers past its retention")
	}
}

func TestAMarkToldTwiceIsOne(t *testing.T) {
	s := fresh(t, 1)
	m := drift.Mark{Channel: sampler.ChannelRelease, Value: "v2", At: monday, Source: "api"}
	for _, want := range []bool{true, false} {
		if added, err := s.AddMark(m); err != nil || added != want {
			t.Errorf("added %v, %v; want %v", added, err, want)
		}
	}
}
