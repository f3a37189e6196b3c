package drift

import (
	"math"
	"slices"
	"sort"
	"time"
)

// minCell is how many baseline samples a cell needs before it takes part.
const minCell = 30

// strip is what one series has to show: its runs with scores, oldest first. It only grows,
// so what rests on the runs before one is worked out once.
type strip struct {
	due []time.Time
	// mass is the prior weight of a change just before each run: the time since the
	// run before, in periods of the false-alarm budget.
	mass    []float64
	rows    [][]Moments   // [run][cell]
	cells   int           // of a run
	brief   []brief       // the same, run after run, cell after cell
	minimum int           // baseline samples before the first candidate
	span    time.Duration // of the baseline before the first candidate
	// tolerance is the fall up to which nothing has changed.
	tolerance float64
	// lengths are the rows by length; nil where no lengths are known.
	lengths    [][]*lengths
	lengthSums [][]lengths // before every 16th run
	strata     bool        // answers of other lengths are told apart
	// clusters are those of each cell up to and with each run; nil where every score is its own.
	clusters []Clusters
	traffic  []traffic // up to and with each run
	day      []int     // of each run

	// Before each run and after the newest one: the rows merged, cell after cell; the samples
	// of cells that have enough; and, once asked for, baselines and design effects.
	merged  []Moments
	usable  []float64
	shapes  []shape   // of baselines, one after the other
	pooled  []pools   // of baselines; without freedom until asked for
	designs []float64 // 0 until asked for
	allMass float64
	trials  []*trial // of releases, on the same rows
	post    *tail    // scratch
}

// pools are the moments of a baseline, of all and of the non-zero scores.
type pools struct{ all, nonZero pooled }

// brief is what most needs of a cell in a run: the non-zero scores and their mean, and the zeros.
type brief struct{ others, mean, zeros float64 }

func briefOf(m *Moments) brief {
	return brief{float64(m.N - m.Zeros), m.Mean, float64(m.Zeros)}
}

// grow makes room for a number of runs.
func (s *strip) grow(runs, cells int) {
	s.due, s.mass, s.rows = make([]time.Time, 0, runs), make([]float64, 0, runs), make([][]Moments, 0, runs)
	s.brief, s.merged, s.usable = make([]brief, 0, runs*cells), make([]Moments, 0, (runs+1)*cells), make([]float64, 0, runs+1)
	s.traffic, s.day = make([]traffic, 0, runs), make([]int, 0, runs)
}

func (s *strip) add(due time.Time, mass float64, cells []Moments) {
	if len(s.rows) == 0 {
		s.cells, s.merged, s.usable = len(cells), append(s.merged, make([]Moments, len(cells))...), append(s.usable, 0)
		s.shapes, s.pooled, s.designs = nil, nil, nil // an empty strip does not know its cells
		s.post = newTail(len(cells))
	}
	s.merged = append(s.merged, s.merged[len(s.merged)-len(cells):]...)
	s.due = append(s.due, due)
	s.day = append(s.day, s.dayOf(due))
	s.mass = append(s.mass, mass)
	s.allMass += mass
	s.rows = append(s.rows, cells)
	for g := range cells {
		s.brief = append(s.brief, briefOf(&cells[g]))
	}
	all := s.merged[len(s.merged)-len(cells):]
	mergeCells(all, cells)
	s.usable = append(s.usable, float64(usable(all)))
}

// first is the first run before which there is a baseline; len(rows)+1 when there is none
// even after the newest.
func (s *strip) first() int {
	return 1 + sort.Search(len(s.rows), func(i int) bool {
		return s.usable[i+1] >= float64(s.minimum) && s.due[i].Sub(s.due[0]) >= s.span
	})
}

// sum merges the rows of runs from to to−1. Those from the first run on are not to be changed.
func (s *strip) sum(from, to int) []Moments {
	if n := s.cells; from == 0 {
		return s.merged[to*n : (to+1)*n : (to+1)*n]
	}
	out := make([]Moments, s.cells)
	for _, row := range s.rows[from:to] {
		mergeCells(out, row)
	}
	return out
}

