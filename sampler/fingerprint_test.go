package sampler_test

import (
	"testing"

	"leadline/sampler"
)

// The values are from a separate implementation in Python.
func TestFingerprintIsTheSameEverywhere(t *testing.T) {
	if got, want := sampler.Fingerprint("leadline", "texts", "ja", "有給は何日", "20日です。", "規程"), "6f11eca23fc36c20"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := sampler.Fingerprint("s", "session", "c-1"), "e49a1ec084bc513d"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFingerprintsKeepTextsAndSaltsApart(t *testing.T) {
	seen := map[string]int{}
	for i, texts := range [][]string{{"s", "ab", "c"}, {"s", "a", "bc"}, {"s", "abc"}, {"s", "ab", "c", ""}, {"t", "ab", "c"}, {"", "s", "ab", "c"}} {
		f := sampler.Fingerprint(texts[0], texts[1:]...)
		if k, ok := seen[f]; ok {
			t.Errorf("%q and text %d have the same fingerprint", texts, k)
		}
		seen[f] = i
	}
}
