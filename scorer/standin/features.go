package standin

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Weights of features: a word or number counts one and a half pairs of kanji or
// katakana; pairs with hiragana are mostly grammar.
const (
	wordWeight         = 1.5
	pairWeight         = 1
	halfHiraganaWeight = 0.4
	hiraganaWeight     = 0.15
)

// feature is a word stem, a pair of neighboring CJK characters, or a number.
type feature struct {
	hash   uint64
	weight float32
	number bool // or a code with a digit in it: must match, whatever the rest does
}

// digest is what is compared of a text: its distinct features in order.
type digest struct {
	features []feature
	total    float32 // sum of weights
	negated  bool
}

const featureBytes = 16

func newDigest(text string) (*digest, int) {
	d := &digest{negated: isNegated(text)}
	seen := map[uint64]struct{}{}
	take := func(part string, share float32) {
		extract(part, func(f feature) {
			if _, ok := seen[f.hash]; ok {
				return
			}
			seen[f.hash] = struct{}{}
			f.weight *= share
			d.features = append(d.features, f)
			d.total += f.weight
		})
	}
	lead, rest := cutLead(text)
	take(rest, 1)
	take(lead, leadWeight)
	return d, featureBytes * len(d.features)
}

// leadWeight is what words before a colon count for: they say what the rest is about, often
// in words of their own.
const leadWeight = 0.25

// cutLead cuts a statement after its first colon that is none of a time or an address.
func cutLead(text string) (lead, rest string) {
	if before, after, found := strings.Cut(text, ": "); found && after != "" {
		return before, after
	}
	if before, after, found := strings.Cut(text, "："); found && after != "" {
		return before, after
	}
	return "", text
}

// extract emits the features of text, repeated ones again.
func extract(text string, emit func(feature)) {
	e := extractor{emit: emit}
	for _, r := range norm.NFKC.String(dropCitations(text)) {
		e.take(r)
	}
	e.endWord()
	e.endRun()
}

// extractor cuts a stream of characters into words, numbers and pairs.
type extractor struct {
	emit  func(feature)
	word  []byte // lower case; letters and digits, and marks between digits
	digit bool   // the word has a digit
	alpha bool   // the word has a letter
	mark  byte   // a point or comma after a digit, until a digit follows
	prev  rune   // last character of a CJK run
	run   int    // its length
}

func (e *extractor) take(r rune) {
	switch {
	case isCJK(r):
		e.endWord()
		e.pair(r)
	case unicode.IsDigit(r):
		e.endRun()
		e.takeDigit(r)
	case unicode.IsLetter(r), unicode.IsMark(r):
		e.endRun()
		e.takeLetter(r)
	case (r == '.' || r == ',') && e.digit && !e.alpha && e.mark == 0:
		e.mark = byte(r)
	case (r == '\'' || r == '’') && e.alpha:
		e.endWord()
	default:
		e.endWord()
		e.endRun()
	}
}

func (e *extractor) takeDigit(r rune) {
	if e.mark == '.' {
		e.word = append(e.word, '.')
	}
	e.mark = 0
	e.digit = true
	e.word = append(e.word, string(r)...)
}

func (e *extractor) takeLetter(r rune) {
	// "10GB" and "10 GB" are the same number and word; "A4" is a code.
	if e.digit && !e.alpha {
		e.endWord()
	}
	e.alpha = true
	e.word = append(e.word, string(unicode.ToLower(r))...)
}

func (e *extractor) endWord() {
	w := e.word
	digit, alpha := e.digit, e.alpha
	e.word, e.digit, e.alpha, e.mark = w[:0], false, false, 0
	switch {
	case len(w) == 0:
	case digit && alpha:
		e.emit(feature{hash: hashBytes(w), weight: wordWeight, number: true})
	case digit:
		e.emit(feature{hash: hashBytes(trimNumber(w)), weight: wordWeight, number: true})
	case !isStopWord(w):
		e.emit(feature{hash: hashBytes(stem(w)), weight: wordWeight})
	}
}

func (e *extractor) pair(r rune) {
	if e.run > 0 {
		e.emit(feature{hash: mix(uint64(e.prev)<<32 | uint64(r)), weight: weigh(e.prev, r)})
	}
	e.prev = r
	e.run++
}

// endRun ends a CJK run; a kanji that stands alone, as in 3日, is a feature by itself.
func (e *extractor) endRun() {
	if e.run == 1 && isKanji(e.prev) {
		e.emit(feature{hash: mix(uint64(e.prev)), weight: halfHiraganaWeight})
	}
	e.run = 0
}

func weigh(a, b rune) float32 {
	switch ha, hb := isHiragana(a), isHiragana(b); {
	case ha && hb:
		return hiraganaWeight
	case ha || hb:
		return halfHiraganaWeight
	}
	return pairWeight
}

// trimNumber makes 09 and 9, and 3.50 and 3.5, the same.
func trimNumber(w []byte) []byte {
	s := string(w)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s = strings.TrimLeft(s, "0"); s == "" || s[0] == '.' {
		s = "0" + s
	}
	return []byte(s)
}

func hashBytes(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return mix(h)
}

// mix is the finalizer of splitmix64.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