func mergeCells(into, row []Moments) {
	for g, m := range row {
		if m.N > 0 {
			into[g] = into[g].Merge(m)
		}
	}
}

// baseline returns what a comparison needs of the runs before one.
func (s *strip) baseline(before int) baseline {
	size := 2 * s.cells
	if n := len(s.rows) + 1 - len(s.pooled); n > 0 {
		s.pooled = append(s.pooled, make([]pools, n)...)
		s.shapes = append(s.shapes, make([]shape, n*size)...)
	}
	room := s.shapes[before*size : (before+1)*size]
	p := &s.pooled[before]
	if p.all.freedom == 0 {
		b := baselineIn(room, s.sum(0, before))
		*p = pools{b.pooled, b.nonZero}
	}
	return baseline{room[:size/2], room[size/2:], p.all, p.nonZero}
}

// design returns the design effect of the runs before one.
func (s *strip) design(before int) float64 {
	if n := len(s.rows) + 1 - len(s.designs); n > 0 {
		s.designs = append(s.designs, make([]float64, n)...)
	}
	if s.designs[before] == 0 {
		s.designs[before] = s.designEffect(before, s.sum(0, before))
	}
	return s.designs[before]
}

// after returns the first run due at or after a time.
func (s *strip) after(at time.Time) int {
	i, _ := slices.BinarySearchFunc(s.due, at, time.Time.Compare)
	return i
}

// reference holds the means and variances of the cells of a baseline that have enough
// samples to take part.
type reference struct {
	cells   []referenceCell
	freedom float64
}

type referenceCell struct {
	at             int
	mean, variance float64
}

func newReference(pre []Moments) reference {
	cells := make([]sums, len(pre))
	for g, m := range pre {
		if m.N >= minCell {
			cells[g] = m.all()
		}
	}
	p := pool(cells)
	r := reference{freedom: p.freedom, cells: make([]referenceCell, 0, len(pre))}
	for g, c := range cells {
		if c.n > 0 {
			m2, _, _ := p.cell(c)
			r.cells = append(r.cells, referenceCell{g, c.mean, max(m2, minVariance)})
		}
	}
	return r
}

// offset sums the distances of a run's scores from their cells' means, counts them, and
// adds up the variance that the sum should have.
func (s *strip) offset(run int, r reference) (off, n, variance float64) {
	at := run * s.cells
	for _, c := range r.cells {
		b := &s.brief[at+c.at]
		k := b.others + b.zeros
		off += b.others*b.mean - k*c.mean
		n += k
		variance += k * c.variance
	}
	return off, n, variance
}

// designEffect is by how much the runs before one scatter more than independent samples
// would: what conversations do to it, times the long-run variance ratio of what is left of
// their means over three lags, drawn towards 1.2 by eight runs, and at least 1. It must not
// see that run or a later one: a change would hide itself.
func (s *strip) designEffect(before int, pre []Moments) float64 {
	const prior, weight, least, lags = 1.2, 8, 0.2, 3
	ref := newReference(pre)
	within := s.clusterEffect(before, pre)
	var runs, p0, p1, p2, p3, last1, last2, last3 float64
	for i := range before {
		off, n, variance := s.offset(i, ref)
		if n == 0 {
			continue
		}
		y := off / math.Sqrt(variance)
		runs++
		p0, p1, p2, p3 = p0+y*y, p1+y*last1, p2+y*last2, p3+y*last3
		last1, last2, last3 = y, last1, last2
	}
	if runs == 0 {
		return prior * within
	}
	ratio := p0
	for l, p := range [lags]float64{p1, p2, p3} {
		ratio += 2 * (1 - float64(l+1)/(lags+1)) * p
	}
	ratio /= runs * ref.freedom * within
	return within * max(1, (weight*prior+runs*max(ratio, least))/(weight+runs))
}
