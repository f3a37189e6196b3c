package report_test

import (
	"slices"
	"testing"

	"leadline/drift"
	"leadline/report"
	"leadline/scorer"
)

func TestTimelineTellsWhoDecidedWhatIsNormal(t *testing.T) {
	for lang, words := range map[string][]string{
		"en": {"New normal for Faithfulness of department=hr, accepted by mika", "Baseline of Faithfulness of all answers learned anew from here, decided by yuki"},
		"ja": {"department=hrの忠実度の新しい基準を承認（mika）", "全回答の忠実度の基準をここから再学習（yuki）"},
	} {
		in := newStory(lang).input()
		at := in.To.AddDate(0, 0, -2)
		in.History.Acceptances = []drift.Acceptance{
			{Series: drift.Series{Metric: scorer.Faithfulness, Dim: "department", Value: "hr", Judge: judge}, From: at, By: "mika", At: at, Incident: "inc_1"},
			{Series: drift.Series{Metric: scorer.Faithfulness, Judge: judge}, From: at, By: "yuki", At: at, Reset: true},
		}
		var texts []string
		for _, e := range report.Make(in).Timeline {
			texts = append(texts, e.Text)
		}
		for _, want := range words {
			if !slices.Contains(texts, want) {
				t.Errorf("the %s timeline lacks %q: %q", lang, want, texts)
			}
		}
	}
}
