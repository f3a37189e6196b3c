package drift_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

// series makes runs of relevancy whose mean wanders by an AR(1) of a standard deviation,
// with a memory of .9 a day, and swings by a cycle within the day.
type series struct {
	seed          uint64
	days, perDay  int // runs a day
	perRun        int
	wander, cycle float64
	fall          float64 // from the middle of the days on
}

func (s series) history() drift.History {
	rng := rand.New(rand.NewPCG(s.seed, 11))
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	every := 24 * time.Hour / time.Duration(s.perDay)
	level := s.wander * rng.NormFloat64()
	var h drift.History
	for run := range s.days * s.perDay {
		if run > 0 && run%s.perDay == 0 {
			level = 0.9*level + s.wander*math.Sqrt(1-0.81)*rng.NormFloat64()
		}
		mean := 0.80 + level + s.cycle*math.Sin(2*math.Pi*float64(run%s.perDay)/float64(s.perDay))
		if run >= s.days*s.perDay/2 {
			mean -= s.fall
		}
		row := drift.Row{Start: start.Add(time.Duration(run) * every), Due: start.Add(time.Duration(run+1) * every),
			Metric: scorer.AnswerRelevancy, Judge: "j1"}
		for range s.perRun {
			x := 0.0
			if rng.Float64() >= 0.04 {
				x = min(max(mean+0.09*rng.NormFloat64(), 0.30), 1)
			}
			row.Moments = row.Add(x)
		}
		h.Rows = append(h.Rows, row)
		h.Tallies = append(h.Tallies, sampler.Tally{Start: row.Start, Due: row.Due})
	}
	return h
}

func (s series) state(cfg config.Drift) drift.State {
	for _, st := range drift.Evaluate(s.history(), cfg).States {
		if st.Series.Metric == scorer.AnswerRelevancy && st.Series.Dim == "" {
			return st
		}
	}
	return drift.State{}
}

// wanders evaluates the series for many seeds.
func (s series) wanders(n int) []drift.Wander {
	out := make([]drift.Wander, n)
	for i := range out {
		s.seed = uint64(i)
		out[i] = *s.state(config.Default().Drift).Wander
	}
	return out
}

const wanderSeeds = 40

func TestWanderIsNotFoundInLuck(t *testing.T) {
	for name, s := range map[string]series{
		"independent scores":    {days: 120, perDay: 1, perRun: 50},
		"a cycle within a day":  {days: 60, perDay: 4, perRun: 30, cycle: 0.05},
		"few scores, many days": {days: 240, perDay: 1, perRun: 10},
	} {
		some := 0
		for _, w := range s.wanders(wanderSeeds) {
			if w.SD > 0 {
				some++
			}
		}
		// Two looks at 5 % each; four standard errors.
		if limit := int(0.1*wanderSeeds + 4*math.Sqrt(0.1*0.9*wanderSeeds)); some > limit {
			t.Errorf("%s: wander is found in %d of %d, want at most %d", name, some, wanderSeeds, limit)
		}
	}
}

// What a history cannot rule out is what its tolerance has to bear with: less, the longer it is.
func TestBoundOfWanderHoldsAndShrinks(t *testing.T) {
	for _, sd := range []float64{0.01, 0.02} {
		held := 0
		for _, w := range (series{days: 60, perDay: 1, perRun: 50, wander: sd}).wanders(wanderSeeds) {
			if w.Days < 50 || w.Bound >= sd { // it may have been found down
				held++
			}
			if w.Bound < w.SD || w.Tolerance > 1.6*w.Bound+0.001 {
				t.Errorf("bound and tolerance do not follow from the wander: %+v", w)
			}
		}
		// Four of five; four standard errors.
		if least := int(0.8*wanderSeeds - 4*math.Sqrt(0.8*0.2*wanderSeeds)); held < least {
			t.Errorf("the bound of a wander of %g holds in %d of %d, want at least %d", sd, held, wanderSeeds, least)
		}
	}
	middle := func(days int) float64 {
		var bounds []float64
		for _, w := range (series{days: days, perDay: 1, perRun: 50}).wanders(wanderSeeds) {
			bounds = append(bounds, w.Bound)
		}
		slices.Sort(bounds)
		return bounds[wanderSeeds/2]
	}
	if short, long := middle(40), middle(240); short < 1.5*long {
		t.Errorf("without wander the bound is %.4f after 40 days and %.4f after 240", short, long)
	}
}

