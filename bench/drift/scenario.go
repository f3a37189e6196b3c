package main

import "math"

// scenario is a change in a stream of scores that were healthy before.
type scenario struct {
	name    string
	healthy named
	// at returns the law of the i-th run since the change, from 1.
	at func(i int) law
	// final is the law when the change is complete, what the oracle knows.
	final law
	drop  float64 // of the mean, when complete
	step  bool    // complete at once
	cap   int     // runs followed after the change
}

// scenarios returns the fourteen changes. Their order gives their seeds: 2001 + index.
func scenarios() []scenario {
	f, r := named{"F", faithfulness()}, named{"R", relevancy()}
	mixed := func(drop float64) law { return withBroken(f.law, drop) }
	moved := func(drop float64) law { return nearNormal(0.04, 0.80-drop/0.96, 0.09) }
	zeros := hurdle(0.12, 0.20*0.88/0.95, partials(4, 2))
	fewer := 0.05 / (1 - partials(4, 2).mean())
	partial := hurdle(0.05, 0.20+fewer, partials(4, 2))
	return []scenario{
		sudden("F mix -0.03", f, mixed(0.03), 100),
		sudden("F mix -0.05", f, mixed(0.05), 100),
		sudden("F mix -0.10", f, mixed(0.10), 60),
		sudden("F mix -0.20", f, mixed(0.20), 40),
		sudden("F zero 5→12%", f, zeros, 100),
		sudden("F partial -0.05", f, partial, 100),
		gradual("F ramp .10/20", f, mixed, 0.10, 20, 100),
		gradual("F ramp .10/100", f, mixed, 0.10, 100, 160),
		sudden("R shift -0.03", r, moved(0.03), 100),
		sudden("R shift -0.05", r, moved(0.05), 60),
		sudden("R shift -0.10", r, moved(0.10), 40),
		sudden("R shift -0.20", r, moved(0.20), 40),
		sudden("R zero 4→10%", r, nearNormal(0.10, 0.80, 0.09), 100),
		gradual("R ramp .05/20", r, moved, 0.05, 20, 100),
	}
}

// withBroken replaces as many answers by broken ones as lower the mean by drop.
func withBroken(healthy law, drop float64) law {
	share := drop / (healthy.mean() - broken().mean())
	return blend(part{1 - share, healthy}, part{share, broken()})
}

func sudden(name string, healthy named, after law, limit int) scenario {
	return scenario{name: name, healthy: healthy, final: after, drop: healthy.law.mean() - after.mean(), step: true,
		cap: limit, at: func(int) law { return after }}
}

// gradual falls linearly to drop over the given number of runs.
func gradual(name string, healthy named, lowered func(drop float64) law, drop float64, over, limit int) scenario {
	return scenario{name: name, healthy: healthy, final: lowered(drop), drop: drop, cap: limit,
		at: func(i int) law { return lowered(drop * math.Min(1, float64(i)/float64(over))) }}
}

// sources returns what to draw the runs after the change from.
func (s scenario) sources() []*source {
	if s.step {
		return []*source{s.final.source()}
	}
	out := make([]*source, s.cap)
	for i := range out {
		out[i] = s.at(i + 1).source()
	}
	return out
}
