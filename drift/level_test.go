package drift_test

import (
	"testing"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// offered is a window in which hr has ten times the answers of it, at a rate of a tenth.
func offered(w sampler.Window) sampler.Window {
	w.Rate, w.Offered = 0.1, map[sampler.Cell]int{"d=hr": 1000, "d=it": 100}
	return w
}

func TestRowsKnowHowManyAnswersTheyStandFor(t *testing.T) {
	blank := score("c", "v1", "d=hr", 0)
	blank.Outcomes = map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Reason: scorer.ReasonNoContext}}
	scores := []scorer.Score{score("a", "v1", "d=hr", 1), score("b", "v1", "d=hr", 0.5), blank, score("d", "v1", "d=it", 1)}
	rows := drift.Rows(offered(sampler.Window{}), scores)
	// Each of three judged samples of hr stands for 1,000/0.1/3 answers; two have a score.
	if len(rows) != 2 || !near(rows[0].Weight, 20_000/3.0) || !near(rows[1].Weight, 1000) {
		t.Errorf("rows %+v, want weights of 6,667 and 1,000", rows)
	}
	if rows := drift.Rows(sampler.Window{}, scores); rows[0].Weight != 0 || rows[0].Answers() != 2 {
		t.Errorf("without a count of what was offered the weight is %g for %g answers, want 0 for 2", rows[0].Weight, rows[0].Answers())
	}
}

// Half of the samples are of it, and only one answer in eleven is.
func TestLevelsOfStatesAreTheTrafficsAndEvidenceIsNot(t *testing.T) {
	history := func(weights bool) (h drift.History) {
		w := newWorld(7)
		for run := range 40 {
			window := sampler.Window{Start: w.due(run), Due: w.due(run + 1)}
			if weights {
				window = offered(window)
			}
			var scores []scorer.Score
			for i := range 20 {
				it := 0.4 + float64(i%3)/10
				if run > 30 {
					it -= 0.3
				}
				scores = append(scores, score(string(rune('a'+i)), "v1", "d=hr", 0.8+float64(i%2)/10), score(string(rune('A'+i)), "v1", "d=it", it))
			}
			h.Rows = append(h.Rows, drift.Rows(window, scores)...)
			h.Tallies = append(h.Tallies, sampler.Tally{Start: window.Start, Due: window.Due, Decoded: 40})
		}
		return h
	}
	plain, weighed := drift.Evaluate(history(false), config.Default().Drift), drift.Evaluate(history(true), config.Default().Drift)
	if len(plain.Findings) == 0 || len(plain.Findings) != len(weighed.Findings) {
		t.Fatalf("%d findings, %d with weights; want as many, and some", len(plain.Findings), len(weighed.Findings))
	}
	for i, f := range plain.Findings {
		if g := weighed.Findings[i]; g.LnEvidence != f.LnEvidence || g.Drop != f.Drop || g.After != f.After {
			t.Errorf("weights changed the finding on %s: %+v, was %+v", f.Series.Segment(), g, f)
		}
	}
	for i, st := range weighed.States {
		if was := plain.States[i]; st.Status != was.Status || st.LnEvidence != was.LnEvidence || st.Last.N != was.Last.N || st.Baseline.N != was.Baseline.N {
			t.Errorf("weights changed the state of %s: %+v, was %+v", st.Series.Segment(), st, was)
		}
		if st.Series.Dim == "" && st.Series.Judge != "" {
			// 0.85 and 0.195 in the last run, ten to one.
			if want := (10*0.85 + 0.195) / 11; !near(st.Last.Mean, want) {
				t.Errorf("last mean %g, want the traffic's %g", st.Last.Mean, want)
			}
		}
	}
}
