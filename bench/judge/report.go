package main

import (
	"maps"
	"slices"

	"leadline/agreement"
	"leadline/bench/goal"
	"leadline/scorer"
)

// report is everything that is printed.
type report struct {
	Judge   string                           `json:"judge"` // model
	Standin bool                             `json:"standin"`
	Keys    map[scorer.Metric]string         `json:"keys"`
	IDs     map[scorer.Metric]scorer.JudgeID `json:"ids"`
	Data    string                           `json:"data"`
	Rows    []row                            `json:"rows"`
	Goals   []goal.Goal                      `json:"goals"`
	// Unscorable counts answers without a score, by metric and reason.
	Unscorable map[scorer.Metric]map[scorer.Reason]int `json:"unscorable"`
	Usage      scorer.Usage                            `json:"usage"`
	Answers    int                                     `json:"answers"`
}

// row is the agreement on a group of answers.
type row struct {
	Name       string `json:"name"`
	Answers    int    `json:"answers"`
	Scored     int    `json:"scored"`
	Unfaithful int    `json:"unfaithful"` // of the scored ones, as labeled
	// AUROC is that of 1 − faithfulness for the label unfaithful.
	AUROC *agreement.Estimate `json:"auroc"`
	// Any calls an answer unfaithful with any unsupported statement (a score below 1), Half
	// with a score below 0.5.
	Any  cut `json:"any"`
	Half cut `json:"half"`
	// Relevancy is the AUROC of answer relevancy for answers that are to the point.
	Relevancy *agreement.Estimate `json:"relevancy_auroc,omitempty"`
}

// cut is the agreement when answers below a score are called unfaithful.
type cut struct {
	Below       float64             `json:"below"`
	Table       agreement.Table     `json:"table"`
	Raw         *agreement.Estimate `json:"raw"`
	Kappa       *float64            `json:"kappa"`
	AC1         *float64            `json:"ac1"`
	Sensitivity *agreement.Estimate `json:"sensitivity"`
	Specificity *agreement.Estimate `json:"specificity"`
}

func newCut(below float64, t agreement.Table) cut {
	return cut{below, t, agreement.Wilson(t.BothUnsupported+t.BothSupported, t.N()), t.Kappa(), t.AC1(),
		agreement.Wilson(t.BothUnsupported, t.Unsupported()), agreement.Wilson(t.BothSupported, t.Supported())}
}

func (b *bench) report(records []record) report {
	id := b.ids[scorer.Faithfulness]
	r := report{Judge: id.Model, Standin: b.standin, IDs: b.ids, Keys: map[scorer.Metric]string{}, Data: b.data, Answers: len(records), Unscorable: map[scorer.Metric]map[scorer.Reason]int{}}
	for m, id := range b.ids {
		r.Keys[m] = id.Key()
	}
	for _, s := range b.scores {
		r.Usage.Add(s.Usage)
		for m, o := range s.Outcomes {
			if o.Scored {
				continue
			}
			if r.Unscorable[m] == nil {
				r.Unscorable[m] = map[scorer.Reason]int{}
			}
			r.Unscorable[m][o.Reason]++
		}
	}
	r.Rows = b.rows(records)
	r.Goals = b.goals(r)
	return r
}

// rows are all answers, those that people labeled, each language, and each source.
func (b *bench) rows(records []record) []row {
	rows := []row{b.row("all", records), b.row("labeled by people", filter(records, record.byPerson))}
	languages, sources := map[string]bool{}, map[string]bool{}
	for _, r := range records {
		languages[r.Lang] = true
		if r.Source != "" {
			sources[r.Source] = true
		}
	}
	for _, l := range slices.Sorted(maps.Keys(languages)) {
		rows = append(rows, b.row(l, filter(records, func(r record) bool { return r.Lang == l })))
	}
	for _, s := range slices.Sorted(maps.Keys(sources)) {
		rows = append(rows, b.row(s, filter(records, func(r record) bool { return r.Source == s })))
	}
	return slices.DeleteFunc(rows, func(r row) bool { return r.Answers == 0 })
}

func filter(records []record, keep func(record) bool) []record {
	return slices.DeleteFunc(slices.Clone(records), func(r record) bool { return !keep(r) })
}

func (b *bench) row(name string, records []record) row {
	out := row{Name: name, Answers: len(records)}
	var cases, relevant []agreement.Case
	var tables [2]agreement.Table
	for _, r := range records {
		s := b.scores[r.ID]
		if o := s.Outcomes[scorer.AnswerRelevancy]; o.Scored && r.Relevancy != nil {
			relevant = append(relevant, agreement.Case{Score: o.Value, Positive: r.Relevancy.Label == "relevant"})
		}
		o := s.Outcomes[scorer.Faithfulness]
		if !o.Scored {
			continue
		}
		out.Scored++
		if r.unfaithful() {
			out.Unfaithful++
		}
		cases = append(cases, agreement.Case{Score: -o.Value, Positive: r.unfaithful()})
		tables[0].Add(r.unfaithful(), o.Value < 1, 1)
		tables[1].Add(r.unfaithful(), o.Value < 0.5, 1)
	}
	out.AUROC, out.Relevancy = agreement.AUROC(cases), agreement.AUROC(relevant)
	out.Any, out.Half = newCut(1, tables[0]), newCut(0.5, tables[1])
	return out
}
