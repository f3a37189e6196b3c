package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"leadline/sampler"
	"leadline/scorer"
)

// record is one labeled answer.
type record struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Contexts []string `json:"contexts"`
	// Label is faithful or unfaithful, to the contexts and not to the world.
	Label string `json:"label"`
	// Lang, Source and Kind are only for the rows of the tables.
	Lang   string `json:"lang"`
	Source string `json:"source"`
	Kind   string `json:"label_kind"`
	// Relevancy, where it is there, says whether the answer is to the point.
	Relevancy *struct {
		Label string `json:"label"`
	} `json:"relevancy"`
}

func (r record) unfaithful() bool { return r.Label == "unfaithful" }

// byPerson says whether a person judged this very answer.
func (r record) byPerson() bool { return strings.HasPrefix(r.Kind, "human") }

func (r record) sample() sampler.Sample {
	return sampler.Sample{Record: sampler.Record{ID: r.ID, Question: r.Question, Answer: r.Answer, Contexts: r.Contexts, Language: r.Lang}}
}

// load reads files, of each n at random: the first n by a hash, so that more begin with
// fewer. 0 is all.
func load(paths []string, n int, people bool) ([]record, error) {
	var all []record
	seen := map[string]bool{}
	for _, path := range paths {
		some, err := loadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read labeled answers: %w", err)
		}
		if people {
			some = slices.DeleteFunc(some, func(r record) bool { return !r.byPerson() })
		}
		slices.SortFunc(some, func(a, b record) int {
			return cmp.Or(cmp.Compare(sampler.Hash("bench judge", a.ID), sampler.Hash("bench judge", b.ID)), cmp.Compare(a.ID, b.ID))
		})
		if n > 0 {
			some = some[:min(n, len(some))]
		}
		for _, r := range some {
			if seen[r.ID] {
				return nil, fmt.Errorf("%s: the id %s is there twice", path, r.ID)
			}
			seen[r.ID] = true
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no labeled answer in %s", strings.Join(paths, ", "))
	}
	return all, nil
}

func loadFile(path string) ([]record, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []record
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 16<<20)
	for n := 1; scan.Scan(); n++ {
		if len(strings.TrimSpace(scan.Text())) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(scan.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if err := complete(&r, n); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all = append(all, r)
	}
	return all, scan.Err()
}

// complete fills in what may be left out of a record, and refuses what may not.
func complete(r *record, line int) error {
	switch r.Label {
	case "faithful", "unfaithful":
	case "supported":
		r.Label = "faithful"
	case "unsupported":
		r.Label = "unfaithful"
	default:
		return fmt.Errorf("label must be faithful or unfaithful")
	}
	if r.Question == "" || r.Answer == "" || len(r.Contexts) == 0 {
		return fmt.Errorf("question, answer and contexts must be there")
	}
	if r.ID == "" {
		r.ID = fmt.Sprintf("line-%d", line)
	}
	if r.Lang == "" {
		r.Lang = scorer.Language(r.sample().Record)
	}
	return nil
}
