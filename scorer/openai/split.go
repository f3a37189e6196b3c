package openai

import (
	"strings"
	"unicode/utf8"
)

// overlapTokens is how much of a long context is shown again at the beginning of its next
// piece: what is said across a border must be in one of the two.
const overlapTokens = 200

// split shares contexts out to parts of at most limit tokens, in their order. A context that is
// longer than a part is cut between sentences. Contexts within the limit are one part.
func split(contexts []string, limit int) [][]string {
	var parts [][]string
	var part []string
	room := limit
	for _, context := range contexts {
		for _, piece := range cut(context, limit) {
			n := tokens(piece)
			if len(part) > 0 && n > room {
				parts, part, room = append(parts, part), nil, limit
			}
			part = append(part, piece)
			room -= n
		}
	}
	return append(parts, part)
}

// cut returns the text as it is, or in pieces of at most limit tokens.
func cut(text string, limit int) []string {
	if tokens(text) <= limit {
		return []string{text}
	}
	var pieces []string
	var piece strings.Builder
	var kept []string // the last sentences of the piece
	n := 0
	for _, s := range sentences(text) {
		for _, short := range chop(s, limit/2) {
			size := tokens(short) + 1
			if n > 0 && n+size > limit {
				pieces = append(pieces, piece.String())
				piece.Reset()
				kept = tailOf(kept, min(overlapTokens, limit/4))
				n = 0
				for _, again := range kept {
					piece.WriteString(again + " ")
					n += tokens(again) + 1
				}
			}
			piece.WriteString(short + " ")
			n += size
			kept = append(kept, short)
		}
	}
	return append(pieces, piece.String())
}

// tailOf returns the last sentences that have at most limit tokens together.
func tailOf(sentences []string, limit int) []string {
	n, at := 0, len(sentences)
	for at > 0 && n+tokens(sentences[at-1])+1 <= limit {
		at--
		n += tokens(sentences[at]) + 1
	}
	return append([]string(nil), sentences[at:]...)
}

// chop cuts a sentence without an end into pieces of about limit tokens.
func chop(s string, limit int) []string {
	var out []string
	for tokens(s) > limit {
		runes, at := 0, 0
		for at = range s {
			if runes++; runes > limit {
				break
			}
		}
		out, s = append(out, s[:at]), s[at:]
	}
	return append(out, s)
}

// sentences cuts after the full stops of Japanese and English and at line ends. A stop counts
// where white space or the end of the text follows, or where it is a full-width one.
func sentences(text string) []string {
	var out []string
	start := 0
	take := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case r == '\n', r == '。', r == '！', r == '？', r == '｡':
			take(end)
		case (r == '.' || r == '!' || r == '?') && (end == len(text) || text[end] == ' ' || text[end] == '\n'):
			take(end)
		}
	}
	take(len(text))
	return out
}
