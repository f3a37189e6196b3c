package standin

import "math/bits"

// supportedFrom is the share of a statement's weight that the contexts must cover.
const supportedFrom = 0.7

// oppositeFrom is the share of a sentence's own weight that a statement must cover
// before the two can contradict each other: a long sentence may negate something else.
const oppositeFrom = 0.5

// maxSentences is how many sentences of a source are told apart; the rest count as one.
const maxSentences = 64

// source is a context: for each feature, a bit per sentence that has it.
type source struct {
	in      map[uint64]uint64
	negated uint64 // a bit per sentence
	totals  tally  // weight of each sentence
}

const sourceEntryBytes = 40

func newSource(text string) (*source, int) {
	c := &source{in: map[uint64]uint64{}}
	for i, s := range sentences(text) {
		i = min(i, maxSentences-1)
		bit := uint64(1) << i
		if isNegated(s) {
			c.negated |= bit
		}
		extract(s, func(f feature) {
			c.totals[i] += f.weight
			c.in[f.hash] |= bit
		})
	}
	return c, sourceEntryBytes * len(c.in)
}

// finding says what comparing a statement with the contexts showed.
type finding struct {
	coverage float64 // 0–1
	number   bool    // a number of the statement is in no context
	negation bool    // the sentence that says it best says the opposite
}

func (f finding) supported() bool {
	return f.coverage >= supportedFrom && !f.number && !f.negation
}

// compare looks for the features of a statement in all contexts together, and for the
// one sentence that has most of them.
func compare(d *digest, contexts []*source) finding {
	if d.total == 0 {
		return finding{}
	}
	var out finding
	covered := float32(0)
	tallies := make([]tally, len(contexts))
	for _, f := range d.features {
		found := false
		for i, c := range contexts {
			if mask := c.in[f.hash]; mask != 0 {
				found = true
				tallies[i].add(mask, f.weight)
			}
		}
		if found {
			covered += f.weight
		} else if f.number {
			out.number = true
		}
	}
	out.coverage = float64(covered) / float64(d.total)
	same, opposite := best(d, contexts, tallies)
	out.negation = opposite >= supportedFrom*d.total && opposite > same
	return out
}

// tally is the weight that each sentence of a source covers.
type tally [maxSentences]float32

func (t *tally) add(mask uint64, weight float32) {
	for ; mask != 0; mask &= mask - 1 {
		t[bits.TrailingZeros64(mask)] += weight
	}
}

// best returns the most that one sentence covers, of those with the statement's
// negation and of those with the opposite.
func best(d *digest, contexts []*source, tallies []tally) (same, opposite float32) {
	for i, c := range contexts {
		for j, weight := range tallies[i] {
			if (c.negated>>j&1 == 1) == d.negated {
				same = max(same, weight)
			} else if weight >= oppositeFrom*c.totals[j] {
				opposite = max(opposite, weight)
			}
		}
	}
	return same, opposite
}
