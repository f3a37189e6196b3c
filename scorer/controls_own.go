package scorer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"leadline/sampler"
)

// Expectations lists what an own item may be said to be.
var Expectations = []string{ExpectSupported, ExpectPartial, ExpectUnsupported, ExpectNoncommittal}

// maxOwnName is how much of a name an ID keeps, in bytes.
const maxOwnName = 40

// OwnControl makes a control item of a user's own texts. Its ID begins with "own-" and ends
// with a hash of the texts: other texts are another item, with a past of its own. expected is
// one of Expectations, or empty where nobody says.
func OwnControl(name, language, question, answer string, contexts []string, expected string) (Control, error) {
	switch {
	case strings.TrimSpace(question) == "":
		return Control{}, errors.New("it has no question")
	case strings.TrimSpace(answer) == "":
		return Control{}, errors.New("it has no answer")
	}
	c := Control{Language: Language(sampler.Record{Question: question, Answer: answer, Language: language}), Question: question, Answer: answer, Contexts: contexts, Expected: expected, Faithfulness: [2]float64{0, 1}}
	switch expected {
	case "":
	case ExpectSupported:
		c.Faithfulness = [2]float64{0.8, 1}
	case ExpectPartial:
		c.Faithfulness = [2]float64{0.3, 0.7}
	case ExpectUnsupported:
		c.Faithfulness = [2]float64{0, 0.25}
	case ExpectNoncommittal:
		c.Noncommittal = true
	default:
		return Control{}, fmt.Errorf("expected %q: must be %s, or left out", expected, strings.Join(Expectations, ", "))
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{question, answer}, contexts...), "\x00")))
	c.ID = "own-" + plainName(name) + hex.EncodeToString(sum[:4])
	return c, nil
}

// plainName is a name as far as it is letters, digits and dashes, with a dash at its end.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_') {
			return r
		}
		return -1
	}, name)
	if name = name[:min(len(name), maxOwnName)]; name == "" {
		return ""
	}
	return name + "-"
}
