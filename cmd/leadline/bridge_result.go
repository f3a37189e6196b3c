package main

import (
	"time"

	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
	"leadline/server"
)

// finish compares the judges and stores what that gave, with the new judge's rows.
func (b *bridge) finish() error {
	r, now := b.runner, time.Now().UTC()
	var bridges []drift.Bridge
	for _, m := range scorer.Metrics {
		from, ok := b.from[m]
		if !ok {
			continue
		}
		one := drift.Bridge{From: from.Key, To: b.to[m].Key, FromModel: from.Model, ToModel: b.to[m].Model, Metric: m, At: now, Basis: b.reply.Basis}
		if err := b.compare(&one); err != nil {
			return err
		}
		bridges = append(bridges, one)
	}
	var rows []drift.Row
	if b.reply.Basis == drift.BasisSamples {
		var err error
		if rows, err = b.rows(); err != nil {
			return err
		}
		for i := range bridges {
			for _, row := range rows {
				if row.Metric == bridges[i].Metric && row.Bridged == bridges[i].From {
					bridges[i].Carried += row.N
				}
			}
		}
	}
	if err := r.store.SaveBridge(bridges, rows, b.ids); err != nil {
		return err
	}
	if err := r.reconsider(); err != nil {
		return err
	}
	return b.results(bridges)
}

// compare pairs the scores of both judges in one metric.
func (b *bridge) compare(one *drift.Bridge) error {
	if one.Basis == drift.BasisControls {
		return b.compareControls(one)
	}
	var pairs []drift.Pair
	for _, it := range b.items {
		if it.again == nil || it.old.Judges[one.Metric] != one.From || !b.fits(it.old, one.Metric) || isExpected(it.again.Outcomes[one.Metric]) {
			continue
		}
		was, is := it.old.Outcomes[one.Metric], it.again.Outcomes[one.Metric]
		if !was.Scored || !is.Scored {
			one.Unscored++
			continue
		}
		pairs = append(pairs, drift.Pair{From: was.Value, To: is.Value})
		if one.First.IsZero() || it.old.Window.Before(one.First) {
			one.First = it.old.Window
		}
		if it.old.Window.After(one.Last) {
			one.Last = it.old.Window
		}
	}
	one.Compare(pairs)
	return nil
}

func (b *bridge) compareControls(one *drift.Bridge) error {
	mine, err := b.controlScores(b.keys)
	if err != nil {
		return err
	}
	was := itemMeans(b.history.Controls, one.Metric, one.From)
	is := itemMeans(mine, one.Metric, one.To)
	var pairs []drift.Pair
	for _, c := range scorer.Controls() {
		old, ok := was[c.ID]
		now, too := is[c.ID]
		if ok && too {
			pairs = append(pairs, drift.Pair{From: old, To: now})
		} else if ok {
			one.Unscored++
		}
	}
	one.CompareControls(pairs, b.zeros(one))
	return nil
}

// itemMeans are the means of a judge's scores of each control item.
func itemMeans(controls []scorer.ControlScore, m scorer.Metric, judge string) map[string]float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for _, c := range controls {
		if o := c.Outcomes[m]; o.Scored && c.Judges[m] == judge {
			sum[c.Item] += o.Value
			n[c.Item]++
		}
	}
	for item := range sum {
		sum[item] /= n[item]
	}
	return sum
}

// zeros is the share of zeros in the old judge's baseline; −1 without one.
func (b *bridge) zeros(one *drift.Bridge) float64 {
	inside, zeros, n := drift.InControl(b.history, one.Metric, one.From), 0, 0
	for _, r := range b.history.Rows {
		if r.Metric == one.Metric && r.Judge == one.From && r.Bridged == "" && inside(r.Due, r.Cell) {
			zeros, n = zeros+r.Zeros, n+r.N
		}
	}
	if n == 0 {
		return -1
	}
	return float64(zeros) / float64(n)
}

// rows are those of the new judge for all answers that it scored again, of whichever old judge.
func (b *bridge) rows() ([]drift.Row, error) {
	rescored, err := b.runner.store.Rescored(b.keys)
	if err != nil {
		return nil, err
	}
	type part struct {
		metric scorer.Metric
		from   string
		due    time.Time
	}
	parts := map[part][]scorer.Score{}
	for _, r := range rescored {
		old := r.Score
		old.Judges, old.Outcomes = r.Judges, r.Outcomes
		for m := range b.from {
			if old.Judges[m] == b.keys[m] || !b.fits(old, m) {
				continue
			}
			one := r.Score
			one.Outcomes = map[scorer.Metric]scorer.Outcome{m: r.Score.Outcomes[m]}
			key := part{m, old.Judges[m], old.Window.UTC()}
			parts[key] = append(parts[key], one)
		}
	}
	var rows []drift.Row
	for key, scores := range parts {
		w := sampler.Window{Start: b.windows[key.metric][key.due].start, Due: key.due}
		for _, row := range drift.Rows(w, scores) {
			row.Bridged = key.from
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// results say how the new judge's series stand.
func (b *bridge) results(bridges []drift.Bridge) error {
	history, _, err := b.runner.store.History()
	if err != nil {
		return err
	}
	cfg := b.runner.cfg.Drift
	for _, one := range bridges {
		res := server.BridgeResult{Bridge: one, State: drift.StateOf(history, drift.Series{Metric: one.Metric, Judge: one.To}, cfg)}
		if res.State.Status == "learning" {
			res.Needed = max(cfg.MinBaseline-res.State.Baseline.N, 1)
			if res.LearnedBy, err = b.learnedBy(one.Metric, res.Needed); err != nil {
				return err
			}
		}
		b.reply.Results = append(b.reply.Results, res)
	}
	return nil
}

// paceRuns is over how many of the newest runs the pace of samples is measured.
const paceRuns = 10

// learnedBy is about when so many more samples are scored; zero when the pace is not known.
func (b *bridge) learnedBy(m scorer.Metric, needed int) (time.Time, error) {
	runs, err := b.runner.store.Runs(paceRuns)
	if err != nil || len(runs) == 0 {
		return time.Time{}, err
	}
	scored := 0
	for _, r := range runs {
		scored += r.Scored[m]
	}
	if scored == 0 {
		return time.Time{}, nil
	}
	at := runs[len(runs)-1].Window
	if now := b.runner.clock.now(); now.After(at) {
		at = now
	}
	for n := (needed*len(runs) + scored - 1) / scored; n > 0; n-- {
		at = b.runner.when.Next(at)
	}
	return at.UTC(), nil
}

// open finds the incidents that only the old judge could end.
func (b *bridge) open() error {
	incidents, err := b.runner.store.Incidents()
	if err != nil {
		return err
	}
	for _, i := range incidents {
		for _, a := range i.Alerts {
			s := a.Finding.Series
			if i.Open() && a.Resolved.IsZero() && s.Judge != "" && s.Judge == b.from[s.Metric].Key {
				b.reply.Open = append(b.reply.Open, server.OpenIncident{ID: i.ID, Since: i.Since})
				break
			}
		}
	}
	return nil
}
