package backtest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/backtest"
	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// start is a Monday.
var start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// daily is one run a day.
func daily(t time.Time) (from, due time.Time) {
	due = t.Truncate(24 * time.Hour)
	if !due.Equal(t) {
		due = due.Add(24 * time.Hour)
	}
	return due.Add(-24 * time.Hour), due
}

// wide is a file with a line per answer, 60 a day for ten weeks, one of ten 0 and the others
// 1. From a day on, half of the answers of hr are 0.
func wide(from int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("\ufeffTimestamp,Dept,Faithfulness,version\n")
	for day := range 70 {
		for n := range 60 {
			dept, score := []string{"hr", "it", "law"}[n%3], 1
			if rng.Float64() < 0.1 || day >= from && dept == "hr" && rng.Float64() < 0.5 {
				score = 0
			}
			at := start.AddDate(0, 0, day).Add(time.Duration(n+1) * 20 * time.Minute)
			fmt.Fprintf(&b, "%s,%s,%d,1.0\n", at.Format(time.DateTime), dept, score)
		}
	}
	return b.String()
}

func read(t *testing.T, text string, c backtest.Columns) backtest.Table {
	t.Helper()
	table, err := backtest.Read(strings.NewReader(text), c)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func run(t *testing.T, text string) backtest.Result {
	t.Helper()
	table := read(t, text, backtest.Columns{Segments: map[string]string{"dept": "Dept"}})
	r, err := backtest.Run(table, backtest.Clock{Window: daily}, config.Default().Drift)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAFallIsFoundAndNothingElse(t *testing.T) {
	r := run(t, wide(50))
	if len(r.Incidents) != 1 || r.Answers != 4200 || r.Scored[scorer.Faithfulness] != 4200 || r.Runs != 70 {
		t.Fatalf("%d incidents of %d answers in %d runs, want 1 of 4200 in 70", len(r.Incidents), r.Answers, r.Runs)
	}
	i := r.Incidents[0]
	metric, segment := i.Headline()
	if i.Kind != drift.KindSilent || metric != scorer.Faithfulness || segment != "dept=hr" || i.Opened.Before(start.AddDate(0, 0, 50)) {
		t.Errorf("%s of %s %s opened %s, want silent faithfulness of dept=hr after day 50", i.Kind, metric, segment, i.Opened)
	}
}

func TestADropThatIsPutInIsFoundSoonerWhenItIsLarger(t *testing.T) {
	r := run(t, wide(70))
	if len(r.Incidents) != 0 {
		t.Fatalf("scores that did not change raise %+v", r.Incidents)
	}
	if len(r.Injected) != 3 {
		t.Fatalf("%d sizes were put in, want 3 of one metric", len(r.Injected))
	}
	for n, i := range r.Injected {
		if i.Starts != backtest.Starts || i.Found != i.Starts {
			t.Errorf("−%g was found at %d of %d places, want all of %d", i.Drop, i.Found, i.Starts, backtest.Starts)
		}
		if n > 0 && i.Samples > r.Injected[n-1].Samples {
			t.Errorf("−%g took %d samples, the smaller one %d", i.Drop, i.Samples, r.Injected[n-1].Samples)
		}
	}
	if least := r.Injected[0].Samples; least < 120 {
		t.Errorf("−0.05 was found after %d samples: it was not what was put in", least)
	}
}

func TestTheSameFileGivesTheSameBytesInAnyOrderOfItsLines(t *testing.T) {
	text := wide(50)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	body := lines[1:]
	rand.New(rand.NewPCG(5, 5)).Shuffle(len(body), func(i, j int) { body[i], body[j] = body[j], body[i] })
	one, two := run(t, text), run(t, lines[0]+"\n"+strings.Join(body, "\n"))
	one.Injected, two.Injected = nil, nil // who gets worse goes by the line
	if diff := cmp.Diff(encode(t, one), encode(t, two)); diff != "" {
		t.Error(diff)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestShapesOfFiles(t *testing.T) {
	faithfulness := func(v float64) map[scorer.Metric]float64 {
		return map[scorer.Metric]float64{scorer.Faithfulness: v}
	}
	for name, c := range map[string]struct {
		text    string
		columns backtest.Columns
		want    []map[scorer.Metric]float64
		missing int
	}{
		"Ragas": {"user_input,response,faithfulness,answer_relevancy\nq,\"a\nb\",0.5,0.25\nq,a,,nan\n", backtest.Columns{},
			[]map[scorer.Metric]float64{{scorer.Faithfulness: 0.5, scorer.AnswerRelevancy: 0.25}, {}}, 1},
		"one line per score": {"timestamp,traceId,name,value\n2026-01-05T00:00:00Z,t1,Faithfulness,1\n2026-01-05T00:00:00Z,t1,helpfulness,7\n", backtest.Columns{},
			[]map[scorer.Metric]float64{faithfulness(1)}, 0},
		"named columns": {"when,s,faithfulness\n1767571200,0.75,0\n", backtest.Columns{Time: "when", Metrics: map[scorer.Metric]string{scorer.Faithfulness: "s"}},
			[]map[scorer.Metric]float64{faithfulness(0.75)}, 0},
	} {
		table := read(t, c.text, c.columns)
		var got []map[scorer.Metric]float64
		for _, a := range table.Answers {
			got = append(got, a.Scores)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || table.Missing[scorer.Faithfulness] != c.missing {
			t.Errorf("%s: %d without a score, want %d (-want +got):\n%s", name, table.Missing[scorer.Faithfulness], c.missing, diff)
		}
	}
}

func TestTimesAreReadHoweverTheyAreWritten(t *testing.T) {
	want := time.Date(2026, 1, 5, 6, 0, 0, 0, time.UTC)
	for _, text := range []string{"2026-01-05T06:00:00Z", "2026-01-05T15:00:00+09:00", "2026-01-05 06:00:00", "2026-01-05 15:00:00+09:00",
		"1767592800", "1767592800.0", "1767592800000", "1767592800000000000"} {
		table := read(t, "time,faithfulness\n"+text+",1\n", backtest.Columns{})
		if got := table.Answers[0].Time; !got.Equal(want) {
			t.Errorf("%s was read as %s", text, got)
		}
	}
}

func TestBadFilesSayWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "is empty",
		"a,b\n1,2\n":                             "--metric faithfulness=COLUMN",
		"time,faithfulness\nyesterday,1\n":       "line 2: its time cannot be read",
		"time,faithfulness\n2026-01-05,87\n":     "divide what is in percent by 100",
		"time,faithfulness\n2026-01-05,good\n":   "leave the cell empty",
		"time,faithfulness\n2026-01-05,1,2,3\n":  "line 2",
		"time,faithfulness\n2026-01-05,\"1\nx\n": "line 2",
	} {
		if _, err := backtest.Read(strings.NewReader(text), backtest.Columns{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
	table := read(t, "faithfulness\n1\n", backtest.Columns{})
	if _, err := backtest.Run(table, backtest.Clock{Window: daily}, config.Default().Drift); err == nil || !strings.Contains(err.Error(), "--per-run") {
		t.Errorf("without times: %v, want --per-run in it", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("time,faithfulness\n2026-01-05,1\n")
	f.Add("timestamp,name,value\n2026-01-05,faithfulness,0.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := backtest.Read(strings.NewReader(text), backtest.Columns{})
		if err != nil {
			return
		}
		for _, a := range table.Answers {
			for m, v := range a.Scores {
				if !(v >= -1 && v <= 1) {
					t.Errorf("%s is %g", m, v)
				}
			}
		}
	})
}
