package alert

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// The parsers of what comes from outside are not exported.

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a\x00b", "\xed\xa0\x80", "\u202Ex", "e\u0301\u0301", "👩‍👩‍👧‍👦", "有給\n\n休暇"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 1 + max(limit, -limit, 0)%100
		got := clean(s, limit)
		if n := utf8.RuneCountInString(got); n > limit || !utf8.ValidString(got) {
			t.Errorf("%q became %q of %d runes, want valid and at most %d", s, got, n, limit)
		}
		for _, r := range got {
			if unicode.IsControl(r) || r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' {
				t.Errorf("%q keeps %U", s, r)
			}
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "1", "1.5", "-1", "NaN", "Inf", "1e300", "Mon, 30 Nov 2026 21:00:00 GMT"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if got := retryAfter(s, now); got != 0 && (got < time.Second || got > maxRetryAfter) {
			t.Errorf("%q waits %s, want 0 or a second to an hour", s, got)
		}
	})
}

func FuzzSlackWord(f *testing.F) {
	for _, s := range []string{"ok", " ok\n", `{"ok":true}`, `{"ok":false,"error":"x"}`, "null", "<html>ok</html>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, ok := slackWord(s); ok && !strings.Contains(strings.ToLower(s), "ok") {
			t.Errorf("%q counts as delivered", s)
		}
	})
}

// TestNoLanguageLacksAWord holds the two languages against each other.
func TestNoLanguageLacksAWord(t *testing.T) {
	en, ja := reflect.ValueOf(english()), reflect.ValueOf(japanese())
	for n := range en.NumField() {
		name := en.Type().Field(n).Name
		compareWords(t, name, en.Field(n), ja.Field(n))
	}
}

func compareWords(t *testing.T, name string, en, ja reflect.Value) {
	t.Helper()
	switch en.Kind() {
	case reflect.String:
		if en.String() == "" || ja.String() == "" {
			t.Errorf("%s is empty: %q and %q", name, en, ja)
		}
		if !slices.Equal(argumentsOf(en.String()), argumentsOf(ja.String())) {
			t.Errorf("%s tells %v in English and %v in Japanese", name, argumentsOf(en.String()), argumentsOf(ja.String()))
		}
	case reflect.Map:
		if en.Len() != ja.Len() {
			t.Errorf("%s has %d words in English and %d in Japanese", name, en.Len(), ja.Len())
		}
		for _, k := range en.MapKeys() {
			if !ja.MapIndex(k).IsValid() {
				t.Errorf("%s lacks %s in Japanese", name, k)
				continue
			}
			compareWords(t, name+"."+k.String(), en.MapIndex(k), ja.MapIndex(k))
		}
	case reflect.Slice:
		for n := range max(en.Len(), ja.Len()) {
			compareWords(t, name, en.Index(n), ja.Index(n))
		}
	case reflect.Struct:
		for n := range en.NumField() {
			compareWords(t, name+"."+en.Type().Field(n).Name, en.Field(n), ja.Field(n))
		}
	default:
		t.Fatalf("%s is a %s", name, en.Kind())
	}
}

// argumentsOf are the arguments that a format names, sorted.
func argumentsOf(format string) []string {
	args := regexp.MustCompile(`%\[\d\]`).FindAllString(format, -1)
	slices.Sort(args)
	return slices.Compact(args)
}

// TestSignatureIsThatOfTheStandard uses the example of the Standard Webhooks libraries.
func TestSignatureIsThatOfTheStandard(t *testing.T) {
	w := &Webhook{secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	header, err := w.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := header.Get("webhook-signature"), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signed %s, want %s", got, want)
	}
}
