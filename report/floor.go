package report

import "leadline/scorer"

// Relevancy is the mean of a time beside the floor of the embedding model.
type Relevancy struct {
	N      int            `json:"n"`                // scored answers
	Mean   float64        `json:"mean"`             // of raw cosines and of the zeros of noncommittal answers
	Floors []scorer.Floor `json:"floors,omitempty"` // by language; none: not measured
}

func relevancyOf(in GlanceInput) Relevancy {
	out := Relevancy{Floors: in.Floors}
	var sum, all float64
	for _, s := range in.timely() {
		v, ok := in.value(s, scorer.AnswerRelevancy)
		if !ok {
			continue
		}
		weight := 1 / positive(s.Inclusion, positive(in.Rate, 1))
		out.N++
		all += weight
		sum += weight * v
	}
	if out.N > 0 {
		out.Mean = sum / all
	}
	return out
}

// Floor says how to read a mean relevancy; empty where the floor is not known. The scaled
// value is of the language of the words, and an extra.
func (w Words) Floor(r Relevancy) string {
	if r.N == 0 || len(r.Floors) == 0 {
		return ""
	}
	var each []string
	for _, f := range r.Floors {
		each = append(each, w.T("floor.language", f.Language, w.Num(f.Unrelated), w.Num(f.Paraphrase)))
	}
	says := w.T("floor.says", w.Num(r.Mean), w.List(each, len(each)))
	if f, ok := scorer.FloorOf(r.Floors, w.Language()); ok && f.Unrelated < 1 {
		says = w.Sentences(says, w.T("floor.above", f.Language, w.Num(f.Above(r.Mean))))
	}
	return says
}
