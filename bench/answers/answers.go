// Package answers reads the labeled answers that benchmarks are measured on: JSON lines, one
// answer each.
package answers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"leadline/sampler"
)

const maxLine = 16 << 20 // bytes

// Record is one answered question.
type Record struct {
	ID       string   `json:"id"`
	Lang     string   `json:"lang"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Contexts []string `json:"contexts"`
}

// Sample is the record as a judge gets it.
func (r Record) Sample() sampler.Sample {
	return sampler.Sample{Record: sampler.Record{ID: r.ID, Question: r.Question, Answer: r.Answer, Contexts: r.Contexts, Language: r.Lang}}
}

func (r Record) blank() bool {
	return strings.TrimSpace(r.Question) == "" || strings.TrimSpace(r.Answer) == "" || len(r.Contexts) == 0
}

// Read reads all lines of a file that are not empty. Errors name the file and the line.
func Read[T any](path string) ([]T, error) {
	return ReadWith(path, func(int, *T) error { return nil })
}

// ReadWith reads as Read does, and has each record completed, or refused by an error, with the
// number of its line.
func ReadWith[T any](path string, complete func(line int, r *T) error) ([]T, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read labeled answers: %w", err)
	}
	defer file.Close()
	var all []T
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r T
		err := json.Unmarshal(lines.Bytes(), &r)
		if err == nil {
			err = complete(n, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("read labeled answers: %s:%d: %w", path, n, err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read labeled answers: %s: %w", path, err)
	}
	return all, nil
}

// InTurn returns n records of the project's data in a folder, Japanese and English in turn as
// long as both last. None is blank, and no two have the same answer.
func InTurn(folder string, n int) ([]Record, error) {
	var files [2][]Record
	for i, name := range []string{"rag-ja.dev.jsonl", "rag-en.dev.jsonl"} {
		var err error
		if files[i], err = Read[Record](filepath.Join(folder, name)); err != nil {
			return nil, err
		}
	}
	var all []Record
	seen := map[string]bool{}
	for i := range max(len(files[0]), len(files[1])) {
		for _, file := range files {
			if i < len(file) && len(all) < n && !file[i].blank() && !seen[file[i].Answer] {
				seen[file[i].Answer] = true
				all = append(all, file[i])
			}
		}
	}
	if len(all) < n {
		return nil, fmt.Errorf("%s holds %d usable records, want %d", folder, len(all), n)
	}
	return all, nil
}
