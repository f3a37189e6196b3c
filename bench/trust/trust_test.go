package main

import (
	"reflect"
	"testing"
)

func TestASeedIsTheSameTwiceAndToldForWhatItIs(t *testing.T) {
	o := options{perRun: 60, before: 60, past: 15}
	for _, truth := range truths() {
		if truth.small {
			continue
		}
		once, twice := follow(3, truth, o), follow(3, truth, o)
		if !reflect.DeepEqual(once, twice) {
			t.Errorf("%s: %+v and %+v", truth.name, once, twice)
		}
		if truth.lenient == 1 && once.last != toldJudge || truth.want == toldNothing && once.last != toldNothing {
			t.Errorf("%s: told %s", truth.name, once.last)
		}
	}
}

func TestABiasHitsTheSameTexts(t *testing.T) {
	w := newWorld(1, truth{strict: 0.3}, options{before: 1, perRun: 1})
	for _, c := range []struct{ x, place, want float64 }{{1, 0.2, 0}, {1, 0.4, 1}, {0, 0.2, 0}} {
		if got := w.judged(1, c.x, c.place); got != c.want {
			t.Errorf("a score of %.0f at %.1f becomes %.1f, want %.0f", c.x, c.place, got, c.want)
		}
		if got := w.judged(0, c.x, c.place); got != c.x {
			t.Errorf("before the change a score of %.0f becomes %.1f", c.x, got)
		}
	}
}
