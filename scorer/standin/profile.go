package standin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// profile is what one kind of server does otherwise than its API promises. The zero value
// does nothing otherwise.
type profile struct {
	rules  []rule                // what is refused; the first that applies answers
	fault  func(e *apiError) any // the shape of an error; nil: OpenAI's
	serve  func(q *chatRequest)  // what is taken without a word, and not done
	think  thinking
	faults []Fault // in force from the start

	anyModel     bool // whatever model is asked for, the same one answers
	noEmbeddings bool
}

// rule is a reason to refuse a request.
type rule struct {
	applies func(q chatRequest) bool
	fault   apiError
}

// thinking is how a model that thinks before it replies shows it.
type thinking struct {
	off    func(q chatRequest) bool // nil: it does not think
	field  string                   // of the message: reasoning or reasoning_content; empty: not shown
	tokens int                      // they are billed, and count against the limit
}

// Profiles lists the names of all profiles, sorted.
func Profiles() []string { return slices.Sorted(maps.Keys(profiles)) }

func (s *Server) setProfile(name string) error {
	p, ok := profiles[name]
	if !ok && name != "" {
		return fmt.Errorf("profile: %q is not one of %s", name, strings.Join(Profiles(), ", "))
	}
	s.profile = p
	return nil
}

// refuses returns the error of the first rule that applies.
func (p profile) refuses(q chatRequest) *apiError {
	for _, r := range p.rules {
		if r.applies(q) {
			return &r.fault
		}
	}
	return nil
}

// shape lets a reply look as the server's do.
func (p profile) shape(q chatRequest, c *completion) {
	if p.anyModel {
		c.Model = q.model
	}
	if marked(q, "filter this reply") && p.filters() {
		for i := range c.Choices {
			c.Choices[i].Message.Content, c.Choices[i].FinishReason = "", "content_filter"
		}
	}
	if p.think.off == nil || p.think.off(q) {
		return
	}
	all := p.think.tokens * len(c.Choices)
	c.Usage.Details = &completionDetails{Reasoning: all}
	c.Usage.Completion += all
	c.Usage.Total += all
	for i := range c.Choices {
		m := &c.Choices[i].Message
		switch p.think.field {
		case "reasoning":
			m.Reasoning = "Counting words first."
		case "reasoning_content":
			m.ReasoningContent = "Counting words first."
		}
	}
}

// filters says whether the server has a filter of contents.
func (p profile) filters() bool {
	return slices.ContainsFunc(p.rules, func(r rule) bool { return r.fault.code == "content_filter" })
}

// probed says what a schema makes of "reply with the word hello".
func probed(q chatRequest) string {
	schema := q.raw.Get("response_format.json_schema.schema")
	key := schema.Get("required.0").String()
	if q.format != "json_schema" || key == "" {
		return "hello"
	}
	return fmt.Sprintf("{%q:%q}", key, schema.Get("properties."+key+".enum.0").String())
}

// counted counts to 200.
func counted() string {
	numbers := make([]string, 200)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i + 1)
	}
	return strings.Join(numbers, ", ")
}
