package report

import (
	"cmp"
	"slices"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Glance is what the scores of a time say by themselves, before there is a baseline and
// beside it. It is a judge's opinion of what the retrieved passages support, not of what is
// correct, and no part of it is an alarm.
type Glance struct {
	From time.Time `json:"from"` // runs due after it
	To   time.Time `json:"to"`   // and at or before it
	// Unsupported are the answers with an unsupported statement, Nothing those without a
	// supported one (Faithfulness 0), Noncommittal those that do not answer the question
	// (every question of the judge flagged).
	Unsupported  Portion `json:"unsupported"`
	Nothing      Portion `json:"nothing_supported"`
	Noncommittal Portion `json:"noncommittal"`
	// WithoutEvasive is the mean Faithfulness with and without the noncommittal answers.
	WithoutEvasive WithoutEvasive `json:"without_noncommittal"`
	Relevancy      Relevancy      `json:"answer_relevancy"`
	// Statements are those of the scored answers, and how many of them have no support.
	Statements            int             `json:"statements"`
	UnsupportedStatements int             `json:"unsupported_statements"`
	Segments              []SegmentGlance `json:"segments"` // the worst first
	// Lowest are the scored answers with the lowest Faithfulness, at most ten.
	Lowest []LowAnswer `json:"lowest,omitempty"`
}

// Portion is a share of all answers, estimated from the scored ones: each weighs one by its
// chance of having been picked. Low and High are its 95 % interval, Wilson's with Kish's
// effective number. All are 0 when N is 0.
type Portion struct {
	N     int     `json:"n"` // scored answers
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// SegmentGlance is one value of one dimension.
type SegmentGlance struct {
	Segment     string  `json:"segment"` // dim=value
	Unsupported Portion `json:"unsupported"`
	Nothing     Portion `json:"nothing_supported"`
}

// LowAnswer points to an answer that is worth reading.
type LowAnswer struct {
	ID    string       `json:"id"`
	Value float64      `json:"value"`
	Cell  sampler.Cell `json:"cell,omitempty"`
}

// maxLow is how many answers a glance points to.
const maxLow = 10

// GlanceInput is what a glance is made from. What is not due in (From, To], or of another
// judge, is passed over.
type GlanceInput struct {
	From, To time.Time
	Scores   []scorer.Score
	Rows     []drift.Row // for the statements: the rows keep their counts when the texts are gone
	Judges   map[scorer.Metric]string
	Floors   []scorer.Floor // of the embedding model
	Rate     float64        // the configured share, for scores that lack their own chance
}

// NewGlance sums up the scores of a time. It is pure.
func NewGlance(in GlanceInput) Glance {
	g := Glance{From: in.From, To: in.To, Segments: []SegmentGlance{}}
	var unsupported, nothing, noncommittal weighted
	parts := map[string]*[2]weighted{}
	values := map[sampler.Cell][]string{}
	for _, s := range in.Scores {
		if !in.has(s.Window) {
			continue
		}
		chance := positive(s.Inclusion, positive(in.Rate, 1))
		if _, ok := in.value(s, scorer.AnswerRelevancy); ok {
			evasive, _ := s.Evades()
			noncommittal.add(evasive, chance)
		}
		v, ok := in.value(s, scorer.Faithfulness)
		if !ok {
			continue
		}
		unsupported.add(v < 1, chance)
		nothing.add(v <= 0, chance)
		g.Lowest = append(g.Lowest, LowAnswer{s.SampleID, v, s.Cell})
		if _, known := values[s.Cell]; !known {
			values[s.Cell] = segmentsOf(s.Cell)
		}
		for _, segment := range values[s.Cell] {
			if parts[segment] == nil {
				parts[segment] = &[2]weighted{}
			}
			parts[segment][0].add(v < 1, chance)
			parts[segment][1].add(v <= 0, chance)
		}
	}
	g.Relevancy = relevancyOf(in)
	g.WithoutEvasive = withoutEvasive(in.timely(), in.Judges, in.Rate)
	g.Unsupported, g.Nothing, g.Noncommittal = unsupported.portion(), nothing.portion(), noncommittal.portion()
	for segment, p := range parts {
		g.Segments = append(g.Segments, SegmentGlance{segment, p[0].portion(), p[1].portion()})
	}
	sortGlance(g)
	g.Lowest = g.Lowest[:min(len(g.Lowest), maxLow)]
	g.Statements, g.UnsupportedStatements = in.statements()
	return g
}

func (in GlanceInput) has(due time.Time) bool { return due.After(in.From) && !due.After(in.To) }

// timely are the scores of the time.
func (in GlanceInput) timely() []scorer.Score {
	return slices.DeleteFunc(slices.Clone(in.Scores), func(s scorer.Score) bool { return !in.has(s.Window) })
}

func (in GlanceInput) value(s scorer.Score, m scorer.Metric) (v float64, ok bool) {
	o := s.Outcomes[m]
	return o.Value, o.Scored && s.Judges[m] == in.Judges[m]
}

func segmentsOf(c sampler.Cell) []string {
	var all []string
	for dim, value := range c.Values() {
		all = append(all, drift.Series{Dim: dim, Value: value}.Segment())
	}
	return all
}

// sortGlance puts the segments first of which the most is known to be unsupported: by the lower
// end, so that three answers do not lead.
func sortGlance(g Glance) {
	slices.SortFunc(g.Segments, func(a, b SegmentGlance) int {
		return cmp.Or(cmp.Compare(b.Unsupported.Low, a.Unsupported.Low), cmp.Compare(a.Segment, b.Segment))
	})
	slices.SortFunc(g.Lowest, func(a, b LowAnswer) int { return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(b.ID, a.ID)) })
}

// statements counts those of the rows, and the unsupported ones.
func (in GlanceInput) statements() (all, unsupported int) {
	for _, r := range in.Rows {
		if r.Metric == scorer.Faithfulness && r.Judge == in.Judges[r.Metric] && in.has(r.Due) {
			all += r.Statements
			unsupported += r.Statements - r.Supported
		}
	}
	return all, unsupported
}

func (w *weighted) portion() Portion {
	if w.n == 0 {
		return Portion{}
	}
	low, high := wilson(w.share(), w.effective())
	return Portion{w.n, w.share(), max(low, 0), min(high, 1)}
}

// Known says whether anything was scored.
func (g Glance) Known() bool { return g.Unsupported.N+g.Noncommittal.N > 0 }

// Glance puts in words what the scores say by themselves; what was not scored is left out.
func (w Words) Glance(g Glance) string {
	if !g.Known() {
		return w.T("glance.none")
	}
	var says []string
	if p := g.Unsupported; p.N > 0 {
		says = append(says, w.T("glance.unsupported", w.Percent(p.Share), w.Span(w.Percent(p.Low), w.Percent(p.High)), w.Int(int64(p.N)), w.Percent(g.Nothing.Share)))
	}
	if g.Statements > 0 {
		says = append(says, w.T("glance.statements", w.Int(int64(g.UnsupportedStatements)), w.Int(int64(g.Statements)), w.Percent(float64(g.UnsupportedStatements)/float64(g.Statements))))
	}
	if p := g.Noncommittal; p.N > 0 {
		says = append(says, w.T("glance.noncommittal", w.Percent(p.Share), w.Span(w.Percent(p.Low), w.Percent(p.High)), w.Int(int64(p.N))))
	}
	if e := g.WithoutEvasive; e.Left > 0 {
		says = append(says, w.T("glance.without", w.Num(e.Mean), w.Num(e.Without), w.Int(int64(e.Left))))
	}
	return w.Sentences(append(says, w.Floor(g.Relevancy))...)
}

// glance is the week's.
func (in *maker) glance() Glance {
	g := NewGlance(GlanceInput{From: in.From, To: in.To, Scores: in.Scores, Rows: in.History.Rows, Judges: in.judges, Floors: in.Floors, Rate: in.SampleRate})
	g.Lowest = nil // the week has the answers themselves
	return g
}
