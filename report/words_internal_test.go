package report

import (
	"testing"
	"time"
)

func TestOnlyEnglishBeginsASentenceWithACapital(t *testing.T) {
	if got := NewWords("en", time.UTC).capital("no release"); got != "No release" {
		t.Errorf("English: %q", got)
	}
	if got := NewWords("ja", time.UTC).capital("department=hrの忠実度"); got != "department=hrの忠実度" {
		t.Errorf("a name from the log was changed: %q", got)
	}
}
