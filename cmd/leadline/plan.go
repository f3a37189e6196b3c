package main

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"leadline/config"
	"leadline/drift"
	"leadline/schedule"
	"leadline/scorer"
	"leadline/server"
)

// plan is what the configured sampling can see, from when, and what it takes.
type plan struct {
	Service string    `json:"service"`
	AsOf    time.Time `json:"as_of"`
	// Typical says that there is no history yet: figures are those of usual scores, for a
	// baseline of TypicalDays at the configured sampling.
	Typical     bool `json:"typical"`
	TypicalDays int  `json:"typical_days,omitempty"`
	// Anew says that there were runs, and that none of them is in a baseline any more.
	Anew     bool         `json:"anew,omitempty"`
	Sampling samplingPlan `json:"sampling"`
	Metrics  []metricPlan `json:"metrics"`
	Cost     costPlan     `json:"cost"`
}

type samplingPlan struct {
	Rate       float64 `json:"rate"`
	PerRun     int     `json:"per_run"` // at most, as configured
	RunsPerDay float64 `json:"runs_per_day"`
	// SeenPerRun is what runs had on average; 0 without a history.
	SeenPerRun float64 `json:"seen_per_run"`
}

type metricPlan struct {
	Metric        scorer.Metric `json:"metric"`
	Status        string        `json:"status"` // as drift.State, or "not started"
	Baseline      int           `json:"baseline"`
	LearningUntil time.Time     `json:"learning_until,omitzero"`
	PerDay        float64       `json:"samples_per_day"`
	// Grows is how many of them join the baseline as things stand: none of what is down.
	Grows     float64       `json:"baseline_grows_per_day"`
	Falls     []fallPlan    `json:"falls"`
	Tolerance tolerancePlan `json:"tolerance"`
}

// fallPlan is how a fall of a mean would be found. What is not known, or never, is left out.
type fallPlan struct {
	Fall     float64   `json:"fall"`
	SeenFrom time.Time `json:"seen_from,omitzero"`
	Now      bool      `json:"seen_now"`
	// Samples and Days come between the fall and the alarm, with today's baseline. Tokens
	// and Price are what the judge takes meanwhile, at most.
	Samples span    `json:"samples"`
	Days    span    `json:"days"`
	Tokens  float64 `json:"tokens,omitempty"`
	Price   float64 `json:"price,omitempty"`
	// The same at twice the samples a run.
	TwiceFrom time.Time `json:"twice_seen_from,omitzero"`
	TwiceDays span      `json:"twice_days"`
}

// span is from the least, when all answers get a little worse, to the most, when some
// fail. Zero: it is not seen.
type span struct {
	Least float64 `json:"least,omitempty"`
	Most  float64 `json:"most,omitempty"`
}

// delay is the delay of a fall in samples.
func delay(s drift.Sight, fall, tolerance float64) span {
	least, most := s.Delay(fall, tolerance)
	return span{finite(least), finite(most)}
}

func finite(x float64) float64 {
	if math.IsInf(x, 1) {
		return 0
	}
	return math.Round(x)
}

func (s span) per(rate float64) span {
	return span{hundredths(s.Least / rate), hundredths(s.Most / rate)}
}

// tolerancePlan is what the history asks for, and its price.
type tolerancePlan struct {
	Set         float64       `json:"set"`
	Wander      *drift.Wander `json:"wander,omitempty"` // nil without a history
	Recommended float64       `json:"recommended"`
	Delays      []delayedPlan `json:"delays,omitempty"`
}

// delayedPlan is a fall's delay in samples at no tolerance, the set one and the recommended
// one.
type delayedPlan struct {
	Fall        float64 `json:"fall"`
	AtZero      span    `json:"at_zero"`
	AtSet       span    `json:"at_set"`
	Recommended span    `json:"at_recommended"`
}

// plannedFalls are the falls of a mean that a plan speaks of.
func plannedFalls() []float64 { return []float64{0.03, 0.05, 0.10, 0.20} }

