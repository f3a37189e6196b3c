package scorer

import (
	"maps"
	"slices"

	"leadline/sampler"
)

// apart takes the first of samples that are word for word the same, and lists the others
// under its ID. Samples without a TextHash are all different.
func apart(samples []sampler.Sample) (first []sampler.Sample, same map[string][]sampler.Sample) {
	seen, same := map[string]string{}, map[string][]sampler.Sample{}
	for _, sample := range samples {
		id, again := seen[sample.TextHash]
		if again && sample.TextHash != "" {
			same[id] = append(same[id], sample)
			continue
		}
		seen[sample.TextHash] = sample.ID
		first = append(first, sample)
	}
	return first, same
}

// copied is the score of a sample that says the same as a scored one. It cost nothing.
func (s *Scorer) copied(score Score, sample sampler.Sample) Score {
	c := s.blank(sample)
	c.Outcomes = maps.Clone(score.Outcomes)
	c.Statements, c.Questions = slices.Clone(score.Statements), slices.Clone(score.Questions)
	c.Evasion, c.Extended = score.Evasion, score.Extended
	c.Standin, c.ResponseModel, c.Fingerprint = score.Standin, score.ResponseModel, score.Fingerprint
	return c
}
