package report_test

import (
	"strings"
	"testing"
	"time"

	"leadline/drift"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

func segment(t *testing.T, week report.Week, m scorer.Metric, name string) report.Segment {
	t.Helper()
	for _, s := range week.Segments {
		if s.Metric == m && s.Segment == name {
			return s
		}
	}
	t.Fatalf("no line for %s %s", m, name)
	return report.Segment{}
}

func TestReportMadeLaterTellsOfItsOwnWeek(t *testing.T) {
	s := newStory("en")
	in := s.input()
	// Five weeks on, the fall of 経理 is long over, and hr is down: the week knows neither.
	later := s.end.AddDate(0, 0, 35)
	for i := range in.Result.States {
		st := &in.Result.States[i]
		st.Run, st.Status = later, "ok"
		if st.Series.Value == "hr" {
			st.Status = "down"
		}
		if st.Series.Value == "it" {
			st.Status = "watch"
		}
	}
	for i := range in.Result.Episodes {
		in.Result.Episodes[i].Resolved = s.end.AddDate(0, 0, 3)
	}
	in.Incidents[0].Resolved = s.end.AddDate(0, 0, 3)
	hr := drift.Series{Metric: scorer.Faithfulness, Dim: "department", Value: "hr", Judge: judge}
	in.Result.Episodes = append(in.Result.Episodes, drift.Episode{Series: hr, Kind: drift.KindDrop, From: s.end.AddDate(0, 0, 20), Opened: s.end.AddDate(0, 0, 21)})

	week := report.Make(in)
	if week.Verdict != report.Drift {
		t.Errorf("verdict %s, want that of the week: the drop was open at its end", week.Verdict)
	}
	for name, want := range map[string]string{"department=経理": "down", "department=hr": "ok", "department=it": "ok"} {
		if got := segment(t, week, scorer.Faithfulness, name).Status; got != want {
			t.Errorf("%s is %q at the end of the week, want %q", name, got, want)
		}
	}
	if all := strings.Join(week.First, "\n"); strings.Contains(all, "Watched") {
		t.Errorf("read first tells of another time: %s", all)
	}
}

func TestSharesComeFromTallies(t *testing.T) {
	week := weeks["en"]()
	for _, s := range week.Shares {
		want := 0.0
		if s.Metric == drift.ShareRefusal {
			want = 0.04 // each tally refuses one in 25, rounded down
		}
		if s.This.N == 0 || len(s.Chart.Points) == 0 || s.This.Mean > want || s.This.Mean < want-0.01 {
			t.Errorf("%s: %.3f of %d records, %d points; want about %.2f", s.Metric, s.This.Mean, s.This.N, len(s.Chart.Points), want)
		}
	}
}

func TestUnsupportedShareIsThatOfTheImpactLine(t *testing.T) {
	_, from, to := report.WeekOf(time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC), time.UTC)
	at := from.AddDate(0, 0, 3)
	// 30 of 50 rare answers and none of 50 that stand for 20 each: 30 of 1,050.
	in := report.Input{Location: time.UTC, From: from, To: to, SampleRate: 0.1,
		History: drift.History{Rows: []drift.Row{{Due: at, Metric: scorer.Faithfulness, Judge: judge, Moments: drift.Moments{N: 1, Mean: 1}}}},
		Scores:  append(judged(at, 50, 30, 1), judged(at, 50, 0, 0.05)...)}
	got := report.Make(in).Metrics[0].Unsupported
	if got == nil || *got < 0.0285 || *got > 0.0287 {
		t.Errorf("unsupported share %v, want 30 of 1,050", got)
	}
}

func TestLowestAnswersAreShownOnce(t *testing.T) {
	in := newStory("en").input()
	in.Lowest = append(in.Lowest, in.Lowest[0], in.Lowest[4]) // lowest in the other metric too
	week := report.Make(in)
	// Six samples: five answered in the same words, the text of one is gone.
	if len(week.Lowest) != 2 || week.Lowest[0].Same != 4 || len(week.Gone()) != 1 {
		t.Fatalf("%d answers shown, %d with the words of the first, %d without text; want 2, 4 and 1",
			len(week.Lowest), week.Lowest[0].Same, len(week.Gone()))
	}
	if html := page(t, week); !strings.Contains(html, "4 more of the lowest have the same answer") || strings.Count(html, "req/8816") != 1 {
		t.Error("page does not count the same answers, or shows a deleted one twice")
	}
}

