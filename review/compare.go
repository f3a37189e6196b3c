package review

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"leadline/agreement"
	"leadline/report"
	"leadline/scorer"
)

// Result is how the judge of a review agrees with the people who marked it.
type Result struct {
	Review string    `json:"review"`
	Made   time.Time `json:"made"`
	// Frame is what the samples were drawn from; its judges are whom the result is about.
	Frame      Frame         `json:"frame"`
	Samples    int           `json:"samples"`
	Statements int           `json:"statements"`
	Raters     []RaterResult `json:"raters"`
	// Between is how people agree with each other; nil with fewer than two.
	Between *Between `json:"between,omitempty"`
}

// RaterResult is how the judge agrees with one person.
type RaterResult struct {
	Rater string    `json:"rater"`
	At    time.Time `json:"at"` // of the newest mark
	// Samples have at least one mark; Statements are marked; Unclear of them say "cannot tell"
	// and are left out of the comparison.
	Samples    int `json:"samples"`
	Statements int `json:"statements"`
	Unclear    int `json:"unclear"`
	// Changed counts marks that were changed after they had been handed in, and so after the
	// verdicts could be seen.
	Changed int `json:"changed"`

	All       agreement.Summary `json:"all"`
	Languages []OfLanguage      `json:"languages"`
	// JudgedUnsupported is the share of unsupported statements in the traffic as the judge sees
	// it, Corrected the same with the judge's errors taken out; an extra, never the score.
	JudgedUnsupported float64             `json:"judged_unsupported"`
	Corrected         *agreement.Estimate `json:"corrected,omitempty"`
	// Relevancy is the AUROC of answer relevancy for "question answered: yes"; AnsweredYes and
	// AnsweredNo count these.
	Relevancy   *agreement.Estimate `json:"relevancy_auroc,omitempty"`
	AnsweredYes int                 `json:"answered_yes"`
	AnsweredNo  int                 `json:"answered_no"`

	Compared []Compared `json:"compared"`
}

// OfLanguage is the agreement on the samples of one language.
type OfLanguage struct {
	Language string            `json:"language"`
	All      agreement.Summary `json:"all"`
}

// Compared is one sample that a person marked, and what the judge said of what was marked.
// Texts are empty once they are no longer kept.
type Compared struct {
	Sample   string    `json:"sample"`
	Time     time.Time `json:"time"`
	Language string    `json:"language"`
	Question string    `json:"question,omitempty"`
	Answer   string    `json:"answer,omitempty"`
	Answered Mark      `json:"answered,omitempty"`
	// Outcomes are the judge's scores; only of a sample that is marked whole.
	Outcomes   map[scorer.Metric]scorer.Outcome `json:"outcomes,omitempty"`
	Statements []Both                           `json:"statements"`
}

// Results are the scores in the order of the metrics.
func (c Compared) Results() []report.Result {
	var out []report.Result
	for _, m := range scorer.Metrics {
		if o, ok := c.Outcomes[m]; ok {
			out = append(out, report.Result{Metric: m, Outcome: o})
		}
	}
	return out
}

// Both is what both say about one statement.
type Both struct {
	No     int    `json:"no"`
	Text   string `json:"text,omitempty"`
	Person Mark   `json:"person"`
	Judge  Mark   `json:"judge"`
	Reason string `json:"reason,omitempty"` // the judge's
}

// Differ says whether the person and the judge contradict each other.
func (b Both) Differ() bool { return b.Person != Unclear && b.Person != b.Judge }

