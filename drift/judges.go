package drift

import (
	"cmp"
	"math"
	"slices"
	"time"

	"leadline/config"
	"leadline/sampler"
	"leadline/scorer"
)

// The bases of a Bridge.
const (
	BasisSamples  = "samples"  // stored answers that both judges scored
	BasisControls = "controls" // the frozen control items
)

// The verdicts of a Bridge.
const (
	RulerSame         = "same"         // the 95 % interval of the shift lies within ±SameRuler
	RulerDiffers      = "differs"      // it does not, and zero is not in it
	RulerUndetermined = "undetermined" // it holds zero and more than ±SameRuler
)

// SameRuler is how far apart two judges may be on average and still measure alike: the
// smallest fall of a mean that is told by default.
const SameRuler = 0.02

// Bridge compares two judges of one metric on the same texts.
type Bridge struct {
	From      string        `json:"from"` // JudgeID.Key of the old judge
	To        string        `json:"to"`
	FromModel string        `json:"from_model,omitempty"`
	ToModel   string        `json:"to_model,omitempty"`
	Metric    scorer.Metric `json:"metric"`
	At        time.Time     `json:"at"`    // when it was made
	Basis     string        `json:"basis"` // BasisSamples or BasisControls
	// First and Last are the oldest and the newest run of the answers; zero for controls.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`

	N     int     `json:"n"` // texts that both judges scored
	Shift float64 `json:"shift"`
	SE    float64 `json:"se"`
	Low   float64 `json:"low"` // the shift lies in [Low, High] in 95 of 100 cases
	High  float64 `json:"high"`
	// Verdict is "same", "differs" or "undetermined".
	Verdict string `json:"verdict"`
	// Correlation and Slope (least squares of the new judge's scores on the old one's) are
	// nil where the old or the new judge gave everything the same score, or N is below 10.
	Correlation *float64 `json:"correlation,omitempty"`
	Slope       *float64 `json:"slope,omitempty"`
	Bands       []Band   `json:"bands"`
	// Unscored counts the texts that the new judge was asked about and that lack a score of
	// one of the two. Carried counts the scores that became baseline of the new judge.
	Unscored int `json:"unscored,omitempty"`
	Carried  int `json:"carried,omitempty"`
}

// Band is what became of the texts to which the old judge gave 0, 1 or something between.
type Band struct {
	Name  string  `json:"name"` // "zeros", "partial" or "ones"
	N     int     `json:"n"`
	From  float64 `json:"from"`  // mean of the old judge
	To    float64 `json:"to"`    // mean of the new one
	Agree int     `json:"agree"` // how many are in the same band for the new judge
}

// Pair is one text scored by both judges.
type Pair struct{ From, To float64 }

// bandNames are in the order of band.
var bandNames = [3]string{"zeros", "partial", "ones"}

func band(x float64) int {
	switch {
	case x <= 0:
		return 0
	case x < 1:
		return 1
	}
	return 2
}

// pairsForSlope is how many pairs say how the scores of two judges go together.
const pairsForSlope = 10

// Compare fills in what pairs say of the shift from one judge to the other: of a simple
// random sample of answers the plain mean of the differences.
func (b *Bridge) Compare(pairs []Pair) {
	b.measure(pairs)
	b.settle([]pairStratum{{1, pairs}})
}

// CompareControls does it for control items, which are no sample of the traffic: items
// that scored 0 with the old judge and the others are weighted by the share of zeros that
// the old judge found in the traffic, as in the evidence about the judge. A share below 0
// is not known: then all items count alike.
func (b *Bridge) CompareControls(pairs []Pair, zeros float64) {
	b.measure(pairs)
	var low, high []Pair
	for _, p := range pairs {
		if band(p.From) == 0 {
			low = append(low, p)
		} else {
			high = append(high, p)
		}
	}
	if zeros < 0 || len(low) < 2 || len(high) < 2 {
		b.settle([]pairStratum{{1, pairs}})
		return
	}
	b.settle([]pairStratum{{zeros, low}, {1 - zeros, high}})
}

type pairStratum struct {
	weight float64
	pairs  []Pair
}

// settle computes the shift, its interval and the verdict.
func (b *Bridge) settle(strata []pairStratum) {
	b.Shift, b.SE = 0, 0
	variance, freedom := 0.0, 0.0
	for _, s := range strata {
		var d sums
		for _, p := range s.pairs {
			d.merge(sums{n: 1, mean: p.To - p.From})
		}
		if d.n < 2 {
			b.Verdict, b.Low, b.High, b.Shift = RulerUndetermined, -1, 1, b.Shift+s.weight*d.mean
			return
		}
		// As if one more answer had gone from 0 to 1 and one from 1 to 0: n answers that the
		// judges score alike do not show that no answer is scored otherwise.
		b.Shift += s.weight * d.mean
		variance += s.weight * s.weight * (d.m2 + 2) / (d.n - 1) / d.n
		freedom += d.n - 1
	}
	b.SE = math.Sqrt(variance)
	half := quantile975(freedom) * b.SE
	b.Low, b.High = b.Shift-half, b.Shift+half
	switch {
	case b.Low >= -SameRuler && b.High <= SameRuler:
		b.Verdict = RulerSame
	case b.Low > 0 || b.High < 0:
		b.Verdict = RulerDiffers
	default:
		b.Verdict = RulerUndetermined
	}
}

