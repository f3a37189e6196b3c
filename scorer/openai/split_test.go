package openai

import (
	"strings"
	"testing"
)

func FuzzSplitLosesNothing(f *testing.F) {
	f.Add("One sentence. Another one.\nA line", "", 50)
	f.Add(strings.Repeat("長い文です。", 200), "b", 60)
	f.Add(strings.Repeat("x", 4000), strings.Repeat("語", 900), 40)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if len(a)+len(b) > 16<<10 {
			t.Skip("looking for each sentence would take long")
		}
		limit = 40 + limit&0xff
		parts := split([]string{a, b}, limit)
		var all strings.Builder
		for _, part := range parts {
			n := 0
			for _, piece := range part {
				n += tokens(piece)
				all.WriteString(piece)
			}
			if len(parts) > 1 && n > limit+len(part) {
				t.Fatalf("a part of %d tokens, limit %d", n, limit)
			}
		}
		// Each sentence is somewhere, whole or in its pieces.
		have := strip(all.String())
		for _, s := range sentences(a + "\n" + b) {
			for _, piece := range chop(s, limit/2) {
				if !strings.Contains(have, strip(piece)) {
					t.Fatalf("%q is lost", piece)
				}
			}
		}
	})
}

func strip(s string) string { return strings.Join(strings.Fields(s), "") }

func TestContextsOfOneCallStayAsTheyAre(t *testing.T) {
	contexts := []string{" One.\nTwo. ", "", "Three"}
	parts := split(contexts, 1000)
	if len(parts) != 1 || strings.Join(parts[0], "|") != strings.Join(contexts, "|") {
		t.Errorf("%q, want them unchanged in one part", parts)
	}
}

func TestWhatIsSaidAcrossABorderIsInOneOfBothPieces(t *testing.T) {
	text := strings.Repeat("A sentence about nothing at all. ", 60) + "The valve is red. It opens to the left. " + strings.Repeat("Another one about nothing. ", 60)
	for limit := 100; limit < 400; limit += 7 {
		found := false
		for _, piece := range cut(text, limit) {
			found = found || strings.Contains(piece, "The valve is red. It opens to the left.")
		}
		if !found {
			t.Errorf("limit %d: two neighboring sentences are in no piece together", limit)
		}
	}
}
