package openai

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"leadline/scorer"
)

const maxStatements = 60

// parseStatements reads {"statements":["…"]}. maxRunes bounds their length together: more
// than a few times the answer is a model that runs away.
func parseStatements(text string, maxRunes int) ([]string, error) {
	fields, err := extract(text, "statements")
	if err != nil {
		return nil, err
	}
	var items []*string
	if json.Unmarshal(fields["statements"], &items) != nil {
		return nil, badJSON(`"statements" must be a list of strings`)
	}
	var statements []string
	runes := 0
	for _, item := range items {
		if item == nil {
			return nil, badJSON(`"statements" must hold strings only`)
		}
		if s := strings.TrimSpace(*item); s != "" {
			statements = append(statements, s)
			runes += len([]rune(s))
		}
	}
	switch {
	case len(statements) == 0:
		return nil, &problem{reason: scorer.ReasonNoStatements, soft: true,
			feedback: "it lists no statement; if the answer makes any claim, list it"}
	case len(statements) > maxStatements || runes > maxRunes:
		return nil, &problem{reason: scorer.ReasonRunaway,
			feedback: "it is much longer than the answer; list each claim once, as the answer makes it"}
	}
	return statements, nil
}

// parseVerdicts reads {"verdicts":[{"i":1,"reason":"…","verdict":1}]} for n statements.
// The rows that it returns beside a soft problem are those that the judge gave.
func parseVerdicts(text string, n int) ([]scorer.Verdict, error) {
	fields, err := extract(text, "verdicts")
	if err != nil {
		return nil, err
	}
	// By name, not into a struct: that would take "Verdict" for "verdict" where both are there.
	var items []map[string]json.RawMessage
	if json.Unmarshal(fields["verdicts"], &items) != nil {
		return nil, badJSON(`"verdicts" must be a list of objects`)
	}
	rows := make([]scorer.Verdict, len(items))
	for k, item := range items {
		i, ok := integer(item["i"])
		if !ok {
			return nil, badVerdict(`each verdict needs the number "i" of its statement`, false)
		}
		value, ok := flag(item["verdict"])
		if !ok {
			return nil, badVerdict(fmt.Sprintf("the verdict on statement %d must be 0 or 1", i), false)
		}
		rows[k] = scorer.Verdict{Index: i - 1, Value: value, Reason: textOf(item["reason"])}
	}
	if p := compareVerdicts(rows, n); p != nil {
		return rows, p
	}
	return rows, nil
}

// compareVerdicts holds the rows against the n statements that were asked about.
func compareVerdicts(rows []scorer.Verdict, n int) *problem {
	given := make(map[int]int, n)
	for _, row := range rows {
		before, again := given[row.Index]
		switch {
		case row.Value != 0 && row.Value != 1:
			return badVerdict(fmt.Sprintf("the verdict on statement %d must be 0 or 1", row.Index+1), true)
		case row.Index < 0 || row.Index >= n:
			return badVerdict(fmt.Sprintf("there is no statement %d", row.Index+1), true)
		case again && before != row.Value:
			return &problem{scorer.ReasonConflicting, fmt.Sprintf("it gives two verdicts on statement %d", row.Index+1), true}
		}
		given[row.Index] = row.Value
	}
	var missing []string
	for i := range n {
		if _, ok := given[i]; !ok {
			missing = append(missing, strconv.Itoa(i+1))
		}
	}
	if len(missing) > 0 {
		return &problem{scorer.ReasonMissingVerdicts, "no verdict for statements [" + strings.Join(missing, ", ") + "]", true}
	}
	return nil
}

// parseQuestion reads {"question":"…","noncommittal":0}.
func parseQuestion(text, language string) (scorer.Guess, error) {
	fields, err := extract(text, "question")
	if err != nil {
		return scorer.Guess{}, err
	}
	var question *string
	if json.Unmarshal(fields["question"], &question) != nil || question == nil {
		return scorer.Guess{}, badJSON(`"question" must be a string`)
	}
	evades, ok := flag(fields["noncommittal"])
	if !ok {
		return scorer.Guess{}, badVerdict(`"noncommittal" must be 0 or 1`, false)
	}
	guess := scorer.Guess{Text: strings.TrimSpace(*question), Noncommittal: evades}
	switch {
	case evades != 0 && evades != 1:
		return guess, badVerdict(`"noncommittal" must be 0 or 1`, true)
	case guess.Text == "":
		return guess, &problem{scorer.ReasonNoQuestion, "the question is empty", true}
	case !scorer.InLanguage(guess.Text, language):
		return guess, &problem{scorer.ReasonWrongLanguage, "the question must be in the language " + language, false}
	}
	return guess, nil
}

func badVerdict(feedback string, soft bool) *problem {
	return &problem{scorer.ReasonBadVerdict, feedback, soft}
}

// textOf decodes a string; anything else is none.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// flag accepts the ways in which models write a truth value: 1, 1.0, "1", true, "yes". The
// list is closed: null, fractions and other words are no value, and no word is ever a 0. A
// whole number is returned as it is, for the caller to refuse.
func flag(raw json.RawMessage) (int, bool) {
	switch strings.ToLower(unquoted(raw)) {
	case "1", "1.0", "true", "yes":
		return 1, true
	case "0", "0.0", "false", "no":
		return 0, true
	}
	i, ok := integer(raw)
	return i, ok && i != 0 && i != 1
}

// integer accepts 3, 3.0 and "3".
func integer(raw json.RawMessage) (int, bool) {
	f, err := strconv.ParseFloat(unquoted(raw), 64)
	if err != nil || f != float64(int(f)) || f > 1e6 || f < -1e6 {
		return 0, false
	}
	return int(f), true
}

// unquoted is a JSON value, a string without its quotes.
func unquoted(raw json.RawMessage) string {
	text := strings.TrimSpace(string(raw))
	if strings.HasPrefix(text, `"`) {
		text = strings.TrimSpace(textOf(raw))
	}
	return text
}
