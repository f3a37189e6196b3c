package standin_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"leadline/scorer/standin"
)

// words makes n distinct-looking words that begin differently for each k.
func words(k, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "policy%c%c%c%c ", 'a'+k%26, 'a'+k/26%26, 'a'+k/676%26, 'a'+i%26)
		if i%12 == 11 {
			b.WriteString("applies on working days. ")
		}
	}
	return b.String()
}

func verdictBody(b *testing.B, k int) []byte {
	contexts := []string{words(k, 60), words(k+1, 60), words(k+2, 60)}
	list := []string{words(k, 12), words(k+1, 12), words(k+5, 12), words(k+9, 12)}
	return chatBody(b, "verdicts_v1", verdictPayload(contexts, list), map[string]any{
		"user": strings.Repeat("as long as instructions with examples are. ", 70),
	})
}

func run(b *testing.B, bodies [][]byte, path string) {
	h := newServer(b, standin.Options{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(bodies[i%len(bodies)])))
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}

// Texts come again, as they do in traffic.
func BenchmarkVerdicts(b *testing.B) {
	run(b, [][]byte{verdictBody(b, 1)}, "/v1/chat/completions")
}

// Every text is new until the bodies begin again, by when the caches have forgotten it.
func BenchmarkVerdictsOfNewTexts(b *testing.B) {
	var bodies [][]byte
	for k := range 3000 {
		bodies = append(bodies, verdictBody(b, k*31))
	}
	run(b, bodies, "/v1/chat/completions")
}

func BenchmarkQuestions(b *testing.B) {
	body := chatBody(b, "question_v1", map[string]any{"answer": words(3, 40), "language": "en"}, map[string]any{"n": 3})
	run(b, [][]byte{body}, "/v1/chat/completions")
}

func BenchmarkEmbeddings(b *testing.B) {
	body := fmt.Appendf(nil, `{"model":%q,"input":[%q,%q,%q,%q]}`, standin.Model, words(1, 12), words(2, 12), words(3, 12), words(4, 12))
	run(b, [][]byte{body}, "/v1/embeddings")
}
