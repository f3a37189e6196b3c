package scorer

import (
	"context"
	"fmt"
	"math"

	"leadline/sampler"
)

// Floor says where the cosines of an embedding model lie in one language: some models put
// unrelated questions at 0.2, others at 0.85, so that a relevancy means nothing without it.
type Floor struct {
	Language   string  `json:"language"`
	Unrelated  float64 `json:"unrelated"`  // mean cosine of six pairs of questions on different subjects
	Paraphrase float64 `json:"paraphrase"` // and of six that ask the same in other words
}

// Above puts a cosine on a scale on which unrelated questions have 0 and equal ones 1. It
// is an extra for people and no score: scores are raw cosines, as in Ragas.
func (f Floor) Above(cosine float64) float64 { return (cosine - f.Unrelated) / (1 - f.Unrelated) }

// FloorOf returns the floor of a language.
func FloorOf(floors []Floor, language string) (Floor, bool) {
	for _, f := range floors {
		if f.Language == language {
			return f, true
		}
	}
	return Floor{}, false
}

// Floors measures the floor in each language of the built-in pairs, by one call for all of
// them. It returns nil where relevancy is not scored.
func (s *Scorer) Floors(ctx context.Context) ([]Floor, error) {
	if s.embedder == nil {
		return nil, nil
	}
	var texts []string
	for _, set := range floorPairs() {
		for _, pair := range append(set.unrelated[:], set.paraphrase[:]...) {
			texts = append(texts, pair[0], pair[1])
		}
	}
	settle, err := s.reserve(For(ctx, KindProbe), s.spend(0, 0, tokensIn(texts...)))
	if err != nil {
		return nil, err
	}
	vectors, call, err := s.embedder.Embed(ctx, texts)
	if settled := settle(call.Usage); err == nil {
		err = settled
	}
	if err != nil {
		return nil, fmt.Errorf("embed the pairs of the floor: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embed the pairs of the floor: %d vectors for %d texts", len(vectors), len(texts))
	}
	var floors []Floor
	for _, set := range floorPairs() {
		f := Floor{Language: set.language}
		f.Unrelated, vectors = meanCosine(vectors)
		f.Paraphrase, vectors = meanCosine(vectors)
		if math.IsNaN(f.Unrelated) || math.IsNaN(f.Paraphrase) {
			return nil, fmt.Errorf("embed the pairs of the floor: a vector in %s is zero or of another length", set.language)
		}
		floors = append(floors, f)
	}
	return floors, nil
}

// meanCosine takes the vectors of six pairs; NaN where one of them has no cosine.
func meanCosine(vectors [][]float64) (mean float64, rest [][]float64) {
	sum := 0.0
	for i := range pairsPerSet {
		cos, ok := cosine(vectors[2*i], vectors[2*i+1])
		if !ok {
			return math.NaN(), vectors[2*pairsPerSet:]
		}
		sum += cos
	}
	return sum / pairsPerSet, vectors[2*pairsPerSet:]
}

// FloorOfQuestion returns the floor for the language in which a record's question is asked.
func FloorOfQuestion(floors []Floor, r sampler.Record) (Floor, bool) {
	return FloorOf(floors, Language(r))
}
