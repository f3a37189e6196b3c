package backtest

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// Injected is when a drop of the mean, put into the scores of all answers of a metric,
// would have been found.
type Injected struct {
	Metric scorer.Metric `json:"metric"`
	Drop   float64       `json:"drop"`   // of the mean, 0–1
	Starts int           `json:"starts"` // places where it was put in
	Found  int           `json:"found"`  // of them with an alarm before the scores end
	// Days and Samples are medians from the change to the alarm, over those found.
	Days    float64 `json:"median_days"`
	Samples int     `json:"median_samples"`
}

// drops are the sizes that are put in.
var drops = []float64{0.05, 0.10, 0.20}

// Starts is in how many places of the middle of the scores each drop begins.
const Starts = 4

// How a worse answer scores: two in five get 0, the others two fifths of what they had.
const (
	zeroed = 0.4
	kept   = 0.4
	lost   = 1 - (1-zeroed)*kept // share of its score that a worse answer loses on average
)

// inject puts drops into the scores: a share of the answers, chosen by a hash, gets worse.
// before are the episodes known before each run. Places in an episode are left out.
func inject(runs []run, before [][]drift.Episode, cfg config.Drift) []Injected {
	var out []Injected
	for _, m := range metricsOf(runs) {
		for _, drop := range drops {
			one := Injected{Metric: m, Drop: drop}
			var found []delay
			for k := range Starts {
				at := len(runs) * (3 + k) / 10
				if at >= len(before) || isDown(before[at]) {
					continue
				}
				one.Starts++
				if d, ok := find(runs, at, m, drop, before[at], cfg); ok {
					found = append(found, d)
				}
			}
			one.Found = len(found)
			if len(found) > 0 {
				slices.SortFunc(found, func(a, b delay) int { return a.samples - b.samples })
				median := found[len(found)/2]
				one.Days, one.Samples = median.time.Hours()/24, median.samples
			}
			out = append(out, one)
		}
	}
	return out
}

func metricsOf(runs []run) []scorer.Metric {
	seen := map[scorer.Metric]bool{}
	for _, r := range runs {
		for _, s := range r.scores {
			for m := range s.Outcomes {
				seen[m] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func isDown(episodes []drift.Episode) bool {
	return slices.ContainsFunc(episodes, func(e drift.Episode) bool { return e.Resolved.IsZero() })
}

type delay struct {
	time    time.Duration
	samples int
}

// find decides the runs from one on with a drop in them, until an alarm.
func find(runs []run, at int, m scorer.Metric, drop float64, episodes []drift.Episode, cfg config.Drift) (delay, bool) {
	share := drop / (lost * mean(runs[:at], m))
	h := history(runs[:at])
	h.Episodes = episodes
	evaluator := drift.NewEvaluator(cfg)
	evaluator.Add(h)
	samples := 0
	for _, r := range runs[at:] {
		worse := spoiled(r, m, share)
		samples += len(r.scores)
		evaluator.Add(drift.History{Rows: drift.Rows(worse.window, worse.scores), Tallies: []sampler.Tally{worse.tally}})
		for _, e := range evaluator.Decide().Episodes {
			if e.Series.Metric == m && e.Resolved.IsZero() {
				return delay{r.window.Due.Sub(runs[at].window.Start), samples}, true
			}
		}
	}
	return delay{}, false
}

func mean(runs []run, m scorer.Metric) float64 {
	n, sum := 0, 0.0
	for _, r := range runs {
		for _, s := range r.scores {
			if o, ok := s.Outcomes[m]; ok {
				n, sum = n+1, sum+o.Value
			}
		}
	}
	if n == 0 || sum <= 0 {
		return 1
	}
	return sum / float64(n)
}

// spoiled is a run in which a share of the answers is worse in a metric.
func spoiled(r run, m scorer.Metric, share float64) run {
	out := r
	out.scores = slices.Clone(r.scores)
	for i, s := range out.scores {
		o, ok := s.Outcomes[m]
		u := chance(s.SampleID)
		if !ok || u >= share {
			continue
		}
		o.Value *= kept
		if u < zeroed*share {
			o.Value = 0
		}
		outcomes := maps.Clone(s.Outcomes)
		outcomes[m] = o
		out.scores[i].Outcomes = outcomes
	}
	return out
}

// chance is a number in [0, 1) that an ID always has.
func chance(id string) float64 {
	sum := sha256.Sum256([]byte("injected\x00" + id))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}
