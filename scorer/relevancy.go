package scorer

import (
	"context"
	"math"
	"strings"

	"leadline/sampler"
)

// questions asks for the questions that the answer would fit. The outcome is there already
// where no embedding is needed for it.
func (s *Scorer) questions(ctx context.Context, sample sampler.Sample) (f finding, err error) {
	if s.embedder == nil {
		f.outcome = unscorable(ReasonNoEmbeddings)
		return f, nil
	}
	guesses, call, err := s.judge.Questions(ctx, sample.Answer, Language(sample.Record), s.strictness)
	f.call.Add(call)
	if err != nil {
		f.outcome, err = failed(err)
		return f, err
	}
	for _, g := range guesses {
		if g.Noncommittal != 0 && g.Noncommittal != 1 {
			f.outcome = Outcome{Reason: ReasonBadVerdict, Parity: ragasNoncommittal(guesses)}
			return f, nil
		}
		if text := strings.TrimSpace(g.Text); text != "" {
			f.questions = append(f.questions, Question{Text: text, Noncommittal: g.Noncommittal == 1})
		}
	}
	switch {
	case len(f.questions) == 0:
		zero := 0.0
		f.outcome = Outcome{Reason: ReasonNoQuestion, Parity: &zero}
	case allNoncommittal(f.questions):
		f.outcome, f.evasion = scored(0), Evasive
	default:
		f.embed, f.evasion = true, Answering
	}
	return f, nil
}

// relevancy is the mean cosine of the user's question with the questions that the answer
// would fit. Each question gets its cosine.
func relevancy(user []float64, vectors [][]float64, questions []Question) Outcome {
	sum := 0.0
	for i, v := range vectors {
		cos, ok := cosine(user, v)
		if !ok {
			return unscorable(ReasonBadEmbedding)
		}
		questions[i].Cosine = cos
		sum += cos
	}
	mean := sum / float64(len(vectors))
	if mean == 0 {
		mean = 0 // without the sign of a negative zero
	}
	return scored(mean)
}

// cosine is not ok where it has no value: zero, infinite or unequally long vectors.
func cosine(a, b []float64) (float64, bool) {
	if len(a) != len(b) {
		return 0, false
	}
	var dot, aa, bb float64
	for i, x := range a {
		dot += x * b[i]
		aa += x * x
		bb += b[i] * b[i]
	}
	cos := dot / (math.Sqrt(aa) * math.Sqrt(bb))
	return cos, !math.IsNaN(cos) && !math.IsInf(cos, 0)
}

func allNoncommittal(questions []Question) bool {
	for _, q := range questions {
		if !q.Noncommittal {
			return false
		}
	}
	return true
}

// ragasNoncommittal is the 0 that Ragas 0.4.3 gives when every kept flag is non-zero, and
// nil where its value would need embeddings.
func ragasNoncommittal(guesses []Guess) *float64 {
	for _, g := range guesses {
		if g.Text != "" && g.Noncommittal == 0 {
			return nil
		}
	}
	zero := 0.0
	return &zero
}
