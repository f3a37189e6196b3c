package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"leadline/bench/goal"
	"leadline/config"
)

// wander is a world whose mean moves slowly about its level: run effects are AR(1).
type wander struct {
	rng     *rand.Rand
	moved   func(by float64) law
	phi, sd float64 // sd of the stationary effect
	effect  float64
	begun   bool
	size    int
}

func (w *wander) run(int) window { return plain(w.next()) }

// next returns the scores of the next run.
func (w *wander) next() []float64 {
	shock := w.sd * math.Sqrt(1-w.phi*w.phi)
	if !w.begun {
		shock, w.begun = w.sd, true
	}
	w.effect = w.phi*w.effect + shock*w.rng.NormFloat64()
	by := math.Max(math.Min(w.effect, 0.12), -0.30)
	return w.moved(by).source().drawN(w.rng, w.size)
}

// bearing is a tolerance that should bear with a wander of φ = .9 and sd .015.
const bearing = 0.01

func wandering() []null {
	var out []null
	for _, phi := range []float64{0.5, 0.9} {
		for _, sd := range []float64{0.015, 0.03} {
			out = append(out, plainNull(fmt.Sprintf("wander/F/phi=%g/sd=%g", phi, sd), seedWander, 6, wanderOf(movedF, phi, sd)))
		}
	}
	out = append(out, plainNull("wander/R/phi=0.9/sd=0.015", seedWander, 6, wanderOf(movedR, 0.9, 0.015)))
	return out
}

func wanderOf(moved func(float64) law, phi, sd float64) func(*rand.Rand) world {
	return func(rng *rand.Rand) world { return &wander{rng: rng, moved: moved, phi: phi, sd: sd, size: 50} }
}

// tolerant is what ships but for the tolerance.
func tolerant(w float64) config.Drift {
	cfg := shipped()
	cfg.Tolerance = min(w, cfg.MinDrop-0.001)
	return cfg
}

// price is what a tolerance costs and buys.
type price struct {
	Tolerance figure            `json:"tolerance"`
	False     map[string]share  `json:"false_pages"` // by law, under wander φ = .9, sd .015
	Delay     map[string]figure `json:"delay"`       // mean, in scores, by scenario
	SE        map[string]figure `json:"se"`
	Miss      map[string]figure `json:"miss"`
}

// pricedScenarios are the indices of those in which the cost of a tolerance is shown.
func pricedScenarios() []int { return []int{0, 1, 2, 8, 9} }

// tolerance measures what a tolerance buys under wander and what it costs in delay.
func (b *bench) tolerance() error {
	for _, w := range []float64{0, bearing, 0.019} {
		p := price{Tolerance: figure(w), False: map[string]share{}, Delay: map[string]figure{}, SE: map[string]figure{}, Miss: map[string]figure{}}
		for _, n := range []null{
			{ID: "F", seed: seedWander, reference: 6, begin: wanderOf(movedF, 0.9, 0.015), cfg: tolerant(w)},
			{ID: "R", seed: seedWander, reference: 6, begin: wanderOf(movedR, 0.9, 0.015), cfg: tolerant(w)},
		} {
			f := n.paging(b.n.Null)
			p.False[n.ID] = f
			b.say("tolerance %g: false pages of %s %.3f ± %.3f", w, n.ID, f.Share, f.SE)
			if w == bearing {
				b.goal(goal.AtMost("wander/"+n.ID, fmt.Sprintf("services with a false page in 180 days under wander φ = .9, sd .015, tolerance %g", w), 0.12, f.Share, f.SE))
			}
		}
		for _, i := range pricedScenarios() {
			s := scenarios()[i]
			o := b.priceOf(s, i, w)
			p.Delay[s.name], p.SE[s.name], p.Miss[s.name] = o.MeanDelay, o.SEDelay, o.Miss
		}
		b.report.Tolerance = append(b.report.Tolerance, p)
	}
	return nil
}

func (b *bench) priceOf(s scenario, index int, w float64) outcome {
	before, after := s.healthy.law.source(), s.sources()
	t := trial{s, seedChange + uint64(index), young(), 20, b.n.Change / 2}
	first := replicate(t.reps, func(rep int) int {
		return watch(changing(generator(t.seed, rep), before, after, t.cut, t.quiet, t.cap), tolerant(w), 0).run
	})
	return t.outcome(ourName, limit{}, first)
}
