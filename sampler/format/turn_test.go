package format_test

import (
	"testing"

	"leadline/config"
	"leadline/sampler"
)

func TestTurnsAreADimensionOfThreeValues(t *testing.T) {
	d := decoder(t, config.Record{Fields: map[string]string{"turn": "n"}, Segments: map[string]string{"team": "team"}})
	for value, want := range map[string]string{
		`1`: "1", `"1"`: "1", `2`: "2-3", `3`: "2-3", `4`: "4+", `17`: "4+", `4.0`: "4+",
		`0`: "unknown", `-1`: "unknown", `1.5`: "unknown", `"first"`: "unknown", `null`: "unknown", `[2]`: "unknown", `true`: "unknown", `1e400`: "unknown",
	} {
		records, err := d.Decode(sampler.Message{Value: []byte(`{"question":"q","answer":"a","team":"x","n":` + value + `}`)})
		if err != nil {
			t.Fatal(err)
		}
		if s := records[0].Segments; s["turn"] != want || s["team"] != "x" {
			t.Errorf("turn %s: segments %v, want turn %s", value, s, want)
		}
	}
}

func TestTurnCanBeCountedFromMessages(t *testing.T) {
	d := decoder(t, config.Record{Fields: map[string]string{"turn": `messages.#(role=="user")#|#`}})
	records, err := d.Decode(sampler.Message{Value: []byte(
		`{"question":"q","answer":"a","messages":[{"role":"user"},{"role":"assistant"},{"role":"user"}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got := records[0].Segments["turn"]; got != "2-3" {
		t.Errorf("turn %q, want that of the second question", got)
	}
}

func TestWithoutTheFieldThereIsNoTurn(t *testing.T) {
	records, err := decoder(t, config.Record{}).Decode(sampler.Message{Value: []byte(`{"question":"q","answer":"a","turn":2}`)})
	if err != nil {
		t.Fatal(err)
	}
	if records[0].Segments != nil {
		t.Errorf("segments %v, want none", records[0].Segments)
	}
}
