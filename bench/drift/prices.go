package main

import "leadline/scorer"

// pricesAsOf dates everything in this file. List prices change: this is the one place.
const pricesAsOf = "2026-11-30"

// judgePrice is the list price of a judge, US dollars per million tokens.
type judgePrice struct {
	Model string `json:"model"`
	// Dated is when the price was read; Tier is how it is had.
	Dated string `json:"dated"`
	Tier  string `json:"tier"`
	In    figure `json:"in"`
	Out   figure `json:"out"`
	// Read and Write are for prompts in the server's cache, where it is told what to keep;
	// both 0 where it is not, and the shorter prompts are paid for in full.
	Read  figure `json:"read"`
	Write figure `json:"write"`
	// Served is true where n = 3 is: else the question's prompt is paid three times.
	Served bool `json:"n_served"`
}

// half is a tier at half price: Flex, or Batch.
func (p judgePrice) half() judgePrice {
	p.Tier, p.In, p.Out, p.Read, p.Write = "Flex", p.In/2, p.Out/2, p.Read/2, p.Write/2
	return p
}

// prices are the recommended judge, at list price, at half and without n; the judge that it
// replaced; and the small one of another house.
func prices() []judgePrice {
	luna := judgePrice{Model: "gpt-6-luna, effort none", Dated: "2026-11", Tier: "list", In: 0.10, Out: 0.50, Read: 0.01, Write: 0.125, Served: true}
	alone := luna
	alone.Model, alone.Served = "gpt-6-luna, effort none, n not served", false
	older := judgePrice{Model: "gpt-5.6-luna", Dated: "2026-08-02", Tier: "list", In: 0.20, Out: 1.20, Read: 0.02, Write: 0.25, Served: true}
	mistral := judgePrice{Model: "mistral-small-2603", Dated: "2026-06-09", Tier: "list", In: 0.15, Out: 0.60, Served: true}
	return []judgePrice{luna, luna.half(), alone, older, mistral}
}

// Tokens of a prompt with its schema: v2-long where the cache is told to keep it, else v2.
const (
	longStatements, longVerdicts, longQuestion    = 1159 + 60, 1306 + 60, 1237 + 60
	shortStatements, shortVerdicts, shortQuestion = 947 + 60, 823 + 60, 681 + 60
)

// Tokens of a sample: question 20, answer 150 of eight statements, four contexts of 300, two
// canaries among the statements.
const (
	statementsIn, statementsOut = 180, 148
	verdictsIn, verdictsOut     = 1414 + 45, 141 + 36
	questionIn, questionOut     = 156, 24 // once, and each of three
	embedded                    = 68
	embeddingPrice              = 0.02 // per million, text-embedding-3-small
)

// writes is how often each prompt is written to the cache in a run: by the calls that begin
// before the first has ended.
const writes = 4

// again is the share of requests that are paid twice: one in twenty is repaired, one in fifty
// repeated since its reply was paid for and lost.
const again = 0.05 + 0.02

const monthDays = 365.25 / 12

// sample is what one sample costs, in dollars, nothing being asked twice.
func (p judgePrice) sample() float64 {
	asked := figure(1)
	if !p.Served {
		asked = 3
	}
	fixed := p.Read * (longStatements + longVerdicts + asked*longQuestion)
	if p.Read == 0 {
		fixed = p.In * (shortStatements + shortVerdicts + asked*shortQuestion)
	}
	tokens := fixed + p.In*(statementsIn+verdictsIn+asked*questionIn) + p.Out*(statementsOut+verdictsOut+3*questionOut)
	return (float64(tokens) + embedded*embeddingPrice) / 1e6
}

// ruler is the share of a run's samples that its control items cost on top.
const ruler = scorer.ControlShare

// written is what a run's writes to the cache cost.
func (p judgePrice) written() float64 {
	return writes * float64(p.Write*(longStatements+longVerdicts+longQuestion)) / 1e6
}

// month is what a month costs, all in, with so many samples a run on average.
func (p judgePrice) month(perRun float64, perDay int) float64 {
	return (1 + again) * monthDays * float64(perDay) * ((1+ruler)*perRun*p.sample() + p.written())
}

// buys is how many samples a run on average so many dollars a month pay for.
func (p judgePrice) buys(dollars float64, perDay int) float64 {
	left := dollars/((1+again)*monthDays*float64(perDay)) - p.written()
	return max(left/((1+ruler)*p.sample()), 0)
}
