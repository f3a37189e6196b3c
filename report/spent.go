package report

import (
	"fmt"
	"strings"

	"leadline/scorer"
)

// Spent is what the judge took in some UTC days. What calls set aside and did not settle is
// in the sum, and in no kind.
type Spent struct {
	scorer.Spend
	Kinds map[scorer.Kind]scorer.Spend `json:"kinds,omitempty"`
	// Limit is what those days may take; 0: no limit.
	Limit scorer.Spend `json:"limit,omitzero"`
}

// Spent writes "1,200 of 5,000 tokens, $0.12: samples 1,000 ($0.10), control items 200 ($0.02)".
func (w Words) Spent(s Spent) string {
	tokens := w.T("spent.tokens", w.Int(s.Tokens))
	if s.Limit.Tokens > 0 {
		tokens = w.T("spent.tokens_of", w.Int(s.Tokens), w.Int(s.Limit.Tokens))
	}
	facts := []string{tokens}
	switch {
	case s.Limit.Dollars > 0:
		facts = append(facts, w.T("spent.dollars_of", dollars(s.Dollars), dollars(s.Limit.Dollars)))
	case s.Dollars > 0:
		facts = append(facts, dollars(s.Dollars))
	}
	var kinds []string
	for _, k := range scorer.Kinds {
		one, ok := s.Kinds[k]
		if !ok || one == (scorer.Spend{}) {
			continue
		}
		kind := w.T("spent.kind."+string(k)) + " " + w.Int(one.Tokens)
		if one.Dollars > 0 {
			kind += " (" + dollars(one.Dollars) + ")"
		}
		kinds = append(kinds, kind)
	}
	line := strings.Join(facts, w.comma())
	if len(kinds) > 0 {
		line += ": " + strings.Join(kinds, w.comma())
	}
	return line
}

// dollars shows small sums, too: a day of a cheap judge is a few cents.
func dollars(x float64) string {
	if x > 0 && x < 0.995 {
		return fmt.Sprintf("$%.3f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}
