package openai

// firstStatementsInput is what statements/v1 is shown. It knows no history.
type firstStatementsInput struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// statementsInput is what later versions are shown: what is taken apart first, then what
// only tells what is meant.
type statementsInput struct {
	Answer   string   `json:"answer"`
	Question string   `json:"question"`
	History  []string `json:"history,omitempty"` // oldest first
}

func (t tasks) statementsInput(question, answer string, history []string) any {
	if t.version == "v1" {
		return firstStatementsInput{clean(question), clean(answer)}
	}
	in := statementsInput{Answer: clean(answer), Question: clean(question)}
	for _, turn := range history {
		in.History = append(in.History, clean(turn))
	}
	return in
}
