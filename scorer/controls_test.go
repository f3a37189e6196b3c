package scorer_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"leadline/scorer"
)

// frozenControls are the first 16 hex digits of the sets' SHA-256 by version. A new
// version gets a line of its own; the old lines stay.
var frozenControls = map[string]string{
	"1": "b0e652d2ea1b2dc5",
	"2": "d4f9133ae1150955",
}

const frozenPairs = "6ae11d3c68c93c8b"

func TestControlsAreFrozen(t *testing.T) {
	for version, want := range frozenControls {
		if got := hashOf(t, scorer.ControlsOf(version)); got != want {
			t.Errorf("set %s has hash %s, want %s: items are added by a new version, and never edited", version, got, want)
		}
	}
	if got := hashOf(t, scorer.ControlPairs()); got != frozenPairs {
		t.Errorf("pairs have hash %s, want %s", got, frozenPairs)
	}
	if scorer.ControlsOf("0") != nil || frozenControls[scorer.ControlsVersion] == "" {
		t.Error("a version that never was has items, or the present one is not frozen")
	}
}

func hashOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// What is new in a version comes after what was there, so that no item changes its history.
func TestAVersionOnlyAddsControls(t *testing.T) {
	one, two := scorer.ControlsOf("1"), scorer.ControlsOf("2")
	if !reflect.DeepEqual(two[:len(one)], one) || len(two) < 48 {
		t.Errorf("version 2 has %d items, and does not begin with the %d of version 1", len(two), len(one))
	}
}

func TestControlsAreWellFormed(t *testing.T) {
	items := scorer.Controls()
	if len(items) < 48 {
		t.Errorf("%d items, want 48 or more", len(items))
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
