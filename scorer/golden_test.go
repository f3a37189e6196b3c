package scorer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"leadline/sampler"
	"leadline/scorer"
)

const goldenFile = "../../shared/golden/ragas-0.4.3.json"

type goldenCase struct {
	ID, Desc, Metric string
	Question         string               `json:"user_input"`
	Answer           string               `json:"response"`
	Contexts         []string             `json:"retrieved_contexts"`
	Strictness       int                  `json:"strictness"`
	Replies          []goldenReply        `json:"judge"`
	Embeddings       map[string][]float64 `json:"embeddings"`
	Expected         struct {
		Kind         string
		Value        float64
		ChatRequests int `json:"chat_requests"`
	}
}

type goldenReply struct {
	Content string
	Finish  string `json:"finish_reason"`
}

// deviation is where Leadline decides otherwise on purpose. Ragas's value, where it has
// one, must still be found as the parity value.
type deviation struct {
	why    string
	scored bool
	value  float64
	reason scorer.Reason
	parity bool // Outcome.Parity holds the golden value
}

var deviations = map[string]deviation{
	"F07": {why: "a missing verdict leaves no score", reason: scorer.ReasonMissingVerdicts, parity: true},
	"F08": {why: "an invented verdict leaves no score", reason: scorer.ReasonBadVerdict, parity: true},
	"F09": {why: "2 and -1 are no verdicts", reason: scorer.ReasonBadVerdict, parity: true},
	"F11": {why: "a blank answer is an empty one", reason: scorer.ReasonEmptyInput},
	"F15": {why: "blank contexts are no contexts", reason: scorer.ReasonNoContext},
	"F17": {why: "equal statements are judged once, so the second row is invented", reason: scorer.ReasonBadVerdict, parity: true},
	"A10": {why: "no question, no score", reason: scorer.ReasonNoQuestion, parity: true},
	"A13": {why: "a blank question is dropped", scored: true, value: 1},
	"A15": {why: "noncommittal decides before the vectors", scored: true, value: 0},
	"A20": {why: "strictness 0 is the default; no question, no score", reason: scorer.ReasonNoQuestion, parity: true},
	"A23": {why: "2 is no flag", reason: scorer.ReasonBadVerdict, parity: true},
}

// ragasJudge reads replies as Ragas 0.4.3 does: strict types, rows by position, three
// attempts per call.
type ragasJudge struct {
	replies []goldenReply
	asked   int
}

func (r *ragasJudge) attempt(parse func([]byte) error) error {
	reason := scorer.ReasonBadReply
	for range 3 {
		if r.asked == len(r.replies) {
			return errors.New("the recording has no further reply")
		}
		reply := r.replies[r.asked]
		r.asked++
		reason = scorer.ReasonBadReply
		if reply.Finish == "length" {
			reason = scorer.ReasonTruncated
			continue
		}
		from, to := strings.Index(reply.Content, "{"), strings.LastIndex(reply.Content, "}")
		if from >= 0 && to > from && parse([]byte(reply.Content[from:to+1])) == nil {
			return nil
		}
	}
	return &scorer.UnscorableError{Reason: reason, Detail: "three attempts"}
}

func (r *ragasJudge) Statements(context.Context, string, string, ...string) ([]string, scorer.Call, error) {
	var statements []string
	err := r.attempt(func(data []byte) error {
		var reply struct{ Statements []*string }
		if err := json.Unmarshal(data, &reply); err != nil {
			return err
		}
		statements = nil
		for _, s := range reply.Statements {
			if s == nil {
				return errors.New("null statement")
			}
			statements = append(statements, *s)
		}
		return nil
	})
	return statements, scorer.Call{}, err
}

func (r *ragasJudge) Verdicts(context.Context, []string, []string) ([]scorer.Verdict, scorer.Call, error) {
	var rows []scorer.Verdict
	err := r.attempt(func(data []byte) error {
		var reply struct {
			Statements []struct {
				Reason  *string
				Verdict *json.RawMessage
			}
		}
		if err := json.Unmarshal(data, &reply); err != nil {
			return err
		}
		rows = nil
		for i, row := range reply.Statements {
			if row.Reason == nil || row.Verdict == nil {
				return errors.New("field missing")
			}
			value, err := strictInt(*row.Verdict)
			if err != nil {
				return err
			}
			rows = append(rows, scorer.Verdict{Index: i, Value: value, Reason: *row.Reason})
		}
		return nil
	})
	return rows, scorer.Call{}, err
}

