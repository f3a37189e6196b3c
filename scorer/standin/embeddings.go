package standin

import (
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"
)

// maxInputs is the most texts that one request may hold at OpenAI.
const maxInputs = 2048

// embedding is one vector of a reply.
type embedding struct {
	index  int
	vector vector
}

type vector []float32

func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	x := s.arrive(w, r, taskEmbeddings, body)
	if x.takenOver() {
		return
	}
	inputs, bad := parseEmbeddings(body, s.profile.anyModel)
	if s.profile.noEmbeddings {
		bad = &apiError{status: http.StatusNotFound, kind: "not_found_error", text: "no such path"}
	}
	if bad != nil {
		s.refuse(w, bad)
		return
	}
	list := make([]embedding, len(inputs))
	for i, input := range inputs {
		list[i] = embedding{index: i, vector: s.vectors.get(input, newVector)}
		x.used.Prompt += estimateTokens(input)
	}
	x.spoil(func(m mode, _ Fault) bool {
		if m.vectors != nil {
			list = m.vectors(list)
		}
		return m.vectors != nil
	})
	if !x.spoiled {
		s.ledger.embedded(inputs)
	}
	x.used.Total = x.used.Prompt
	x.finish(appendEmbeddings(nil, list, x.used))
}

// appendEmbeddings writes the reply by hand: most numbers are zeros, and encoding/json
// would take longer over them than everything else takes.
func appendEmbeddings(b []byte, list []embedding, used usage) []byte {
	b = append(b, `{"object":"list","model":"`+Model+`","data":[`...)
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"object":"embedding","index":%d,"embedding":[`, e.index)
		b = appendVector(b, e.vector)
		b = append(b, "]}"...)
	}
	return fmt.Appendf(b, `],"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, used.Prompt, used.Total)
}

func appendVector(b []byte, v vector) []byte {
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case x == 0:
			b = append(b, '0')
			continue
		case math.IsNaN(float64(x)): // only a fault makes one
			b = append(b, "null"...)
			continue
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return b
}

func parseEmbeddings(body []byte, anyModel bool) ([]string, *apiError) {
	if !gjson.ValidBytes(body) {
		return nil, badRequest("", "the body is not JSON")
	}
	q := gjson.ParseBytes(body)
	if q.Get("model").String() != Model && !anyModel {
		return nil, wrongModel()
	}
	if d := q.Get("dimensions"); d.Exists() && d.Int() != Dimensions {
		return nil, badRequest("dimensions", "dimensions: the stand-in has %d only", Dimensions)
	}
	if f := q.Get("encoding_format").String(); f != "" && f != "float" {
		return nil, badRequest("encoding_format", "encoding_format: the stand-in has float only")
	}
	return readInputs(q.Get("input"))
}

func readInputs(list gjson.Result) ([]string, *apiError) {
	var inputs []string
	for _, v := range list.Array() {
		if v.Type != gjson.String || v.String() == "" {
			return nil, badRequest("input", "input: must be a text or a list of texts, none of them empty")
		}
		inputs = append(inputs, v.String())
	}
	if len(inputs) == 0 || len(inputs) > maxInputs {
		return nil, badRequest("input", "input: must hold 1 to %d texts", maxInputs)
	}
	return inputs, nil
}
