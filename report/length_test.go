package report_test

import (
	"strings"
	"testing"

	"leadline/drift"
	"leadline/report"
)

func TestEvidenceHasALineOnLengthWhereItIsKnown(t *testing.T) {
	line := func(language, verdict string) report.EvidenceLine {
		var f drift.Finding
		f.Evidence.Length = drift.LengthEvidence{Before: 5.5, After: 2.1, SupportBefore: 0.88, SupportAfter: 0.87,
			SupportSE: 0.012, Explains: 0.15, Within: 0.02, SE: 0.012, Verdict: verdict}
		return report.NewWords(language, nil).Evidence(f)[2]
	}
	for _, c := range []struct{ language, verdict, state, text string }{
		{"en", drift.LengthSame, "same", "steady within luck: 5.5 → 2.1 statements per answer · supported statements 88\u00a0% → 87\u00a0% (± 1.2 points)"},
		{"en", drift.LengthExplains, "changed", "accounts for 0.15 of the drop; 0.02 at the same length"},
		{"en", drift.LengthNot, "changed", "accounts for only 0.15 of the drop"},
		{"en", drift.LengthOpen, "unknown", "cannot be told yet"},
		{"ja", drift.LengthExplains, "changed", "1 回答あたりの文 5.5 → 2.1。低下のうち0.15を説明"},
		{"ja", drift.LengthNot, "changed", "説明できるのは0.15のみ"},
	} {
		l := line(c.language, c.verdict)
		if l.State != c.state || !strings.Contains(l.Text, c.text) || l.Name != map[string]string{"en": "Answer length", "ja": "回答の長さ"}[c.language] {
			t.Errorf("%s, %s: got %+v, want state %s and %q", c.language, c.verdict, l, c.state, c.text)
		}
	}
	for _, l := range report.NewWords("en", nil).Evidence(drift.Finding{}) {
		if l.Name == "Answer length" {
			t.Errorf("a line without anything known: %+v", l)
		}
	}
}
