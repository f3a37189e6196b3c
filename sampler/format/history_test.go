package format_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"leadline/config"
	"leadline/sampler"
)

func TestHistoryIsReadWhereItIsMapped(t *testing.T) {
	mapped := decoder(t, config.Record{Fields: map[string]string{"history": "messages", "rewritten_question": "query"}})
	for name, c := range map[string]struct {
		line string
		want []string
	}{
		"texts": {`{"messages":["How do I order a badge?","At the desk."]}`, []string{"How do I order a badge?", "At the desk."}},
		"messages": {`{"messages":[{"role":"user","content":"How do I order a badge?"},{"role":"assistant","content":"At the desk."}]}`,
			[]string{"user: How do I order a badge?", "assistant: At the desk."}},
		"parts": {`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{}},{"type":"text","text":"b"}]}]}`,
			[]string{"user: a\nb"}},
		"no instructions and tools": {`{"messages":[{"role":"system","content":"secret rules"},{"role":"user","content":"a"},{"role":"assistant","content":null},{"role":"tool","content":"{}"}]}`,
			[]string{"user: a"}},
		"the whole conversation": {`{"question":"And on Sunday?","answer":"No.","messages":[{"role":"user","content":"Open today?"},{"role":"assistant","content":"Yes."},{"role":"user","content":"And on Sunday?"},{"role":"assistant","content":"No."}]}`,
			[]string{"user: Open today?", "assistant: Yes."}},
		"a list in a string": {`{"messages":"[\"a\",\"b\"]"}`, []string{"a", "b"}},
		"none":               {`{"question":"a"}`, nil},
		"an empty list":      {`{"messages":[]}`, nil},
	} {
		records, err := mapped.Decode(sampler.Message{Value: []byte(c.line)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, records[0].History); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	records, err := mapped.Decode(sampler.Message{Value: []byte(`{"question":"And on Sunday?","query":" Is the desk open on Sunday? "}`)})
	if err != nil || records[0].Rewritten != "Is the desk open on Sunday?" {
		t.Errorf("rewritten question %q, %v", records[0].Rewritten, err)
	}
}

func TestHistoryIsNotReadUnlessMapped(t *testing.T) {
	for _, name := range []string{"auto", "plain", "ragas"} {
		records, err := decoder(t, config.Record{Format: name}).Decode(sampler.Message{Value: []byte(
			`{"question":"a","history":["before"],"rewritten_question":"b"}`)})
		if err != nil || records[0].History != nil || records[0].Rewritten != "" {
			t.Errorf("%s: history %q, rewritten %q, %v; want none", name, records[0].History, records[0].Rewritten, err)
		}
	}
}

func TestHistoryKeepsTheNewestTurns(t *testing.T) {
	d := decoder(t, config.Record{Fields: map[string]string{"history": "history"}})
	turn := func(mark string) string { return mark + strings.Repeat("語", 600) } // about 1,800 bytes
	records, err := d.Decode(sampler.Message{Value: []byte(`{"history":["` + turn("1") + `","` + turn("2") + `","` + turn("3") + `","` + turn("4") + `","` + turn("5") + `"]}`)})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, h := range records[0].History {
		got += h[:1]
	}
	if got != "2345" {
		t.Errorf("kept turns %s, want 2345: the newest that fit", got)
	}
	records, err = d.Decode(sampler.Message{Value: []byte(`{"history":["` + strings.Repeat("語", 5000) + `"]}`)})
	if err != nil || len(records[0].History) != 1 || len(records[0].History[0]) > 2100 || !strings.HasSuffix(records[0].History[0], "語…") {
		t.Errorf("a long turn is not cut at a character: %d turns, %v", len(records[0].History), err)
	}
}

func TestHistoryErrorsNameTheField(t *testing.T) {
	d := decoder(t, config.Record{Fields: map[string]string{"history": "history", "rewritten_question": "rewritten"}})
	for line, want := range map[string]string{
		`{"history":{"role":"user","content":"secret"}}`: "history: an object, not a list",
		`{"rewritten":["secret"]}`:                       "rewritten_question: a list or an object, not text",
	} {
		if _, err := d.Decode(sampler.Message{Value: []byte(line)}); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", line, err, want)
		}
	}
}
