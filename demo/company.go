package demo

import "strings"

// text is the same thing said in both languages.
type text struct{ en, ja string }

func (t text) in(l language) string {
	if l == japanese {
		return t.ja
	}
	return t.en
}

// fact is a sentence of a document and the question that it answers.
type fact struct{ ask, say text }

// edition is a document as it was at a date.
type edition struct {
	version string
	date    string
	facts   []fact
}

// topic is a document of a department's knowledge base, in both languages under one ID.
type topic struct {
	doc string
	edition
	old *edition // an earlier one, where it matters
}

// department is one of the company's, with what its people ask about.
type department struct {
	name   string
	topics []topic
	// beyond are things that the bot likes to add and that stand in no document.
	beyond []text
	// missed and embellished are the shares of answers for which the retriever misses
	// the document, and to which the bot adds something from beyond.
	missed, embellished float64
	// share and shareLater are the department's shares of questions before and after
	// the shift of the query mix.
	share, shareLater float64
}

// company returns the departments.
func company() []department {
	return []department{hr(), it(), expenses(), facilities(), travel(), salesOps()}
}

// passage returns an edition's text in a language.
func (e edition) passage(l language) string {
	said := make([]string, len(e.facts))
	for i, f := range e.facts {
		said[i] = f.say.in(l)
	}
	return join(said, l)
}

func join(sentences []string, l language) string {
	if l == japanese {
		return strings.Join(sentences, "")
	}
	return strings.Join(sentences, " ")
}

// f makes a fact out of an English question and answer and a Japanese question and answer.
func f(askEN, sayEN, askJA, sayJA string) fact {
	return fact{ask: text{askEN, askJA}, say: text{sayEN, sayJA}}
}

// doc makes a topic of one edition.
func doc(id, version, date string, facts ...fact) topic {
	return topic{doc: id, edition: edition{version, date, facts}}
}
