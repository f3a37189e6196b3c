package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// record is a question with an answer of eight sentences and four contexts of usual size;
// no two are the same.
func record(n int, at time.Time) []byte {
	var answer strings.Builder
	contexts := make([]string, 4)
	for i := range 8 {
		sentence := fmt.Sprintf("Request %d of kind %d is approved by office %d within %d working days after the form has arrived. ", n, i, (n+i)%97, i+2)
		answer.WriteString(sentence)
		contexts[i%4] += sentence
	}
	for i := range contexts {
		contexts[i] += strings.Repeat(fmt.Sprintf("Office %d is open on weekdays and keeps the forms of its district for ten years. ", (n+i)%89), 12)
	}
	line, err := json.Marshal(map[string]any{
		"id": fmt.Sprintf("q-%06d", n), "time": at.Format(time.RFC3339Nano), "contexts": contexts,
		"question": fmt.Sprintf("Who approves request %d, and how long does it take?", n), "answer": answer.String(),
	})
	if err != nil {
		panic(err) // texts and lists of texts
	}
	return line
}
