package standin

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestStatements(t *testing.T) {
	tests := []struct {
		name, answer string
		want         []string
	}{
		{"Japanese marks", "休みです。本当ですか?はい!週3日です｡", []string{"休みです。", "週3日です｡"}},
		{"wide stops", "申請します．翌日に届きます．", []string{"申請します．", "翌日に届きます．"}},
		{"decimals", "The rate is 2.5 percent. It rose by 0.3 points.", []string{"The rate is 2.5 percent.", "It rose by 0.3 points."}},
		{"wide decimals", "利率は２．５％です。", []string{"利率は２．５％です。"}},
		{"versions and addresses", "Version 4.2.1 is at help.example.com today.", []string{"Version 4.2.1 is at help.example.com today."}},
		{"abbreviations", "Bring a document, e.g. a passport. Ask Dr. Vale.", []string{"Bring a document, e.g. a passport.", "Ask Dr. Vale."}},
		{"a numbered list", "The steps are:\n1. Open the form.\n2. Sign it.", []string{"Open the form.", "Sign it."}},
		{"bullets and emphasis", "- **Form A** is short\n* Form B is long\n・様式Cは長い", []string{"Form A is short", "Form B is long", "様式Cは長い"}},
		{"citations", "The gate opens at 6. [1][2] It closes at 9 [3].", []string{"The gate opens at 6.", "It closes at 9."}},
		{"closing quotes", "He said \"it works.\" Then he left.", []string{"He said \"it works.\"", "Then he left."}},
		{"no stop at the end", "One. Two", []string{"One.", "Two"}},
		{"nothing", " \n ", []string{}},
		{"a greeting alone", "Hello!", []string{}},
		{"a lead-in with a number is a claim", "You need 3 documents:", []string{"You need 3 documents:"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, statements(tt.answer)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"", "a. b", "在宅勤務は週3日です。申請は前週までです。", "2.5 and ２．５", "1. x\n2. y", "\"a.\" b?!」c", "\xff. \xfe。", "［1］。[[1]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		var joined strings.Builder
		for _, s := range sentences(text) {
			if s == "" || s != strings.TrimSpace(s) {
				t.Fatalf("sentence %q is empty or not trimmed", s)
			}
			_, after, found := strings.Cut(rest, s)
			if !found {
				t.Fatalf("sentence %q is not in the text, or not in order", s)
			}
			rest = after
			joined.WriteString(s)
		}
		if got, want := withoutSpace(joined.String()), withoutSpace(text); got != want {
			t.Fatalf("sentences hold %q, want %q", got, want)
		}
		for _, s := range statements(text) {
			d, _ := newDigest(s)
			c, _ := newSource(text)
			compare(d, []*source{c})
		}
	})
}

func withoutSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
