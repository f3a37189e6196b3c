package drift

import (
	"math"
	"time"
)

// Wander is how far a metric's level moves about by itself from day to day, and the
// tolerance that bears with it.
type Wander struct {
	// Days counts the days with scores, runs where they are further apart; MinWander are
	// needed before anything can be said.
	Days int `json:"days"`
	// SD is the standard deviation of a day's true mean about its level, luck of sampling
	// taken out; 0 when it cannot be told from luck.
	SD float64 `json:"sd"`
	// Bound is what the SD is below in four of five such histories: a short one cannot rule
	// out much.
	Bound float64 `json:"bound"`
	// Tolerance is the drift.tolerance recommended for the metric, rounded up to 0.001: what a
	// wander of Bound asks for.
	Tolerance float64 `json:"tolerance"`
}

// MinWander is how many days a history needs before its wander is looked for.
const MinWander = 30

// Known says whether the history is long enough for SD to mean anything.
func (w Wander) Known() bool { return w.Days >= MinWander }

const (
	// wanderMemory is the correlation of one day's wander with the next that is looked for:
	// slow enough to pass the design effect by, which sees three runs.
	wanderMemory = 0.9
	wanderLags   = 5
	// wanderDoubt is how many standard errors tell wander from luck, wanderSure how many bound
	// it in four of five histories.
	wanderDoubt = 1.65
	wanderSure  = 0.84
	// wanderReach is how far below its level, in SD, wander gets within a period and stays
	// long enough to be found. wanderHidden is how much of the way, in standard errors of a
	// day's mean, is not found because scores scatter. Both are fitted to simulations:
	// docs/statistics.md.
	wanderReach  = 1.6
	wanderHidden = 0.3
)

// wander looks for slow wander in the runs before one: of all scores, and of those that are
// not zero, which scatter less and so show, and suffer from, less of it.
func (s *strip) wander(before int) Wander {
	w := Wander{}
	for _, all := range []bool{true, false} {
		days := s.dayMeans(before, all)
		w.Days = max(w.Days, len(days))
		if len(days) < MinWander {
			continue
		}
		variance, se := slowVariance(days)
		if variance > wanderDoubt*se {
			w.SD = max(w.SD, math.Sqrt(variance))
		}
		bound := math.Sqrt(boundOf(variance, se, len(days)))
		w.Bound = max(w.Bound, bound)
		w.Tolerance = max(w.Tolerance, wanderReach*bound-wanderHidden*usualError(days))
	}
	w.Tolerance = math.Ceil(1000*w.Tolerance) / 1000
	return w
}

// boundOf is the largest variance of a wander for which an estimate as low as this one is
// among the lowest fifth. The estimate errs by luck, and because a wander with memory is
// seen only a few times over: by 2 (1 + r²)/(1 − r²) of its own square, over the days.
func boundOf(variance, se float64, days int) float64 {
	const r, z = wanderMemory, wanderSure
	seldom := 2 * (1 + r*r) / (1 - r*r) / float64(days)
	variance = max(variance, 0)
	// (bound − variance)² = z² (se² + seldom · bound²)
	a := 1 - z*z*seldom // above 0 from 14 days on
	return (variance + math.Sqrt(max(0, variance*variance-a*(variance*variance-z*z*se*se)))) / a
}

// dayMean is how far a day's mean is from the usual, and the variance that sampling gives it.
type dayMean struct{ n, off, variance float64 }

// dayMeans takes the runs of a day together, so that what comes and goes within a day is
// no wander: of all scores, or of those that are not zero. Each cell is held against its own
// mean; those without a baseline are left out.
func (s *strip) dayMeans(before int, all bool) []dayMean {
	if before == 0 {
		return nil
	}
	usual := s.usual(before, all)
	out := make([]dayMean, 0, min(before, s.day[before-1]+1))
	last := -1
	for run := range before {
		d := s.offsetOf(run, usual, all)
		if d.n == 0 {
			continue
		}
		if s.day[run] == last {
			out[len(out)-1].add(d)
			continue
		}
		out, last = append(out, d), s.day[run]
	}
	for i := range out {
		d := &out[i]
		d.off, d.variance = d.off/d.n, d.variance/(d.n*d.n)
	}
	return out
}

// dayOf counts days from the first run on: from two hours early, because a day is an hour
// shorter where clocks are changed.
func (s *strip) dayOf(due time.Time) int {
	return int((due.Sub(s.due[0]) + 2*time.Hour) / (24 * time.Hour))
}

// usual returns the means and variances of the cells that have a baseline before a run.
func (s *strip) usual(before int, all bool) []referenceCell {
	var out []referenceCell
	for g, m := range s.sum(0, before) {
		u := m.nonZero()
		if all {
			u = m.all()
		}
		if m.N >= minCell && u.n > 0 {
			out = append(out, referenceCell{g, u.mean, max(u.m2/u.n, minVariance)})
		}
	}
	return out
}

func (d *dayMean) add(o dayMean) {
	d.n, d.off, d.variance = d.n+o.n, d.off+o.off, d.variance+o.variance
}

// offsetOf sums up a run: its count, the distances of its scores from their cells' means,
// and the variance of that sum.
func (s *strip) offsetOf(run int, usual []referenceCell, all bool) (d dayMean) {
	for _, u := range usual {
		b := &s.brief[run*s.cells+u.at]
		n, mean := b.others, b.mean
		if all && b.zeros > 0 {
			n += b.zeros
			mean -= mean / n * b.zeros
		}
		d.add(dayMean{n, n * (mean - u.mean), n * u.variance})
	}
	return d
}

// slowVariance estimates the variance of a wander with memory from products of the means
// of days one to five apart: luck is not alike from day to day, wander is. The products
// are weighted by their precision and by what wander should leave in them, and divided by
// what it leaves in them on average: the level was fitted to the same days, which hides
// much of a wander that is as slow as the history is long. The standard error is that
// without wander, for the scatter that the days really have.
func slowVariance(days []dayMean) (variance, se float64) {
	var n, sum, scatter float64
	for _, d := range days {
		n, sum = n+d.n, sum+d.n*d.n*d.variance
		scatter += d.off * d.off / d.variance
	}
	level := sum / (n * n) // variance of the level that was fitted
	scatter = max(1, scatter/float64(len(days)))
	with, whole := likeness(days, n)
	var got, want, luck float64
	for lag, alike := 1, wanderMemory; lag <= wanderLags; lag, alike = lag+1, alike*wanderMemory {
		for i, a := range days[:len(days)-lag] {
			b := days[i+lag]
			precision := alike / (a.variance * b.variance)
			got += precision * (a.off*b.off + level)
			want += precision * (alike - with[i] - with[i+lag] + whole)
			luck += precision * alike
		}
	}
	return got / want, scatter * math.Sqrt(luck) / want
}

// likeness returns the correlation of each day's wander with that of the fitted level, and
// that of the level with itself.
func likeness(days []dayMean, n float64) (with []float64, whole float64) {
	with = make([]float64, len(days))
	past := 0.0
	for i, d := range days {
		past = wanderMemory*past + d.n/n
		with[i] = past
	}
	future := 0.0
	for i := len(days) - 1; i >= 0; i-- {
		with[i] += wanderMemory * future
		future = wanderMemory*future + days[i].n/n
		whole += days[i].n / n * with[i]
	}
	return with, whole
}

// usualError is the standard error of the mean of a usual day.
func usualError(days []dayMean) float64 {
	var n, sum float64
	for _, d := range days {
		n, sum = n+d.n, sum+d.n*d.n*d.variance
	}
	return math.Sqrt(sum / n / (n / float64(len(days))))
}
