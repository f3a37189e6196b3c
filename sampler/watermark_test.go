package sampler_test

import (
	"testing"
	"time"

	"leadline/sampler"
)

var noon = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

func TestWatermarkIsTheTwentiethLargestOfTheLastThousand(t *testing.T) {
	var w sampler.Watermark
	for i := range 19 {
		w.Observe(noon.Add(time.Duration(i)*time.Second), noon)
	}
	if got := w.Time(); !got.IsZero() {
		t.Errorf("after 19 records it is %v, want zero", got)
	}
	for i := 19; i < 100; i++ {
		w.Observe(noon.Add(time.Duration(i)*time.Second), noon)
	}
	if got, want := w.Time(), noon.Add(80*time.Second); !got.Equal(want) {
		t.Errorf("of 0–99 s it is %v, want %v", got, want)
	}
	for range 999 { // now the 100 are forgotten, but for the last
		w.Observe(noon.Add(-time.Hour), noon)
	}
	if got, want := w.Time(), noon.Add(-time.Hour); !got.Equal(want) {
		t.Errorf("after 999 older records it is %v, want %v", got, want)
	}
}

func TestWrongClocksDoNotMoveTheWatermark(t *testing.T) {
	var w sampler.Watermark
	for range 100 {
		w.Observe(noon, noon)
	}
	for range 19 { // believable, but too few
		w.Observe(noon.Add(9*time.Minute), noon)
	}
	for range 1000 {
		w.Observe(noon.Add(11*time.Minute), noon)
		w.Observe(time.Time{}, noon)
	}
	if got := w.Time(); !got.Equal(noon) {
		t.Errorf("the watermark is %v, want %v", got, noon)
	}
	w.Observe(noon.Add(24*time.Hour), time.Time{}) // a clock that follows the records knows no future
	if got, want := w.Time(), noon.Add(9*time.Minute); !got.Equal(want) {
		t.Errorf("the watermark is %v, want %v", got, want)
	}
}
