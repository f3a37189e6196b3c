package standin_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"leadline/scorer/standin"
)

// formCase is an answer with tables, lists, code, citations or courtesies, and what a
// person says that it claims.
type formCase struct {
	ID           string
	Question     string
	Answer       string
	Contexts     []string
	Want         []string
	Faithfulness *float64 // nil: it claims nothing
	Noncommittal int
}

func TestFormIsNoFalsehood(t *testing.T) {
	h := newServer(t, standin.Options{})
	for _, c := range formCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			if diff := cmp.Diff(c.Want, askStatements(t, h, c.Answer)); diff != "" {
				t.Errorf("statements (-want +got)\n%s", diff)
			}
			if q := askQuestion(t, h, c.Answer); q.Noncommittal != c.Noncommittal {
				t.Errorf("noncommittal %d, want %d", q.Noncommittal, c.Noncommittal)
			}
			got, scored := faithfulness(t, h, c.Answer, c.Contexts)
			if scored != (c.Faithfulness != nil) || scored && math.Abs(got-*c.Faithfulness) > 1e-12 {
				t.Errorf("faithfulness %v (scored %v): %+v", got, scored, askVerdicts(t, h, c.Contexts, c.Want))
			}
		})
	}
}

func formCases(t *testing.T) []formCase {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "forms.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []formCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c formCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if len(all) < 12 {
		t.Fatalf("%d cases, want all 12", len(all))
	}
	return all
}
