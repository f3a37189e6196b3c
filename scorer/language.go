package scorer

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"leadline/sampler"
)

// asked is the question that an answer is compared with: its rewritten form where the log
// has one. "And on Sundays?" alone asks for nothing that an answer could fit.
func asked(r sampler.Record) string {
	if strings.TrimSpace(r.Rewritten) != "" {
		return r.Rewritten
	}
	return r.Question
}

// Language returns the code of the language in which a record's user asked: "ja", "en". A question
// that does not tell, such as a product name or a line of code, is read like the logged
// language, then like its answer, and then as English.
func Language(r sampler.Record) string {
	question := asked(r)
	code := languageOf(question)
	switch {
	case code == "Han" && (r.Language == "zh" || r.Language == "ja"):
		return r.Language
	case code == "Han" && languageOf(r.Answer) == "ja":
		return "ja"
	case code == "Han":
		return "zh"
	case code != "":
		return preferLogged(code, question, r.Language)
	case r.Language != "":
		return r.Language
	}
	switch answer := languageOf(r.Answer); answer {
	case "":
		return "en"
	case "Han":
		return "zh"
	default:
		return answer
	}
}

// preferLogged takes the logged language where as many words speak for it.
func preferLogged(code, text, logged string) string {
	own, _ := knownWords(text, code)
	if n, _ := knownWords(text, logged); n > 0 && n == own {
		return logged
	}
	return code
}

// crossLanguage says whether question and answer are surely in different languages.
func crossLanguage(r sampler.Record) bool {
	question, answer := languageOf(asked(r)), languageOf(r.Answer)
	if question == "Han" || answer == "Han" {
		han := func(code string) bool { return code == "Han" || code == "zh" || code == "ja" }
		return question != "" && answer != "" && (!han(question) || !han(answer))
	}
	return question != "" && answer != "" && question != answer
}

// InLanguage says whether a text may be in the language of the code. A name in another
// script does no harm. Between languages of one script it says no only where frequent
// words speak against it and none for it.
func InLanguage(text, code string) bool {
	found := languageOf(text)
	switch {
	case found == code:
		return true
	case found == "Han":
		return code == "zh" || code == "ja"
	case found == "":
		return countScripts(text).latin > 0 && isLatin(code)
	case !isLatin(found) || !isLatin(code):
		return false
	}
	against, _ := knownWords(text, found)
	speaking, tells := knownWords(text, code)
	return against < clearWords || speaking > 0 || !tells
}

// clearWords is how many frequent words make a language clear.
const clearWords = 3

// proseShare: of prose in a language, more than one word in so many is a frequent one.
const proseShare = 6

// telling is how many bytes of a text are looked at.
const telling = 1500

// languageOf returns the language of a text, "Han" where only Chinese characters tell, and
// "" where nothing does.
func languageOf(text string) string {
	text = text[:min(len(text), telling)]
	n := countScripts(text)
	latin, words := latinLanguage(text)
	switch {
	// "What does 有給 mean?" is English; "KubernetesのPodとは" is Japanese.
	case n.other() > 0 && (words < 2 || n.latinWords <= n.runs):
		return n.language(text)
	// "select name from users where id = 7" has one frequent word and is none of our languages.
	case proseShare*words <= n.latinWords:
		return ""
	}
	return latin
}

// scripts counts the letters of a text by what they tell.
type scripts struct {
	latin, kana, han, hangul int
	rest                     map[string]int // by language: one script, one code
	latinWords, runs         int            // runs of letters that are not Latin
}

// other returns the language for which a letter's script stands here.
func other(r rune) string {
	switch {
	case unicode.Is(unicode.Cyrillic, r):
		return "ru"
	case unicode.Is(unicode.Arabic, r):
		return "ar"
	case unicode.Is(unicode.Greek, r):
		return "el"
	case unicode.Is(unicode.Thai, r):
		return "th"
	}
	return ""
}

