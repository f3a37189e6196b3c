package openai

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tidwall/gjson"

	"leadline/config"
	"leadline/scorer"
)

// maxInputs is how many texts the API takes in one request.
const maxInputs = 2048

// Embedder asks an endpoint for vectors. It may be used by several goroutines.
type Embedder struct {
	cfg    config.Embeddings
	client *client
	memo   Memo
	// dimensions are those of the first vector: others are of another model.
	dimensions atomic.Int64
	prices     prices
}

// newEmbedder shares the judge's slots where both are on one server; its limits per minute
// are its own.
func newEmbedder(cfg config.Judge, shared *slots, o Options, m *metrics) (*Embedder, error) {
	e := cfg.Embeddings
	if !sameHost(e.BaseURL, cfg.BaseURL) {
		shared = newSlots(cfg.Concurrency)
	}
	own := key{e.APIKey, e.APIKeyFile}
	names := settingsOf("judge.embeddings", own)
	if judge := (key{cfg.APIKey, cfg.APIKeyFile}); !own.isSet() && sameHost(e.BaseURL, cfg.BaseURL) {
		own, names.key = judge, judge.setting("judge")
	}
	if e.BaseURL == "" {
		names.url = "judge.base_url"
		names.noPath = "this server has no embeddings: set judge.embeddings.base_url, or remove judge.embeddings"
	}
	c, err := newClient(clientConfig{
		pace: newPace(shared, e.RequestsPerMinute, e.TokensPerMinute), name: "embeddings", baseURL: cmp.Or(e.BaseURL, cfg.BaseURL), model: e.Model, key: own, settings: names,
		timeout: cfg.Timeout, concurrency: cfg.Concurrency, maxResponse: maxEmbeddingResponse, check: noNulls,
	}, o, m)
	if err != nil {
		return nil, err
	}
	return &Embedder{cfg: e, client: c, memo: o.Memo, prices: pricesOf(cfg)}, nil
}

// sameHost keeps the judge's key from being sent to another host.
func sameHost(embeddings, judge string) bool {
	if embeddings == "" {
		return true
	}
	a, errA := url.Parse(embeddings)
	b, errB := url.Parse(judge)
	return errA == nil && errB == nil && a.Scheme == b.Scheme && a.Host == b.Host
}

// Embed returns one vector per text. A text that is blank once it is normalised has none.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float64, scorer.Call, error) {
	var call scorer.Call
	vectors := make([][]float64, len(texts))
	inputs := make([]string, len(texts))
	for i, text := range texts {
		inputs[i] = normalise(e.cfg.Prefix, text)
	}
	remember := e.memo != nil && scorer.IsRemembered(ctx)
	var open []int
	for i, input := range inputs {
		if input == "" {
			continue
		}
		if remember {
			v, ok, err := e.recall(ctx, input)
			if err != nil {
				return nil, call, err
			}
			if ok {
				vectors[i] = v
				call.Usage.MemoHits++
				continue
			}
		}
		open = append(open, i)
	}
	for part := range slices.Chunk(open, maxInputs) {
		keep := func() error { return nil }
		if remember {
			keep = func() error { return e.remember(ctx, part, inputs, vectors) }
		}
		if err := e.embedPart(ctx, part, inputs, vectors, &call, keep); err != nil {
			return nil, call, err
		}
	}
	return vectors, call, nil
}

func (e *Embedder) embedPart(ctx context.Context, part []int, inputs []string, vectors [][]float64, call *scorer.Call, keep func() error) error {
	request := goopenai.EmbeddingRequestStrings{
		Model: goopenai.EmbeddingModel(e.cfg.Model), Dimensions: e.cfg.Dimensions,
		EncodingFormat: goopenai.EmbeddingEncodingFormatFloat, Input: make([]string, len(part)),
	}
	weight := 0
	for k, i := range part {
		request.Input[k] = inputs[i]
		weight += tokens(inputs[i])
	}
	return e.client.try(ctx, weight, func(ctx context.Context) (reported, error) {
		call.Usage.EmbeddingRequests++
		resp, err := e.client.api.CreateEmbeddings(ctx, request)
		used := e.prices.embedded(int64(resp.Usage.PromptTokens))
		e.client.metrics.used(e.cfg.Model, used)
		call.Add(scorer.Call{Usage: used, Standin: resp.Header().Get(standinHeader) != "" || string(resp.Model) == standinModel})
		got := reported{resp.Header(), resp.Usage.PromptTokens}
		if err == nil && len(resp.Data) == 0 { // 200 with an error object
			err = errNoVectors
		}
		if err != nil {
			return got, err
		}
		return got, e.place(resp.Data, part, vectors)
	}, keep)
}

