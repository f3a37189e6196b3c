package standin

import "strings"

// isStopWord says whether a lower-case Latin word carries grammar only. The words of
// the question form "Is it true that", of "Based on the given context" and of "According to
// the provided documents" are among them.
func isStopWord(w []byte) bool {
	if len(w) > 9 {
		return false
	}
	switch string(w) {
	case "a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "from", "with", "as", "into", "about", "per", "via",
		"and", "or", "but", "so", "if", "then", "than", "that", "this", "these", "those", "there", "here", "which", "who", "whom", "whose", "what", "when", "where", "how", "why",
		"is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done", "has", "have", "had", "having",
		"will", "would", "shall", "should", "can", "could", "may", "might", "must", "need", "needs",
		"it", "its", "he", "she", "they", "them", "their", "his", "her", "him", "you", "your", "yours", "we", "our", "us", "i", "my", "me",
		"also", "just", "very", "please", "s", "t", "d", "ll", "re", "ve", "m", "true", "not", "no",
		"based", "given", "context", "contexts", "according", "provided", "document", "documents":
		return true
	}
	return false
}

// stem cuts the common endings off an English word; it only has to cut the same from
// forms of the same word.
func stem(w []byte) []byte {
	n := len(w)
	has := func(suffix string) bool { return n > len(suffix)+2 && string(w[n-len(suffix):]) == suffix }
	switch {
	case has("ies"), has("ied"):
		return append(w[:n-3:n-3], 'y')
	case has("sses"):
		n -= 2
	case has("ing"):
		n = undouble(w, n-3)
	case has("ed"):
		n = undouble(w, n-2)
	case has("ly"):
		n -= 2
	case has("es"):
		n -= 2
	case has("s") && w[n-2] != 's':
		n--
	}
	if n > 3 && w[n-1] == 'e' {
		n--
	}
	return w[:n]
}

// undouble makes "submitt" and "submit" the same.
func undouble(w []byte, n int) int {
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return n - 1
	}
	return n
}

// isNegated says whether a Japanese or English text has an odd number of negations, so
// that the double one of 〜しなければなりません counts as none.
func isNegated(text string) bool {
	n := 0
	for _, w := range japaneseNegations {
		n += strings.Count(text, w)
	}
	for _, w := range japaneseLookalikes {
		n -= strings.Count(text, w)
	}
	if strings.ContainsAny(text, "nNc") {
		n += englishNegations(text)
	}
	return n&1 != 0
}

var japaneseNegations = []string{"ません", "ない", "なく", "なかっ", "なけれ", "不可", "禁止", "ずに", "できず", "せず"}

// japaneseLookalikes contain one of the above and negate nothing.
var japaneseLookalikes = []string{
	"すみません", "申し訳ありません", "かもしれません", "かもしれない", "少ない", "少なく", "だけでなく", "ではないか",
	"しかない", "ないし", "危ない", "差し支えありません", "にほかなりません", "まもなく", "間もなく", "なくす", "なくし",
}

func englishNegations(text string) int {
	n := 0
	text = strings.ToLower(text)
	for w := range strings.FieldsSeq(text) {
		// "No, it was" answers and negates nothing.
		if w == "no," {
			continue
		}
		w = strings.Trim(w, ".,;:!?()\"'’*")
		switch w {
		case "not", "no", "never", "cannot", "without", "neither", "none", "nobody", "nothing", "unable", "prohibited", "forbidden":
			n++
		default:
			if strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
				n++
			}
		}
	}
	for _, w := range englishLookalikes {
		n -= strings.Count(text, w)
	}
	return n
}

var englishLookalikes = []string{"not only", "not limited to", "no later than", "no more than", "no fewer than"}
