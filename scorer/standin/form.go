package standin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// statements returns what an answer claims: its sentences, the entries of its lists, the
// cells of its tables and its blocks of code, without marks and without what claims
// nothing, such as a greeting, a heading, a question or "The steps are:".
func statements(answer string) []string {
	r := reader{out: []string{}, lines: strings.Split(answer, "\n")}
	for r.at < len(r.lines) {
		r.block()
	}
	r.settle(false)
	return r.out
}

// reader goes through an answer line by line.
type reader struct {
	lines []string
	at    int
	out   []string
	lead  string // what the entries below complete: a lead-in or a heading
	claim string // what the lead-in says by itself if nothing follows that completes it
}

// block takes one block of lines: at least one line.
func (r *reader) block() {
	line := strings.TrimSpace(r.lines[r.at])
	switch {
	case isFence(line):
		r.code()
	case r.at+1 < len(r.lines) && strings.Contains(line, "|") && isRuler(r.lines[r.at+1]):
		r.table()
	case isHeading(line):
		r.settle(false)
		r.at++
		r.lead = trimMarks(line)
	case isSources(line):
		r.settle(false)
		r.at++
		r.sources()
	case isFootnote(line) || !strings.ContainsFunc(line, isWordRune):
		r.at++
	default:
		r.at++
		if item, ok := entry(line); ok {
			r.item(item)
			return
		}
		r.prose(line)
	}
}

// settle ends a lead-in. What it says by itself is a statement unless entries completed it;
// a number in it, such as a count, is one all the same.
func (r *reader) settle(completed bool) {
	if r.claim != "" && (!completed || strings.ContainsFunc(r.claim, unicode.IsDigit)) {
		r.out = append(r.out, r.claim)
	}
	r.claim = ""
	if !completed {
		r.lead = ""
	}
}

func (r *reader) say(s string) {
	if s = trimMarks(s); s != "" && !claimsNothing(s) {
		r.out = append(r.out, s)
	}
}

func (r *reader) prose(line string) {
	for _, s := range sentences(line) {
		r.settle(false)
		lead, claim := leadIn(trimMarks(s))
		if lead == "" && claim == "" {
			r.say(s)
			continue
		}
		r.lead, r.claim = lead, claim
	}
}

// item says what an entry of a list claims. One that leads in itself heads those below it.
func (r *reader) item(text string) {
	r.settle(true)
	for i, s := range sentences(text) {
		switch s = trimMarks(s); {
		case claimsNothing(s):
			if lead, _ := leadIn(s); lead != "" {
				r.lead = lead
			}
		case i == 0:
			r.out = append(r.out, join(r.lead, s))
		default:
			r.out = append(r.out, s)
		}
	}
}

// code says what a block of code is given for, and the code without comments.
func (r *reader) code() {
	r.settle(true)
	fence := strings.TrimSpace(r.lines[r.at])[:3]
	var code []string
	for r.at++; r.at < len(r.lines); r.at++ {
		line := strings.TrimSpace(r.lines[r.at])
		if strings.HasPrefix(line, fence) {
			r.at++
			break
		}
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "//") {
			code = append(code, strings.TrimPrefix(line, "$ "))
		}
	}
	if text := strings.Join(code, " "); strings.ContainsFunc(text, isWordRune) {
		r.out = append(r.out, join(r.lead, text))
	}
	r.lead = ""
}

// maxCells is how many cells of a table are statements of their own.
const maxCells = 20

// table says of each cell which row and column it belongs to; of a large table, of each row.
func (r *reader) table() {
	r.settle(true)
	head := cells(r.lines[r.at])
	var rows [][]string
	for r.at += 2; r.at < len(r.lines) && strings.Contains(r.lines[r.at], "|"); r.at++ {
		rows = append(rows, cells(r.lines[r.at]))
	}
	for _, row := range rows {
		name, parts := row[0], rowParts(head, row)
		if len(rows)*(len(head)-1) > maxCells {
			parts = []string{strings.Join(parts, comma(name))}
		}
		for _, part := range parts {
			if part != "" {
				r.out = append(r.out, name+comma(name)+part)
			}
		}
	}
	r.lead = ""
}

// rowParts are the cells of a row, each with its header; a table of one column has its own.
func rowParts(head, row []string) []string {
	if len(row) == 1 {
		return nil
	}
	var parts []string
	for i, cell := range row[1:] {
		if i+1 >= len(head) || !strings.ContainsFunc(cell, isWordRune) {
			continue
		}
		parts = append(parts, join(head[i+1], cell))
	}
	return parts
}