// place puts each vector where its text is: a server may return them in any order.
func (e *Embedder) place(data []goopenai.Embedding, part []int, vectors [][]float64) error {
	if len(data) != len(part) {
		return badEmbedding("%d vectors for %d texts", len(data), len(part))
	}
	seen := make([]bool, len(part))
	for _, d := range data {
		if d.Index < 0 || d.Index >= len(part) || seen[d.Index] {
			return badEmbedding("index %d twice or out of range", d.Index)
		}
		seen[d.Index] = true
		if !e.fits(len(d.Embedding)) {
			return badEmbedding("a vector of %d dimensions", len(d.Embedding))
		}
		v, zero := make([]float64, len(d.Embedding)), true
		for i, x := range d.Embedding {
			v[i], zero = float64(x), zero && x == 0
			if math.IsInf(v[i], 0) || math.IsNaN(v[i]) {
				return badEmbedding("a number of vector %d is not finite", d.Index)
			}
		}
		if zero {
			return badEmbedding("vector %d is all zero", d.Index)
		}
		vectors[part[d.Index]] = v
	}
	return nil
}

// fits says whether vectors may have n dimensions: as many as configured, else as many as
// those before had.
func (e *Embedder) fits(n int) bool {
	if want := e.cfg.Dimensions; n == 0 || want > 0 && n != want {
		return false
	}
	return e.dimensions.CompareAndSwap(0, int64(n)) || e.dimensions.Load() == int64(n)
}

// noNulls looks for what the client library would take for a 0.
func noNulls(body []byte) error {
	found := false
	gjson.GetBytes(body, "data.#.embedding").ForEach(func(_, v gjson.Result) bool {
		found = v.IsArray() && strings.Contains(v.Raw, "null")
		return !found
	})
	if found {
		return badEmbedding("a vector with a null in it")
	}
	return nil
}

func badEmbedding(format string, args ...any) error {
	return &scorer.UnscorableError{Reason: scorer.ReasonBadEmbedding, Detail: fmt.Sprintf(format, args...)}
}

// key names a text's vector. A second look at an answer uses the vectors of the first:
// only where calls are fresh does the name under which they are remembered count.
func (e *Embedder) key(ctx context.Context, input string) string {
	h := sha256.New()
	for _, f := range []string{"embedding", e.client.endpoint, e.cfg.Model, strconv.Itoa(e.cfg.Dimensions), input} {
		h.Write([]byte(strconv.Itoa(len(f)) + ":" + f))
	}
	key := hex.EncodeToString(h.Sum(nil))
	if scorer.IsFresh(ctx) {
		key += scorer.MemoName(ctx)
	}
	return key
}

// recall reads a vector of float32, as the server gave it.
func (e *Embedder) recall(ctx context.Context, input string) ([]float64, bool, error) {
	data, ok, err := e.memo.Get(e.key(ctx, input))
	if err != nil {
		return nil, false, fmt.Errorf("look up embedding: %w", err)
	}
	if !ok || len(data)%4 != 0 {
		return nil, false, nil
	}
	v := make([]float64, len(data)/4)
	for i := range v {
		v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
	if !e.fits(len(v)) { // the model has changed since
		return nil, false, nil
	}
	return v, true, nil
}

// remember keeps the vectors of one request together: all of them were paid for.
func (e *Embedder) remember(ctx context.Context, part []int, inputs []string, vectors [][]float64) error {
	values := make(map[string][]byte, len(part))
	for _, i := range part {
		data := make([]byte, 0, 4*len(vectors[i]))
		for _, x := range vectors[i] {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
		}
		values[e.key(ctx, inputs[i])] = data
	}
	if err := e.memo.Put(values); err != nil {
		return fmt.Errorf("keep embeddings: %w", err)
	}
	return nil
}
