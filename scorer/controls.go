package scorer

// ControlsVersion names the frozen set. A version adds items to those of the one before: each
// item is compared with its own past, so the old ones go on where they were and the new ones
// learn. An item is never edited and never taken out.
const ControlsVersion = "2"

// What a control item was written to be.
const (
	ExpectSupported    = "supported"
	ExpectPartial      = "partial"
	ExpectUnsupported  = "unsupported"
	ExpectNoncommittal = "noncommittal"
	// ExpectPair is a pair of texts whose cosine the embedding model gives.
	ExpectPair = "pair"
)

// Control is a frozen item that the live judge scores in every run, so that a judge that
// moved is not taken for a system that moved. The set is two-sided: a judge that has
// become strict loses the items that say the same in other words, a lenient one those
// that are nearly right.
type Control struct {
	ID               string // language and what the item tests, as in "ja-number-swap"
	Language         string // of question and answer: "en" or "ja"
	Question, Answer string
	Contexts         []string
	Expected         string // one of the Expect constants
	// Faithfulness is the lowest and the highest value that a good judge gives, both
	// included. It is [0, 1] for noncommittal items: they test something else.
	Faithfulness [2]float64
	// Noncommittal is whether the answer evades its question.
	Noncommittal bool
}

// Controls returns a copy of the frozen set in its fixed order: those of version 1, Japanese
// items first, then those of version 2. Its help desks and rules are made up.
func Controls() []Control { return ControlsOf(ControlsVersion) }

// ControlsOf returns the set of a version; nil for one that never was.
func ControlsOf(version string) []Control {
	first := append(japaneseControls(), englishControls()...)
	switch version {
	case "1":
		return first
	case "2":
		return append(append(first, moreJapaneseControls()...), moreEnglishControls()...)
	}
	return nil
}

// ControlPair is two fixed texts. Their cosine tests the embedding model alone.
type ControlPair struct{ ID, Language, A, B string }

// ControlPairs returns a copy of the frozen pairs, Japanese ones first.
func ControlPairs() []ControlPair { return append(japanesePairs(), englishPairs()...) }

func supported(id, language, question, answer string, contexts ...string) Control {
	return Control{
		ID: id, Language: language, Question: question, Answer: answer, Contexts: contexts,
		Expected: ExpectSupported, Faithfulness: [2]float64{0.8, 1},
	}
}

func partial(id, language, question, answer string, contexts ...string) Control {
	return Control{
		ID: id, Language: language, Question: question, Answer: answer, Contexts: contexts,
		Expected: ExpectPartial, Faithfulness: [2]float64{0.3, 0.7},
	}
}

func unsupported(id, language, question, answer string, contexts ...string) Control {
	return Control{
		ID: id, Language: language, Question: question, Answer: answer, Contexts: contexts,
		Expected: ExpectUnsupported, Faithfulness: [2]float64{0, 0.25},
	}
}

func noncommittal(id, language, question, answer string, contexts ...string) Control {
	return Control{
		ID: id, Language: language, Question: question, Answer: answer, Contexts: contexts,
		Expected: ExpectNoncommittal, Faithfulness: [2]float64{0, 1}, Noncommittal: true,
	}
}
