package scorer_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"leadline/scorer"
)

// frozenControls are the first 16 hex digits of the sets' SHA-256 by version. A new
// version gets a line of its own; the old lines stay.
var frozenControls = map[string]string{
	"1": "b0e652d2ea1b2dc5",
}

func TestControlsAreFrozen(t *testing.T) {
	b, err := json.Marshal(scorer.Controls())
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:8]); got != frozenControls[scorer.ControlsVersion] {
		t.Errorf("set %s has hash %s, want %s: an edited item needs a new version", scorer.ControlsVersion, got, frozenControls[scorer.ControlsVersion])
	}
}

func TestControlsAreWellFormed(t *testing.T) {
	items := scorer.Controls()
	if len(items) < 24 || len(items) > 32 {
		t.Errorf("%d items, want 24 to 32", len(items))
	}
	seen := map[string]bool{}
	for _, c := range items {
		if seen[c.ID] || !strings.HasPrefix(c.ID, c.Language+"-") {
			t.Errorf("%s: ID is taken or lacks the language %s", c.ID, c.Language)
		}
		seen[c.ID] = true
		if c.Question == "" || c.Answer == "" || len(c.Contexts) == 0 || slices.Contains(c.Contexts, "") {
			t.Errorf("%s: an empty text", c.ID)
		}
		if low, high := c.Faithfulness[0], c.Faithfulness[1]; low < 0 || high > 1 || low >= high {
			t.Errorf("%s: band %v–%v, want 0 ≤ low < high ≤ 1", c.ID, low, high)
		}
		if c.Noncommittal != (c.Expected == scorer.ExpectNoncommittal) {
			t.Errorf("%s: noncommittal %v but expected %s", c.ID, c.Noncommittal, c.Expected)
		}
	}
}

// A judge that gives everything, or nothing, must fall outside many bands in each
// language, or its move would not show.
func TestControlsAreTwoSided(t *testing.T) {
	strict, lenient, perLanguage := map[string]int{}, map[string]int{}, map[string]int{}
	for _, c := range scorer.Controls() {
		perLanguage[c.Language]++
		if c.Faithfulness[0] > 0 {
			strict[c.Language]++
		}
		if c.Faithfulness[1] < 1 {
			lenient[c.Language]++
		}
	}
	if perLanguage["ja"] != perLanguage["en"] || len(perLanguage) != 2 {
		t.Errorf("items per language %v, want as many Japanese as English", perLanguage)
	}
	for language := range perLanguage {
		if strict[language] < 6 || lenient[language] < 6 {
			t.Errorf("%s: %d items show a strict judge and %d a lenient one, want at least 6 each", language, strict[language], lenient[language])
		}
	}
}

func TestControlsReturnsACopy(t *testing.T) {
	scorer.Controls()[0].Contexts[0] = "changed"
	if scorer.Controls()[0].Contexts[0] == "changed" {
		t.Error("a caller changed the frozen set")
	}
}
