package review_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/japanese"

	"leadline/report"
	"leadline/review"
	"leadline/sampler"
	"leadline/scorer"
)

var made = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// answered is an answer with one statement per verdict.
func answered(id string, inclusion float64, verdicts ...int) report.Sample {
	s := report.Sample{
		Sample: sampler.Sample{Record: sampler.Record{ID: id, Question: "How much is it? " + id, Answer: "It costs 3. " + id, Contexts: []string{"It costs 3."}}},
		Score: scorer.Score{SampleID: id, Time: made, Window: made, Inclusion: inclusion, TextHash: id, ResponseModel: "small",
			Judges: map[scorer.Metric]string{scorer.Faithfulness: "aaa"}, Outcomes: map[scorer.Metric]scorer.Outcome{}},
	}
	supported := 0
	for i, v := range verdicts {
		supported += v
		s.Score.Statements = append(s.Score.Statements, scorer.Statement{Text: fmt.Sprintf("Claim %d of %s.", i+1, id), Verdict: v, Reason: "REASON"})
	}
	s.Score.Outcomes[scorer.Faithfulness] = scorer.Outcome{Scored: true, Value: float64(supported) / float64(len(verdicts))}
	s.Score.Outcomes[scorer.AnswerRelevancy] = scorer.Outcome{Scored: true, Value: 0.7312}
	return s
}

// stored are 80 answers, of which each fifth is unsupported.
func stored() []report.Sample {
	var all []report.Sample
	for i := range 80 {
		v := 1
		if i%5 == 0 {
			v = 0
		}
		all = append(all, answered(fmt.Sprintf("req-%02d", i), 0.5, v, 1))
	}
	return all
}

func textsOf(all []report.Sample) map[string]report.Sample {
	out := map[string]report.Sample{}
	for _, s := range all {
		out[s.Score.SampleID] = s
	}
	return out
}

func TestHalfComesFromTheLowEndAndWeightsUndoIt(t *testing.T) {
	s := review.Draw(stored(), 24, "rv_1", made)
	low, weight := 0, 0.0
	for _, item := range s.Items {
		weight += item.Weight
		if item.Low {
			low++
			if want := 2 * 20.0 / 12; math.Abs(item.Weight-want) > 1e-9 {
				t.Errorf("weight of a low answer is %g, want %g", item.Weight, want)
			}
		}
	}
	if len(s.Items) != 24 || low != 12 || s.Frame.LowDrawn != 12 || s.Frame.Answers != 80 || s.Frame.Low != 20 {
		t.Errorf("%d answers, %d of them low, of %+v", len(s.Items), low, s.Frame)
	}
	if math.Abs(weight-160) > 1e-9 || math.Abs(s.Frame.Unsupported-0.1) > 1e-9 {
		t.Errorf("weights sum to %g, want the 160 answers of the traffic; %g unsupported, want 0.1", weight, s.Frame.Unsupported)
	}
}

// Over many drawings the weighted share of unsupported statements is that of the traffic.
func TestDrawingIsUnbiased(t *testing.T) {
	all, sum := stored(), 0.0
	const rounds = 400
	for i := range rounds {
		bad, weight := 0.0, 0.0
		for _, item := range review.Draw(all, 24, fmt.Sprint("rv_", i), made).Items {
			for _, v := range item.Verdicts {
				bad += item.Weight * float64(1-v)
				weight += item.Weight
			}
		}
		sum += bad / weight / rounds
	}
	if math.Abs(sum-0.1) > 0.005 {
		t.Errorf("%.4f unsupported on average, want 0.1", sum)
	}
}

func TestDrawsWhatCanBeReviewed(t *testing.T) {
	none := answered("none", 1, 1)
	none.Score.Outcomes[scorer.Faithfulness] = scorer.Outcome{Reason: scorer.ReasonNoContext}
	gone, old := answered("gone", 1, 1), answered("old", 1, 0)
	gone.Sample.Question = ""
	old.Score.Judges, old.Score.Window = map[scorer.Metric]string{scorer.Faithfulness: "old"}, made.AddDate(0, 0, -1)
	twin := answered("twin", 0.25, 1)
	twin.Score.TextHash = "kept"
	s := review.Draw([]report.Sample{none, gone, old, answered("kept", 0.5, 1), twin}, 24, "rv", made)
	if len(s.Items) != 1 || s.Items[0].Sample != "kept" || s.Items[0].Weight != 6 {
		t.Errorf("drawn %+v, want kept alone, for 2 and 4 answers", s.Items)
	}
	if s := review.Draw(nil, 24, "rv", made); len(s.Items) != 0 {
		t.Error("something was drawn from nothing")
	}
}

