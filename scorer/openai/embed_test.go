package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"leadline/config"
	"leadline/scorer"
	"leadline/scorer/openai"
)

// vectorsFor sends them in reverse order: [number of bytes, 1] for each text.
func vectorsFor(inputs []string) reply {
	type embedding struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []embedding
	for i, input := range slices.Backward(inputs) {
		data = append(data, embedding{i, []float64{float64(len(input)), 1}})
	}
	body, err := json.Marshal(map[string]any{"data": data, "usage": map[string]int{"prompt_tokens": len(inputs)}})
	if err != nil {
		panic(err)
	}
	return reply{Body: string(body)}
}

func TestVectorsBelongToTheirTexts(t *testing.T) {
	s := wholeJudge(t)
	texts := make([]string, 3000)
	for i := range texts {
		texts[i] = fmt.Sprintf("%0*d", i%50+4, i)
	}
	vectors, call, err := newJudge(t, judgeConfig(), s, openai.Options{Memo: &mapMemo{}}).Embedder().Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if len(v) != 2 || v[0] != float64(len(texts[i])) {
			t.Fatalf("vector %d is %v, want that of %q", i, v, texts[i])
		}
	}
	if call.Usage.EmbeddingRequests != 2 || call.Usage.EmbeddingTokens != 3000 {
		t.Errorf("usage %+v, want 2 requests of at most 2,048 texts", call.Usage)
	}
	if format, _ := field[string](t, s.bodies[0], "encoding_format"); format != "float" {
		t.Errorf("encoding %q, want float", format)
	}
}

func TestBothSidesOfACosineAreNormalised(t *testing.T) {
	s := wholeJudge(t)
	cfg := judgeConfig()
	cfg.Embeddings.Prefix, cfg.Embeddings.Dimensions = "query: ", 2
	_, _, err := newJudge(t, cfg, s, options()).Embedder().Embed(t.Context(), []string{" ＶＰＮ\u3000の  設定は？\n", "\u3000 "})
	if err != nil {
		t.Fatal(err)
	}
	inputs, _ := field[[]string](t, s.bodies[0], "input")
	if want := []string{"query: VPN の 設定は?"}; !slices.Equal(inputs, want) {
		t.Errorf("sent %q, want %q and no blank text", inputs, want)
	}
	if dimensions, _ := field[int](t, s.bodies[0], "dimensions"); dimensions != 2 {
		t.Errorf("dimensions %d, want 2", dimensions)
	}
}

func TestVectorsThatCannotBeRight(t *testing.T) {
	for name, c := range map[string]struct {
		data       string
		dimensions int
	}{
		"one missing":        {`{"index":0,"embedding":[1,0]}`, 0},
		"index twice":        {`{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}`, 0},
		"index out of range": {`{"index":0,"embedding":[1,0]},{"index":2,"embedding":[1,0]}`, 0},
		"null":               {`{"index":0,"embedding":[1,0]},{"index":1,"embedding":null}`, 0},
		"a number is null":   {`{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1, null]}`, 0},
		"all zero":           {`{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0, 0.0]}`, 0},
		"two lengths":        {`{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0,0]}`, 0},
		"other dimensions":   {`{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0]}`, 3},
	} {
		cfg := judgeConfig()
		cfg.Embeddings.Dimensions = c.dimensions
		memo := &mapMemo{}
		s := &script{replies: []reply{{Body: `{"data":[` + c.data + `]}`}}}
		_, _, err := newJudge(t, cfg, s, openai.Options{Memo: memo}).Embedder().Embed(t.Context(), []string{"a", "b"})
		u, ok := errors.AsType[*scorer.UnscorableError](err)
		if !ok || u.Reason != scorer.ReasonBadEmbedding || len(memo.values) != 0 {
			t.Errorf("%s: error %v with %d remembered, want embedding_invalid and none", name, err, len(memo.values))
		}
	}
}

func TestWithoutAnEmbeddingModelThereIsNoEmbedder(t *testing.T) {
	cfg := judgeConfig()
	cfg.Embeddings = config.Embeddings{}
	if e := newJudge(t, cfg, &script{}, options()).Embedder(); e != nil {
		t.Errorf("embedder %v, want nil", e)
	}
}

func TestAChangeOfDimensionsIsAnotherModel(t *testing.T) {
	s := &script{replies: []reply{{Body: `{"data":[{"index":0,"embedding":[1,0]}]}`}, {Body: `{"data":[{"index":0,"embedding":[1]}]}`}}}
	embedder := newJudge(t, judgeConfig(), s, options()).Embedder()
	if _, _, err := embedder.Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	_, _, err := embedder.Embed(t.Context(), []string{"b"})
	if u, ok := errors.AsType[*scorer.UnscorableError](err); !ok || u.Reason != scorer.ReasonBadEmbedding {
		t.Errorf("error %v, want embedding_invalid", err)
	}
}

func TestAnErrorInPlaceOfVectorsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: []reply{{Body: `{"error":{"message":"upstream failed"}}`}, {Body: `{"data":[{"index":0,"embedding":[1,0]}]}`}}}
		if _, _, err := newJudge(t, judgeConfig(), s, options()).Embedder().Embed(t.Context(), []string{"a"}); err != nil || s.requests() != 2 {
			t.Errorf("error %v after %d requests, want success at the second", err, s.requests())
		}
	})
}
