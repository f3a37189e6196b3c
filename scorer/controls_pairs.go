package scorer

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Pairs gives each pair of texts its cosine by the live embedding model, as a score of
// relevancy; none without an embedding model. The cosine says nothing of the judge: it is the
// same to a thousandth as long as the embedding model is.
func (s *Scorer) Pairs(ctx context.Context, pairs []ControlPair, window time.Time) (out []ControlScore, err error) {
	if s.embedder == nil || len(pairs) == 0 {
		return nil, nil
	}
	texts := make([]string, 0, 2*len(pairs))
	for _, p := range pairs {
		texts = append(texts, p.A, p.B)
	}
	settle, err := s.reserve(For(ctx, KindControl), s.spend(0, 0, tokensIn(texts...)))
	if err != nil {
		return nil, err
	}
	if MemoName(ctx) == "" {
		ctx = Anew(ctx, "controls "+window.UTC().String())
	}
	vectors, call, err := s.embedder.Embed(Fresh(ctx), texts)
	if err := errors.Join(err, settle(call.Usage)); err != nil {
		return nil, fmt.Errorf("embed control pairs: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, nil // the scores of samples tell of it
	}
	for i, p := range pairs {
		c := ControlScore{Item: p.ID, Window: window, Language: p.Language, Expected: ExpectPair,
			Outcomes: map[Metric]Outcome{AnswerRelevancy: cosineOutcome(vectors[2*i], vectors[2*i+1])},
			Judges:   map[Metric]string{AnswerRelevancy: s.keys[AnswerRelevancy]}}
		if i == 0 {
			c.Usage = call.Usage
		}
		out = append(out, c)
	}
	return out, nil
}

func cosineOutcome(a, b []float64) Outcome {
	if x, ok := cosine(a, b); ok {
		return Outcome{Scored: true, Value: x}
	}
	return unscorable(ReasonBadEmbedding)
}
