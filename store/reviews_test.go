package store_test

import (
	"errors"
	"testing"
	"time"

	"leadline/review"
	"leadline/store"
)

func TestReviewsAreKeptAsLongAsScores(t *testing.T) {
	s := fresh(t, 5)
	for i, id := range []string{"rv_old", "rv_new"} {
		sheet := review.Sheet{ID: id, Made: monday.AddDate(0, 0, 10*i), Items: []review.Item{{Sample: "a", Verdicts: []int{1, 0}}}}
		if err := s.SaveReview(sheet); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			e := review.Entry{Review: id, Rater: "ana", At: monday, Labels: []review.Label{{Sample: "a", Statements: []review.Mark{review.Supported}}}}
			if err := s.AddLabels(e, func([]review.Entry) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Trim(store.Retention{Text: monday.AddDate(0, 0, 20), Rows: monday.AddDate(0, 0, 5)}); err != nil {
		t.Fatal(err)
	}
	sheets, err := s.Reviews()
	if err != nil || len(sheets) != 1 || sheets[0].ID != "rv_new" || len(sheets[0].Items[0].Verdicts) != 2 {
		t.Errorf("reviews after the retention: %+v, %v; want rv_new with its verdicts", sheets, err)
	}
	for id, want := range map[string]int{"rv_old": 0, "rv_new": 2} {
		if labels, err := s.Labels(id); err != nil || len(labels) != want {
			t.Errorf("%s has %d entries, %v; want %d", id, len(labels), err, want)
		}
	}
}

func TestLabelsAreCheckedAgainstThoseBefore(t *testing.T) {
	s := fresh(t, 5)
	refuse := errors.New("marked before")
	once := func(before []review.Entry) error {
		if len(before) > 0 {
			return refuse
		}
		return nil
	}
	e := review.Entry{Review: "rv_1", Rater: "ana", At: time.Now()}
	if err := s.AddLabels(e, once); err != nil {
		t.Fatal(err)
	}
	if err := s.AddLabels(e, once); !errors.Is(err, refuse) {
		t.Errorf("labels handed in twice: %v", err)
	}
	if labels, err := s.Labels("rv_1"); err != nil || len(labels) != 1 {
		t.Errorf("%d entries are kept, %v; want 1", len(labels), err)
	}
}
