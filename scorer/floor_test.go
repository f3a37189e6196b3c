package scorer_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"leadline/sampler"
	"leadline/scorer"
)

// turnedEmbedder turns each text by an angle: the second of a pair by the cosine wanted.
// Texts come in pairs, six unrelated and six paraphrases per language.
type turnedEmbedder struct {
	cosines []float64 // per set of six pairs
}

func (e *turnedEmbedder) Embed(_ context.Context, texts []string) ([][]float64, scorer.Call, error) {
	vectors := make([][]float64, len(texts))
	for i := range texts {
		vectors[i] = []float64{2, 0}
		if c := e.cosines[i/12]; i%2 == 1 {
			vectors[i] = []float64{c, math.Sqrt(1 - c*c)}
		}
	}
	return vectors, scorer.Call{}, nil
}

func TestFloorsAreMeanCosinesPerLanguage(t *testing.T) {
	s := newScorer(t, scorer.Options{Embedder: &turnedEmbedder{cosines: []float64{0.2, 0.8, 0.75, 0.95}}})
	floors, err := s.Floors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []scorer.Floor{{Language: "en", Unrelated: 0.2, Paraphrase: 0.8}, {Language: "ja", Unrelated: 0.75, Paraphrase: 0.95}}
	for i, f := range floors {
		if f.Language != want[i].Language || math.Abs(f.Unrelated-want[i].Unrelated) > 1e-9 || math.Abs(f.Paraphrase-want[i].Paraphrase) > 1e-9 {
			t.Errorf("floor %+v, want %+v", f, want[i])
		}
	}
	if above := want[1].Above(0.875); math.Abs(above-0.5) > 1e-9 {
		t.Errorf("0.875 is %v of the way from 0.75 to 1, want 0.5", above)
	}
	f, ok := scorer.FloorOfQuestion(floors, sampler.Record{Question: "休暇の申請方法は？"})
	if !ok || f.Language != "ja" {
		t.Errorf("floor of a Japanese question: %+v, %v", f, ok)
	}
	if _, ok := scorer.FloorOfQuestion(floors, sampler.Record{Question: "Wann ist die Besprechung?"}); ok {
		t.Error("a German question has the floor of another language")
	}
}

func TestFloorsNeedVectors(t *testing.T) {
	if floors, err := newScorer(t, scorer.Options{}).Floors(t.Context()); floors != nil || err != nil {
		t.Errorf("without an embedder: %v, %v; want nothing", floors, err)
	}
	if _, err := newScorer(t, scorer.Options{Embedder: zeroEmbedder{}}).Floors(t.Context()); err == nil || !strings.Contains(err.Error(), "in en is zero") {
		t.Errorf("zero vectors: %v", err)
	}
	_, err := newScorer(t, scorer.Options{Embedder: &countEmbedder{}, Budget: &purse{left: 10}}).Floors(t.Context())
	if !errors.Is(err, scorer.ErrOverBudget) {
		t.Errorf("without a budget: %v", err)
	}
}

type zeroEmbedder struct{}

func (zeroEmbedder) Embed(_ context.Context, texts []string) ([][]float64, scorer.Call, error) {
	return make([][]float64, len(texts)), scorer.Call{}, nil
}