// What is exported must be the same whatever the judge said: two stores that differ in
// verdicts, reasons and scores alone, and are drawn whole, give the same bytes.
func TestExportSaysNothingOfTheJudge(t *testing.T) {
	forms := map[string]func(out *bytes.Buffer, f review.Form) error{
		"csv":   func(out *bytes.Buffer, f review.Form) error { return review.WriteCSV(out, f, true) },
		"jsonl": func(out *bytes.Buffer, f review.Form) error { return review.WriteJSONL(out, f) },
		"html":  func(out *bytes.Buffer, f review.Form) error { return review.WriteHTML(out, f, "ja") },
	}
	for name, write := range forms {
		var out [2]bytes.Buffer
		for world := range out {
			var all []report.Sample
			for i := range 20 {
				all = append(all, answered(fmt.Sprintf("req-%02d", i), 1, (i+world)%2, world, 1))
			}
			if err := write(&out[world], review.Draw(all, 24, "rv_1", made).Form(textsOf(all))); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(out[0].Bytes(), out[1].Bytes()) {
			t.Errorf("%s differs with the verdicts", name)
		}
		_, text, styled := strings.Cut(out[0].String(), "</style>")
		if !styled {
			text = out[0].String()
		}
		for _, secret := range []string{"REASON", "0.7312", "weight", "inclusion", "verdict", "outcome"} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
				t.Errorf("%s contains %q", name, secret)
			}
		}
	}
}

