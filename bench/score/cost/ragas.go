package main

import (
	"leadline/bench/score/o200k"
	"leadline/price"
	"leadline/sampler"
)

// What Ragas 0.4.3 sends and gets, measured in o200k tokens on its own prompts: the fixed
// part of each, and the message with the schema that its client library adds to it.
const (
	statementsFixed, statementsSchema = 343, 143
	verdictsFixed, verdictsSchema     = 677, 335
	questionFixed, questionSchema     = 427, 188
	// A verdict restates its statement, gives a reason and stands in indented JSON: 469 tokens
	// for eight statements of 150 tokens together.
	verdictAround = (469.0 - 150) / 8
	// A statement is quoted in the list that verdicts are asked for: 170 tokens for those eight.
	statementQuoted = (170.0 - 150) / 8
	questionReply   = 30
	questions       = 3
	// What a judge writes to Leadline: an index, a reason of at most 15 words and the verdict,
	// 141 tokens for eight; a question 24. The stand-in's reasons are no measure of a judge's.
	ourVerdict  = 141.0 / 8
	ourQuestion = 24
)

// ragas is what it takes for all samples: as it is, and with one request for the three
// questions and no message of its client library.
type ragas struct{ full, once price.Tokens }

func ragasOf(samples []sampler.Sample, sent sent, count o200k.Counter) (r ragas) {
	for _, s := range samples {
		question, answer := count.Text(s.Question), count.Text(s.Answer)
		contexts := 0
		for _, c := range s.Contexts {
			contexts += count.Text(c)
		}
		split := sent.splits[s.Answer]
		statements := int64(statementsFixed + question + answer)
		verdicts := int64(verdictsFixed+contexts+split.tokens) + int64(statementQuoted*float64(split.n))
		asked := int64(questionFixed + answer)
		out := int64(split.reply) + int64(float64(split.tokens)+verdictAround*float64(split.n)) + questions*questionReply
		r.full.Prompt += statements + statementsSchema + verdicts + verdictsSchema + questions*(asked+questionSchema)
		r.full.Completion += out
		r.once.Prompt += statements + statementsSchema + verdicts + verdictsSchema + asked + questionSchema
		r.once.Completion += out
	}
	return r
}
