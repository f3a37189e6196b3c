package review

import (
	"cmp"
	"slices"
	"time"

	"leadline/agreement"
	"leadline/report"
	"leadline/sampler"
	"leadline/scorer"
)

// Usual is how many answers are drawn unless asked otherwise; Most is how many may be.
const (
	Usual = 24
	Most  = 100
)

// candidate is an answer that may be drawn, and how many answers it stands for: those that
// are word for word the same are one.
type candidate struct {
	report.Sample
	weight float64
	value  float64
	// place orders the drawing, tie the answers of one value at the border of the strata. Two
	// hashes: one for both would draw the tied ones first.
	place, tie float64
}

// Draw takes n answers of the newest judge, half of them from the lowest quarter by
// faithfulness, each half by simple random sampling without replacement (the order of a hash
// of the sheet's ID). The weight undoes that: the size of the stratum over the number drawn
// of it, times 1/inclusion of the sampling before. It draws all when there are no more.
// The samples are those with text, statements and a faithfulness; others are left out.
func Draw(samples []report.Sample, n int, id string, made time.Time) Sheet {
	all := candidates(samples, id)
	s := Sheet{ID: id, Made: made, Frame: frameOf(all)}
	if len(all) == 0 {
		return s
	}
	low, rest := all[:s.Frame.Low], all[s.Frame.Low:]
	half := min((n+1)/2, len(low))
	fromRest := min(n-half, len(rest))
	half = min(n-fromRest, len(low))
	s.Frame.LowDrawn = half
	s.Items = append(drawn(low, half, true), drawn(rest, fromRest, false)...)
	slices.SortFunc(s.Items, func(a, b Item) int {
		return cmp.Compare(sampler.Hash(id+" order", a.Sample), sampler.Hash(id+" order", b.Sample))
	})
	return s
}

// candidates are the answers of the newest judge, lowest first.
func candidates(samples []report.Sample, id string) []candidate {
	judge, newest := "", time.Time{}
	for _, x := range samples {
		if usable(x) && x.Score.Window.After(newest) {
			judge, newest = x.Score.Judges[scorer.Faithfulness], x.Score.Window
		}
	}
	var all []candidate
	at := map[string]int{}
	for _, x := range samples {
		if !usable(x) || x.Score.Judges[scorer.Faithfulness] != judge {
			continue
		}
		weight := 1.0
		if x.Score.Inclusion > 0 {
			weight = 1 / x.Score.Inclusion
		}
		if i, same := at[x.Score.TextHash]; same && x.Score.TextHash != "" {
			all[i].weight += weight
			continue
		}
		at[x.Score.TextHash] = len(all)
		all = append(all, candidate{x, weight, x.Score.Outcomes[scorer.Faithfulness].Value, sampler.Hash(id, x.Score.SampleID), sampler.Hash(id+" tie", x.Score.SampleID)})
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.tie, b.tie)) })
	return all
}

func usable(x report.Sample) bool {
	return x.Score.Outcomes[scorer.Faithfulness].Scored && len(x.Score.Statements) > 0 && x.Sample.Question != ""
}

func frameOf(all []candidate) Frame {
	f := Frame{Answers: len(all), Low: (len(all) + 3) / 4}
	bad, statements := 0.0, 0.0
	var weights []float64
	for _, c := range all {
		if c.Score.Window.After(f.Until) {
			f.Until, f.Judges, f.Model, f.Standin = c.Score.Window, c.Score.Judges, c.Score.ResponseModel, c.Score.Standin
		}
		if f.Since.IsZero() || c.Score.Window.Before(f.Since) {
			f.Since = c.Score.Window
		}
		for _, st := range c.Score.Statements {
			statements += c.weight
			bad += c.weight * float64(1-st.Verdict)
		}
		weights = append(weights, c.weight*float64(len(c.Score.Statements)))
	}
	if statements > 0 {
		f.Unsupported = bad / statements
	}
	f.Effective = agreement.Effective(weights)
	return f
}

// drawn are the first n of a stratum by their hash.
func drawn(stratum []candidate, n int, low bool) []Item {
	var items []Item
	stratum = slices.Clone(stratum)
	slices.SortFunc(stratum, func(a, b candidate) int { return cmp.Compare(a.place, b.place) })
	for _, c := range stratum[:n] {
		item := Item{
			Sample: c.Score.SampleID, Time: c.Score.Time, Language: scorer.Language(c.Sample.Sample.Record), Low: low,
			Weight: c.weight * float64(len(stratum)) / float64(n), Outcomes: c.Score.Outcomes,
		}
		for _, st := range c.Score.Statements {
			item.Verdicts = append(item.Verdicts, st.Verdict)
		}
		items = append(items, item)
	}
	return items
}