// filled is an exported CSV file in which every statement is marked by a rule.
func filled(t *testing.T, f review.Form, mark func(p review.Paper, no int) string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := review.WriteCSV(&b, f, false); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	i := 1
	for _, p := range f.Papers {
		for _, st := range p.Statements {
			rows[i][8], rows[i][9] = mark(p, st.No), "yes"
			i++
		}
	}
	b.Reset()
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func entry(t *testing.T, rater string, data []byte) review.Entry {
	t.Helper()
	f, err := review.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return review.Entry{Review: f.Review, Rater: rater, At: made, Labels: f.Labels}
}

// The person calls the second statement of each low answer unsupported and the judge none of
// these: 24 answers of two statements, of which the judge finds the low ones' first.
func TestComparesWithWhatWasSealed(t *testing.T) {
	all := stored()
	s := review.Draw(all, 24, "rv_1", made)
	texts := textsOf(all)
	isBad := func(p review.Paper) bool { return texts[p.Sample].Score.Statements[0].Verdict == 0 }
	data := filled(t, s.Form(texts), func(p review.Paper, no int) string {
		if isBad(p) || no == 1 && p.Sample == s.Items[0].Sample {
			return "not supported"
		}
		return "supported"
	})
	e := entry(t, "ana", data)
	if err := s.Check(e.Labels); err != nil {
		t.Fatal(err)
	}
	r := review.Compare(s, []review.Entry{e}, texts).Raters[0]
	bad := 0.0
	for _, item := range s.Items {
		bad += float64(1 - item.Verdicts[0])
	}
	table := r.All.Table
	if table.BothUnsupported != bad || table.OnlyPerson < bad || table.OnlyJudge != 0 || table.N() != 48 {
		t.Errorf("table %+v with %g answers that the judge faults", table, bad)
	}
	different := r.Disagreements()
	if len(different) == 0 || different[0].Statements[0].Reason != "REASON" || different[0].Question == "" {
		t.Errorf("disagreements %+v", different)
	}
	// When the texts are gone the figures are still there.
	gone := review.Compare(s, []review.Entry{e}, nil).Raters[0]
	if diff := cmp.Diff(r.All, gone.All); diff != "" {
		t.Errorf("without texts the figures differ: %s", diff)
	}
}

func TestPartialFilesAddUpAndChangesAreCounted(t *testing.T) {
	all := stored()
	s := review.Draw(all, 4, "rv_1", made)
	form := s.Form(textsOf(all))
	first := entry(t, "ana", filled(t, form, func(_ review.Paper, no int) string { return map[int]string{1: "y"}[no] }))
	second := entry(t, "ana", filled(t, form, func(_ review.Paper, no int) string { return map[int]string{2: "?"}[no] }))
	third := review.Entry{Review: s.ID, Rater: "ana", At: made, Labels: []review.Label{{Sample: s.Items[0].Sample, Statements: []review.Mark{review.Unsupported}}}}
	r := review.Compare(s, []review.Entry{first, second, third}, nil).Raters[0]
	if r.Statements != 8 || r.Unclear != 4 || r.Changed != 1 || r.All.Statements != 4 {
		t.Errorf("%d statements, %d unclear, %d changed, %d compared; want 8, 4, 1, 4", r.Statements, r.Unclear, r.Changed, r.All.Statements)
	}
	if !review.Marked([]review.Entry{first}, "ana", second.Labels) || review.Marked([]review.Entry{first}, "ben", second.Labels) {
		t.Error("who has marked a sample before is not known")
	}
}

func TestTwoPeopleAreCompared(t *testing.T) {
	all := stored()
	s := review.Draw(all, 24, "rv_1", made)
	form := s.Form(textsOf(all))
	ana := entry(t, "ana", filled(t, form, func(p review.Paper, _ int) string {
		return map[bool]string{true: "n", false: "y"}[p.Sample < "req-40"]
	}))
	ben := entry(t, "ben", filled(t, form, func(p review.Paper, _ int) string {
		return map[bool]string{true: "×", false: "○"}[p.Sample < "req-40"]
	}))
	b := review.Compare(s, []review.Entry{ana, ben}, nil).Between
	if b == nil || b.Alpha == nil || *b.Alpha != 1 || len(b.Pairs) != 1 || b.Pairs[0].All.Kappa.Value != 1 {
		t.Errorf("two people who say the same: %+v", b)
	}
}

var formula = regexp.MustCompile("^[\\s\u200b\ufeff]*[=+\\-@|%\uff1d\uff0b\uff0d\uff20\u2212]")

func TestFormulasAreHarmlessAndIDsComeBack(t *testing.T) {
	for _, evil := range []string{"=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1+1", "＋1", "－1", "＠SUM(A1)", "\u200b=1", "\ufeff=1", "−1", "|x", "%0A=1", `=HYPERLINK("http://x.example","y")`} {
		f := review.Form{Review: "rv_1", Papers: []review.Paper{{Review: "rv_1", Sample: evil, Language: "en", Question: evil, Answer: evil, Contexts: []string{evil},
			Statements: []review.Statement{{No: 1, Text: evil, Mark: review.Supported}}}}}
		var b bytes.Buffer
		if err := review.WriteCSV(&b, f, false); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range rows[1] {
			if formula.MatchString(value) {
				t.Errorf("column %d of %q is %q", i, evil, value)
			}
		}
		if strings.ContainsAny(evil, "\r\n\t") || strings.HasPrefix(evil, " ") {
			continue // no ID has these
		}
		got, err := review.Read(b.Bytes())
		if err != nil || len(got.Labels) != 1 || got.Labels[0].Sample != evil {
			t.Errorf("%q came back as %+v, %v", evil, got.Labels, err)
		}
	}
}

func TestReadsWhatSpreadsheetsSave(t *testing.T) {
	const head = "review,sample,no,mark (x),answered\r\n"
	want := review.File{Review: "rv_1", Labels: []review.Label{{Sample: "a", Statements: []review.Mark{review.Supported, "", review.Unsupported}, Answered: review.No}}}
	sjis, err := japanese.ShiftJIS.NewEncoder().Bytes([]byte(head + "rv_1,a,1,裏付けあり,いいえ\r\nrv_1,a,3,裏付けなし,\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"plain":         head + "rv_1,a,1,supported,no\nrv_1,a,3,not supported,\n",
		"mark of order": "\ufeff" + head + "rv_1,a,3,N,no\r\n\r\n,,,,\r\nrv_1,a,2,,no\r\nrv_1,a,1,ｙ,no\r\n",
		"semicolons":    strings.ReplaceAll(head, ",", ";") + "rv_1;a;1;Yes;No\nrv_1;a;3;No;\n",
		"tabs":          strings.ReplaceAll(head, ",", "\t") + "rv_1\ta\t1\t1\t0\nrv_1\ta\t3\t0\t\n",
		"other columns": "answered,no,note,sample,mark,review\nno,1,hm,a,○,rv_1\n,3,,a,×,rv_1\n",
		"Shift_JIS":     string(sjis),
		"JSON lines":    `{"review":"rv_1","sample":"a","answered":"no","statements":[{"no":1,"mark":"supported"},{"no":3,"mark":"unsupported"}]}` + "\n\n",
	} {
		got, err := review.Read([]byte(data))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestWrongFilesAreRefusedWithWhatToDo(t *testing.T) {
	const head = "review,sample,no,mark,answered\n"
	for data, want := range map[string]string{
		"":                                       "it is empty",
		"a,b\n1,2\n":                             "it is no exported review: its first line has no column review",
		"<!doctype html>":                        "it is the page itself",
		"PK\x03\x04":                             "it is a workbook",
		"\xff\xfea\x00":                          "it is UTF-16",
		"{\"review\":\n":                         "line 1 is not a line of a review",
		head + "rv_1,a,1,SECRET,\n":              "row 2: a mark must be supported, not supported or cannot tell",
		head + "rv_1,a,1,y,SECRET\n":             "row 2: answered must be yes, no or cannot tell",
		head + "rv_1,a,one,y,\n":                 "row 2: column no must be the number of the statement",
		head + "rv_1,a,1,y,\nrv_2,a,2,y,\n":      "row 3: it is of another review",
		head + ",a,1,y,\n":                       "row 2: it does not say which review",
		head + "rv_1,a,1,y,\nrv_1,a,1,n,\n":      "row 3: statement 1 of this sample is marked twice",
		head + "rv_1,a,1,y,yes\nrv_1,a,2,n,no\n": "row 3: answered differs",
		head + "rv_1,a,99999999,y,\n":            "row 2: there is no statement of that number",
		`{"review":"rv_1","sample":"a","statements":[{"no":-1,"mark":"y"}]}`: "line 1: statement -1",
	} {
		_, err := review.Read([]byte(data))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
}

func TestLabelsMustFitTheSheet(t *testing.T) {
	s := review.Draw([]report.Sample{answered("a", 1, 1, 0)}, 24, "rv_1", made)
	for want, l := range map[string]review.Label{
		"has no sample that is labeled here": {Sample: "other"},
		"has 2 statements, not 3":            {Sample: "a", Statements: []review.Mark{"", "", review.Supported}},
		"a statement is marked":              {Sample: "a", Statements: []review.Mark{review.Yes}},
		"answered is":                        {Sample: "a", Answered: review.Supported},
	} {
		if err := s.Check([]review.Label{l}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", l, err, want)
		}
	}
	if err := s.Check([]review.Label{{Sample: "a", Statements: []review.Mark{review.Unclear}, Answered: review.Unclear}}); err != nil {
		t.Error(err)
	}
}

func TestOrderSaysNothing(t *testing.T) {
	s := review.Draw(stored(), 24, "rv_1", made)
	first := 0
	for _, item := range s.Items[:12] {
		if item.Low {
			first++
		}
	}
	if sorted := slices.IsSortedFunc(s.Items, func(a, b review.Item) int { return strings.Compare(a.Sample, b.Sample) }); first < 2 || first > 10 || sorted {
		t.Errorf("%d of the first half are low, sorted by ID: %v", first, sorted)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("review,sample,no,mark,answered\nrv_1,a,1,y,no\n"))
	f.Add([]byte(`{"review":"rv_1","sample":"a","statements":[{"no":1,"mark":"?"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := review.Read(data)
		if err == nil && got.Review == "" && len(got.Labels) > 0 {
			t.Error("labels of no review")
		}
	})
}
