package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Point is one run or one day of a series. Low and High hold the true mean in 95 of 100
// cases.
type Point struct {
	Due  time.Time `json:"due"` // of the run, or the middle of the day
	N    int       `json:"n"`
	Mean float64   `json:"mean"`
	Low  float64   `json:"low"`
	High float64   `json:"high"`
	// Weight is how many answers of the traffic the N scores stand for; 0: N.
	Weight float64 `json:"weight,omitempty"`
}

// answers is Weight, or N where it is not known.
func (p Point) answers() float64 {
	if p.Weight > 0 {
		return p.Weight
	}
	return float64(p.N)
}

// Points returns the run means of a series in order of time. Runs without a score have
// no point. Shares are turned: their points are the share of records with the property.
func Points(rows []drift.Row, s drift.Series) []Point {
	var own []*drift.Row
	for i := range rows {
		if r := &rows[i]; r.Metric == s.Metric && r.Judge == s.Judge && has(s, r.Cell) {
			own = append(own, r)
		}
	}
	return points(own, s.Metric)
}

// points makes points of rows that belong to one series.
func points(rows []*drift.Row, m scorer.Metric) []Point {
	runs := map[time.Time]sum{}
	for _, r := range rows {
		at := r.Due.UTC()
		runs[at] = runs[at].add(sumOf(r))
	}
	points := make([]Point, 0, len(runs))
	for due, t := range runs {
		e := t.estimate(1)
		if drift.IsShare(m) {
			e = e.turned()
		}
		if e.N > 0 {
			points = append(points, Point{due, e.N, e.Mean, e.Low, e.High, t.weight})
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return a.Due.Compare(b.Due) })
	return points
}

// has says whether a cell is part of a series.
func has(s drift.Series, c sampler.Cell) bool {
	if s.Dim == "" {
		return true
	}
	v, ok := c.Values()[s.Dim]
	return ok && v == s.Value
}

// days puts the points of each day together. A run due at midnight belongs to the day
// that it ends.
func days(points []Point, loc *time.Location) []Point {
	var out []Point
	var variance float64
	for _, p := range points {
		t := p.Due.Add(-1).In(loc)
		noon := time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, loc)
		if len(out) == 0 || !out[len(out)-1].Due.Equal(noon) {
			out, variance = append(out, Point{Due: noon}), 0
		}
		d := &out[len(out)-1]
		// The half widths are 1.96 standard errors, so weight times them adds up in squares.
		variance += math.Pow(p.answers()*max(p.High-p.Mean, p.Mean-p.Low), 2)
		d.Weight += p.answers()
		d.Mean += (p.Mean - d.Mean) * p.answers() / d.Weight
		d.N += p.N
		half := math.Sqrt(variance) / d.Weight
		d.Low, d.High = max(d.Mean-half, min(0, d.Mean)), min(d.Mean+half, 1)
	}
	return out
}

func meanN(points []Point) float64 {
	n := 0
	for _, p := range points {
		n += p.N
	}
	return float64(n) / float64(max(len(points), 1))
}

// ControlPoint is the mean of the control items of one language in one run.
type ControlPoint struct {
	Window   time.Time     `json:"window"`
	Metric   scorer.Metric `json:"metric"`
	Language string        `json:"language"`
	Judge    string        `json:"judge"` // JudgeID.Key
	N        int           `json:"n"`
	Mean     float64       `json:"mean"`
}

// usualItems are what each item has by each judge on average, less the mean of all of them.
type usualItems map[usualKey]sum

type usualKey struct {
	item, language, judge string // no item: all of the language
	metric                scorer.Metric
}

func usualOf(scores []scorer.ControlScore) usualItems {
	u := usualItems{}
	for _, c := range scores {
		for m, o := range c.Outcomes {
			if k := (usualKey{c.Item, c.Language, c.Judges[m], m}); o.Scored && c.Expected != scorer.ExpectPair {
				u[k] = u[k].value(o.Value)
			}
		}
	}
	for k, s := range maps.Clone(u) {
		all := usualKey{"", k.language, k.judge, k.metric}
		u[all] = u[all].value(s.mean)
	}
	return u
}

// of is by how much an item lies above the others of its language.
func (u usualItems) of(c scorer.ControlScore, m scorer.Metric) float64 {
	return u[usualKey{c.Item, c.Language, c.Judges[m], m}].mean - u[usualKey{"", c.Language, c.Judges[m], m}].mean
}

// ControlPoints returns the run means of control scores, by metric, language and time. A run
// scores a part of the items; each is taken as it would be if all had been scored.
func ControlPoints(scores []scorer.ControlScore) []ControlPoint {
	type key struct {
		at              time.Time
		metric          scorer.Metric
		language, judge string
	}
	usual := usualOf(scores)
	sums := map[key]sum{}
	for _, c := range scores {
		for m, o := range c.Outcomes {
			if o.Scored && c.Expected != scorer.ExpectPair {
				k := key{c.Window.UTC(), m, c.Language, c.Judges[m]}
				sums[k] = sums[k].value(o.Value - usual.of(c, m))
			}
		}
	}
	points := make([]ControlPoint, 0, len(sums))
	for k, s := range sums {
		points = append(points, ControlPoint{k.at, k.metric, k.language, k.judge, s.n, s.mean})
	}
	slices.SortFunc(points, func(a, b ControlPoint) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Language, b.Language),
			a.Window.Compare(b.Window), cmp.Compare(a.Judge, b.Judge))
	})
	return points
}
