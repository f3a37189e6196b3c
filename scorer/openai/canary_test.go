package openai

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"leadline/scorer"
)

func TestCanariesComeOutAsTheyWentIn(t *testing.T) {
	contexts := []string{"Heading\nThe lift stops at every second floor.", "Is it open? 図書館は毎週火曜日に休館します。"}
	places := map[int]int{}
	for n := range 26 {
		statements := make([]string, n)
		for i := range statements {
			statements[i] = "statement " + strconv.Itoa(i)
		}
		for attempt := range 40 {
			c := newCanaries("secret", contexts, statements, attempt)
			shown := c.hide(statements)
			if len(c.birds) != 2 || len(shown) != n+2 {
				t.Fatalf("%d statements: %d canaries, %d shown", n, len(c.birds), len(shown))
			}
			var rows []scorer.Verdict
			for i, text := range shown {
				value := i % 2
				if bird := c.birdAt(i); bird >= 0 {
					value = c.birds[bird].value
					places[c.at[bird]]++
				}
				rows = append(rows, scorer.Verdict{Index: i, Value: value, Reason: text})
			}
			rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			own, err := c.check(rows)
			if err != nil || len(own) != n {
				t.Fatalf("%d statements: %d rows, %v", n, len(own), err)
			}
			for _, row := range own {
				if row.Reason != statements[row.Index] {
					t.Fatalf("row %d is about %q", row.Index, row.Reason)
				}
			}
		}
	}
	if len(places) < 20 {
		t.Errorf("canaries take %d places only", len(places))
	}
}

func TestEachWrongVerdictOnACanaryCounts(t *testing.T) {
	c := newCanaries("secret", []string{"The lift stops at every second floor."}, []string{"s"}, 0)
	good := []scorer.Verdict{{Index: c.at[0], Value: c.birds[0].value}, {Index: c.at[1], Value: c.birds[1].value}}
	for i := range good {
		bad := slices.Clone(good)
		bad[i].Value = 1 - bad[i].Value
		if _, err := c.check(bad); !errors.Is(err, errCanary) {
			t.Errorf("canary %d with the wrong verdict: %v", i, err)
		}
		if _, err := c.check(append(bad, good[i])); !errors.Is(err, errCanary) {
			t.Errorf("canary %d with both verdicts: %v", i, err)
		}
		missing := slices.Delete(slices.Clone(good), i, i+1)
		if _, err := c.check(missing); err == nil || errors.Is(err, errCanary) {
			t.Errorf("canary %d without a verdict: %v, want a reply without all verdicts", i, err)
		}
	}
}

func TestCanariesCannotBeForetold(t *testing.T) {
	hidden := func(secret, context, statement string, attempt int) string {
		c := newCanaries(secret, []string{context}, []string{statement}, attempt)
		return strings.Join(c.hide([]string{statement}), "|")
	}
	const context, statement = "The lift stops at every second floor.", "It stops."
	first := hidden("a", context, statement, 0)
	if first != hidden("a", context, statement, 0) {
		t.Error("the same call gets other canaries: its remembered reply is lost")
	}
	for name, other := range map[string]string{
		"secret": hidden("b", context, statement, 0), "context": hidden("a", context+" ", statement, 0),
		"statement": hidden("a", context, statement+"!", 0), "attempt": hidden("a", context, statement, 1),
	} {
		if other == first {
			t.Errorf("another %s gives the same canaries", name)
		}
	}
}

func TestTheQuotedSentenceStandsForItself(t *testing.T) {
	for context, want := range map[string]string{
		"Opening hours":                              "",
		"Is the desk open on Sundays?":               "",
		"| a | b |\n|---|---|\n| 1 | 2 |":            "",
		"Note: it says \"no\" in many places.":       "",
		"See above. The desk opens at nine o'clock.": "The desk opens at nine o'clock.",
		"概要\n窓口は平日の午前九時に開きます。":                       "窓口は平日の午前九時に開きます。",
		strings.Repeat("very long ", 60) + "text.":   "",
	} {
		if got := quoted([]string{context}, 0); got != want {
			t.Errorf("%q: %q, want %q", context, got, want)
		}
	}
}
