package openai

import (
	"strings"

	"github.com/tidwall/gjson"
)

// onlyThought says what to do about a model that does nothing else.
const onlyThought = "the model only thought and gave no reply: set judge.reasoning_effort to none, or turn thinking off at the server"

// think looks for what a model thought, in the body of its reply: servers put it into fields
// of the message of their own, into the count of tokens, or into the content.
func (a *answer) think(body []byte) {
	counted := gjson.GetBytes(body, "usage.completion_tokens_details.reasoning_tokens").Int() > 0
	choices := gjson.GetBytes(body, "choices").Array()
	for i := range a.Choices {
		shown := false
		if i < len(choices) {
			message := choices[i].Get("message")
			shown = message.Get("reasoning").String() != "" || message.Get("reasoning_content").String() != ""
		}
		c := &a.Choices[i]
		written := strings.Contains(c.Content, "<think>")
		a.Thought = a.Thought || shown || counted || written
		c.OnlyThought = (shown || counted) && !c.Refusal && strings.TrimSpace(c.Content) == "" && c.Finish != "content_filter"
	}
}
