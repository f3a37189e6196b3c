package standin_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"leadline/scorer/standin"
)

// shareTells is how well the plain share of answer words in the contexts tells faithful
// from unfaithful answers in real data (area under the ROC curve).
var shareTells = map[string]float64{
	"mtrag": 0.95, "begin-wow": 0.94, "attributedqa": 0.78, "hagrid": 0.66,
	"jaquad": 0.82, "jsquad": 0.70, "jnli": 0.63,
}

// Verdicts are yes or no, so they tell somewhat less than the share.
const lostByVerdicts = 0.15

type record struct {
	Source   string   `json:"source"`
	Answer   string   `json:"answer"`
	Contexts []string `json:"contexts"`
	Label    string   `json:"label"`
}

func TestRealAnswersAreToldApart(t *testing.T) {
	values := map[string]map[string][]float64{}
	h := newServer(t, standin.Options{})
	for _, r := range append(readRecords(t, "rag-en.dev.jsonl"), readRecords(t, "rag-ja.dev.jsonl")...) {
		v, ok := faithfulness(t, h, r.Answer, r.Contexts)
		if !ok {
			continue
		}
		if values[r.Source] == nil {
			values[r.Source] = map[string][]float64{}
		}
		values[r.Source][r.Label] = append(values[r.Source][r.Label], v)
	}
	for source, share := range shareTells {
		if got := auroc(values[source]["faithful"], values[source]["unfaithful"]); got < share-lostByVerdicts {
			t.Errorf("%s: told apart %.2f, want at least %.2f", source, got, share-lostByVerdicts)
		}
	}
	subtle := values["summedits"]
	t.Logf("summedits, whose edits are too small for words to show: %.2f", auroc(subtle["faithful"], subtle["unfaithful"]))
}

func readRecords(t *testing.T, name string) []record {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", name))
	if err != nil {
		t.Skipf("real data is not here: %v", err)
	}
	defer f.Close()
	var out []record
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// auroc is the chance that a faithful answer scores above an unfaithful one; a tie counts half.
func auroc(faithful, unfaithful []float64) float64 {
	won := 0.0
	for _, f := range faithful {
		for _, u := range unfaithful {
			switch {
			case f > u:
				won++
			case f == u:
				won += 0.5
			}
		}
	}
	return won / float64(max(1, len(faithful)*len(unfaithful)))
}