func (r *ragasJudge) Questions(_ context.Context, _, _ string, n int) ([]scorer.Guess, scorer.Call, error) {
	var guesses []scorer.Guess
	for range n {
		if len(r.replies) == 0 { // strictness 0 was recorded without any reply
			return nil, scorer.Call{}, nil
		}
		var guess scorer.Guess
		err := r.attempt(func(data []byte) error {
			var reply struct {
				Question     *string
				Noncommittal json.RawMessage
			}
			if err := json.Unmarshal(data, &reply); err != nil || reply.Question == nil {
				return errors.New("no question")
			}
			flag, err := strictInt(reply.Noncommittal)
			guess = scorer.Guess{Text: *reply.Question, Noncommittal: flag}
			return err
		})
		if err != nil {
			return nil, scorer.Call{}, err
		}
		guesses = append(guesses, guess)
	}
	return guesses, scorer.Call{}, nil
}

func strictInt(raw json.RawMessage) (int, error) {
	if len(raw) == 0 || bytes.ContainsAny(raw, ".eEtfn\"") {
		return 0, errors.New("not an integer")
	}
	var n int
	return n, json.Unmarshal(raw, &n)
}

type goldenEmbedder map[string][]float64

func (g goldenEmbedder) Embed(_ context.Context, texts []string) ([][]float64, scorer.Call, error) {
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		vectors[i] = g[text]
	}
	return vectors, scorer.Call{}, nil
}

func TestFormulasAreThoseOfRagas(t *testing.T) {
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Skipf("golden values are not here: %v", err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) != 56 {
		t.Fatalf("%d golden cases, want 56", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		t.Run(c.ID+" "+c.Desc, func(t *testing.T) {
			outcome, asked := scoreGolden(t, c)
			if d, ok := deviations[c.ID]; ok {
				checkDeviation(t, c, d, outcome)
				return
			}
			checkEqual(t, c, outcome)
			if asked != c.Expected.ChatRequests {
				t.Errorf("%d chat requests, want %d", asked, c.Expected.ChatRequests)
			}
		})
	}
}

// scoreGolden scores the metric of the case alone: faithfulness without an embedder,
// relevancy without contexts.
func scoreGolden(t *testing.T, c goldenCase) (scorer.Outcome, int) {
	t.Helper()
	judge := &ragasJudge{replies: c.Replies}
	options := scorer.Options{Judge: judge, Strictness: c.Strictness}
	if c.Metric == string(scorer.AnswerRelevancy) {
		options.Embedder = goldenEmbedder(c.Embeddings)
		c.Contexts = nil
	}
	s, err := scorer.New(options)
	if err != nil {
		t.Fatal(err)
	}
	record := sampler.Record{ID: c.ID, Question: c.Question, Answer: c.Answer, Contexts: c.Contexts}
	score, err := s.Score(t.Context(), sampler.Sample{Record: record})
	if err != nil {
		t.Fatal(err)
	}
	return score.Outcomes[scorer.Metric(c.Metric)], judge.asked
}

func checkEqual(t *testing.T, c goldenCase, got scorer.Outcome) {
	t.Helper()
	if got.Scored != (c.Expected.Kind == "score") {
		t.Fatalf("outcome %+v, want kind %s", got, c.Expected.Kind)
	}
	if !got.Scored {
		if got.Reason == "" || got.Parity != nil {
			t.Errorf("outcome %+v, want a reason and no parity value, for Ragas has none", got)
		}
		return
	}
	checkValue(t, c, got.Value)
}

func checkDeviation(t *testing.T, c goldenCase, d deviation, got scorer.Outcome) {
	t.Helper()
	if got.Scored != d.scored || got.Reason != d.reason || got.Value != d.value {
		t.Errorf("outcome %+v, want %+v", got, d)
	}
	if d.parity != (got.Parity != nil) {
		t.Fatalf("parity %v, want one: %v", got.Parity, d.parity)
	}
	if d.parity {
		checkValue(t, c, *got.Parity)
	}
	if c.ID == "F15" { // Ragas's value is that of any context that the judge finds nothing in
		c.Contexts = []string{"nothing of the kind"}
		parity, _ := scoreGolden(t, c)
		checkEqual(t, c, parity)
	}
}

func checkValue(t *testing.T, c goldenCase, got float64) {
	t.Helper()
	tolerance := 0.0
	if c.Metric == string(scorer.AnswerRelevancy) {
		tolerance = 1e-9
	}
	if diff := math.Abs(got - c.Expected.Value); !(diff <= tolerance) {
		t.Errorf("value %v, want %v", got, c.Expected.Value)
	}
	if got == 0 && math.Signbit(got) {
		t.Error("value is a negative zero")
	}
}
