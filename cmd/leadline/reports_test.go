package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/report"
	"leadline/scorer"
)

// writtenWeek is a report in a folder, with one answer to read.
func writtenWeek(t *testing.T) (dir string, week report.Week) {
	t.Helper()
	dir = t.TempDir()
	week = report.Week{
		ID: "2026-W10", Service: "helpdesk", Language: "en", Timezone: "UTC", From: epoch, To: epoch.AddDate(0, 0, 7), Sentence: "as it was told",
		Lowest: []report.Answer{{
			ID: "q-7", Question: "Where is my secret badge?", Answer: []report.Span{{Text: "In the secret drawer."}},
			Contexts: []report.Context{{Text: "A secret passage."}}, Verdicts: []scorer.Statement{{Text: "The secret badge is in a drawer."}},
			Asked: []scorer.Question{{Text: "Where is the secret badge?"}}, Outcomes: map[scorer.Metric]scorer.Outcome{scorer.Faithfulness: {Scored: true, Value: 0.25}},
		}},
	}
	if err := writeReport(dir, week); err != nil {
		t.Fatal(err)
	}
	return dir, week
}

func TestAReportIsServedAsItWasTold(t *testing.T) {
	dir, _ := writtenWeek(t)
	s := &source{runner: &runner{location: time.UTC}}
	s.runner.cfg.Report.Dir = dir
	week, err := s.Week(t.Context(), "2026-W10")
	if err != nil || week.Sentence != "as it was told" || len(week.Lowest) != 1 {
		t.Errorf("got %q with %d answers, %v", week.Sentence, len(week.Lowest), err)
	}
}

func TestReportsLoseTheirTextsButNotTheirScores(t *testing.T) {
	dir, week := writtenWeek(t)
	if err := forgetTexts(dir, week.To); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, dir); !strings.Contains(got, "secret drawer") {
		t.Fatal("the texts of a week that is not older than text retention are gone")
	}
	if err := forgetTexts(dir, week.To.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, dir); strings.Contains(got, "secret") {
		t.Error("texts are still in the files of the report")
	}
	kept, ok, err := sentReport(dir, week.ID)
	if err != nil || !ok || len(kept.Lowest) != 1 || kept.Lowest[0].Outcomes[scorer.Faithfulness].Value != 0.25 {
		t.Errorf("kept %+v, %t, %v; want the score of q-7", kept.Lowest, ok, err)
	}
	var page bytes.Buffer
	if err := report.WriteHTML(&page, kept); err != nil || !strings.Contains(page.String(), "deleted after text retention") {
		t.Errorf("the page does not say that the text is gone: %v", err)
	}
}

func readAll(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, ext := range []string{"html", "json"} {
		b, err := os.ReadFile(filepath.Join(dir, "2026-W10."+ext))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}
