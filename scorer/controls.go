package scorer

// ControlsVersion names the frozen set. Scores of different versions are not compared,
// so an item is never edited without a new version.
const ControlsVersion = "1"

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

// Controls returns a copy of the frozen set in its fixed order, Japanese items first.
// Its help desks and rules are made up.
func Controls() []Control {
	return append(japaneseControls(), englishControls()...)
}

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
