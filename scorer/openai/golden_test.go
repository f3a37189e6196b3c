package openai_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"leadline/sampler"
	"leadline/scorer"
	"leadline/scorer/openai"
)

const goldenFile = "../../../shared/golden/ragas-0.4.3.json"

type goldenCase struct {
	ID, Desc, Metric string
	Question         string   `json:"user_input"`
	Answer           string   `json:"response"`
	Contexts         []string `json:"retrieved_contexts"`
	Strictness       int
	Judge            []struct {
		Content string
		Finish  string `json:"finish_reason"`
	}
	Embeddings map[string][]float64
	Expected   struct {
		Kind  string
		Value float64
	}
}

// The formulas are compared in package scorer; here the recorded replies go through our
// own reading of replies, which differs from Ragas's on purpose in the cases below.
var wireDeviations = map[string]struct {
	why  string
	want scorer.Outcome // Parity is compared with the golden value where it is set
}{
	"F07": {"a missing verdict leaves no score", scorer.Outcome{Reason: scorer.ReasonMissingVerdicts, Parity: new(0.5)}},
	"F08": {"an invented verdict leaves no score", scorer.Outcome{Reason: scorer.ReasonBadVerdict, Parity: new(2.0 / 3)}},
	"F09": {"2 and -1 are no verdicts", scorer.Outcome{Reason: scorer.ReasonBadVerdict, Parity: new(2.0 / 3)}},
	"F15": {"blank contexts are no contexts", scorer.Outcome{Reason: scorer.ReasonNoContext}},
	"F17": {"equal statements are judged once", scorer.Outcome{Reason: scorer.ReasonBadVerdict, Parity: new(0.5)}},
	"F19": {"true is 1 and needs no second call", scorer.Outcome{Scored: true, Value: 1}},
	"A10": {"no question, no score", scorer.Outcome{Reason: scorer.ReasonNoQuestion, Parity: new(0.0)}},
	"A12": {"an empty question is asked for again", scorer.Outcome{Scored: true, Value: 2.2 / 3}},
	"A13": {"a blank question is asked for again", scorer.Outcome{Scored: true, Value: 1}},
	"A15": {"noncommittal decides before the vectors", scorer.Outcome{Scored: true}},
	"A20": {"strictness 0 is the default", scorer.Outcome{Reason: scorer.ReasonBadJSON}},
	"A23": {"2 is no flag", scorer.Outcome{Reason: scorer.ReasonBadVerdict, Parity: new(0.0)}},
}

func TestRecordedRepliesOfRagasAreRead(t *testing.T) {
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Skipf("golden values are not here: %v", err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	for _, c := range golden.Cases {
		t.Run(c.ID+" "+c.Desc, func(t *testing.T) {
			got := scoreRecorded(t, c)
			d, deviates := wireDeviations[c.ID]
			if !deviates {
				if got.Scored != (c.Expected.Kind == "score") || got.Scored && !near(got.Value, c.Expected.Value) {
					t.Errorf("outcome %+v, want %s %v", got, c.Expected.Kind, c.Expected.Value)
				}
				return
			}
			if got.Scored != d.want.Scored || got.Reason != d.want.Reason || !near(got.Value, d.want.Value) ||
				(got.Parity == nil) != (d.want.Parity == nil) {
				t.Fatalf("outcome %+v, want %+v: %s", got, d.want, d.why)
			}
			if got.Parity != nil && (*got.Parity != *d.want.Parity || *got.Parity != c.Expected.Value) {
				t.Errorf("parity %v, want %v", *got.Parity, c.Expected.Value)
			}
		})
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 } // vectors come as float32

func scoreRecorded(t *testing.T, c goldenCase) scorer.Outcome {
	t.Helper()
	chat := 0
	s := &script{answer: func(path, body string) reply {
		if strings.HasSuffix(path, "/embeddings") {
			inputs, _ := field[[]string](t, body, "input")
			return recordedVectors(t, inputs, c.Embeddings)
		}
		chat++
		if len(c.Judge) == 0 {
			return says("nothing was recorded")
		}
		r := c.Judge[min(chat, len(c.Judge))-1]
		return reply{Contents: []string{ownShape(t, r.Content)}, Finish: r.Finish}
	}}
	cfg := judgeConfig()
	judge := newJudge(t, cfg, s, openai.Options{Capabilities: &openai.Capabilities{Format: openai.FormatObject}})
	o := scorer.Options{Judge: judge, Strictness: c.Strictness}
	if c.Metric == string(scorer.AnswerRelevancy) {
		o.Embedder = judge.Embedder()
	}
	sc, err := scorer.New(o)
	if err != nil {
		t.Fatal(err)
	}
	record := sampler.Record{ID: c.ID, Question: c.Question, Answer: c.Answer, Contexts: c.Contexts}
	score, err := sc.Score(t.Context(), sampler.Sample{Record: record})
	if err != nil {
		t.Fatal(err)
	}
	return score.Outcomes[scorer.Metric(c.Metric)]
}

// ownShape numbers the rows of a verdict reply of Ragas and gives them our key. Other
// replies have the same shape.
func ownShape(t *testing.T, content string) string {
	t.Helper()
	var reply map[string]json.RawMessage
	var rows []map[string]any
	if json.Unmarshal([]byte(content), &reply) != nil || json.Unmarshal(reply["statements"], &rows) != nil {
		return content
	}
	for i, row := range rows {
		if row == nil {
			return content
		}
		row["i"] = i + 1
	}
	if len(rows) == 0 {
		return content
	}
	data, err := json.Marshal(map[string]any{"verdicts": rows})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func recordedVectors(t *testing.T, inputs []string, vectors map[string][]float64) reply {
	t.Helper()
	type embedding struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []embedding
	for i, input := range inputs {
		data = append(data, embedding{i, vectors[input]})
	}
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		t.Fatal(err)
	}
	return reply{Body: string(body)}
}
