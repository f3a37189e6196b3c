package format_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leadline/config"
	"leadline/sampler"
	"leadline/sampler/format"
)

func decoder(t *testing.T, cfg config.Record) *format.Decoder {
	t.Helper()
	d, err := format.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// decodeFile returns the records of a file of lines.
func decodeFile(t *testing.T, d *format.Decoder, path string) []sampler.Record {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []sampler.Record
	for line := range bytes.Lines(data) {
		records, err := d.Decode(sampler.Message{Value: line})
		if err != nil && !errors.Is(err, sampler.ErrFiltered) {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, records...)
	}
	return all
}

var quarterPast = time.Date(2026, 11, 2, 0, 15, 4, 250_000_000, time.UTC)

func TestPlain(t *testing.T) {
	want := []sampler.Record{
		{
			ID: "q-1001", Time: quarterPast, Question: "有給休暇はいつまでに申請しますか", Answer: "取得日の3営業日前までです。",
			Contexts: []string{"有給休暇は取得日の3営業日前までに申請します。"},
			Docs:     []sampler.Document{{ID: "leave", Version: "3", Date: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)}},
			Channels: map[sampler.Channel]string{sampler.ChannelRelease: "1.8.2", sampler.ChannelModel: "answerer-2"},
			Session:  "s-7", Language: "ja",
		},
		{
			ID: "q-1002", Time: quarterPast, Question: "How do I file travel costs?", Answer: "Send the form by",
			Contexts:  []string{"Send the travel form by the fifth of the month.", "Forms are on the intranet."},
			Docs:      []sampler.Document{{ID: "travel", Version: "5", Date: time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)}, {ID: "faq"}},
			Truncated: true,
		},
		{ID: "1003", Time: quarterPast, Question: "Where is the canteen?", Error: `{"type":"timeout"}`},
		{
			ID: "q-1004", Question: "Who repairs laptops?", Answer: "The service desk.",
			Contexts: []string{"Laptops go to the service desk."}, Docs: []sampler.Document{{ID: "it"}},
		},
	}
	for _, name := range []string{"plain", "auto"} {
		got := decodeFile(t, decoder(t, config.Record{Format: name}), filepath.Join("testdata", "plain.jsonl"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRagas(t *testing.T) {
	record := func(contexts []string, docs ...sampler.Document) sampler.Record {
		return sampler.Record{Question: "How many days may I work from home?", Answer: "Three days a week.", Contexts: contexts, Docs: docs}
	}
	both, one := []string{"Three days a week.", "Ask by Friday."}, []string{"Three days a week."}
	want := []sampler.Record{
		record(both, sampler.Document{ID: "home-2"}, sampler.Document{ID: "home-4"}), record(both), record(one), record(one),
	}
	for _, name := range []string{"ragas", "auto"} {
		got := decodeFile(t, decoder(t, config.Record{Format: name}), filepath.Join("testdata", "ragas.jsonl"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCustom(t *testing.T) {
	d := decoder(t, config.Record{
		Format: "custom",
		Fields: map[string]string{
			"id": "trace.id", "time": "ts", "question": "payload.@fromstr.q", "answer": "payload.@fromstr.a", "contexts": "payload.@fromstr.hits.#.chunk",
			"document_ids": "payload.@fromstr.hits.#.doc.id", "document_versions": "payload.@fromstr.hits.#.doc.rev", "finish_reason": "meta.llm.finish",
		},
		Channels: map[string]string{"release": "meta.git", "prompt": "meta.prompt"},
		Segments: map[string]string{"tenant": "meta.tenant", "plan": "meta.plan"},
		Filter:   map[string]string{"meta.env": "prod"},
	})
	got := decodeFile(t, d, filepath.Join("testdata", "custom.jsonl"))
	want := []sampler.Record{
		{
			ID: "4bf9", Time: quarterPast, Question: "What is the dress code?", Answer: "There is none.",
			Contexts: []string{"No dress code applies.", "Welcome."},
			Docs:     []sampler.Document{{ID: "house", Version: "12"}, {ID: "intro", Version: "2"}},
			Segments: map[string]string{"tenant": "acme", "plan": "unknown"},
			Channels: map[sampler.Channel]string{sampler.ChannelRelease: "a1b2c3"},
		},
		{ID: "4bfa", Time: quarterPast},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestFilterLeavesOutWithoutText(t *testing.T) {
	d := decoder(t, config.Record{Filter: map[string]string{"env": "prod"}})
	for value, want := range map[string]error{
		`{"question":"q","env":"prod"}`:    nil,
		`{"question":"q","env":"staging"}`: sampler.ErrFiltered,
		`{"question":"q"}`:                 sampler.ErrFiltered,
	} {
		records, err := d.Decode(sampler.Message{Value: []byte(value)})
		if !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", value, err, want)
		}
		if err != nil && records[0].Question != "" {
			t.Errorf("%s: the record that is left out keeps its text", value)
		}
	}
}

func TestErrorsNameTheFieldAndNoText(t *testing.T) {
	for value, want := range map[string]string{
		``:                                      "message: empty",
		`secret`:                                "message: not a JSON object",
		`["secret"]`:                            "message: not a JSON object",
		`{"question":"secret`:                   "message: JSON that ends too early; was it cut off on its way?",
		`{"question":secret}`:                   "message: not valid JSON",
		`{"question":{"text":"secret"}}`:        "question: a list or an object, not text",
		`{"user_input":[{"content":"secret"}]}`: "question: a list or an object, not text",
		`{"answer":["secret"]}`:                 "answer: a list or an object, not text",
		`{"contexts":{"a":"secret"}}`:           "contexts: an object, not a list",
		`{"contexts":["a",{"body":"secret"}]}`:  "contexts.1: an object without text",
		`{"contexts":"[\"secret\", \"cut"}`:     "contexts: begins like a list but is not JSON",
		`{"contexts":"['secret']"}`:             "contexts: begins like a list but is not JSON",
		`{"time":"secret"}`:                     "time: neither RFC 3339",
		`{"time":true}`:                         "time: neither RFC 3339",
		`{"time":-5}`:                           "time: neither RFC 3339",
		`{"time":"9999-12-31T23:59:59-10:00"}`:  "time: neither RFC 3339",
		`{"time":1e300}`:                        "time: neither RFC 3339",
	} {
		_, err := decoder(t, config.Record{}).Decode(sampler.Message{Value: []byte(value)})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want %s", value, err, want)
		}
	}
}

func TestTimes(t *testing.T) {
	for value, want := range map[string]time.Time{
		`"2026-11-02T00:15:04.25Z"`:       quarterPast,
		`"2026-11-02T09:15:04.250+09:00"`: quarterPast,
		`"2026-11-02 00:15:04.25Z"`:       quarterPast,
		`"2026-11-02T00:15:04.250000"`:    quarterPast,
		`"2026-11-02 00:15:04.25"`:        quarterPast,
		`1793578504.25`:                   quarterPast,
		`1793578504250`:                   quarterPast,
		`1793578504250000`:                quarterPast,
		`1793578504250000000`:             quarterPast,
		`"1793578504250000000"`:           quarterPast,
		`1.79357850425e12`:                quarterPast,
		`1793578504250.5`:                 quarterPast.Add(500 * time.Microsecond),
		`1793578504.123456789`:            time.Unix(1793578504, 123456789).UTC(),
		`0`:                               time.Unix(0, 0).UTC(),
		`null`:                            {},
		`""`:                              {},
	} {
		records, err := decoder(t, config.Record{}).Decode(sampler.Message{Value: []byte(`{"time":` + value + `}`)})
		if err != nil || !records[0].Time.Equal(want) || records[0].Time.Location() != time.UTC {
			t.Errorf("%s: %v, %v, want %v", value, records, err, want)
		}
	}
}

func TestWhatIsNotThereIsNotGuessed(t *testing.T) {
	for value, want := range map[string]sampler.Record{
		`{}`:                                {},
		`{"question":null,"contexts":null}`: {},
		`{"contexts":"","error":""}`:        {},
		`{"error":false,"finish_reason":0}`: {},
		`{"error":[],"lang":"English"}`:     {},
		`{"release":"","model":null}`:       {},
		`{"contexts":["a"],"documents":[{"id":"d","date":"soon"}]}`: {Contexts: []string{"a"}, Docs: []sampler.Document{{ID: "d"}}},
		`{"contexts":["a"],"documents":[{"id":"d","date":2024}]}`:   {Contexts: []string{"a"}, Docs: []sampler.Document{{ID: "d"}}},
		`{"contexts":["a",{"text":"b"}]}`:                           {Contexts: []string{"a", "b"}},
		`{"contexts":["[1] a"," b "]}`:                              {Contexts: []string{"[1] a", " b "}},
		`{"contexts":"[1] as the law says"}`:                        {Contexts: []string{"[1] as the law says"}},
		`{"question":42,"answer":true}`:                             {Question: "42", Answer: "true"},
	} {
		got, err := decoder(t, config.Record{}).Decode(sampler.Message{Value: []byte(value)})
		if err != nil {
			t.Errorf("%s: %v", value, err)
			continue
		}
		if diff := cmp.Diff([]sampler.Record{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

func TestListsThatDoNotMatchAreLeftOut(t *testing.T) {
	d := decoder(t, config.Record{Fields: map[string]string{"document_ids": "hits.#.id", "document_versions": "hits.#.v"}})
	got, err := d.Decode(sampler.Message{Value: []byte(`{"hits":[{"id":"a"},{"id":"b","v":"2"}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sampler.Document{{ID: "a"}, {ID: "b"}}, got[0].Docs); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

func TestMessageMayBeJSONInAString(t *testing.T) {
	inner := `{"id":"x1","question":"q","answer":"a"}`
	outer, err := json.Marshal(inner)
	if err != nil {
		t.Fatal(err)
	}
	m := sampler.Message{Value: outer}
	d := decoder(t, config.Record{})
	got, err := d.Decode(m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sampler.Record{{ID: "x1", Question: "q", Answer: "a"}}, got); diff != "" || d.ID(m) != "x1" {
		t.Errorf("ID %q, record (-want +got):\n%s", d.ID(m), diff)
	}
	twice, err := json.Marshal(string(outer))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decode(sampler.Message{Value: twice}); err == nil {
		t.Error("a string in a string was unwrapped twice")
	}
}

func TestValuesAreCleanAndShort(t *testing.T) {
	d := decoder(t, config.Record{Segments: map[string]string{"dept": "dept"}, Channels: map[string]string{"prompt": "prompt"}})
	value := `{"id":" a\u0000b ","dept":"h\u0000r\n","question":"caf` + "\xe9" + `","prompt":"` + strings.Repeat("You are a bot. ", 50) + `"}`
	got, err := d.Decode(sampler.Message{Value: []byte(value)})
	if err != nil {
		t.Fatal(err)
	}
	r := got[0]
	if r.ID != "ab" || r.Segments["dept"] != "hr" || r.Question != "caf\uFFFD" {
		t.Errorf("ID %q, segment %q, question %q", r.ID, r.Segments["dept"], r.Question)
	}
	if p := r.Channels[sampler.ChannelPrompt]; len(p) != len("sha256:")+16 || !strings.HasPrefix(p, "sha256:") {
		t.Errorf("a long prompt became %q, want its hash", p)
	}
}

func TestNewSaysWhatIsMissing(t *testing.T) {
	for want, cfg := range map[string]config.Record{
		`record.format: must be auto, plain, ragas or custom, not "xml"`: {Format: "xml"},
		"record.fields.question": {Format: "custom", Fields: map[string]string{"answer": "a"}},
		"record.fields.answer":   {Format: "custom", Fields: map[string]string{"question": "q"}},
	} {
		if _, err := format.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// The fixtures say for each file what it must decode to.
func TestFixturesDecodeAsExpected(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "data", "formats")
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Skip("the fixtures are not here")
	}
	var expected struct {
		Records []struct {
			ID, Lang, Question, Answer string
			Contexts                   []string
		}
	}
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, format string
		ids          bool
	}{
		{"plain-rag-log.jsonl", "plain", true}, {"plain-rag-log.jsonl", "auto", true}, {"ragas-0.2-columns.jsonl", "ragas", false},
		{"ragas-0.2-columns.jsonl", "auto", false}, {"ragas-legacy-columns.jsonl", "ragas", false}, {"ragas-legacy-columns.jsonl", "auto", false},
	} {
		got := decodeFile(t, decoder(t, config.Record{Format: c.format}), filepath.Join(dir, c.file))
		got = got[len(got)-len(expected.Records):]
		for i, want := range expected.Records {
			r := sampler.Record{Question: want.Question, Answer: want.Answer, Contexts: want.Contexts}
			if c.ids {
				r.ID, r.Language, r.Time = want.ID, want.Lang, time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
			}
			if diff := cmp.Diff(r, got[i]); diff != "" {
				t.Errorf("%s as %s (-want +got):\n%s", c.file, c.format, diff)
			}
		}
	}
}

// What docs/formats.md offers to paste is read whole.
func TestExamplesOfTheDocumentation(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	custom := config.Record{
		Format: "custom",
		Fields: map[string]string{
			"id": "trace.id", "time": "ts", "question": "payload.@fromstr.query", "answer": "payload.@fromstr.reply",
			"contexts": "payload.@fromstr.hits.#.chunk", "document_ids": "payload.@fromstr.hits.#.doc.id", "document_versions": "payload.@fromstr.hits.#.doc.rev",
		},
		Channels: map[string]string{"release": "meta.git", "model": "meta.llm.model"},
		Segments: map[string]string{"tenant": "meta.tenant"},
		Filter:   map[string]string{"meta.env": "prod"},
	}
	configs := map[string]config.Record{"Plain": {Format: "plain"}, "Ragas": {Format: "ragas"}, "Custom": custom}
	found := 0
	for section := range strings.SplitSeq(string(doc), "\n## ") {
		title, body, _ := strings.Cut(section, "\n")
		cfg, ok := configs[title]
		if !ok {
			continue
		}
		d := decoder(t, cfg)
		for i, block := range strings.Split(body, "```json\n") {
			if i == 0 {
				continue
			}
			example, _, _ := strings.Cut(block, "```")
			records, err := d.Decode(sampler.Message{Value: []byte(example)})
			if err != nil {
				t.Errorf("%s, example %d: %v", title, i, err)
				continue
			}
			if r := records[0]; r.Question == "" || r.Answer == "" || len(r.Contexts) != 2 || len(r.Docs) != 2 && title != "Ragas" {
				t.Errorf("%s, example %d is not read whole: %+v", title, i, r)
			}
			found++
		}
	}
	if found < 5 {
		t.Errorf("found %d examples, want at least 5", found)
	}
}

func TestSessionIsReadWithoutDecoding(t *testing.T) {
	mapped := decoder(t, config.Record{Fields: map[string]string{"session": "meta.chat"}})
	if got := mapped.Session(sampler.Message{Value: []byte(`{"meta":{"chat":"c-1"},"session":"no","question":[]}`)}); got != "c-1" {
		t.Errorf("session %q, want that of the mapped field", got)
	}
	d := decoder(t, config.Record{})
	for value, want := range map[string]string{
		`{"session_id":"s-2","question":"q"}`: "s-2",
		`{"session":{"id":1}}`:                "",
		`{"question":"q"}`:                    "",
		`not json`:                            "",
	} {
		if got := d.Session(sampler.Message{Value: []byte(value)}); got != want {
			t.Errorf("%s: session %q, want %q", value, got, want)
		}
	}
}
