package drift

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

// level is that of the runs before one.
func (s *strip) level(before int) Level {
	if before == 0 {
		return Level{}
	}
	return s.traffic[before-1].level()
}
