package main

import (
	"fmt"
	"math"
	"time"

	"leadline/bench/goal"
	"leadline/config"
	"leadline/sampler"
	"leadline/schedule"
	"leadline/scorer"
)

// What a user asks: for ten dollars a month, how many days until a silent fall of .05 is told?
const (
	dollars    = 10
	daysWanted = 3
	monthOld   = 30 // days before the fall, at the same rate
	costFollow = 60 // days
	seedCost   = 9501
)

// costFigures are what a month costs and what it finds.
type costFigures struct {
	AsOf    string      `json:"prices_as_of"`
	Again   figure      `json:"asked_twice"`
	PerRun  int         `json:"default_per_run"`
	PerDay  int         `json:"default_runs_a_day"`
	Prices  []costOf    `json:"prices"`
	Falls   []detection `json:"falls"`
	Records figure      `json:"records_a_day"` // that the default needs to fill its runs, those on watch too
	// Watch is the share of a healthy service's runs that are on watch, and judge so many
	// times as many samples; Second is the share of samples that are scored twice.
	Watch  share  `json:"watch"`
	Factor int    `json:"watch_factor"`
	Second figure `json:"second_look"`
}

// costOf is what one price makes of it.
type costOf struct {
	judgePrice
	Sample figure `json:"per_1000_samples"` // dollars, nothing asked twice, without controls
	Ruler  figure `json:"controls_a_month"`
	Month  figure `json:"default_a_month"` // all in
	Buys   int    `json:"per_run_for_10"`  // samples a run that ten dollars a month pay for
}

func (b *bench) costs() error {
	cfg := config.Default()
	perDay, err := runsADay(cfg.Score.Schedule)
	if err != nil {
		return err
	}
	f := costFigures{AsOf: pricesAsOf, Again: again, PerRun: cfg.Sample.PerRun, PerDay: perDay,
		Records: figure(float64(cfg.Sample.PerRun*cfg.Sample.WatchFactor*perDay) / cfg.Sample.Rate),
		Watch:   b.onWatch(cfg.Sample.PerRun, perDay), Factor: cfg.Sample.WatchFactor, Second: figure(cfg.Sample.SecondLook)}
	more := (1 + float64(f.Watch.Share)*float64(f.Factor-1)) * (1 + cfg.Sample.SecondLook)
	for _, p := range prices() {
		f.Prices = append(f.Prices, costOf{p, figure(1000 * p.sample()), figure((1 + again) * monthDays * float64(perDay) * ruler * more * float64(cfg.Sample.PerRun) * p.sample()),
			figure(p.month(more*float64(cfg.Sample.PerRun), perDay)), int(p.buys(dollars, perDay) / more)})
	}
	b.say("cost: %.3f of healthy runs are on watch", f.Watch.Share)
	best := f.Prices[0]
	b.goal(goal.AtMost("cost-default", "dollars per service and month, all in: default sampling, "+best.Model+" at list price", dollars, best.Month, 0))
	for _, c := range []struct {
		id, goal string
		perRun   int
	}{
		{"default sampling", "default", f.PerRun},
		{fmt.Sprintf("$%d, %s, list price", dollars, best.Model), "list", best.Buys},
		{fmt.Sprintf("$%d, %s, Flex", dollars, best.Model), "flex", f.Prices[1].Buys},
		{fmt.Sprintf("$%d, %s, list price", dollars, f.Prices[3].Model), "older", f.Prices[3].Buys},
	} {
		for _, by := range []float64{-0.05, -0.10} {
			d := b.costFall(c.id, c.perRun, perDay, by)
			f.Falls = append(f.Falls, d)
			b.say("cost, %s: found %.3f, median %.2f days, 90 %% %.2f days", d.ID, d.Found.Share, d.Days, d.DaysP90)
			if by == -0.05 {
				g := goal.AtMost("cost-days/"+c.goal, "days, median, to the page of a silent fall of .05: "+c.id, daysWanted, d.Days, d.DaysSE)
				g.Pass = d.Days <= daysWanted // days come in quarters: one of them is more than an error
				b.goal(g)
			}
		}
	}
	b.report.Cost = &f
	return nil
}

// costFall is a silent fall after a month at a rate, with a release every week and a new
// index every night. Falls come on all days of the release week and at all runs of the day alike.
func (b *bench) costFall(id string, perRun, perDay int, by float64) detection {
	d := detectionOf(fmt.Sprintf("F %.2f, %s: %d a run, %d runs a day", by, id, perRun, perDay), perRun*perDay,
		replicate(b.n.Cost, func(rep int) tale {
			m := newMonitor(shipped())
			m.every = day / time.Duration(perDay)
			w := &watchful{costWorld(rep, perRun, perDay, by, 1), m, perRun}
			told := m.follow(w, monthOld*perDay-1, 1+costFollow*perDay, false)
			return taleOf(told, m, scorer.Faithfulness, 1)
		}))
	d.Later, d.Ended, d.Pages = nil, share{}, figure(math.NaN()) // nobody looked on
	return d
}

// watchful is a service of which more samples are judged while a series is on watch.
type watchful struct {
	*service
	monitor *monitor
	usual   int
}

func (w *watchful) run(i int) window {
	w.size = w.usual
	if w.monitor.result.OnWatch() {
		w.size *= config.Default().Sample.WatchFactor
	}
	return w.service.run(i)
}

// onWatch returns the share of a healthy service's runs that are on watch, in half a year
// after a month.
func (b *bench) onWatch(perRun, perDay int) share {
	runs := watched * perDay
	counts := replicate(max(b.n.Cost/20, 1), func(rep int) int {
		m := newMonitor(shipped())
		m.every = day / time.Duration(perDay)
		w := &watchful{costWorld(rep, perRun, perDay, 0, runs), m, perRun}
		for i := range monthOld * perDay {
			m.learn(w.run(i - monthOld*perDay))
		}
		n := 0
		for i := range runs {
			if m.next(w.run(i)); m.result.OnWatch() {
				n++
			}
		}
		return n
	})
	all := 0
	for _, n := range counts {
		all += n
	}
	s := goal.ShareOf(all, len(counts)*runs)
	s.SE = 0 // runs of a service are alike
	return s
}

// costWorld falls in a run.
func costWorld(rep, perRun, perDay int, by float64, at int) *service {
	f, low, r := faithfulness().source(), movedF(by).source(), relevancy().source()
	return &service{rng: generator(seedCost, rep), size: perRun,
		channels: func(i int) map[sampler.Channel]string {
			return nightly((i + rep + 7000*perDay) / perDay)
		},
		laws: func(i, _ int) (*source, *source) {
			if i >= at {
				return low, r
			}
			return f, r
		}}
}

// runsADay counts the due times of a schedule in a day.
func runsADay(expression string) (int, error) {
	when, err := schedule.Parse(expression, time.UTC)
	if err != nil {
		return 0, fmt.Errorf("read the default schedule: %w", err)
	}
	from := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	n := 0
	for due := when.Next(from); !due.IsZero() && !due.After(from.Add(day)); due = when.Next(due) {
		n++
	}
	return n, nil
}
