package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"leadline/scorer"
)

// write encodes as models do: without escaping what HTML would need.
func write(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

type row struct {
	I       int    `json:"i"`
	Reason  string `json:"reason"`
	Verdict int    `json:"verdict"`
}

// verdictReply is a valid reply to as many statements as bits holds, at most 30.
func verdictReply(t *testing.T, bits []byte, reason string) (string, []scorer.Verdict) {
	t.Helper()
	rows := []row{}
	var want []scorer.Verdict
	for i, b := range bits[:min(len(bits), 30)] {
		rows = append(rows, row{i + 1, reason, int(b & 1)})
		want = append(want, scorer.Verdict{Index: i, Value: int(b & 1), Reason: strings.ToValidUTF8(reason, "\uFFFD")})
	}
	return write(t, map[string]any{"verdicts": rows}), want
}

// names says whether text may hold an object of its own that is a reply.
func names(text, key string) bool {
	return strings.Contains(text, key[1:]) || strings.Contains(text, `\u`)
}

func sameVerdicts(got, want []scorer.Verdict) bool {
	return slices.EqualFunc(got, want, func(a, b scorer.Verdict) bool { return a.Index == b.Index && a.Value == b.Value })
}

// Whatever stands around a valid reply, it is read as it is or not at all; alone, or in a
// fence, it is always read.
func FuzzVerdictsAmongText(f *testing.F) {
	f.Add([]byte{1, 0, 1}, "said so", "", "")
	f.Add([]byte{1, 0}, `he said "{"`, "Here it is:\n```json\n", "\n```\nDone.")
	f.Add([]byte{0}, "}{", "<think>{so", "</think>")
	f.Add([]byte{0, 1}, "'", "so {'a': ", "}")
	f.Add([]byte{1}, "</think>{'verdicts':[{'i':1,'verdict':0}]}", "Well, ", "")
	f.Add([]byte{1}, "\\", `{"a":"`, `"}`)
	f.Add([]byte{1}, "“", "\uFEFF", "...")
	f.Fuzz(func(t *testing.T, bits []byte, reason, before, after string) {
		if len(bits) == 0 || len(reason)+len(before)+len(after) > 4000 || names(before+after, "verdicts") {
			t.Skip("no verdict, too long, or what stands around names the field itself: then either may be meant")
		}
		reply, want := verdictReply(t, bits, reason)
		got, err := parseVerdicts(before+reply+after, len(want))
		if err == nil && !sameVerdicts(got, want) {
			t.Fatalf("read %+v, want %+v or an error", got, want)
		}
		if got, err := parseVerdicts(reply, len(want)); err != nil || !sameVerdicts(got, want) {
			t.Fatalf("a valid reply was read as %+v, %v; want %+v", got, err, want)
		}
	})
}

// The beginning of a valid reply never gives a value, whatever its texts hold.
func FuzzBeginningOfAReply(f *testing.F) {
	f.Add([]byte{1, 0, 1}, "said so", "", uint16(40))
	f.Add([]byte{1, 0}, `</think>{'verdicts':[{'i':1,'verdict':0},{'i':2,'verdict':0}]}`, "So: ", uint16(120))
	f.Add([]byte{1}, `{"verdicts":[{"i":1,"verdict":0}]}`, "```json\n", uint16(70))
	f.Add([]byte{1}, `</thinking>{verdicts:[{i:1,verdict:0}]}`, "", uint16(90))
	f.Fuzz(func(t *testing.T, bits []byte, reason, before string, cut uint16) {
		if len(bits) == 0 || len(reason)+len(before) > 4000 || names(before, "verdicts") {
			t.Skip("no verdict, too long, or what stands around names the field itself: then either may be meant")
		}
		reply, want := verdictReply(t, bits, reason)
		part := reply[:int(cut)%len(reply)]
		if got, err := parseVerdicts(before+part, len(want)); err == nil {
			t.Fatalf("%q of a longer reply was read as %+v", part, got)
		}
	})
}

// However a reply is changed, each statement has one verdict of 0 or 1, or there is an
// error. What is valid JSON is read as any other reader would.
func FuzzChangedReply(f *testing.F) {
	f.Add([]byte{1, 0, 1}, "said so", uint16(30), uint8(1), "")
	f.Add([]byte{1, 0}, "x", uint16(12), uint8(0), `{"i":1,"verdict":0},`)
	f.Add([]byte{1, 0}, "x", uint16(60), uint8(3), `'"`)
	f.Add([]byte{1, 1}, "x", uint16(0), uint8(0), `{"verdicts":[{"i":1,"verdict":0},{"i":2,"verdict":0}]} `)
	f.Add([]byte{1}, "x", uint16(35), uint8(1), "True /* or */")
	f.Add([]byte{1}, "x", uint16(35), uint8(1), "1,\"verdict\":0")
	f.Fuzz(func(t *testing.T, bits []byte, reason string, at uint16, gone uint8, put string) {
		if len(bits) == 0 || len(reason)+len(put) > 4000 {
			t.Skip("no verdict, or too long")
		}
		reply, want := verdictReply(t, bits, reason)
		from := int(at) % len(reply)
		text := reply[:from] + put + reply[min(len(reply), from+int(gone)):]
		got, err := parseVerdicts(text, len(want))
		if err != nil {
			return
		}
		seen := map[int]int{}
		for _, v := range got {
			if before, again := seen[v.Index]; again && before != v.Value || v.Value != 0 && v.Value != 1 || v.Index < 0 || v.Index >= len(want) {
				t.Fatalf("%q was read as %+v", text, got)
			}
			seen[v.Index] = v.Value
		}
		if len(seen) != len(want) {
			t.Fatalf("%q was read as %+v: not a verdict on each of %d statements", text, got, len(want))
		}
		var plain struct{ Verdicts []row }
		if json.Unmarshal([]byte(text), &plain) == nil && len(plain.Verdicts) == len(got) {
			for i, r := range plain.Verdicts {
				if got[i].Index != r.I-1 || got[i].Value != r.Verdict {
					t.Fatalf("%q was read as %+v, another reader has %+v", text, got, plain.Verdicts)
				}
			}
		}
	})
}

func FuzzStatements(f *testing.F) {
	f.Add("The desk opens at nine.", "机は9時に開きます。", "", uint16(20))
	f.Add(`He said "{}" and </think>`, `{"statements":["x"]}`, "Sure:\n", uint16(60))
	f.Add("...", "…", "<think>a</think>", uint16(15))
	f.Fuzz(func(t *testing.T, a, b, before string, cut uint16) {
		if len(a)+len(b)+len(before) > 4000 || names(before, "statements") {
			t.Skip("too long, or what stands around names a field itself: then either may be meant")
		}
		reply := write(t, map[string]any{"statements": []string{a, b}})
		var want []string
		for _, s := range []string{a, b} {
			if s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")); s != "" {
				want = append(want, s)
			}
		}
		got, err := parseStatements(reply, 10_000)
		if len(want) > 0 && (err != nil || len(got) != len(want) || utf8.ValidString(a) && utf8.ValidString(b) && !slices.Equal(got, want)) {
			t.Fatalf("%q was read as %q, %v; want %q", reply, got, err, want)
		}
		if got, err := parseStatements(before+reply, 10_000); err == nil && len(got) != len(want) {
			t.Fatalf("after %q it was read as %q, want %q", before, got, want)
		}
		if got, err := parseStatements(before+reply[:int(cut)%len(reply)], 10_000); err == nil {
			t.Fatalf("%q of a longer reply was read as %q", reply[:int(cut)%len(reply)], got)
		}
	})
}