// quantile975 is that of Student's t, by the first term of its expansion around the normal
// one: within 2 % from nine degrees of freedom on.
func quantile975(freedom float64) float64 {
	const z = 1.95996
	return z * (1 + (z*z+1)/(4*freedom))
}

// Enough is about how many pairs it takes to tell that two judges measure alike, if their
// scores differ by 0 on average and scatter as these do.
func (b *Bridge) Enough() int {
	n := float64(b.N)
	each := max(b.SE*b.SE*(n-1)-2/n, 0) // variance of one difference
	// The n at which the half width quantile · √(each·n + 2) / n is SameRuler.
	q := quantile975(max(n-1, 1)) / SameRuler
	return int(math.Ceil((q*q*each+math.Sqrt(q*q*q*q*each*each+8*q*q))/2)) + 1
}

// measure describes the pairs: bands, correlation, slope.
func (b *Bridge) measure(pairs []Pair) {
	b.N, b.Bands, b.Correlation, b.Slope = len(pairs), nil, nil, nil
	var from, to sums
	bands := [len(bandNames)]struct {
		from, to sums
		agree    int
	}{}
	for _, p := range pairs {
		from.merge(sums{n: 1, mean: p.From})
		to.merge(sums{n: 1, mean: p.To})
		in := &bands[band(p.From)]
		in.from.merge(sums{n: 1, mean: p.From})
		in.to.merge(sums{n: 1, mean: p.To})
		if band(p.To) == band(p.From) {
			in.agree++
		}
	}
	for i, in := range bands {
		b.Bands = append(b.Bands, Band{Name: bandNames[i], N: int(in.from.n), From: in.from.mean, To: in.to.mean, Agree: in.agree})
	}
	if len(pairs) < pairsForSlope || from.m2 <= 0 || to.m2 <= 0 {
		return
	}
	both := 0.0
	for _, p := range pairs {
		both += (p.From - from.mean) * (p.To - to.mean)
	}
	correlation, slope := both/math.Sqrt(from.m2*to.m2), both/from.m2
	b.Correlation, b.Slope = &correlation, &slope
}

// Rescored is a stored answer that another judge scored again. It holds no text.
type Rescored struct {
	Score scorer.Score `json:"score"` // of the new judge
	// Judges and Outcomes are those of the score that the answer had.
	Judges   map[scorer.Metric]string         `json:"judges"`
	Outcomes map[scorer.Metric]scorer.Outcome `json:"outcomes"`
}

// InControl says of which runs and cells the baseline of a judge's metric is made: not of
// those in an open or an ended episode, nor of those that an acceptance took out.
func InControl(h History, metric scorer.Metric, judge string) func(due time.Time, c sampler.Cell) bool {
	e := &evaluation{History: h, episodes: h.Episodes}
	var out []func(due time.Time, values map[string]string) bool
	for _, a := range h.Acceptances {
		if a.Series.Metric == metric && (a.Series.Judge == "" || a.Series.Judge == judge) {
			out = append(out, func(due time.Time, values map[string]string) bool {
				return !due.After(a.From) && a.Series.contains(values)
			})
		}
	}
	for _, p := range h.Episodes {
		of, ended := p.Series, !p.Resolved.IsZero()
		switch {
		case e.accepted(p):
			continue
		case ended && p.Kind == KindRegression:
			of = Series{} // of the whole service
		case of.Metric != metric || of.Judge != judge:
			continue
		}
		out = append(out, func(due time.Time, values map[string]string) bool {
			return !due.Before(p.From) && (!ended || due.Before(p.Resolved)) && of.contains(values)
		})
	}
	return func(due time.Time, c sampler.Cell) bool {
		values := c.Values()
		return !slices.ContainsFunc(out, func(f func(time.Time, map[string]string) bool) bool { return f(due, values) })
	}
}

// StateOf says how a series would stand if no judge but its own had scored.
func StateOf(h History, s Series, cfg config.Drift) State {
	h.Rows = slices.DeleteFunc(slices.Clone(h.Rows), func(r Row) bool { return r.Metric != s.Metric || r.Judge != s.Judge })
	for _, st := range Evaluate(h, cfg).States {
		if st.Series == s {
			return st
		}
	}
	return State{Series: s, Status: "learning"}
}

// Ready counts towards the baseline of a series: it says when the cells that take part have
// as many samples as the least baseline.
type Ready struct {
	minimum int
	cells   map[sampler.Cell]int
}

// NewReady returns a count that is met with minimum samples; 0 means the usual.
func NewReady(minimum int) *Ready {
	return &Ready{minimum: cmp.Or(max(minimum, 0), 100), cells: map[sampler.Cell]int{}}
}

// Add counts one sample more in a cell.
func (r *Ready) Add(c sampler.Cell) { r.cells[c]++ }

// Met says whether there are enough.
func (r *Ready) Met() bool {
	n := 0
	for _, k := range r.cells {
		if k >= minCell {
			n += k
		}
	}
	return n >= r.minimum
}
