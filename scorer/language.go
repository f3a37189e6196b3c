package scorer

import (
	"slices"
	"strings"
	"unicode"

	"leadline/sampler"
)

// questionLanguage returns the code of the language in which the user asked. The script
// decides where it can; a question of Chinese characters alone is read like its answer.
// Among the languages of the Latin script the logged one counts, then frequent words.
func questionLanguage(r sampler.Record) string {
	switch script := scriptOf(r.Question); script {
	case "Han":
		if scriptOf(r.Answer) == "ja" || r.Language == "ja" {
			return "ja"
		}
		return "zh"
	case "":
		return latinLanguage(r.Question, r.Language)
	default:
		return script
	}
}

// scriptOf returns the language of the first telling script, "Han" where only Chinese
// characters tell, and "" for anything else.
func scriptOf(text string) string {
	han := false
	for _, r := range text {
		switch {
		case r < 0x370:
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return "ja"
		case unicode.Is(unicode.Hangul, r):
			return "ko"
		case unicode.Is(unicode.Cyrillic, r):
			return "ru"
		case unicode.Is(unicode.Arabic, r):
			return "ar"
		case unicode.Is(unicode.Greek, r):
			return "el"
		case unicode.Is(unicode.Thai, r):
			return "th"
		case unicode.Is(unicode.Han, r):
			han = true
		}
	}
	if han {
		return "Han"
	}
	return ""
}

// latinLanguage takes the language with the most frequent words in the text; a tie goes
// to the logged language and then to English.
func latinLanguage(text, logged string) string {
	best, most := "en", 0
	if isLatin(logged) {
		best = logged
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, candidate := range []struct{ code, words string }{
		{"en", "the is are what how do does can i my to of when where who which for"},
		{"es", "el la los las qué cómo cuándo dónde quién es son puedo mi para de"},
		{"de", "der die das ist sind was wie wann wo wer kann ich mein meine für nicht"},
		{"fr", "le la les est sont que quel quelle comment quand où qui je mon ma pour"},
		{"pt", "o os as é são qual como quando onde quem posso meu minha para não"},
		{"it", "il lo gli è sono che cosa come quando dove chi posso mio mia per non"},
	} {
		known := strings.Fields(candidate.words)
		n := 0
		for _, w := range words {
			if slices.Contains(known, w) {
				n++
			}
		}
		if n > most || n == most && n > 0 && candidate.code == logged {
			best, most = candidate.code, n
		}
	}
	return best
}

func isLatin(code string) bool {
	return len(code) == 2 && !slices.Contains([]string{"ja", "zh", "ko", "ru", "ar", "el", "th"}, code)
}

// Language returns the code of the language in which a record's user asked, as relevancy
// takes it: "ja", "en".
func Language(r sampler.Record) string { return questionLanguage(r) }
