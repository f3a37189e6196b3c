// Package review draws stored answers for people to judge with the judge's verdicts hidden,
// reads back what they marked, and says how well the judge agrees with them. It does no I/O
// of its own. What people are given never holds a verdict, a score, or how a sample was drawn.
package review

import (
	"time"

	"leadline/report"
	"leadline/scorer"
)

// Mark is what a person says about a statement, or about whether the question was answered.
// The zero value is nothing said yet.
type Mark string

// The marks. The first two are for statements, Yes and No for answers; Unclear for both.
const (
	Supported   Mark = "supported"
	Unsupported Mark = "unsupported"
	Yes         Mark = "yes"
	No          Mark = "no"
	Unclear     Mark = "unclear"
)

// Sheet is one drawing, as it is kept: with what the judge said, and without any text, so
// that a review can be finished when the texts are gone.
type Sheet struct {
	ID    string    `json:"id"`
	Made  time.Time `json:"made"`
	Frame Frame     `json:"frame"`
	Items []Item    `json:"items"` // in an order that says nothing
}

// Frame is what a sheet was drawn from: the answers of one judge whose text was kept.
type Frame struct {
	Since  time.Time                `json:"since"`
	Until  time.Time                `json:"until"`
	Judges map[scorer.Metric]string `json:"judges"` // JudgeID.Key
	Model  string                   `json:"model"`
	// Standin is true when the judge only compares words.
	Standin bool `json:"standin,omitempty"`
	// Answers counts those that differ in their words; Low of them are the lowest quarter by
	// faithfulness. LowDrawn of the drawn ones are from there.
	Answers  int `json:"answers"`
	Low      int `json:"low"`
	LowDrawn int `json:"low_drawn"`
	// Unsupported is the share of all their statements that the judge calls so, in the traffic.
	Unsupported float64 `json:"unsupported"`
	// Effective is how many answers of equal weight the frame is worth.
	Effective float64 `json:"effective"`
}

// Judge is the key of whose verdicts are compared.
func (f Frame) Judge() string { return f.Judges[scorer.Faithfulness] }

// Item is one drawn answer and what was sealed about it.
type Item struct {
	Sample   string    `json:"sample"`
	Time     time.Time `json:"time"`
	Language string    `json:"language"`
	Low      bool      `json:"low"`
	// Weight is how many answers of the traffic it stands for.
	Weight   float64                          `json:"weight"`
	Verdicts []int                            `json:"verdicts"` // scorer.Statement.Verdict, in the answer's order
	Outcomes map[scorer.Metric]scorer.Outcome `json:"outcomes"`
}

// Form is what people are given.
type Form struct {
	Review string    `json:"review"`
	Made   time.Time `json:"made"`
	Papers []Paper   `json:"papers"`
}

// Paper is one answer to judge. Without texts it is no longer kept.
type Paper struct {
	Review     string      `json:"review"`
	Sample     string      `json:"sample"`
	Language   string      `json:"language"`
	Question   string      `json:"question"`
	Answer     string      `json:"answer"`
	Contexts   []string    `json:"contexts"`
	Answered   Mark        `json:"answered"`
	Statements []Statement `json:"statements"`
}

// Statement is one claim of an answer, and the place for its mark.
type Statement struct {
	No   int    `json:"no"` // from 1
	Text string `json:"text"`
	Mark Mark   `json:"mark"`
}

// Gone says whether the text was deleted after its retention.
func (p Paper) Gone() bool { return p.Question == "" && p.Answer == "" }

// Form puts the texts to a sheet. Samples without text stay as papers without text.
func (s Sheet) Form(texts map[string]report.Sample) Form {
	f := Form{Review: s.ID, Made: s.Made}
	for _, item := range s.Items {
		f.Papers = append(f.Papers, s.paper(item, texts[item.Sample]))
	}
	return f
}

func (s Sheet) paper(item Item, x report.Sample) Paper {
	p := Paper{Review: s.ID, Sample: item.Sample, Language: item.Language, Question: x.Sample.Question, Answer: x.Sample.Answer, Contexts: x.Sample.Contexts}
	for i := range item.Verdicts {
		st := Statement{No: i + 1}
		if i < len(x.Score.Statements) {
			st.Text = x.Score.Statements[i].Text
		}
		p.Statements = append(p.Statements, st)
	}
	return p
}

// item finds a sample of the sheet.
func (s Sheet) item(sample string) (Item, bool) {
	for _, i := range s.Items {
		if i.Sample == sample {
			return i, true
		}
	}
	return Item{}, false
}

// Label is what one person says about one sample. Statements are in the answer's order, as
// many as it has.
type Label struct {
	Sample     string `json:"sample"`
	Statements []Mark `json:"statements"`
	Answered   Mark   `json:"answered,omitempty"`
}

// Blank says that nothing was marked.
func (l Label) Blank() bool {
	for _, m := range l.Statements {
		if m != "" {
			return false
		}
	}
	return l.Answered == ""
}

// Entry is one handing in of labels. Entries are only ever added: together they are the
// record of who said what, when, and what was changed later.
type Entry struct {
	Review string    `json:"review"`
	Rater  string    `json:"rater"`
	At     time.Time `json:"at"`
	// Via is "page", or "file" with the SHA-256 of what was read.
	Via    string  `json:"via"`
	File   string  `json:"file,omitempty"`
	Labels []Label `json:"labels"`
}
