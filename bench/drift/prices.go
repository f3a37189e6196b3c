package main

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
	// Write is what a prompt of 1,024 tokens or more costs, where servers write it to their
	// cache unasked: 1.25 times In. Nothing is read from it, since prompts differ at their end.
	Write figure `json:"write"`
	// Served is true where n = 3 is: else the question's prompt is paid three times.
	Served bool `json:"n_served"`
}

// half is a tier at half price: Flex, or Batch.
func (p judgePrice) half() judgePrice {
	p.Tier, p.In, p.Out, p.Write = "Flex", p.In/2, p.Out/2, p.Write/2
	return p
}

// prices are the recommended judge, at list price, at half and without n; the judge that it
// replaced; and the small one of another house.
func prices() []judgePrice {
	luna := judgePrice{Model: "gpt-6-luna, effort none", Dated: "2026-11", Tier: "list", In: 0.10, Out: 0.50, Write: 0.125, Served: true}
	alone := luna
	alone.Model, alone.Served = "gpt-6-luna, effort none, n not served", false
	older := judgePrice{Model: "gpt-5.6-luna", Dated: "2026-08-02", Tier: "list", In: 0.20, Out: 1.20, Write: 0.25, Served: true}
	mistral := judgePrice{Model: "mistral-small-2603", Dated: "2026-06-09", Tier: "list", In: 0.15, Out: 0.60, Write: 0.15, Served: true}
	return []judgePrice{luna, luna.half(), alone, older, mistral}
}

// Tokens of a sample: question 20, answer 150 of eight statements, four contexts of 300, and
// prompts of 577, 711 and 443 with schemas of 60. The prompts that ship are shorter by about a
// tenth, which is left as a reserve.
const (
	statementsIn, statementsOut = 817, 148
	verdictsIn, verdictsOut     = 2185, 141
	questionIn, questionOut     = 659, 24 // once, and each of three
	embedded                    = 68
	embeddingPrice              = 0.02 // per million, text-embedding-3-small
)

// Tokens of the control items of a run: their prompts as measured, their replies no longer
// than a sample's.
const (
	controlItems = 32
	controlsIn   = 60_000
	controlsOut  = controlItems * (statementsOut + verdictsOut + 3*questionOut)
)

// again is the share of requests that are paid twice: one in twenty is repaired, one in fifty
// repeated since its reply was paid for and lost.
const again = 0.05 + 0.02

const monthDays = 365.25 / 12

// sample is what one sample costs, in dollars, nothing being asked twice.
func (p judgePrice) sample() float64 {
	in := figure(statementsIn + questionIn)
	if !p.Served {
		in += 2 * questionIn
	}
	tokens := in*p.In + verdictsIn*p.Write + (statementsOut+verdictsOut+3*questionOut)*p.Out
	return (float64(tokens) + embedded*embeddingPrice) / 1e6
}

// ruler is what the control items of one run cost.
func (p judgePrice) ruler() float64 {
	in := controlsIn
	if !p.Served {
		in += 2 * controlItems * (questionIn - 156)
	}
	return (float64(in)*float64(p.In) + controlsOut*float64(p.Out)) / 1e6
}

// month is what a month costs, all in, with so many samples a run on average.
func (p judgePrice) month(perRun float64, perDay int) float64 {
	return (1 + again) * monthDays * float64(perDay) * (perRun*p.sample() + p.ruler())
}

// buys is how many samples a run on average so many dollars a month pay for.
func (p judgePrice) buys(dollars float64, perDay int) float64 {
	left := dollars/((1+again)*monthDays*float64(perDay)) - p.ruler()
	return max(left/p.sample(), 0)
}
