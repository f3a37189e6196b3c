package main

import (
	"fmt"
	"io"
	"math/rand/v2"

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
}

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
				if sd > 0 && days == 240 {
					b.goal(atMost("learned/"+l.Law, "services with a false page in 180 days under wander φ = .9, sd .015, tolerance as recommended after 240 days", 0.12, l.False.Share, l.False.SE))
				}
			}
		}
	}
	return nil
}

func (b *bench) lesson(law string, begin func(*rand.Rand) world, sd float64, days int) lesson {
	type outcome struct {
		tolerance float64
		paged     bool
	}
	all := replicate(b.n.Null, func(rep int) outcome {
		w := remembered{begin(generator(seedWander, rep)), make([]window, days)}
		for i := range w.past {
			w.past[i] = w.world.run(i - days)
		}
		tolerance := recommended(w.past)
		cfg := shipped()
		cfg.Tolerances = map[string]float64{"faithfulness": tolerance}
		told, _ := follow(w, cfg, days, watched, false)
		return outcome{tolerance, len(told) > 0}
	})
	l := lesson{Law: law, Wander: figure(sd), Days: days}
	some, paged := make([]bool, len(all)), make([]bool, len(all))
	for i, o := range all {
		some[i], paged[i] = o.tolerance > 0, o.paged
		l.Tolerance += figure(o.tolerance / float64(len(all)))
	}
	l.Some, l.False = shareTrue(some), shareTrue(paged)
	return l
}

// recommended is what `leadline plan` recommends after a reference.
func recommended(past []window) float64 {
	m := newMonitor(shipped())
	for _, w := range past {
		m.learn(w)
	}
	return drift.Evaluate(m.history, m.cfg).States[0].Wander.Tolerance
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
		"| law | wander sd | days | a tolerance is recommended | mean tolerance | false pages |\n|---|---|---|---|---|---|\n")
	for _, l := range lessons {
		fmt.Fprintf(w, "| %s | %.3g | %d | %.3f±%.3f | %.3f | %.3f±%.3f |\n", l.Law, l.Wander, l.Days, l.Some.Share, l.Some.SE, l.Tolerance, l.False.Share, l.False.SE)
	}
}
