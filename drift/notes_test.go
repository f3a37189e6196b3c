package drift_test

import (
	"testing"
	"time"

	"leadline/drift"
	"leadline/sampler"
)

// editions makes one run per entry: how many retrievals of a document each edition had.
func editions(dates map[string]time.Time, runs ...map[string]int) drift.History {
	var h drift.History
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for i, counts := range runs {
		n := 0
		for _, k := range counts {
			n += k
		}
		t := sampler.Tally{Start: start.Add(time.Duration(i) * time.Hour), Due: start.Add(time.Duration(i+1) * time.Hour),
			Decoded: n, DocDates: dates}
		if n > 0 {
			t.Docs = map[string]map[string]int{"doc": counts}
		}
		h.Tallies = append(h.Tallies, t)
	}
	return h
}

func TestOutdatedEditionIsNotedOncePerSpell(t *testing.T) {
	old, newer, none := map[string]int{"a": 5}, map[string]int{"b": 8}, map[string]int{}
	h := editions(nil, old, old, newer, newer, newer, newer, old, old, none, old, newer, newer, old, old)
	got := drift.Evaluate(h, defaults()).Notes
	if len(got) != 2 {
		t.Fatalf("%d notes, want 2: %+v", len(got), got)
	}
	n := got[0]
	if n.Kind != "corpus" || n.Document != "doc" || n.Edition != "a" || n.Newest != "b" || n.Until.IsZero() || n.Count < 15 {
		t.Errorf("first spell is %+v", n)
	}
	if !n.At.Equal(h.Tallies[7].Due) && !n.At.Equal(h.Tallies[6].Due) {
		t.Errorf("noted at %v, want when the old edition came back, %v", n.At, h.Tallies[6].Due)
	}
	if !got[1].Until.IsZero() {
		t.Errorf("the second spell has not ended: %+v", got[1])
	}
}

func TestEditionsThatMoveForwardAreNormal(t *testing.T) {
	a, b, c := map[string]int{"a": 9}, map[string]int{"b": 9}, map[string]int{"c": 9}
	for name, h := range map[string]drift.History{
		"one after the other": editions(nil, a, a, a, b, b, b, c, c, c),
		"slow change":         editions(nil, a, a, map[string]int{"a": 7, "b": 2}, map[string]int{"a": 5, "b": 4}, map[string]int{"a": 2, "b": 7}, b),
		"two indexes":         editions(nil, map[string]int{"a": 5, "b": 4}, map[string]int{"a": 4, "b": 5}, map[string]int{"a": 6, "b": 6}),
		"one stray retrieval": editions(nil, a, b, b, b, map[string]int{"a": 1, "b": 8}, b),
	} {
		if got := drift.Evaluate(h, defaults()).Notes; len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDatesSayWhichEditionIsNewerWhereTheyAreLogged(t *testing.T) {
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a, b := map[string]int{"a": 12}, map[string]int{"b": 12}
	forward := map[string]time.Time{"doc\x00a": day, "doc\x00b": day.AddDate(0, 1, 0)}
	backward := map[string]time.Time{"doc\x00a": day.AddDate(0, 1, 0), "doc\x00b": day}
	if got := drift.Evaluate(editions(forward, a, a, b, b, b), defaults()).Notes; len(got) > 0 {
		t.Errorf("a newer edition was noted: %+v", got)
	}
	if got := drift.Evaluate(editions(backward, a, a, b, b, b), defaults()).Notes; len(got) != 1 || got[0].Edition != "b" || got[0].Newest != "a" {
		t.Errorf("an older edition seen later gave %+v, want a note of b after a", got)
	}
}

func TestNewSegmentIsNotedAndDoesNotAlarm(t *testing.T) {
	w := newWorld(11)
	w.langs = []string{"en"}
	w.runs = 45
	w.share = func(run, dept int) float64 {
		if dept == 5 && run < 25 {
			return 0
		}
		return 1
	}
	w.broken = func(_, dept int) float64 {
		if dept == 5 {
			return 0.6
		}
		return 0
	}
	_, r := w.play(w.history(0, 25), 25)
	if len(r.Episodes) > 0 {
		t.Errorf("a new department that is worse than the others opened %d episodes", len(r.Episodes))
	}
	if len(r.Notes) != 1 || r.Notes[0].Kind != "new_segment" || r.Notes[0].Segment != "department=facility,language=en" {
		t.Errorf("notes are %+v, want the new department", r.Notes)
	}
}