func FuzzQuestion(f *testing.F) {
	f.Add("When does it open?", true, "", uint16(20))
	f.Add(`{"question":"x","noncommittal":1}`, false, "Well: ", uint16(50))
	f.Fuzz(func(t *testing.T, question string, evades bool, before string, cut uint16) {
		if len(question)+len(before) > 4000 || names(before, "question") || names(before, "noncommittal") {
			t.Skip("too long, or what stands around names a field itself: then either may be meant")
		}
		flag := 0
		if evades {
			flag = 1
		}
		reply := write(t, map[string]any{"question": question, "noncommittal": flag})
		for _, text := range []string{reply, before + reply} {
			if got, err := parseQuestion(text, "en"); err == nil && (got.Noncommittal != flag || got.Text == "") {
				t.Fatalf("%q was read as %+v", text, got)
			}
		}
		if got, err := parseQuestion(before+reply[:int(cut)%len(reply)], "en"); err == nil {
			t.Fatalf("%q of a longer reply was read as %+v", reply[:int(cut)%len(reply)], got)
		}
	})
}

// Every cut of a few replies, for those who do not fuzz.
func TestNoBeginningOfAReplyIsRead(t *testing.T) {
	reply, want := verdictReply(t, []byte{1, 0, 1}, `x </think>{'verdicts':[{'i':1,'verdict':0},{'i':2,'verdict':0},{'i':3,'verdict':0}]} "y"`)
	for _, before := range []string{"", "Here: ", "```json\n", "<think>so {maybe}</think>", "{so} far: "} {
		for cut := range reply {
			if got, err := parseVerdicts(before+reply[:cut], 3); err == nil {
				t.Fatalf("%q of a longer reply was read as %+v", before+reply[:cut], got)
			}
		}
		if got, err := parseVerdicts(before+reply, 3); err != nil || !sameVerdicts(got, want) {
			t.Errorf("after %q the reply was read as %+v, %v", before, got, err)
		}
	}
}

