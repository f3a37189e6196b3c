package drift

import "time"

// traffic sums up rows for people: their mean is that of all answers given (Hájek), not
// of the sample, in which small cells have more than their share.
type traffic struct {
	n                   int
	weight, mean, zeros float64
}

func (a *traffic) add(r *Row) {
	l, w := r.Traffic(), r.Answers()
	if l.N == 0 {
		return
	}
	a.n += l.N
	a.weight += w
	a.mean += (l.Mean - a.mean) * w / a.weight
	a.zeros += (l.Zeros - a.zeros) * w / a.weight
}

func (a *traffic) level() Level { return Level{N: a.n, Mean: a.mean, Zeros: a.zeros} }

// Answers is how many answers of the traffic the row stands for.
func (r *Row) Answers() float64 {
	if r.Weight > 0 {
		return r.Weight
	}
	return float64(r.N)
}

// Traffic is the level of all scored answers of the row, repeated ones included; its N counts
// the different ones.
func (r *Row) Traffic() Level {
	l := r.Level()
	if r.Repeats != nil {
		l.Mean, l.Zeros = r.Repeats.Mean, r.Repeats.Zeros
	}
	return l
}

// level returns the level of a track in the runs that are due when the predicate says,
// without the cells that are cut; a nil cut cuts nothing.
func (t track) level(when func(time.Time) bool, cut func(run, cell int) bool) Level {
	var a traffic
	for run, due := range t.due {
		if !when(due) {
			continue
		}
		for _, c := range t.in {
			if r := t.rows[run][c]; r != nil && (cut == nil || !cut(run, c)) {
				a.add(r)
			}
		}
	}
	return a.level()
}

func always(time.Time) bool { return true }