func (a *app) planCommand() *cobra.Command {
	var per prices
	c := &cobra.Command{
		Use:   "plan",
		Short: "Tell what fall the sampling can see, from when, how soon, and at what cost",
		Long: "Tells what fall of the mean the configured sampling can see, from which date, about how long it would take, what\n" +
			"the judge takes meanwhile, and which drift.tolerance the history asks for. Without a history it uses the figures of\n" +
			"usual scores, and says so.",
		Args: takes(),
	}
	form := outputFlag(c)
	c.Flags().Float64Var(&per.prompt, "prompt-price", 0, "what a million prompt tokens cost, in any currency; without it the price that check shows")
	c.Flags().Float64Var(&per.completion, "completion-price", 0, "what a million completion tokens cost")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := errors.Join(checkOutput(*form), per.check()); err != nil {
			return err
		}
		cfg, err := a.config()
		if err != nil {
			return err
		}
		if per == (prices{}) {
			per = pricesOf(cfg.Judge)
		}
		st, err := a.planStatus(c.Context(), cfg)
		if err != nil {
			return err
		}
		p, err := newPlan(cfg, st, per)
		if err != nil {
			return err
		}
		return printPlanned(a.io.out, *form, p)
	}
	return c
}

// planStatus asks how things stand. Where nothing has run yet there is nothing to ask.
func (a *app) planStatus(ctx context.Context, cfg config.Config) (server.Status, error) {
	if _, err := os.Stat(cfg.Store.Path); errors.Is(err, fs.ErrNotExist) {
		return server.Status{Now: time.Now().UTC()}, nil
	}
	client, err := a.connect(ctx)
	if err != nil {
		return server.Status{}, err
	}
	defer client.close()
	return client.Status(ctx)
}

func newPlan(cfg config.Config, st server.Status, per prices) (plan, error) {
	runs, err := runsPerDay(cfg, st.Now)
	if err != nil {
		return plan{}, err
	}
	p := plan{
		Service: cfg.Service.Name, AsOf: st.Now,
		Sampling: samplingPlan{Rate: cfg.Sample.Rate, PerRun: cfg.Sample.PerRun, RunsPerDay: runs},
	}
	if st.Cost.Runs > 0 {
		p.Sampling.SeenPerRun = float64(st.Cost.Samples) / float64(st.Cost.Runs)
	}
	p.Cost = newCostPlan(cfg, st.Cost, p.Sampling, per)
	for _, m := range scorer.Metrics {
		if s, ok := pooledState(st, m); ok {
			m := newMetricPlan(cfg, s, p)
			m.Grows = m.PerDay * (1 - downShare(st, s))
			p.Metrics = append(p.Metrics, m)
		}
	}
	if len(p.Metrics) == 0 {
		p.Typical, p.TypicalDays, p.Anew = true, typicalDays, len(st.Series) > 0
		for _, m := range metricsJudged(cfg) {
			p.Metrics = append(p.Metrics, newMetricPlan(cfg, typicalState(m, p.Sampling), p))
		}
	}
	return p, nil
}

// metricsJudged are the metrics that will be scored.
func metricsJudged(cfg config.Config) []scorer.Metric {
	if cfg.Judge.Embeddings.Model == "" {
		return []scorer.Metric{scorer.Faithfulness}
	}
	return scorer.Metrics
}

func pooledState(st server.Status, m scorer.Metric) (drift.State, bool) {
	for _, s := range st.Series {
		if s.Series.Metric == m && s.Series.Dim == "" && s.Sight.PerRun > 0 {
			return s.State, true
		}
	}
	return drift.State{}, false
}

// downShare is the part of a pooled series' newest scores that do not join its baseline,
// because it is down, or the segments are that they are of: in the dimension that takes most.
func downShare(st server.Status, pooled drift.State) float64 {
	if pooled.Status == "down" {
		return 1
	}
	down := map[string]int{}
	for _, s := range st.Series {
		if s.Series.Metric == pooled.Series.Metric && s.Series.Dim != "" && s.Status == "down" {
			down[s.Series.Dim] += s.Last.N
		}
	}
	most := 0
	for _, n := range down {
		most = max(most, n)
	}
	return min(1, float64(most)/float64(max(pooled.Last.N, 1)))
}

// runsPerDay counts the due times of the next four weeks.
func runsPerDay(cfg config.Config, now time.Time) (float64, error) {
	location, err := time.LoadLocation(cfg.Service.Timezone)
	if err != nil {
		return 0, err
	}
	when, err := schedule.Parse(cfg.Score.Schedule, location)
	if err != nil {
		return 0, err
	}
	const days = 28
	n, end := 0, now.AddDate(0, 0, days)
	for due := when.Next(now); !due.IsZero() && !due.After(end); due = when.Next(due) {
		n++
	}
	if n > 0 {
		return float64(n) / days, nil
	}
	first := when.Next(now) // less often than every four weeks
	return 24 / when.Next(first).Sub(first).Hours(), nil
}

