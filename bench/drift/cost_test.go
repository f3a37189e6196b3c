package main

import (
	"testing"

	"leadline/config"
)

// What 1,000 samples cost was worked out by hand, without embeddings: prompts and schemas read
// from the cache (3,882 tokens; 6,476 with three questions apart) or the short ones in full
// (2,631), 1,795 tokens of data (2,107), 397 of replies.
func TestPricesAreThoseWorkedOut(t *testing.T) {
	want := map[string]float64{
		"gpt-6-luna, effort none list":               0.0388 + 0.1795 + 0.1985,
		"gpt-6-luna, effort none Flex":               0.0194 + 0.0898 + 0.0993,
		"gpt-6-luna, effort none, n not served list": 0.0648 + 0.2107 + 0.1985,
		"gpt-5.6-luna list":                          0.0776 + 0.3590 + 0.4764,
		"mistral-small-2603 list":                    0.3947 + 0.2693 + 0.2382,
	}
	for _, p := range prices() {
		near(t, p.Model+" "+p.Tier, 1000*p.sample()-0.0014, want[p.Model+" "+p.Tier], 0.001)
	}
}

func TestTenDollarsAreSpentAndNoMore(t *testing.T) {
	for _, p := range prices() {
		n := p.buys(dollars, 4)
		if p.month(n-1, 4) >= dollars || p.month(n+1, 4) <= dollars {
			t.Errorf("%s: %g samples a run are to cost %d dollars; one less costs %g, one more %g", p.Model, n, dollars, p.month(n-1, 4), p.month(n+1, 4))
		}
	}
	if got := prices()[0].buys(0.1, 4); got != 0 {
		t.Errorf("ten cents, which writing to the cache alone takes, buy %g samples a run", got)
	}
}

func TestDefaultScheduleHasFourRunsADay(t *testing.T) {
	n, err := runsADay(config.Default().Score.Schedule)
	if err != nil || n != 4 {
		t.Errorf("%d runs a day, %v", n, err)
	}
	if _, err := runsADay("never"); err == nil {
		t.Error("a schedule that is none was read")
	}
}