// Looking at a reply takes time that grows with its length, whatever it holds: the bytes
// that are looked at are counted, and those that are mended have a limit.
func TestWorkGrowsWithTheLengthOfAReply(t *testing.T) {
	for _, part := range []string{"{", "}", "{}", `{"`, `{"statements":1}`, `{"statements"}`, `{'statements':['`, "<think>", "</think>", "{</think>", `{"a":"</think>"}`,
		"</think>{", "“a", "'u", `"a"b`, "[", `\`, `{"statements":["a"]}`, "```", `{"statements":['a'],}`, "</thinking>{}</reasoning>"} {
		var looked []int
		for _, size := range []int{256 << 10, 1 << 20} {
			s := search{key: "statements", mendable: maxMended}
			text := "x" + strings.Repeat(part, size/len(part))
			if fields, err := s.run(text); err == nil && fields == nil {
				t.Errorf("%q: neither an object nor an error", part)
			}
			if s.scanned > 3*len(text) || s.mendable < 0 {
				t.Errorf("%q: looked at %d bytes of %d, %d left to mend", part, s.scanned, len(text), s.mendable)
			}
			looked = append(looked, s.scanned)
		}
		if looked[1] > 4*looked[0]+64 {
			t.Errorf("%q: four times the length made %d bytes of %d", part, looked[1], looked[0])
		}
	}
}

// What the repair library takes longest over is not given to it.
func TestHostileObjectsAreNotMended(t *testing.T) {
	for name, inside := range map[string]string{
		"deep":          strings.Repeat("[", 9) + strings.Repeat("]", 9),
		"single quotes": strings.Repeat("'u", maxQuotes+1),
		"long":          `"` + strings.Repeat("a", maxMended) + `",`,
	} {
		s := search{key: "statements", mendable: maxMended}
		if fields := s.decode(`{"statements":[` + inside + `]`); fields != nil {
			t.Errorf("%s: mended to %d fields", name, len(fields))
		}
	}
	if mended, ok := mend(`{"a":"he said “no” and ‘yes’",}`); !ok || mended != `{"a":"he said “no” and ‘yes’"}` {
		t.Errorf("typographic quotes became %s, %v", mended, ok)
	}
	for _, list := range []string{`["a", ...]`, `["a",...,"b"]`, `[...]`, `["a", …]`} {
		if mended, ok := mend(fmt.Sprintf(`{"statements":%s}`, list)); ok {
			t.Errorf("%s, which leaves something out, became %s", list, mended)
		}
	}
}
