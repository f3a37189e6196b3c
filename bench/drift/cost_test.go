package main

import (
	"testing"

	"leadline/config"
)

// What 1,000 samples cost was worked out by hand when the judges were chosen; without what
// servers ask for writing to their cache, and without embeddings.
func TestPricesAreThoseWorkedOut(t *testing.T) {
	want := map[string]float64{
		"gpt-6-luna, effort none list":               0.547,
		"gpt-6-luna, effort none Flex":               0.273,
		"gpt-6-luna, effort none, n not served list": 0.678,
		"gpt-5.6-luna list":                          1.165,
		"mistral-small-2603 list":                    0.766,
	}
	for _, p := range prices() {
		p.Write = p.In
		near(t, p.Model+" "+p.Tier, 1000*p.sample()-0.0014, want[p.Model+" "+p.Tier], 0.001)
	}
	near(t, "written to the cache unasked", 1000*prices()[0].sample()-0.0014, 0.601, 0.001)
}

func TestTenDollarsAreSpentAndNoMore(t *testing.T) {
	for _, p := range prices() {
		n := p.buys(dollars, 4)
		if p.month(n-1, 4) >= dollars || p.month(n+1, 4) <= dollars {
			t.Errorf("%s: %g samples a run are to cost %d dollars; one less costs %g, one more %g", p.Model, n, dollars, p.month(n-1, 4), p.month(n+1, 4))
		}
	}
	if got := prices()[0].buys(0.5, 4); got != 0 {
		t.Errorf("half a dollar, which the control items alone take, buys %g samples a run", got)
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
