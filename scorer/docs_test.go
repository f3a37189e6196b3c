package scorer_test

import (
	"os"
	"strings"
	"testing"

	"leadline/scorer"
)

func TestEveryReasonIsExplained(t *testing.T) {
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range scorer.Reasons {
		if !strings.Contains(string(page), "`"+string(r)+"`") {
			t.Errorf("docs/operations.md does not say what to do about %s", r)
		}
	}
}
