package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/report"
	"leadline/scorer"
)

func page(t *testing.T, week report.Week) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteHTML(&b, week); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// weeks are the reports on the story as it is, which tests read and none changes; told are
// their pages. Each is made once: the race detector makes making them slow.
var (
	weeks = map[string]func() report.Week{"en": weekOf("en"), "ja": weekOf("ja")}
	told  = map[string]func() (string, error){"en": tell("en"), "ja": tell("ja")}
)

func weekOf(language string) func() report.Week {
	return sync.OnceValue(func() report.Week { return report.Make(newStory(language).input()) })
}

func tell(language string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		var b strings.Builder
		err := report.WriteHTML(&b, weeks[language]())
		return b.String(), err
	})
}

func storyPage(t *testing.T, language string) string {
	t.Helper()
	html, err := told[language]()
	if err != nil {
		t.Fatal(err)
	}
	return html
}

func TestPageNeedsNothingButItself(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		html := storyPage(t, lang)
		for _, bad := range []string{"<script", "http://", "https://", "javascript:", "<link", "<img", "@import", "url(", "%!", "ZgotmplZ", "NaN"} {
			if strings.Contains(html, bad) {
				t.Errorf("%s page contains %q", lang, bad)
			}
		}
		for _, want := range []string{`http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"`,
			`<html lang="` + lang + `">`, `role="img"`, "<desc>", "prefers-color-scheme", "@media print"} {
			if !strings.Contains(html, want) {
				t.Errorf("%s page lacks %q", lang, want)
			}
		}
	}
}

func TestHostileTextStaysText(t *testing.T) {
	const hostile = `</title></text></style><script>alert(1)</script><img src=x onerror=alert(1)>`
	s := newStory("en")
	s.text = hostile
	in := s.input()
	in.Service, in.Environment, in.Version = hostile, hostile, hostile
	in.History.Marks[1].Value = hostile
	in.Result.Notes[0].Document = hostile
	in.Incidents[0].Alerts[0].Finding.Evidence.Corpus.Gone[0] = hostile
	for i := range in.Scores {
		in.Scores[i].ResponseModel = hostile
	}
	html := page(t, report.Make(in))
	if strings.Contains(html, "<script") || strings.Contains(html, "<img") {
		t.Error("text of the log became markup")
	}
	if n := strings.Count(html, "&lt;script&gt;"); n < 8 {
		t.Errorf("hostile text is shown %d times, want it wherever it was put", n)
	}
}

func TestBothLanguagesSayTheSame(t *testing.T) {
	en, ja := storyPage(t, "en"), storyPage(t, "ja")
	for _, pair := range [][2]string{
		{"DRIFT", "ドリフト"}, {"What needs reading first", "まず確認すべきこと"}, {"Faithfulness", "忠実度"},
		{"Correctness is not measured", "回答の正しさは測定していません"}, {"unsupported", "裏付けなし"},
		{"deleted after text retention", "保存期間を過ぎたため削除"}, {"stand-in that compares words", "単語の重なりを比べる代替採点"},
		{"Document hr-00 is served in edition 3", "文書hr-00が旧版3で提供"}, {"no data between", "まではデータなし"},
		{"Wed 18 Nov 06:00", "11月18日(水) 06:00"}, {"no release and no other watched code channel changed", "コード側の項目に変更なし"},
	} {
		if !strings.Contains(en, pair[0]) {
			t.Errorf("English page lacks %q", pair[0])
		}
		if !strings.Contains(ja, pair[1]) {
			t.Errorf("Japanese page lacks %q", pair[1])
		}
	}
}

func TestPageFromJSONIsTheSamePage(t *testing.T) {
	week := weeks["ja"]()
	var b bytes.Buffer
	if err := report.WriteJSON(&b, week); err != nil {
		t.Fatal(err)
	}
	var read report.Week
	if err := json.Unmarshal(b.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(storyPage(t, "ja"), page(t, read)); diff != "" {
		t.Errorf("page changes on the way through JSON (-made +read):\n%s", diff)
	}
}

func TestLargestWeekStaysSmall(t *testing.T) {
	s := newStory("ja")
	s.text = strings.Repeat("とても長い質問と文書が続きます。", 2000)
	in := s.input()
	in.Lowest = append(in.Lowest, in.Lowest[:4]...)
	for i := range in.Lowest {
		in.Lowest[i].Sample.Answer = s.text
		in.Lowest[i].Score.Statements = manyStatements(60)
	}
	in.History.Rows = append(in.History.Rows, manyRows(in.To)...)
	html := page(t, report.Make(in))
	if limit := 400_000; len(html) > limit {
		t.Errorf("page has %d bytes, want at most %d", len(html), limit)
	}
}

func TestEmptyHistoryIsUnknown(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		in := newStory(lang).input()
		week := report.Make(report.Input{Service: "helpdesk", Language: lang, Location: in.Location, From: in.From, To: in.To})
		if week.Verdict != report.Unknown {
			t.Errorf("verdict of no data is %s, want unknown", week.Verdict)
		}
		html := page(t, week)
		if strings.Contains(html, "STABLE") || strings.Contains(html, "安定しています") || strings.Contains(html, "Nothing this week") || strings.Contains(html, "今週はありません") || strings.Contains(html, "NaN") {
			t.Errorf("%s page of no data reassures", lang)
		}
	}
}