func newMetricPlan(cfg config.Config, s drift.State, p plan) metricPlan {
	sight := withTypical(cfg, s, p.Sampling)
	m := metricPlan{Metric: s.Series.Metric, Status: s.Status, Baseline: s.Sight.Baseline, PerDay: sight.PerDay, Grows: sight.PerDay}
	w := cfg.Drift.ToleranceOf(string(m.Metric))
	if missing := cfg.Drift.MinBaseline - s.Baseline.N; s.Status == "learning" && missing > 0 {
		m.LearningUntil = after(p.AsOf, float64(missing)/sight.PerDay)
	}
	for _, fall := range plannedFalls() {
		m.Falls = append(m.Falls, newFallPlan(cfg, sight, fall, w, p))
	}
	m.Tolerance = newTolerancePlan(s.Wander, sight, w)
	return m
}

func newFallPlan(cfg config.Config, s drift.Sight, fall, tolerance float64, p plan) fallPlan {
	f := fallPlan{Fall: fall}
	have := float64(s.Baseline)
	if p.Typical {
		have = 0 // it is assumed for the delay only
	}
	missing := max(s.Needs(fall, tolerance), float64(cfg.Drift.MinBaseline)) - have
	f.Now = missing <= 0
	f.SeenFrom, f.TwiceFrom = after(p.AsOf, missing/s.PerDay), after(p.AsOf, missing/s.PerDay/2)
	f.Samples = delay(s, fall, tolerance)
	f.Days = f.Samples.per(s.PerDay)
	tokens, price := p.Cost.of(f.Samples.Most, f.Samples.Most/s.PerDay*p.Sampling.RunsPerDay)
	f.Tokens, f.Price = math.Round(tokens), hundredths(price)
	twice := s
	twice.PerRun, twice.PerDay = 2*s.PerRun, 2*s.PerDay
	if p.Typical {
		twice.Baseline *= 2
	}
	f.TwiceDays = delay(twice, fall, tolerance).per(twice.PerDay)
	return f
}

func hundredths(x float64) float64 { return math.Round(100*x) / 100 }

// after is a time some days later; zero for never, and beyond ten years.
func after(t time.Time, days float64) time.Time {
	if days > 3650 || math.IsNaN(days) {
		return time.Time{}
	}
	return t.Add(time.Duration(max(days, 0) * 24 * float64(time.Hour))).UTC()
}

func newTolerancePlan(w *drift.Wander, s drift.Sight, set float64) tolerancePlan {
	t := tolerancePlan{Set: set, Wander: w}
	if w != nil {
		t.Recommended = w.Tolerance
	}
	for _, fall := range plannedFalls() {
		t.Delays = append(t.Delays, delayedPlan{fall, delay(s, fall, 0), delay(s, fall, set), delay(s, fall, t.Recommended)})
	}
	return t
}

// Usual scores are the laws F and R of bench/drift.
const (
	typicalDays    = 30
	typicalDesign  = 1.2
	typicalSeries  = 6 // two metrics and four shares have one budget
	typicalStatus  = "not started"
	enoughForSight = 100
)

func typicalState(m scorer.Metric, s samplingPlan) drift.State {
	return drift.State{Series: drift.Series{Metric: m}, Status: typicalStatus, Sight: drift.Sight{PerRun: float64(s.PerRun)}}
}

// withTypical fills in what a history does not tell yet.
func withTypical(cfg config.Config, s drift.State, plan samplingPlan) drift.Sight {
	sight := s.Sight
	if sight.PerDay == 0 {
		sight.PerDay = sight.PerRun * plan.RunsPerDay
	}
	if s.Status == typicalStatus {
		sight.Baseline = int(typicalDays * sight.PerDay)
	} else if sight.Baseline >= enoughForSight {
		return sight
	}
	sight.All = drift.Spread{Share: 1, Variance: 0.0746, Skew: 2, Kurtosis: 3.1}
	sight.NonZero = drift.Spread{Share: 0.95, Variance: 0.0376, Skew: 2.1, Kurtosis: 3.2}
	if s.Series.Metric == scorer.AnswerRelevancy {
		sight.All = drift.Spread{Share: 1, Variance: 0.0310, Skew: 3.1, Kurtosis: 11}
		sight.NonZero = drift.Spread{Share: 0.96, Variance: 0.0072, Skew: 0.2}
	}
	sight.Design = typicalDesign
	boundaries := cfg.Drift.Period.Hours() / 24 * plan.RunsPerDay
	sight.LnNeeded = math.Log(typicalSeries/float64(cfg.Drift.FalseAlarms)) + math.Log(max(boundaries, 1))
	return sight
}
