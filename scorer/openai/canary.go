package openai

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"leadline/scorer"
)

// canaryVersion changes with what is hidden among the statements, and so the identity of the
// judge with it.
const canaryVersion = "canaries/1"

var errCanary = errors.New("the judge gave a wrong verdict on a statement whose verdict is known")

// canary is a statement with a known verdict, hidden among those of an answer. A judge that a
// text has talked into the same verdict for all fails it.
type canary struct {
	text  string
	value int // the verdict that it must get
}

// canaries are hidden in one call. Each takes the place at among the statements shown, in
// ascending order. The zero value hides nothing.
type canaries struct {
	at    []int
	birds []canary
}

// newCanaries makes one that no context can support, as it holds a code made up for this call,
// and one that a context says word for word, where one has a fit sentence. The same texts,
// secret and attempt give the same canaries: a remembered reply can be used again.
func newCanaries(secret string, contexts, statements []string, attempt int) canaries {
	h := hmac.New(sha256.New, []byte(secret))
	for _, list := range [][]string{contexts, statements} {
		_ = binary.Write(h, binary.BigEndian, int64(len(list))) // a hash takes all
		for _, text := range list {
			_ = binary.Write(h, binary.BigEndian, int64(len(text)))
			h.Write([]byte(text))
		}
	}
	_ = binary.Write(h, binary.BigEndian, int64(attempt))
	dice := h.Sum(nil)

	birds := []canary{{unsupported(dice, statements), 0}}
	if sentence := quoted(contexts, binary.BigEndian.Uint32(dice[8:])); sentence != "" {
		birds = append(birds, canary{sentence, 1})
	}
	if dice[12]&1 == 1 && len(birds) == 2 {
		birds[0], birds[1] = birds[1], birds[0]
	}
	c := canaries{birds: birds}
	for i := range birds {
		room := len(statements) + 1 // gaps between the statements
		c.at = append(c.at, int(binary.BigEndian.Uint32(dice[16+4*i:])%uint32(room)))
	}
	if len(c.at) == 2 {
		c.at[0], c.at[1] = min(c.at[0], c.at[1]), max(c.at[0], c.at[1])+1
	}
	return c
}

// guarded says whether verdict calls carry canaries. The prompts of v1 are older than they are.
func (j *Judge) guarded() bool { return j.cfg.Canaries && j.tasks.version != "v1" }

// claims are about nothing in particular; each takes two codes. Several forms, so that a text
// cannot name the one that it wants left out.
var claims = map[bool][]string{
	false: {
		"The access code of this report is %s-%s.", "Request %s was closed by team %s.", "The spare unit has the serial number %s%s.",
		"Locker %s holds the key of room %s.", "Invoice %s refers to order %s.", "The reference %s replaces the reference %s.",
	},
	true: {
		"この資料の受付番号は%s-%sです。", "申請%sは担当%sが完了しました。", "予備機の製造番号は%s%sです。",
		"ロッカー%sには部屋%sの鍵が入っています。", "請求書%sは注文%sに対応します。", "整理番号%sは整理番号%sに置き換わりました。",
	},
}

// unsupported writes a claim in the script of most statements, so that it does not stand out.
func unsupported(dice []byte, statements []string) string {
	japanese := 0
	for _, s := range statements {
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }) {
			japanese++
		}
	}
	forms := claims[2*japanese > len(statements)]
	return fmt.Sprintf(forms[int(dice[13])%len(forms)], code(dice[0:4]), code(dice[4:8]))
}

// code turns four bytes into five letters and digits that cannot be mistaken for each other.
func code(b []byte) string {
	const signs = "ABCDEFGHJKLMNPQRTUVWXY346789"
	n := binary.BigEndian.Uint32(b)
	out := make([]byte, 5)
	for i := range out {
		out[i] = signs[n%uint32(len(signs))]
		n /= uint32(len(signs))
	}
	return string(out)
}

// quoted returns a sentence of the contexts that stands for itself: not a heading, a question
// or a fragment. The dice choose among the first of each context.
func quoted(contexts []string, dice uint32) string {
	const most = 200 // characters
	var fit []string
	for _, c := range contexts {
		for _, s := range sentences(c) {
			n := utf8.RuneCountInString(s)
			words := len(strings.Fields(s))
			if full := strings.HasSuffix(s, ".") && words >= 5 || strings.HasSuffix(s, "。") && n >= 12; full && n <= most && !strings.ContainsAny(s, "|\n?？:：\"`<>{}[]") {
				fit = append(fit, s)
				break
			}
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return fit[int(dice%uint32(len(fit)))]
}

// hide returns the statements with the canaries among them.
func (c canaries) hide(statements []string) []string {
	out := make([]string, 0, len(statements)+len(c.birds))
	out = append(out, statements...)
	for i, at := range c.at {
		out = append(out[:at], append([]string{c.birds[i].text}, out[at:]...)...)
	}
	return out
}

// check returns the rows of the statements alone, numbered as before hide. It returns
// errCanary where a canary got another verdict than it must get, and an UnscorableError where
// one got none.
func (c canaries) check(rows []scorer.Verdict) (own []scorer.Verdict, err error) {
	judged := make([]bool, len(c.at))
	for _, row := range rows {
		bird := c.birdAt(row.Index)
		if bird < 0 {
			row.Index -= c.before(row.Index)
			own = append(own, row)
			continue
		}
		judged[bird] = true
		if row.Value != c.birds[bird].value {
			err = errCanary
		}
	}
	if err == nil && slices.Contains(judged, false) {
		err = &scorer.UnscorableError{Reason: scorer.ReasonMissingVerdicts, Detail: "no verdict for a statement whose verdict is known"}
	}
	return own, err
}

func (c canaries) birdAt(index int) int {
	for i, at := range c.at {
		if at == index {
			return i
		}
	}
	return -1
}

// before counts the canaries in front of a row.
func (c canaries) before(index int) int {
	n := 0
	for _, at := range c.at {
		if at < index {
			n++
		}
	}
	return n
}
