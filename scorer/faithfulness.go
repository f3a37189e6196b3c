package scorer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"leadline/sampler"
)

// faithfulness is the share of an answer's statements that its contexts support.
func (s *Scorer) faithfulness(ctx context.Context, sample sampler.Sample) (f finding, err error) {
	if !anyText(sample.Contexts) {
		f.outcome = unscorable(ReasonNoContext)
		return f, nil
	}
	texts, call, err := s.judge.Statements(ctx, sample.Question, sample.Answer, sample.History...)
	f.call.Add(call)
	if err != nil {
		f.outcome, err = failed(err)
		return f, err
	}
	statements := countDuplicates(texts)
	if len(statements) == 0 {
		f.outcome = unscorable(ReasonNoStatements)
		return f, nil
	}
	rows, call, err := s.judge.Verdicts(ctx, sample.Contexts, textsOf(statements))
	f.call.Add(call)
	if err != nil {
		f.outcome, err = failed(err)
		return f, err
	}
	if reason := applyVerdicts(statements, rows); reason != "" {
		f.outcome = Outcome{Reason: reason, Parity: ragasFaithfulness(rows)}
		return f, nil
	}
	f.statements, f.outcome = statements, scored(shareSupported(statements))
	return f, nil
}

// countDuplicates drops blank statements and joins equal ones, in order of appearance.
func countDuplicates(texts []string) []Statement {
	var statements []Statement
	at := make(map[string]int, len(texts))
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if i, seen := at[text]; seen {
			statements[i].Count = max(statements[i].Count, 1) + 1
			continue
		}
		at[text] = len(statements)
		statements = append(statements, Statement{Text: text})
	}
	return statements
}

func textsOf(statements []Statement) []string {
	texts := make([]string, len(statements))
	for i, s := range statements {
		texts[i] = s.Text
	}
	return texts
}

// applyVerdicts writes the rows into the statements. It returns a reason unless each
// statement has one verdict: the denominator never shrinks to what the judge returned.
func applyVerdicts(statements []Statement, rows []Verdict) Reason {
	judged := make([]bool, len(statements))
	for _, row := range rows {
		if row.Index < 0 || row.Index >= len(statements) || row.Value != 0 && row.Value != 1 {
			return ReasonBadVerdict
		}
		s := &statements[row.Index]
		if judged[row.Index] && s.Verdict != row.Value {
			return ReasonConflicting
		}
		judged[row.Index] = true
		s.Verdict, s.Reason = row.Value, row.Reason
	}
	for _, ok := range judged {
		if !ok {
			return ReasonMissingVerdicts
		}
	}
	return ""
}

// shareSupported weighs each statement by how often the answer said it.
func shareSupported(statements []Statement) float64 {
	supported, total := 0, 0
	for _, s := range statements {
		n := max(s.Count, 1)
		total += n
		supported += n * s.Verdict
	}
	return float64(supported) / float64(total)
}

// ragasFaithfulness is the share of non-zero rows among the rows returned, as Ragas 0.4.3
// counts it; nil without rows, where Ragas returns NaN.
func ragasFaithfulness(rows []Verdict) *float64 {
	if len(rows) == 0 {
		return nil
	}
	supported := 0
	for _, row := range rows {
		if row.Value != 0 {
			supported++
		}
	}
	value := float64(supported) / float64(len(rows))
	return &value
}

func anyText(texts []string) bool {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return true
		}
	}
	return false
}

func scored(value float64) Outcome { return Outcome{Scored: true, Value: value} }

func unscorable(reason Reason) Outcome { return Outcome{Reason: reason} }

// failed turns the error of a call into an outcome where it concerns this sample alone.
func failed(err error) (Outcome, error) {
	if u, ok := errors.AsType[*UnscorableError](err); ok {
		return unscorable(u.Reason), nil
	}
	return Outcome{}, fmt.Errorf("ask judge: %w", err)
}
