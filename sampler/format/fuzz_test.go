package format_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"leadline/config"
	"leadline/sampler"
)

// FuzzDecode shows that no message breaks a decoder, and that what it returns can be
// stored: valid UTF-8 that JSON can say, under the ID that picked it.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"plain.jsonl", "ragas.jsonl", "custom.jsonl"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(line)
		}
	}
	f.Add([]byte(`"{\"id\":1}"`))
	f.Add([]byte(`{"time":"0000-01-01T00:00:00+10:00","documents":[{"date":"0000-01-01T00:00:00+10:00"}]}`))
	configs := []config.Record{
		{Segments: map[string]string{"dept": "dept"}},
		{Format: "custom", Fields: map[string]string{"id": "trace.id", "time": "ts", "question": "payload.@fromstr.q", "answer": "payload.@fromstr.a",
			"contexts": "payload.@fromstr.hits.#.chunk", "document_ids": "payload.@fromstr.hits.#.doc.id"}, Filter: map[string]string{"meta.env": "prod"}},
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, cfg := range configs {
			d := decoder(t, cfg)
			m := sampler.Message{Value: value}
			id := d.ID(m)
			records, err := d.Decode(m)
			if err == nil && len(records) != 1 {
				t.Fatalf("%d records and no error", len(records))
			}
			for _, r := range records {
				if r.ID != id {
					t.Errorf("picked by %q, decoded as %q", id, r.ID)
				}
				if !utf8.ValidString(r.ID + r.Question + r.Answer + r.Error + r.Session) {
					t.Errorf("not UTF-8: %+v", r)
				}
				if _, err := json.Marshal(r); err != nil {
					t.Errorf("cannot be stored: %v", err)
				}
			}
		}
	})
}
