package report

import "leadline/scorer"

// WithoutEvasive compares the mean Faithfulness of answers with the mean of those that do
// not evade their question. "I don't know" has nothing to support and mostly scores 0, so
// more of them look like worse grounding. Each answer weighs one by its chance of having
// been picked. All fields are 0 when no answer is known to be one or the other.
type WithoutEvasive struct {
	N       int     `json:"n"`    // scored answers of which it is known
	Mean    float64 `json:"mean"` // of all of them, 0–1
	Evasive float64 `json:"noncommittal_share"`
	Left    int     `json:"n_without"` // answers without the evasive ones
	Without float64 `json:"mean_without"`
}

// withoutEvasive needs both outcomes to be of the judges given.
func withoutEvasive(scores []scorer.Score, judges map[scorer.Metric]string, rate float64) WithoutEvasive {
	var out WithoutEvasive
	var all, sum, left, sumLeft float64
	for _, s := range scores {
		evasive, known := s.Evades()
		o := s.Outcomes[scorer.Faithfulness]
		if !known || !o.Scored || s.Judges[scorer.Faithfulness] != judges[scorer.Faithfulness] ||
			s.Judges[scorer.AnswerRelevancy] != judges[scorer.AnswerRelevancy] {
			continue
		}
		weight := 1 / positive(s.Inclusion, positive(rate, 1))
		out.N++
		all += weight
		sum += weight * o.Value
		if !evasive {
			out.Left++
			left += weight
			sumLeft += weight * o.Value
		}
	}
	if out.N > 0 {
		out.Mean, out.Evasive = sum/all, 1-left/all
	}
	if out.Left > 0 {
		out.Without = sumLeft / left
	}
	return out
}
