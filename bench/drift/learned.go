package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"leadline/bench/goal"
	"leadline/drift"
)

// lesson is what came of a tolerance that was recommended after so many days and then left
// alone for 180 runs.
type lesson struct {
	Law       string `json:"law"`
	Wander    figure `json:"wander"` // sd, φ = .9; 0 for none
	Days      int    `json:"days"`
	Some      share  `json:"recommended"` // of services, a tolerance above 0
	Tolerance figure `json:"tolerance"`   // mean
	False     share  `json:"false_pages"`
	// Delay is what plan says of falls of .05 and .10 with it, Without at none: the median, in
	// scores, of services, when answers fail (F) and when all get worse (R).
	Delay   [2]figure `json:"delay"`
	Without [2]figure `json:"delay_without"`
}

// toldFalls are those of Delay.
var toldFalls = [2]float64{0.05, 0.10}

// learnedDays are the histories after which a tolerance is learned.
func learnedDays() []int { return []int{60, 120, 240} }

func (b *bench) learned() error {
	for _, law := range []struct {
		name  string
		moved func(float64) law
	}{{"F", movedF}, {"R", movedR}} {
		for _, sd := range []float64{0, 0.015} {
			for _, days := range learnedDays() {
				l := b.lesson(law.name, wanderOf(law.moved, 0.9, sd), sd, days)
				b.report.Learned = append(b.report.Learned, l)
				b.say("learned after %d days, %s, wander %g: %.3f, recommended in %.3f; false pages %.3f ± %.3f", days, l.Law, sd, l.Tolerance, l.Some.Share, l.False.Share, l.False.SE)
				if sd > 0 {
					b.goal(goal.AtMost(fmt.Sprintf("learned/%s/%d", l.Law, days), fmt.Sprintf("services with a false page in 180 days under wander φ = .9, sd .015, tolerance as recommended after %d days", days), 0.12, l.False.Share, l.False.SE))
				}
			}
		}
	}
	return nil
}

// taught is a service after its history, and what came of it.
type taught struct {
	drift.State
	paged bool
}

// delay is what plan says of a fall.
func (t taught) delay(law string, fall, tolerance float64) float64 {
	least, most := t.Sight.Delay(fall, tolerance)
	if law == "F" {
		return most
	}
	return least
}

func (b *bench) lesson(law string, begin func(*rand.Rand) world, sd float64, days int) lesson {
	all := replicate(b.n.Null, func(rep int) taught {
		w := remembered{begin(generator(seedWander, rep)), make([]window, days)}
		for i := range w.past {
			w.past[i] = w.world.run(i - days)
		}
		state := planned(w.past)
		cfg := shipped()
		cfg.Tolerances = map[string]float64{"faithfulness": state.Wander.Tolerance}
		told, _ := follow(w, cfg, days, watched, false)
		return taught{state, len(told) > 0}
	})
	l := lesson{Law: law, Wander: figure(sd), Days: days}
	some, paged := make([]bool, len(all)), make([]bool, len(all))
	for i, o := range all {
		some[i], paged[i] = o.Wander.Tolerance > 0, o.paged
		l.Tolerance += figure(o.Wander.Tolerance / float64(len(all)))
	}
	for k, fall := range toldFalls {
		var with, without []float64
		for _, o := range all {
			with = append(with, o.delay(law, fall, o.Wander.Tolerance))
			without = append(without, o.delay(law, fall, 0))
		}
		l.Delay[k], l.Without[k] = quantile(with, 0.5), quantile(without, 0.5)
	}
	l.Some, l.False = goal.ShareTrue(some), goal.ShareTrue(paged)
	return l
}

// planned is what `leadline plan` knows after a reference.
func planned(past []window) drift.State {
	m := newMonitor(shipped())
	for _, w := range past {
		m.learn(w)
	}
	return drift.Evaluate(m.history, m.cfg).States[0]
}

// remembered is a world whose reference was seen already.
type remembered struct {
	world
	past []window
}

func (r remembered) run(i int) window {
	if i < 0 {
		return r.past[len(r.past)+i]
	}
	return r.world.run(i)
}

func printLearned(w io.Writer, lessons []lesson) {
	if len(lessons) == 0 {
		return
	}
	fmt.Fprint(w, "\n## A tolerance learned from history\n\nφ = .9, 50 scores a day; learned once, then left alone for 180 runs.\n\n"+
		"| law | wander sd | days | a tolerance is recommended | mean tolerance | false pages | −.05, −.10 by plan, scores | without |\n|---|---|---|---|---|---|---|---|\n")
	for _, l := range lessons {
		fmt.Fprintf(w, "| %s | %.3g | %d | %.3f±%.3f | %.3f | %.3f±%.3f | %.0f, %.0f | %.0f, %.0f |\n", l.Law, l.Wander, l.Days, l.Some.Share, l.Some.SE, l.Tolerance, l.False.Share, l.False.SE,
			l.Delay[0], l.Delay[1], l.Without[0], l.Without[1])
	}
}
