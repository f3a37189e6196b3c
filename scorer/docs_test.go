package scorer_test

import (
	"os"
	"regexp"
	"strconv"
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

// What the pages say of how many control items there are, is how many there are.
func TestDocsCountTheControls(t *testing.T) {
	n := len(scorer.Controls())
	counted := regexp.MustCompile(`(\d+) (?:frozen )?(?:control )?items\b|対照項目 (\d+) 件|(\d+) 件の固定の対照項目|score all (\d+)\b|all (\d+) while a judge`)
	for name, least := range map[string]int{
		"README.md": 2, "README.ja.md": 2, "docs/judge-controls.md": 2, "docs/statistics.md": 2, "docs/plan.md": 1,
		"docs/operations.md": 0, "docs/judges.md": 0, "docs/scoring.md": 0, "docs/cost.md": 0,
	} {
		page, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := counted.FindAllStringSubmatch(string(page), -1)
		for _, m := range found {
			if got := strings.Join(m[1:], ""); got != strconv.Itoa(n) {
				t.Errorf("%s: %q, there are %d control items", name, m[0], n)
			}
		}
		if len(found) < least {
			t.Errorf("%s says %d times how many control items there are, want %d", name, len(found), least)
		}
	}
}
