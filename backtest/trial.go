package backtest

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// trial is one place in the rows of a metric into which drops are put.
type trial struct {
	control
	cfg    config.Drift
	metric scorer.Metric
	runs   []time.Time // with rows of the metric
	at     int         // the first run with the drop
}

// usable says whether the metric could alarm at the place, and did not already.
func (t trial) usable() bool {
	if t.at == 0 {
		return false
	}
	r := drift.Evaluate(t.until(t.rows, t.runs[t.at-1]), t.cfg)
	return !hasEpisode(r.Episodes, t.metric) && slices.ContainsFunc(r.States, func(s drift.State) bool {
		return s.Series.Metric == t.metric && s.Series.Dim == "" && s.Status != "learning"
	})
}

// put decides the runs from the place on with a drop in them, until an alarm.
func (t trial) put(drop float64) reach {
	share := drop / (lost * t.mean())
	if share > 1 { // scores are too low already to fall so far this way
		return reach{}
	}
	rows := t.spoiled(share)
	n := t.find(rows)
	if n == 0 {
		return reach{put: true}
	}
	return reach{put: true, found: true, runs: n, samples: t.samples(rows, n)}
}

// dense is how many runs after the change are looked at one by one.
const dense = 12

// find returns in which run from the place on, counted from 1, the drop alarms; 0 for none.
// As an alarm that comes late does not go at once, later runs are looked at in steps of 15 %
// of the time since the change, and the runs of the step that shows one are then decided
// one by one.
func (t trial) find(rows []drift.Row) int {
	runs, w := t.runs[t.at:], t.walk(rows, nil)
	var before []drift.Episode
	checked := -1 // newest run known to be silent
	for i := 0; i < len(runs); {
		episodes := w.decide(runs[i])
		if hasEpisode(episodes, t.metric) {
			return t.first(rows, checked, i, before)
		}
		before, checked = episodes, i
		if i == len(runs)-1 {
			break
		}
		step := 1
		if i >= dense {
			step = int(math.Ceil(0.15 * float64(i)))
		}
		i = min(i+step, len(runs)-1)
	}
	return 0
}

// first decides the runs after a silent one, up to one that alarms.
func (t trial) first(rows []drift.Row, silent, alarms int, episodes []drift.Episode) int {
	w := t.walk(rows, episodes)
	for i := silent + 1; i < alarms; i++ {
		if hasEpisode(w.decide(t.runs[t.at+i]), t.metric) {
			return i + 1
		}
	}
	return alarms + 1
}

// walk decides some of the runs of a trial, one after the other.
type walk struct {
	trial
	rows      []drift.Row
	known     drift.History
	evaluator *drift.Evaluator
}

func (t trial) walk(rows []drift.Row, before []drift.Episode) *walk {
	w := &walk{trial: t, rows: rows, evaluator: drift.NewEvaluator(t.cfg)}
	w.evaluator.Add(drift.History{Episodes: before})
	return w
}

// decide returns the episodes after a run that is later than the one before.
func (w *walk) decide(due time.Time) []drift.Episode {
	h := w.until(w.rows, due)
	w.evaluator.Add(h.Since(w.known))
	w.known = h
	return w.evaluator.Decide().Episodes
}

// samples counts the scores of the metric in the first n runs with the drop.
func (t trial) samples(rows []drift.Row, n int) (sum int) {
	from, to := t.runs[t.at], t.runs[t.at+n-1]
	for _, r := range rows {
		if r.Metric == t.metric && !r.Due.Before(from) && !r.Due.After(to) {
			sum += r.N
		}
	}
	return sum
}

// mean is that of all scores of the metric before the place; 1 when there is none above 0.
func (t trial) mean() float64 {
	var m drift.Moments
	for _, r := range t.rows {
		if r.Metric == t.metric && r.Due.Before(t.runs[t.at]) {
			m = m.Merge(r.Moments)
		}
	}
	if mean := m.Level().Mean; mean > 0 {
		return mean
	}
	return 1
}

// spoiled are all rows, those of the metric from the place on with a share of worse answers.
func (t trial) spoiled(share float64) []drift.Row {
	out := slices.Clone(t.rows)
	for i, r := range out {
		if r.Metric == t.metric && !r.Due.Before(t.runs[t.at]) {
			out[i] = spoiledRow(r, share)
		}
	}
	return out
}

// spoiledRow is a row in which a share of the answers is worse, as for scores in a file. The
// row does not tell its answers apart: how many are worse is drawn, the same for the same
// row; what they had is what its answers above 0 had on average.
func spoiledRow(r drift.Row, share float64) drift.Row {
	u := chances(r)
	before := r.Moments.Level().Mean
	if r.Releases == nil {
		r.Moments = spoiledMoments(r.Moments, share, u)
	} else {
		split := map[string]drift.Moments{}
		var all drift.Moments
		for _, release := range slices.Sorted(maps.Keys(r.Releases)) {
			split[release] = spoiledMoments(r.Releases[release], share, u)
			all = all.Merge(split[release])
		}
		r.Releases, r.Moments = split, all
	}
	if before > 0 {
		r.Supported = int(math.Round(float64(r.Supported) * r.Moments.Level().Mean / before))
	}
	return r
}

func spoiledMoments(m drift.Moments, share float64, u *rand.Rand) drift.Moments {
	zeros, partial := 0, 0
	for range m.N - m.Zeros {
		switch x := u.Float64(); {
		case x < zeroed*share:
			zeros++
		case x < share:
			partial++
		}
	}
	same := m.N - m.Zeros - zeros - partial
	return part(m, same, 1).Merge(part(m, partial, kept)).Merge(drift.Moments{N: m.Zeros + zeros, Zeros: m.Zeros + zeros})
}

// part is n of the scores above 0, each times a factor.
func part(m drift.Moments, n int, factor float64) drift.Moments {
	if n == 0 {
		return drift.Moments{}
	}
	of := float64(n) / float64(m.N-m.Zeros)
	f2 := factor * factor
	return drift.Moments{N: n, Mean: m.Mean * factor, M2: m.M2 * of * f2, M3: m.M3 * of * f2 * factor, M4: m.M4 * of * f2 * f2}
}

// chances are numbers in [0, 1) that a row always has.
func chances(r drift.Row) *rand.Rand {
	sum := sha256.Sum256([]byte("injected\x00" + string(r.Metric) + "\x00" + string(r.Cell) + "\x00" + r.Due.UTC().Format(time.RFC3339Nano)))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])))
}
