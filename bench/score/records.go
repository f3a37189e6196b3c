package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// record is one answered question of the labelled traffic.
type record struct {
	ID       string   `json:"id"`
	Lang     string   `json:"lang"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Contexts []string `json:"contexts"`
}

// readRecords returns n records, Japanese and English in turn as long as both last. No two
// have the same answer: the endpoint tells Ragas's requests for questions apart by it.
func readRecords(folder string, n int) ([]record, error) {
	english, err := readFile(filepath.Join(folder, "rag-en.dev.jsonl"))
	if err != nil {
		return nil, err
	}
	japanese, err := readFile(filepath.Join(folder, "rag-ja.dev.jsonl"))
	if err != nil {
		return nil, err
	}
	var all []record
	for i := range max(len(english), len(japanese)) {
		all = append(append(all, japanese[min(i, len(japanese)):min(i+1, len(japanese))]...), english[min(i, len(english)):min(i+1, len(english))]...)
	}
	all = distinct(all)
	if len(all) < n {
		return nil, fmt.Errorf("%s holds %d usable records, want %d", folder, len(all), n)
	}
	return all[:n], nil
}

func distinct(all []record) []record {
	seen := map[string]bool{}
	var out []record
	for _, r := range all {
		blank := strings.TrimSpace(r.Question) == "" || strings.TrimSpace(r.Answer) == "" || len(r.Contexts) == 0
		if blank || seen[r.Answer] {
			continue
		}
		seen[r.Answer] = true
		out = append(out, r)
	}
	return out
}

func readFile(name string) ([]record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open the labelled traffic: %w", err)
	}
	defer f.Close()
	var out []record
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		out = append(out, r)
	}
	return out, lines.Err()
}

// writeRecords puts the records where both sides read them.
func writeRecords(name string, all []record) error {
	var b strings.Builder
	for _, r := range all {
		b.WriteString(encode(r) + "\n")
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("write the records: %w", err)
	}
	return nil
}
