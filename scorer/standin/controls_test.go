package standin_test

import (
	"testing"

	"leadline/scorer"
	"leadline/scorer/standin"
)

// beyondWords are the controls that only a reader can be relied on to get right.
var beyondWords = map[string]string{
	"ja-paraphrase":    "says the same in other words",
	"ja-inference":     "follows from the context but is not in it",
	"ja-cross-lingual": "shares no characters with its context",
	"en-paraphrase":    "says the same in other words",
	"en-inference":     "follows from the context but is not in it",
	"en-cross-lingual": "shares no words with its context",

	"ja-half-condition":        "one sentence widens a condition with the words of its context",
	"en-half-condition":        "one sentence widens a condition with the words of its context",
	"ja-other-words-late":      "says the same in other words",
	"ja-day-of-week":           "follows from the context but is not in it",
	"ja-cross-lingual-returns": "shares no characters with its context",
	"en-other-words-weather":   "says the same in other words",
	"en-day-of-week":           "follows from the context but is not in it",
	"en-cross-lingual-meals":   "shares no words with its context",
}

func TestControlsThatWordsCanTell(t *testing.T) {
	h := newServer(t, standin.Options{})
	for _, c := range scorer.Controls() {
		value, scored := faithfulness(t, h, c.Answer, c.Contexts)
		inBand := scored && value >= c.Faithfulness[0] && value <= c.Faithfulness[1]
		evades := askQuestion(t, h, c.Answer).Noncommittal == 1
		if why, blind := beyondWords[c.ID]; blind {
			t.Logf("%s (%s): %.2f, within the band %v", c.ID, why, value, inBand)
			continue
		}
		if !inBand {
			t.Errorf("%s: faithfulness %.2f (scored %v), want %v: %v", c.ID, value, scored, c.Faithfulness,
				askVerdicts(t, h, c.Contexts, askStatements(t, h, c.Answer)))
		}
		if evades != c.Noncommittal {
			t.Errorf("%s: noncommittal %v, want %v", c.ID, evades, c.Noncommittal)
		}
	}
}