// The tolerance that keeps false pages of this wander within budget is about 0.018 by
// simulation with fixed ones: docs/statistics.md.
func TestWanderIsMeasured(t *testing.T) {
	all := series{days: 240, perDay: 1, perRun: 50, wander: 0.015}.wanders(wanderSeeds)
	var sd, tolerance []float64
	for _, w := range all {
		sd, tolerance = append(sd, w.SD), append(tolerance, w.Tolerance)
	}
	slices.Sort(sd)
	slices.Sort(tolerance)
	if got := sd[wanderSeeds/2]; math.Abs(got-0.015) > 0.003 {
		t.Errorf("the middle of %d estimates of a wander of 0.015 is %.4f", wanderSeeds, got)
	}
	if tolerance[wanderSeeds/10] < 0.010 || tolerance[wanderSeeds*9/10] > 0.035 {
		t.Errorf("eight of ten recommendations are from %.3f to %.3f, want from 0.010 to 0.035", tolerance[wanderSeeds/10], tolerance[wanderSeeds*9/10])
	}
}

func TestShortHistoryRecommendsNothing(t *testing.T) {
	w := series{days: drift.MinWander - 1, perDay: 1, perRun: 50, wander: 0.05}.wanders(1)[0]
	if w.Known() || w.SD != 0 || w.Tolerance != 0 || w.Days != drift.MinWander-1 {
		t.Errorf("%d days give %+v, want nothing but their number", drift.MinWander-1, w)
	}
}

// A fall that was found is no wander: only the time before it is looked at. Taken as one, it
// would be one of 0.05.
func TestFallIsNoWander(t *testing.T) {
	for seed := range uint64(10) {
		st := series{seed: seed, days: 120, perDay: 1, perRun: 50, fall: 0.10}.state(config.Default().Drift)
		if st.Status != "down" {
			t.Fatalf("a fall of 0.10 over 60 days left the series %s", st.Status)
		}
		if st.Wander.Days > 61 || st.Wander.SD > 0.02 {
			t.Errorf("the fall is taken for wander: %+v", *st.Wander)
		}
	}
}

func TestToleranceIsThatOfTheMetric(t *testing.T) {
	s := series{seed: 5, days: 120, perDay: 1, perRun: 50, fall: 0.04}
	cfg := config.Default().Drift
	for name, c := range map[string]struct {
		tolerances map[string]float64
		want       string
	}{
		"none":                {nil, "down"},
		"of another metric":   {map[string]float64{"faithfulness": 0.1}, "down"},
		"of the metric":       {map[string]float64{"answer_relevancy": 0.1}, "ok"},
		"below the whole one": {map[string]float64{"answer_relevancy": 0}, "down"},
	} {
		cfg.Tolerances, cfg.Tolerance = c.tolerances, 0
		if name == "below the whole one" {
			cfg.Tolerance = 0.1
		}
		if got := s.state(cfg).Status; got != c.want {
			t.Errorf("tolerance %s: a fall of 0.04 leaves the series %q, want %q", name, got, c.want)
		}
	}
}

func TestEveryMetricMayHaveATolerance(t *testing.T) {
	for _, m := range slices.Concat(scorer.Metrics, drift.Shares) {
		_, err := config.Decode("f", []byte("service: {name: a}\nkafka: {brokers: [a:1], topics: [t]}\njudge: {base_url: http://a, model: m}\n"+
			"drift: {tolerances: {"+string(m)+": 0.01}}\n"), func(string) (string, bool) { return "", false })
		if err != nil {
			t.Error(err)
		}
	}
}