func cells(line string) []string {
	var out []string
	for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
		out = append(out, trimMarks(cell))
	}
	return out
}

// sources skips the list that names where an answer comes from.
func (r *reader) sources() {
	for ; r.at < len(r.lines); r.at++ {
		line := strings.TrimSpace(r.lines[r.at])
		if _, listed := entry(line); line != "" && !listed && !isFootnote(line) && !strings.HasPrefix(line, "http") {
			return
		}
	}
}

func isFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// isRuler knows the line between the head and the rows of a table.
func isRuler(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, " |:-\t\r") == ""
}

// isHeading knows lines that begin with # and lines that are bold as a whole.
func isHeading(line string) bool {
	if text := strings.TrimLeft(line, "#"); len(text) < len(line) {
		return strings.HasPrefix(text, " ")
	}
	text, bold := strings.CutPrefix(line, "**")
	text, ends := strings.CutSuffix(text, "**")
	return bold && ends && !strings.ContainsAny(text, "*.。!！?？")
}

func isSources(line string) bool {
	switch strings.ToLower(strings.Trim(line, "#*:： ")) {
	case "sources", "source", "references", "footnotes", "出典", "参考", "参考文献", "参考資料", "参照元", "引用元":
		return true
	}
	return false
}

// isFootnote knows "[^2]: text" and lines such as "[1] text" and "【1】text".
func isFootnote(line string) bool {
	return line != "" && skipCitations(line, 0) > 0
}

// entry takes the bullet or number off an entry of a list.
func entry(line string) (text string, ok bool) {
	first, size := utf8.DecodeRuneInString(line)
	rest := line[size:]
	switch {
	case strings.ContainsRune("-*•+–", first):
		return strings.TrimSpace(rest), strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t")
	case strings.ContainsRune("・●■◆○◦▪", first), first >= '①' && first <= '⑳':
		return strings.TrimSpace(rest), true
	}
	line = strings.TrimPrefix(strings.TrimPrefix(line, "("), "（")
	number := len(line) - len(strings.TrimLeftFunc(line, unicode.IsDigit))
	if number == 0 || number > 3 {
		return "", false
	}
	mark, size := utf8.DecodeRuneInString(line[number:])
	rest = line[number+size:]
	switch mark {
	case '.', ')':
		return strings.TrimSpace(rest), strings.HasPrefix(rest, " ")
	case '．', '）':
		return strings.TrimSpace(rest), rest != "" && !unicode.IsDigit(rune(rest[0]))
	}
	return "", false
}

// leadIn returns what the entries below a sentence complete, and what it claims by itself.
// Both are empty for a sentence that leads nothing in.
func leadIn(s string) (lead, claim string) {
	bare := strings.TrimRight(s, ":： ")
	hasDigit := strings.ContainsFunc(s, unicode.IsDigit)
	if len(bare) < len(s) {
		if isAnnouncement(bare) {
			return "", ""
		}
		if hasDigit {
			claim = s
		}
		return bare, claim
	}
	bare = strings.TrimRight(s, "。｡")
	for _, announces := range []string{"は次のとおりです", "は次の通りです", "は以下のとおりです", "は以下の通りです", "次のとおりです", "以下のとおりです"} {
		if subject, found := strings.CutSuffix(bare, announces); found {
			return subject, ""
		}
	}
	if len(bare) < len(s) && (strings.Contains(bare, "次の") || strings.Contains(bare, "以下の")) {
		return bare, s
	}
	return "", ""
}

// isAnnouncement says whether a lead-in only says that something follows.
func isAnnouncement(lead string) bool {
	p := plain(lead)
	if strings.HasPrefix(p, " here ") {
		return true
	}
	for w := range strings.FieldsSeq(p) {
		switch w {
		case "step", "steps", "following", "follows", "below", "overview", "summary", "answer", "details", "example", "examples", "points", "options",
			"手順", "以下", "次", "要点", "まとめ", "ポイント", "回答":
			continue
		}
		if !isStopWord([]byte(w)) {
			return false
		}
	}
	return true
}

// join completes a lead-in.
func join(lead, text string) string {
	switch {
	case lead == "":
		return text
	case strings.ContainsFunc(lead, isCJK):
		return lead + "：" + text
	}
	return lead + ": " + text
}

func comma(text string) string {
	if strings.ContainsFunc(text, isCJK) {
		return "、"
	}
	return ", "
}
