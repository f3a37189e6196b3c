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
		return nil, badReply(`"statements" must be a list of strings`)
	}
	var statements []string
	runes := 0
	for _, item := range items {
		if item == nil {
			return nil, badReply(`"statements" must hold strings only`)
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
		return nil, badReply("it is much longer than the answer; list each claim once, as the answer makes it")
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
	var items []struct {
		I       json.RawMessage `json:"i"`
		Reason  any             `json:"reason"`
		Verdict json.RawMessage `json:"verdict"`
	}
	if json.Unmarshal(fields["verdicts"], &items) != nil {
		return nil, badReply(`"verdicts" must be a list of objects`)
	}
	rows := make([]scorer.Verdict, len(items))
	for k, item := range items {
		i, ok := integer(item.I)
		if !ok {
			return nil, badReply(`each verdict needs the number "i" of its statement`)
		}
		value, ok := integer(item.Verdict)
		if !ok {
			return nil, badReply(fmt.Sprintf("the verdict on statement %d must be 0 or 1", i))
		}
		reason, _ := item.Reason.(string)
		rows[k] = scorer.Verdict{Index: i - 1, Value: value, Reason: reason}
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
			return &problem{scorer.ReasonBadReply, fmt.Sprintf("the verdict on statement %d must be 0 or 1", row.Index+1), true}
		case row.Index < 0 || row.Index >= n:
			return &problem{scorer.ReasonBadReply, fmt.Sprintf("there is no statement %d", row.Index+1), true}
		case again && before != row.Value:
			return &problem{scorer.ReasonBadReply, fmt.Sprintf("it gives two verdicts on statement %d", row.Index+1), true}
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
		return scorer.Guess{}, badReply(`"question" must be a string`)
	}
	flag, ok := integer(fields["noncommittal"])
	if !ok {
		return scorer.Guess{}, badReply(`"noncommittal" must be 0 or 1`)
	}
	guess := scorer.Guess{Text: strings.TrimSpace(*question), Noncommittal: flag}
	switch {
	case flag != 0 && flag != 1:
		return guess, &problem{scorer.ReasonBadReply, `"noncommittal" must be 0 or 1`, true}
	case guess.Text == "":
		return guess, &problem{scorer.ReasonNoQuestion, "the question is empty", true}
	case !scorer.InLanguage(guess.Text, language):
		return guess, &problem{scorer.ReasonWrongLanguage, "the question must be in the language " + language, false}
	}
	return guess, nil
}

// integer accepts the ways in which models write a whole number or a truth value: 1, 1.0,
// "1", true. Null, fractions and words are none of them.
func integer(raw json.RawMessage) (int, bool) {
	text := strings.TrimSpace(string(raw))
	if unquoted, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		text = strings.TrimSpace(unquoted)
	}
	switch strings.ToLower(text) {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != float64(int(f)) || f > 1e6 || f < -1e6 {
		return 0, false
	}
	return int(f), true
}
