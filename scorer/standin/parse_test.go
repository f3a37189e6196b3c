package standin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/scorer/standin"
)

func TestFaultsOfACommandLine(t *testing.T) {
	got, err := standin.ParseFaults([]string{"hang", "error_503:0.3", "rate_limit_ms:0.5,first=2,task=verdicts,value=250", "verdict_strict:0.2,since=2026-12-01T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	want := []standin.Fault{
		{Mode: "hang", Rate: 1},
		{Mode: "error_503", Rate: 0.3},
		{Mode: "rate_limit_ms", Rate: 0.5, First: 2, Task: "verdicts", Value: "250"},
		{Mode: "verdict_strict", Rate: 0.2, Since: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults differ (-want +got):\n%s", diff)
	}
	for text, part := range map[string]string{
		"explode": "mode:", "hang:often": "rate:", "hang:2": "rate:", "hang,first=0": "first:", "hang,task=poem": "task:",
		"rate_limit_ms,value=soon": "value:", "hang,since=now": "since:", "hang,label=no": "label=no",
	} {
		if _, err := standin.ParseFaults([]string{text}); err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want one that names it and %s", text, err, part)
		}
	}
}
