package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"leadline/bench/answers"
)

// record is what of a labeled answer says whether it is faithful and to the point.
type record struct {
	Source    string `json:"source"`
	Generator string `json:"generator"`
	Label     string `json:"label"`
	Relevancy *struct {
		Label string `json:"label"`
	} `json:"relevancy"`
}

func (r record) faithful() bool { return r.Label == "faithful" }

func (r record) offTopic() bool {
	return r.Relevancy != nil && (r.Relevancy.Label == "irrelevant" || r.Relevancy.Label == "refusal")
}

// labeled is a scenario of real answers with human labels as scores of 0 and 1: answers
// drawn from two pools, mixed by the time in the stream.
type labeled struct {
	name     string
	usual    func(record) bool
	other    func(record) bool
	positive func(record) bool        // scores 1
	share    func(at float64) float64 // of the other pool; at runs from 0 to 1
}

// labeledScenarios are those of the labeled pack whose labels people gave.
func labeledScenarios() []labeled {
	answers := []string{"hagrid", "mtrag", "clapnq", "attributedqa"}
	answer := func(r record) bool { return slices.Contains(answers, r.Source) }
	good := func(r record) bool { return answer(r) && r.faithful() && !r.offTopic() }
	bad := func(r record) bool { return answer(r) && !r.faithful() }
	from := func(source, generator string) func(record) bool {
		return func(r record) bool { return r.Source == source && (generator == "" || r.Generator == generator) }
	}
	both := func(a, b func(record) bool) func(record) bool {
		return func(r record) bool { return a(r) && b(r) }
	}
	not := func(r record) bool { return !r.faithful() }
	onTopic := func(r record) bool { return !r.offTopic() }
	return []labeled{
		{"step", good, bad, record.faithful, half(0.08, 0.25)},
		{"ramp", good, bad, record.faithful, rise(0.08, 0.30)},
		{"subtle", both(from("summedits", ""), record.faithful), both(from("summedits", ""), not), record.faithful, half(0.05, 0.40)},
		{"model-swap", from("begin-wow", "ctrl"), from("begin-wow", "doha"), record.faithful, half(0, 1)},
		{"relevancy", good, record.offTopic, onTopic, half(0.02, 0.20)},
	}
}

func half(a, b float64) func(float64) float64 {
	return func(at float64) float64 {
		if at < 0.5 {
			return a
		}
		return b
	}
}

// rise goes from a to b between 0.3 and 0.9.
func rise(a, b float64) func(float64) float64 {
	return func(at float64) float64 { return a + (b-a)*min(max((at-0.3)/0.6, 0), 1) }
}

// labelRuns is the length of a labeled stream; labelQuiet of them come before its middle.
const (
	labelRuns  = 80
	labelQuiet = 40
)

// labels compares everyone on real labels, where the pack is there.
func (b *bench) labels() error {
	pack, err := readRecords(filepath.Join(b.data, "rag-en.dev.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		b.say("labels: skipped, no labeled answers in %s", b.data)
		return nil
	}
	if err != nil {
		return err
	}
	for i, l := range labeledScenarios() {
		s := l.scenario(pack)
		others := append(b.rivals(), oracleFor(s))
		f := calibrate(s.healthy.law, young(), b.n.Healthy/4, others)
		t := trial{s, seedLabels + uint64(i), young(), l.quiet(), b.n.Change / 2}
		outcomes, _ := t.compete(f)
		b.report.Labels = append(b.report.Labels, outcomes...)
		b.say("labels %s: mean %.2f to %.2f", l.name, s.healthy.law.mean(), s.final.mean())
	}
	return nil
}

// quiet is how many runs pass before anything changes.
func (l labeled) quiet() int {
	for i := range labelRuns {
		if l.share(float64(i)/labelRuns) != l.share(0) {
			return i
		}
	}
	return labelRuns
}

// scenario is a labeled one as any other: drawing answers with replacement and scoring
// them 0 or 1 is drawing zeros and ones at the pools' rates.
func (l labeled) scenario(pack []record) scenario {
	usual, other := l.rate(pack, l.usual), l.rate(pack, l.other)
	at := func(x float64) law { return binary(usual + l.share(x)*(other-usual)) }
	before, after := at(0), at(1)
	return scenario{name: l.name, healthy: named{l.name, before}, final: after, drop: before.mean() - after.mean(),
		cap: labelRuns - l.quiet(), at: func(i int) law { return at(float64(l.quiet()+i-1) / labelRuns) }}
}

func (l labeled) rate(pack []record, in func(record) bool) float64 {
	n, ones := 0.0, 0.0
	for _, r := range pack {
		if in(r) {
			n++
			if l.positive(r) {
				ones++
			}
		}
	}
	return ones / max(n, 1)
}

func readRecords(path string) ([]record, error) {
	return answers.ReadWith(path, func(_ int, r *record) error {
		r.Source = strings.ToLower(r.Source)
		return nil
	})
}
