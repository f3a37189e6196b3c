package main

import (
	"math"

	"leadline/bench/answers"
)

// What became of one metric of one record on both sides: equal, a deviation that Leadline
// makes on purpose, or different.
const (
	same         = "equal"
	noStatements = "no statements: Ragas NaN, Leadline unscorable"
	ragasFailed  = "Ragas raised, Leadline scored"
	wrongScript  = "a question in another language than the user's: Ragas scores it, Leadline does not"
	different    = "different"
)

// closeEnough is how far two relevancies may be apart: Ragas's client passes vectors as 32-bit
// numbers, and sums differ in their order. Faithfulness must be the same.
const closeEnough = 1e-6

// parity counts what became of a metric, by name.
type parity struct {
	Faithfulness  map[string]int `json:"faithfulness"`
	Relevancy     map[string]int `json:"answer_relevancy"`
	LargestApart  float64        `json:"largest_difference_of_relevancy"`
	Different     []string       `json:"different,omitempty"` // ID and both outcomes
	RagasFailures map[string]int `json:"ragas_exceptions,omitempty"`
}

func compare(records []answers.Record, ours, theirs run) parity {
	p := parity{Faithfulness: map[string]int{}, Relevancy: map[string]int{}, RagasFailures: map[string]int{}}
	for _, r := range records {
		a, b := ours.Results[r.ID], theirs.Results[r.ID]
		f := judge(a.Faithfulness, b.Faithfulness, 0)
		v := judge(a.Relevancy, b.Relevancy, closeEnough)
		p.Faithfulness[f]++
		p.Relevancy[v]++
		if f == different || v == different {
			p.Different = append(p.Different, r.ID+": Leadline "+encode(a)+", Ragas "+encode(b))
		}
		if a.Relevancy.Value != nil && b.Relevancy.Value != nil {
			p.LargestApart = max(p.LargestApart, math.Abs(*a.Relevancy.Value-*b.Relevancy.Value))
		}
		for _, o := range []outcome{b.Faithfulness, b.Relevancy} {
			if o.Error != "" {
				p.RagasFailures[o.Error]++
			}
		}
	}
	return p
}

func judge(ours, theirs outcome, within float64) string {
	switch {
	case ours.Value != nil && theirs.Value != nil && math.Abs(*ours.Value-*theirs.Value) <= within:
		return same
	case theirs.NaN && ours.Error == "no_statements":
		return noStatements
	case theirs.Error != "" && ours.Value != nil:
		return ragasFailed
	case theirs.Value != nil && ours.Error == "wrong_language":
		return wrongScript
	}
	return different
}