func TestWeekComparesWithBaselineAndLastWeek(t *testing.T) {
	week := weeks["en"]()
	f := week.Metrics[0]
	if f.Metric != scorer.Faithfulness || f.This.N != 840 {
		t.Fatalf("first metric is %s with %d answers, want faithfulness with 28 runs of 30", f.Metric, f.This.N)
	}
	if !f.HasDelta || f.Delta.High >= 0 {
		t.Errorf("fall of 0.05 shows as %+v", f.Delta)
	}
	if f.This.Low >= f.This.Mean || f.This.High <= f.This.Mean || f.This.Mean > f.Baseline.Mean {
		t.Errorf("this week %+v, baseline %+v", f.This, f.Baseline)
	}
	if f.Baseline.N != 5010 {
		t.Errorf("baseline has %d answers, want the 167 runs before the episode that had data", f.Baseline.N)
	}
	if worst := week.Segments[0]; worst.Segment != "department=経理" || !worst.Enough || worst.Status != "down" {
		t.Errorf("first segment is %+v, want the one that fell", worst)
	}
	if got := f.Small[0].Title; got != "department=経理" {
		t.Errorf("first small chart is %s", got)
	}
}

func TestWeekNamesWhatElseMoved(t *testing.T) {
	week := weeks["en"]()
	if len(week.Mix.Moved) == 0 || week.Mix.Moved[0].Segment != "department=travel" {
		t.Errorf("query mix %+v, want travel first", week.Mix.Moved)
	}
	var gone []string
	for _, d := range week.Documents.Vanished {
		gone = append(gone, d.ID)
	}
	if diff := cmp.Diff([]string{"経理-00", "経理-01"}, gone); diff != "" {
		t.Errorf("vanished documents (-want +got):\n%s", diff)
	}
	if len(week.First) == 0 || len(week.First) > 5 || !strings.Contains(week.First[0], "経理") {
		t.Errorf("read first: %q", week.First)
	}
	d := week.Digest()
	if d.Week != "2026-W48" || d.Verdict != "drift" || len(d.Lines) < 3 {
		t.Errorf("digest %+v", d)
	}
}

func TestBrokenRunsLeaveGaps(t *testing.T) {
	svg, err := weeks["en"]().Metrics[0].Chart.SVG(report.NewWords("en", newStory("en").loc))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(svg), `class="gap"`); n != 1 {
		t.Errorf("%d gaps drawn, want the one outage", n)
	}
	_, path, _ := strings.Cut(string(svg), `class="line" d="`)
	path, _, _ = strings.Cut(path, `"`)
	if n := strings.Count(path, "M"); n != 2 {
		t.Errorf("line has %d parts, want 2: it must not bridge the outage", n)
	}
	if n := strings.Count(string(svg), `class="shade"`); n != 1 {
		t.Errorf("%d incidents shaded, want 1", n)
	}
}

func TestWeekOf(t *testing.T) {
	tokyo := newStory("en").loc
	for _, c := range []struct {
		at   time.Time
		loc  *time.Location
		id   string
		from string
	}{
		{time.Date(2026, 11, 29, 14, 59, 0, 0, time.UTC), tokyo, "2026-W48", "2026-11-23T00:00:00+09:00"},
		{time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC), tokyo, "2026-W49", "2026-11-30T00:00:00+09:00"},
		{time.Date(2027, 1, 3, 23, 0, 0, 0, time.UTC), time.UTC, "2026-W53", "2026-12-28T00:00:00Z"},
		{time.Date(2029, 12, 31, 1, 0, 0, 0, time.UTC), time.UTC, "2030-W01", "2029-12-31T00:00:00Z"},
	} {
		id, from, to := report.WeekOf(c.at, c.loc)
		if id != c.id || from.Format(time.RFC3339) != c.from || !to.Equal(from.AddDate(0, 0, 7)) {
			t.Errorf("week of %s is %s from %s to %s, want %s from %s", c.at, id, from, to, c.id, c.from)
		}
		again, _, err := report.ParseWeek(id, c.loc)
		if err != nil || !again.Equal(from) {
			t.Errorf("parse %s: %s, %v; want %s", id, again, err, from)
		}
	}
	for _, bad := range []string{"", "2026-W54", "2025-W53", "2026-48", "2026-W00", "2026-W1", "2026-W48x"} {
		if _, _, err := report.ParseWeek(bad, time.UTC); err == nil {
			t.Errorf("%q passes for a week", bad)
		}
	}
}