// Disagreements are the samples with a statement on which both differ, and of these only
// such statements.
func (r RaterResult) Disagreements() []Compared {
	var out []Compared
	for _, c := range r.Compared {
		all := c.Statements
		c.Statements = nil
		for _, b := range all {
			if b.Differ() {
				c.Statements = append(c.Statements, b)
			}
		}
		if len(c.Statements) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// Between is how people agree with each other, over the statements that two of them marked.
type Between struct {
	// Alpha is Krippendorff's α of all people over supported and unsupported, nominal, gaps
	// allowed; "cannot tell" is a gap.
	Alpha *float64 `json:"alpha,omitempty"`
	Pairs []Pair   `json:"pairs"`
}

// Pair is how two people agree. In the table the first stands for the person, the second
// for the judge.
type Pair struct {
	A   string            `json:"a"`
	B   string            `json:"b"`
	All agreement.Summary `json:"all"`
}

// ledger is what one person has said in all: the newest mark of each place.
type ledger struct {
	labels  map[string]Label
	at      time.Time
	changed int
}

// ledgers folds the entries of a review, oldest first. A blank never takes a mark back.
func ledgers(entries []Entry) map[string]*ledger {
	out := map[string]*ledger{}
	for _, e := range entries {
		l := out[e.Rater]
		if l == nil {
			l = &ledger{labels: map[string]Label{}}
			out[e.Rater] = l
		}
		l.at = e.At
		for _, label := range e.Labels {
			l.take(label)
		}
	}
	return out
}

func (l *ledger) take(label Label) {
	if label.Blank() {
		return
	}
	old := l.labels[label.Sample]
	kept := Label{Sample: label.Sample, Statements: slices.Clone(old.Statements), Answered: l.put(old.Answered, label.Answered)}
	for i, m := range label.Statements {
		if i == len(kept.Statements) {
			kept.Statements = append(kept.Statements, "")
		}
		kept.Statements[i] = l.put(kept.Statements[i], m)
	}
	l.labels[label.Sample] = kept
}

func (l *ledger) put(old, mark Mark) Mark {
	if mark == "" {
		return old
	}
	if old != "" && old != mark {
		l.changed++
	}
	return mark
}

// Compare says how the judge agrees with each person, and the people with each other. The
// entries are those of the sheet, oldest first; texts may lack what is no longer kept.
func Compare(s Sheet, entries []Entry, texts map[string]report.Sample) Result {
	r := Result{Review: s.ID, Made: s.Made, Frame: s.Frame, Samples: len(s.Items), Raters: []RaterResult{}}
	for _, item := range s.Items {
		r.Statements += len(item.Verdicts)
	}
	all := ledgers(entries)
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		r.Raters = append(r.Raters, s.rater(name, all[name], texts))
	}
	slices.SortStableFunc(r.Raters, func(a, b RaterResult) int { return b.At.Compare(a.At) })
	if len(names) > 1 {
		r.Between = s.between(names, all)
	}
	return r
}

func (s Sheet) rater(name string, l *ledger, texts map[string]report.Sample) RaterResult {
	r := RaterResult{Rater: name, At: l.at, Changed: l.changed, JudgedUnsupported: s.Frame.Unsupported, Compared: []Compared{}}
	languages := map[string][]agreement.Sample{}
	var all []agreement.Sample
	var relevancy []agreement.Case
	for _, item := range s.Items {
		label, ok := l.labels[item.Sample]
		if !ok {
			continue
		}
		c := compared(item, label, texts[item.Sample])
		count(&r, c)
		r.Compared = append(r.Compared, c)
		x := pairUp(item, label.Statements, judged(item))
		all = append(all, x)
		languages[item.Language] = append(languages[item.Language], x)
		if o := item.Outcomes[scorer.AnswerRelevancy]; o.Scored && (label.Answered == Yes || label.Answered == No) {
			relevancy = append(relevancy, agreement.Case{Score: o.Value, Positive: label.Answered == Yes})
		}
	}
	r.All = agreement.Summarize(all)
	for _, language := range slices.Sorted(maps.Keys(languages)) {
		r.Languages = append(r.Languages, OfLanguage{language, agreement.Summarize(languages[language])})
	}
	r.Corrected = agreement.Corrected(all, agreement.Rate{Share: s.Frame.Unsupported, N: s.Frame.Effective})
	r.Relevancy = agreement.AUROC(relevancy)
	return r
}

func count(r *RaterResult, c Compared) {
	r.Samples++
	for _, b := range c.Statements {
		r.Statements++
		if b.Person == Unclear {
			r.Unclear++
		}
	}
	switch c.Answered {
	case Yes:
		r.AnsweredYes++
	case No:
		r.AnsweredNo++
	default:
	}
}

func compared(item Item, label Label, x report.Sample) Compared {
	c := Compared{Sample: item.Sample, Time: item.Time, Language: item.Language, Question: x.Sample.Question, Answer: x.Sample.Answer, Answered: label.Answered}
	for i, judge := range judged(item) {
		if i >= len(label.Statements) || label.Statements[i] == "" {
			continue
		}
		b := Both{No: i + 1, Person: label.Statements[i], Judge: judge}
		if i < len(x.Score.Statements) {
			b.Text, b.Reason = x.Score.Statements[i].Text, x.Score.Statements[i].Reason
		}
		c.Statements = append(c.Statements, b)
	}
	if len(c.Statements) == len(item.Verdicts) {
		c.Outcomes = item.Outcomes
	}
	return c
}

// judged are the judge's verdicts as marks.
func judged(item Item) []Mark {
	out := make([]Mark, len(item.Verdicts))
	for i, v := range item.Verdicts {
		out[i] = Unsupported
		if v == 1 {
			out[i] = Supported
		}
	}
	return out
}

// pairUp are the statements that both raters called supported or unsupported.
func pairUp(item Item, a, b []Mark) agreement.Sample {
	x := agreement.Sample{Stratum: cmp.Or(map[bool]string{true: "low"}[item.Low], "rest"), Weight: item.Weight}
	for i := range min(len(a), len(b)) {
		if isClear(a[i]) && isClear(b[i]) {
			x.Verdicts = append(x.Verdicts, agreement.Verdict{Person: a[i] == Unsupported, Judge: b[i] == Unsupported})
		}
	}
	return x
}

func isClear(m Mark) bool { return m == Supported || m == Unsupported }

func (s Sheet) between(names []string, all map[string]*ledger) *Between {
	out := &Between{}
	var units [][]Mark
	for _, item := range s.Items {
		for i := range item.Verdicts {
			var unit []Mark
			for _, name := range names {
				if marks := all[name].labels[item.Sample].Statements; i < len(marks) && isClear(marks[i]) {
					unit = append(unit, marks[i])
				}
			}
			units = append(units, unit)
		}
	}
	out.Alpha = agreement.Alpha(units)
	for i, a := range names {
		for _, b := range names[i+1:] {
			var both []agreement.Sample
			for _, item := range s.Items {
				both = append(both, pairUp(item, all[a].labels[item.Sample].Statements, all[b].labels[item.Sample].Statements))
			}
			out.Pairs = append(out.Pairs, Pair{a, b, agreement.Summarize(both)})
		}
	}
	return out
}

// Marked says whether a rater has marked anything of one of the labeled samples before.
func Marked(entries []Entry, rater string, labels []Label) bool {
	l := ledgers(entries)[rater]
	return l != nil && slices.ContainsFunc(labels, func(label Label) bool {
		_, ok := l.labels[label.Sample]
		return ok
	})
}
