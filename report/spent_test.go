package report_test

import (
	"testing"
	"time"

	"leadline/report"
	"leadline/scorer"
)

func TestWhatWasSpentIsSaidInBothLanguages(t *testing.T) {
	s := report.Spent{Spend: scorer.Spend{Tokens: 412_000, Dollars: 0.052}, Limit: scorer.Spend{Tokens: 700_000, Dollars: 2},
		Kinds: map[scorer.Kind]scorer.Spend{scorer.KindControl: {Tokens: 132_000, Dollars: 0.017}, scorer.KindSample: {Tokens: 280_000, Dollars: 0.035}, scorer.KindBridge: {}}}
	for language, want := range map[string]string{
		"en": "412,000 of 700,000 tokens, $0.052 of $2.00: samples 280,000 ($0.035), control items 132,000 ($0.017)",
		"ja": "412,000 / 700,000トークン、$0.052 / $2.00: サンプル 280,000 ($0.035)、対照項目 132,000 ($0.017)",
	} {
		if got := report.NewWords(language, time.UTC).Spent(s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got, want := report.NewWords("en", time.UTC).Spent(report.Spent{Spend: scorer.Spend{Tokens: 5}}), "5 tokens"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
