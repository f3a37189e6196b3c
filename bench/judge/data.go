package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"leadline/bench/answers"
	"leadline/sampler"
	"leadline/scorer"
)

// record is one labeled answer.
type record struct {
	answers.Record

	// Label is faithful or unfaithful, to the contexts and not to the world.
	Label string `json:"label"`
	// Source and Kind are only for the rows of the tables.
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

// load reads files, of each n at random: the first n by a hash, so that more begin with
// fewer. 0 is all.
func load(paths []string, n int, people bool) ([]record, error) {
	var all []record
	seen := map[string]bool{}
	for _, path := range paths {
		some, err := answers.ReadWith(path, complete)
		if err != nil {
			return nil, err
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

// complete fills in what may be left out of a record, and refuses what may not.
func complete(line int, r *record) error {
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
		r.Lang = scorer.Language(r.Sample().Record)
	}
	return nil
}
