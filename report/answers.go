package report

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"leadline/scorer"
)

// What of a sample a report shows, so that one long answer does not make the page.
const (
	maxQuestionRunes = 600
	maxAnswerRunes   = 1500
	maxContextRunes  = 400
	maxContexts      = 3
	maxStatements    = 8
	maxVerdictRunes  = 150
)

// Answers makes samples ready to be read on a page of many: long texts are cut.
func Answers(samples []Sample) []Answer {
	answers := make([]Answer, 0, len(samples))
	for _, s := range samples {
		a := AnswerOf(short(s))
		a.MoreContexts = len(s.Sample.Contexts) - len(a.Contexts)
		answers = append(answers, a)
	}
	return answers
}

// distinct are the lowest answers, each sample once, and of those that answered in the
// same words the first: ten times the same refusal is one thing to read.
func distinct(samples []Sample) []Answer {
	var first []Sample
	seen, at, same := map[string]bool{}, map[string]int{}, map[int]int{}
	for _, s := range samples {
		id := s.Score.SampleID
		if seen[id] {
			continue
		}
		seen[id] = true
		text := strings.TrimSpace(s.Sample.Answer)
		if k, ok := at[text]; ok && text != "" {
			same[k]++
			continue
		}
		at[text] = len(first)
		first = append(first, s)
	}
	answers := Answers(first)
	for k, n := range same {
		answers[k].Same = n
	}
	return answers
}

// short leaves out what would make a page of many answers too long; of the statements
// the supported ones first.
func short(s Sample) Sample {
	s.Sample.Question = cutRunes(s.Sample.Question, maxQuestionRunes)
	s.Sample.Answer = cutRunes(s.Sample.Answer, maxAnswerRunes)
	s.Sample.History, s.Sample.Rewritten = nil, cutRunes(s.Sample.Rewritten, maxQuestionRunes)
	s.Sample.Contexts = slices.Clone(s.Sample.Contexts[:min(len(s.Sample.Contexts), maxContexts)])
	for i, c := range s.Sample.Contexts {
		s.Sample.Contexts[i] = cutRunes(c, maxContextRunes)
	}
	statements := unsupportedFirst(s.Score.Statements)
	s.Score.Statements = statements[:min(len(statements), maxStatements)]
	for i := range s.Score.Statements {
		st := &s.Score.Statements[i]
		st.Text, st.Reason = cutRunes(st.Text, maxVerdictRunes), cutRunes(st.Reason, maxVerdictRunes)
	}
	return s
}

func unsupportedFirst(statements []scorer.Statement) []scorer.Statement {
	sorted := slices.Clone(statements)
	slices.SortStableFunc(sorted, func(x, y scorer.Statement) int { return x.Verdict - y.Verdict })
	return sorted
}

// AnswerOf makes one sample ready to be read, whole.
func AnswerOf(s Sample) Answer {
	a := Answer{
		ID: s.Score.SampleID, Time: s.Score.Time, Cell: s.Score.Cell, Release: s.Score.Channels["release"],
		Outcomes: s.Score.Outcomes, Asked: s.Score.Questions, CrossLanguage: s.Score.CrossLanguage,
	}
	if s.Score.Second != nil {
		a.Again = s.Score.Second.Outcomes
	}
	if a.ID == "" {
		a.ID, a.Time, a.Cell = s.Sample.ID, s.Sample.Time, s.Sample.Cell
	}
	a.Verdicts = unsupportedFirst(s.Score.Statements)
	a.TextGone = s.Sample.Question == "" && s.Sample.Answer == ""
	a.Question, a.Answer = s.Sample.Question, Spans(s.Sample.Answer, a.Verdicts)
	for i, text := range s.Sample.Contexts {
		c := Context{Text: text}
		if i < len(s.Sample.Docs) {
			c.Document = s.Sample.Docs[i]
		}
		a.Contexts = append(a.Contexts, c)
	}
	return a
}

// Asked is a question that an answer would fit, and how often the judge came up with it.
type Asked struct {
	scorer.Question
	Times int
}

// Questions are the questions of the judge, each once.
func (a Answer) Questions() []Asked {
	var all []Asked
	for _, q := range a.Asked {
		at := slices.IndexFunc(all, func(x Asked) bool { return x.Question == q })
		if at < 0 {
			at = len(all)
			all = append(all, Asked{Question: q})
		}
		all[at].Times++
	}
	return all
}

// Result is the outcome of one metric.
type Result struct {
	Metric scorer.Metric
	scorer.Outcome
}

// Results are the outcomes in the order of the metrics.
func (a Answer) Results() []Result { return results(a.Outcomes) }

// AgainResults are those of the second look; none where there was none.
func (a Answer) AgainResults() []Result { return results(a.Again) }

func results(outcomes map[scorer.Metric]scorer.Outcome) []Result {
	var results []Result
	for _, m := range scorer.Metrics {
		if o, ok := outcomes[m]; ok {
			results = append(results, Result{m, o})
		}
	}
	return results
}

// cutRunes keeps the first n characters of a text.
func cutRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// Spans cuts an answer into sentences and marks those that an unsupported statement is
// nearest to: a judge words its statements anew, so they are matched by the three-letter
// pieces that they share.
func Spans(answer string, statements []scorer.Statement) []Span {
	parts := sentences(answer)
	bad := make([]bool, len(parts))
	pieces := make([]map[string]bool, len(parts))
	for i, p := range parts {
		pieces[i] = trigrams(p)
	}
	for _, st := range statements {
		if st.Verdict != 0 {
			continue
		}
		if i := nearest(trigrams(st.Text), pieces); i >= 0 {
			bad[i] = true
		}
	}
	var spans []Span
	for i, p := range parts {
		if n := len(spans); n > 0 && spans[n-1].Unsupported == bad[i] {
			spans[n-1].Text += p
			continue
		}
		spans = append(spans, Span{p, bad[i]})
	}
	return spans
}

// nearest is the sentence that has the largest share of a statement's pieces; -1 when
// none has half of them.
func nearest(statement map[string]bool, sentences []map[string]bool) int {
	best, at := 0.5, -1
	for i, s := range sentences {
		common := 0
		for g := range statement {
			common += btoi(s[g])
		}
		if share := float64(common) / float64(max(len(statement), 1)); share > best || at < 0 && share == best {
			best, at = share, i
		}
	}
	return at
}

func trigrams(s string) map[string]bool {
	var r []rune
	for _, c := range strings.ToLower(s) {
		if unicode.IsLetter(c) || unicode.IsNumber(c) {
			r = append(r, c)
		}
	}
	grams := map[string]bool{}
	for i := range max(len(r)-2, 0) {
		grams[string(r[i:i+3])] = true
	}
	return grams
}

// sentences cuts a text after full stops and at line ends, and loses nothing of it.
func sentences(s string) []string {
	var out []string
	start := 0
	r := []rune(s)
	for i, c := range r {
		last := i+1 == len(r)
		latin := (c == '.' || c == '!' || c == '?') && (last || unicode.IsSpace(r[i+1]))
		if last || latin || strings.ContainsRune("。！？\n", c) {
			out = append(out, string(r[start:i+1]))
			start = i + 1
		}
	}
	return out
}
