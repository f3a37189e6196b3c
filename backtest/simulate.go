package backtest

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// Simulated is when a drop of the mean, put into the kept rows of a metric, would have been
// found.
type Simulated struct {
	Metric scorer.Metric `json:"metric"`
	Drop   float64       `json:"drop"`   // of the mean, 0–1
	Places int           `json:"places"` // where it was put in
	Found  int           `json:"found"`  // of them with an alarm before the rows end
	// Runs and Samples are medians over all places, from the change to the alarm, both
	// included; Samples are those with a score of the metric. 0: half were not found.
	Runs    int `json:"median_runs"`
	Samples int `json:"median_samples"`
}

// DefaultDrops are the sizes that are put in unless asked otherwise.
func DefaultDrops() []float64 { return []float64{0.03, 0.05, 0.10, 0.20} }

// Places is in how many places a drop is put in: at 30 to 70 % of the runs.
const Places = 5

// SameDrift says whether two sections decide runs alike.
func SameDrift(a, b config.Drift) bool {
	a.NoDataAfter, b.NoDataAfter = 0, 0 // of the watcher, not of scores
	return reflect.DeepEqual(a, b)
}

// simulate puts drops into the rows that were in control, and times the alarms: under the
// settings of the replay, and under those in force where they are others.
func (r *Replayed) simulate(ctx context.Context, k Kept, s Settings) error {
	if len(s.Drops) == 0 || !r.Ready {
		return nil
	}
	c := inControl(k, slices.Concat(k.Episodes, r.Episodes))
	others := !SameDrift(s.Drift, k.Drift)
	all := len(s.Drops) * Places * len(c.metrics())
	if others {
		all *= 2
	}
	count := counter(s.Progress, all)
	var err error
	if r.Simulated, err = c.simulate(ctx, s.Drift, s.Drops, count); err != nil || !others {
		return err
	}
	r.SimulatedLive, err = c.simulate(ctx, k.Drift, s.Drops, count)
	return err
}

// counter tells of every trial that is done, from any goroutine.
func counter(progress func(string, int, int), all int) func() {
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress("drops", done, all)
		}
	}
}

// reach is how far a trial came.
type reach struct {
	put, found    bool
	runs, samples int // until the alarm
}

func (c control) simulate(ctx context.Context, cfg config.Drift, drops []float64, done func()) ([]Simulated, error) {
	metrics := c.metrics()
	reached := make([][]reach, len(metrics)*len(drops))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range metrics {
		runs := c.runsOf(m)
		for n := range drops {
			reached[i*len(drops)+n] = make([]reach, Places)
		}
		for place := range Places {
			group.Go(func() error {
				t := trial{control: c, cfg: cfg, metric: m, runs: runs, at: len(runs) * (3 + place) / 10}
				usable := t.usable()
				for n, drop := range drops {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					if usable {
						reached[i*len(drops)+n][place] = t.put(drop)
					}
					done()
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := make([]Simulated, 0, len(reached))
	for i, all := range reached {
		out = append(out, medianOf(metrics[i/len(drops)], drops[i%len(drops)], all))
	}
	return out, nil
}

// medianOf sums up the trials of one drop. One that was not found took longer than all.
func medianOf(m scorer.Metric, drop float64, all []reach) Simulated {
	out := Simulated{Metric: m, Drop: drop}
	var found []reach
	for _, r := range all {
		if r.put {
			out.Places++
		}
		if r.found {
			found = append(found, r)
		}
	}
	out.Found = len(found)
	if middle := out.Places / 2; middle < len(found) {
		slices.SortFunc(found, func(a, b reach) int { return a.samples - b.samples })
		out.Samples = found[middle].samples
		slices.SortFunc(found, func(a, b reach) int { return a.runs - b.runs })
		out.Runs = found[middle].runs
	}
	return out
}

// hasEpisode says whether a series of a metric is down.
func hasEpisode(episodes []drift.Episode, m scorer.Metric) bool {
	return slices.ContainsFunc(episodes, func(e drift.Episode) bool { return e.Series.Metric == m && e.Resolved.IsZero() })
}