func countScripts(text string) scripts {
	n := scripts{rest: map[string]int{}}
	before := ' ' // kind of the letter before: l, o or none
	for _, r := range text {
		kind := n.count(r)
		if kind != before && kind == 'l' {
			n.latinWords++
		} else if kind != before && kind == 'o' {
			n.runs++
		}
		before = kind
	}
	return n
}

// count returns l for a Latin letter, o for one of another script, and a space for the rest.
func (n *scripts) count(r rune) rune {
	switch {
	case !unicode.IsLetter(r):
		return ' '
	case unicode.Is(unicode.Latin, r):
		n.latin++
		return 'l'
	case unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == 'ー':
		n.kana++
	case unicode.Is(unicode.Hangul, r):
		n.hangul++
	case unicode.Is(unicode.Han, r):
		n.han++
	default:
		code := other(r)
		if code == "" {
			return ' '
		}
		n.rest[code]++
	}
	return 'o'
}

func (n *scripts) other() int {
	sum := n.kana + n.han + n.hangul
	for _, letters := range n.rest {
		sum += letters
	}
	return sum
}

// language decides between the scripts that are not Latin: the one with most letters.
func (n *scripts) language(text string) string {
	best, most := n.eastAsian(text), max(n.kana+n.han, n.hangul)
	for code, letters := range n.rest {
		if letters > most {
			best, most = code, letters
		}
	}
	return best
}

// chineseOnly are characters that are frequent in Chinese and hardly used in Japanese.
const chineseOnly = "吗吧呢这這们們么哪说說请还怎您嗎麼为什"

func (n *scripts) eastAsian(text string) string {
	chinese := strings.ContainsAny(text, chineseOnly)
	switch {
	case n.hangul > n.kana+n.han:
		return "ko"
	case n.kana > 0 && (!chinese || 10*n.kana >= n.han):
		return "ja"
	case chinese:
		return "zh"
	case n.hangul > 0 && n.hangul >= n.han:
		return "ko"
	}
	return "Han"
}

// latin lists the languages that frequent words tell apart; a tie goes to the first.
// Romaji is Japanese.
func latin() []string { return []string{"en", "de", "es", "fr", "it", "ja", "pt"} }

// frequentWords maps a word to a count of one for each language, in the order of latin.
var frequentWords = sync.OnceValue(func() map[string][7]int {
	known := map[string][7]int{}
	for i, words := range [7]string{
		"the is are what how do does can i my to of when where who which for a an and in on at with about this that it we you your please",
		"der die das ist sind was wie wann wo wer kann ich mein meine für nicht ein eine und zu auf mit wir bitte welche",
		"el la los las qué cómo cuándo dónde quién es son puedo mi para de un una en y con por favor cuál está hay",
		"le la les est sont que quel quelle comment quand où qui je mon ma pour un une des et dans avec de du en",
		"il lo gli è sono che cosa come quando dove chi posso mio mia per non un una in e con favore dei",
		"wa wo ga desu masu ka doko itsu dare nani nan kudasai made kara shimasu arimasu",
		"o os as é são qual como quando onde quem posso meu minha para não um uma em e com por favor",
	} {
		for w := range strings.FieldsSeq(words) {
			of := known[w]
			of[i] = 1
			known[w] = of
		}
	}
	return known
})

// countWords counts the frequent words of each language.
func countWords(text string) (counts [7]int) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for i, one := range frequentWords()[w] {
			counts[i] += one
		}
	}
	return counts
}

// latinLanguage returns the language with the most frequent words in the text, and how
// many; "" without any.
func latinLanguage(text string) (best string, most int) {
	for i, n := range countWords(text) {
		if n > most {
			best, most = latin()[i], n
		}
	}
	return best, most
}

// knownWords counts the frequent words of one language; tells is false for a language
// whose words are not known.
func knownWords(text, code string) (n int, tells bool) {
	i := slices.Index(latin(), code)
	if i < 0 {
		return 0, false
	}
	return countWords(text)[i], true
}

func isLatin(code string) bool {
	return code != "Han" && !slices.Contains([]string{"ja", "zh", "ko", "ru", "ar", "el", "th"}, code)
}