func TestPooledChartShadesItsParts(t *testing.T) {
	pooled := drift.Series{Metric: scorer.Faithfulness, Judge: judge}
	part := drift.Series{Metric: scorer.Faithfulness, Dim: "department", Value: "hr", Judge: judge}
	other := drift.Series{Metric: scorer.AnswerRelevancy, Judge: judge}
	if !report.ShownOn(part, pooled) || report.ShownOn(pooled, part) || report.ShownOn(part, other) || !report.ShownOn(part, part) {
		t.Error("an episode is shown on its own chart and on the pooled one of its metric, and nowhere else")
	}
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	got := report.Union([]report.Shade{{day(5), time.Time{}, "a"}, {day(1), day(3), "a"}, {day(2), day(4), "a"}, {day(6), day(7), "a"}, {day(2), day(3), "b"}})
	want := []report.Shade{{day(1), day(4), "a"}, {day(5), time.Time{}, "a"}, {day(2), day(3), "b"}}
	if len(got) != len(want) {
		t.Fatalf("union %+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("shade %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestChartShowsThatDataEnded(t *testing.T) {
	from := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var points []report.Point
	for i := range 10 {
		points = append(points, report.Point{Due: from.Add(time.Duration(i+1) * 6 * time.Hour), N: 10, Mean: 0.9, Low: 0.8, High: 1})
	}
	for name, c := range map[string]struct {
		from, to time.Time
		gaps     int
	}{
		"whole":     {from, points[9].Due, 0},
		"ended":     {from, points[9].Due.AddDate(0, 0, 2), 1},
		"began":     {from.AddDate(0, 0, -3), points[9].Due, 1},
		"both ends": {from.AddDate(0, 0, -3), points[9].Due.AddDate(0, 0, 2), 2},
	} {
		svg, err := report.NewChart(points, drift.State{}, c.from, c.to, time.UTC).SVG(report.NewWords("en", time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(svg), `class="gap"`); n != c.gaps {
			t.Errorf("%s: %d gaps, want %d", name, n, c.gaps)
		}
	}
}

func TestOnlyTheServedReportLinks(t *testing.T) {
	week := weeks["en"]()
	if strings.Contains(storyPage(t, "en"), "href=") {
		t.Error("the file of a report links to a server that its reader may not have")
	}
	var b strings.Builder
	if err := report.WriteLinked(&b, week); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="/reports"`, `href="/samples/req%2F8812"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("served report lacks %s", want)
		}
	}
}

func TestQuietWeekHasAListOfNothing(t *testing.T) {
	s := newStory("en")
	in := report.Input{Location: s.loc, From: s.end.AddDate(0, 0, -7), To: s.end,
		Offsets: map[sampler.OffsetState]int64{}, Records: map[sampler.RecordState]int64{}}
	var b strings.Builder
	if err := report.WriteJSON(&b, report.Make(in)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"read_first": []`) {
		t.Error("nothing to read first is not an empty list")
	}
	if strings.Contains(b.String(), ": null") {
		t.Errorf("report has null where a list is empty: %s", b.String()[strings.Index(b.String(), ": null")-40:][:60])
	}
}

func TestDigestSaysWhoseItIs(t *testing.T) {
	week := weeks["en"]()
	d := week.Digest()
	if d.Service != "helpdesk" || !d.Standin {
		t.Errorf("digest of %q, stand-in %t", d.Service, d.Standin)
	}
	if d.Lines[0] != week.First[0] || !strings.Contains(d.Lines[len(d.Lines)-1], "unsupported statement") {
		t.Errorf("digest says %q, want what needs reading first, and the impact last", d.Lines)
	}
	week.Verdict, week.Sentence = report.Unknown, "Nothing was scored."
	if d := week.Digest(); d.Lines[0] != week.Sentence {
		t.Errorf("digest of an unknown week begins with %q, want why", d.Lines[0])
	}
}

// What an open incident tells of already is not told a second time as something to watch.
func TestReportDoesNotWatchWhatIsDown(t *testing.T) {
	s := newStory("en")
	in := s.input()
	for i := range in.Result.Episodes { // one that was undone, of an incident that goes on
		in.Result.Episodes[i].Resolved = s.end.AddDate(0, 0, -1)
	}
	watch := func(value string) string {
		for i := range in.Result.States {
			st := &in.Result.States[i]
			if st.Series.Metric == scorer.Faithfulness && st.Series.Value == value {
				st.Status = "watch"
			}
		}
		return strings.Join(report.Make(in).First, "\n")
	}
	if all := watch("経理"); strings.Contains(all, "Watched") {
		t.Errorf("a series of the open incident is watched: %s", all)
	}
	if all := watch("it"); !strings.Contains(all, "Watched") {
		t.Errorf("another series is not: %s", all)
	}
}
