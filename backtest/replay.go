package backtest

import (
	"context"
	"slices"
	"time"

	"leadline/alert"
	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// Settings say how kept runs are decided again.
type Settings struct {
	Drift config.Drift
	// Every is the distance of a run from the next.
	Every func(run time.Time) time.Duration
	// Since leaves out incidents that were opened before. All runs are decided: what is
	// normal is learned from those before it, too.
	Since time.Time
	Drops []float64 // sizes that are put in, 0–1; none: nothing is put in
	// Progress is told how much of a part is done. Its calls do not overlap.
	Progress func(part string, done, all int)
}

// Replayed is what another configuration makes of kept runs.
type Replayed struct {
	Service string    `json:"service"`
	Runs    int       `json:"runs"`
	From    time.Time `json:"from"` // start of the first run
	To      time.Time `json:"to"`   // due time of the newest one
	Since   time.Time `json:"since,omitzero"`
	// Ready is true once any score had a baseline in any run.
	Ready     bool            `json:"ready"`
	Incidents []Compared      `json:"incidents"`
	Episodes  []drift.Episode `json:"episodes"`
	// Older counts the live incidents that were opened before the first run that is kept:
	// nothing can be said of them.
	Older     int         `json:"live_before_first_run"`
	Simulated []Simulated `json:"simulated"`
	// SimulatedLive is the same under the settings in force, where they are others.
	SimulatedLive []Simulated `json:"simulated_live,omitempty"`
}

// Replay decides kept runs again, each with what was known when it was due, and holds what
// came of it against what live decisions came to. The same runs under the same settings
// give the same, but for what an operator told after the fact: see docs/backtest.md.
func Replay(ctx context.Context, k Kept, s Settings) (Replayed, error) {
	runs := k.history().Runs()
	out := Replayed{Service: k.Service, Runs: len(runs), Since: s.Since, Incidents: []Compared{}, Episodes: []drift.Episode{}, Simulated: []Simulated{}}
	if len(runs) == 0 {
		return out, nil
	}
	out.From, out.To = k.start(), runs[len(runs)-1]
	p := player{Settings: s, runs: runs}
	err := drift.Replay(k.history(), s.Drift, func(due time.Time, known drift.History, r drift.Result) error {
		p.take(due, known, r)
		return ctx.Err()
	})
	if err != nil {
		return out, err
	}
	p.takeLateWords(k)
	out.Ready, out.Episodes = p.ready, append(out.Episodes, p.episodes...)
	out.compare(p.incidents, k.Incidents, runs)
	return out, out.simulate(ctx, k, s)
}

// player makes incidents of the runs that are decided again.
type player struct {
	Settings
	runs      []time.Time
	decided   int
	ready     bool
	episodes  []drift.Episode
	incidents []alert.Incident
}

func (p *player) take(due time.Time, known drift.History, r drift.Result) {
	p.decided++
	if p.Progress != nil {
		p.Progress("runs", p.decided, len(p.runs))
	}
	p.ready = p.ready || slices.ContainsFunc(r.States, hasBaseline)
	p.step(due, known.Acceptances, r.Episodes)
}

// hasBaseline says whether a series of scores could have alarmed.
func hasBaseline(s drift.State) bool {
	return s.Status != "learning" && slices.Contains(scorer.Metrics, s.Series.Metric)
}

func (p *player) step(due time.Time, accepted []drift.Acceptance, episodes []drift.Episode) {
	p.episodes = p.endedAtOnce(episodes, accepted)
	p.incidents, _ = alert.Step(p.incidents, alert.Input{
		Run: due, Every: p.Every(due), Episodes: p.episodes, Acceptances: accepted, Unwatched: true,
	})
}

// takeLateWords decides the newest run again with what operators told after it, as the
// daemon does at once.
func (p *player) takeLateWords(k Kept) {
	last := p.runs[len(p.runs)-1]
	late := slices.ContainsFunc(k.Marks, func(m drift.Mark) bool { return m.At.After(last) || m.Through.After(last) }) ||
		slices.ContainsFunc(k.Acceptances, func(a drift.Acceptance) bool { return a.At.After(last) })
	if !late {
		return
	}
	h := k.history()
	h.Episodes = p.episodes
	p.step(last, k.Acceptances, drift.Evaluate(h, p.Drift).Episodes)
}

// endedAtOnce ends what an operator accepted between two runs with the older one: live, an
// acceptance does not wait for the next.
func (p *player) endedAtOnce(episodes []drift.Episode, accepted []drift.Acceptance) []drift.Episode {
	out := slices.Clone(episodes)
	for i := range out {
		e := &out[i]
		for _, a := range accepted {
			if e.Resolved.IsZero() || !a.Ends(e.Series, e.Opened) {
				continue
			}
			if at := p.lastBefore(a.At); at.Before(e.Resolved) && !at.Before(e.Opened) {
				e.Resolved = at
			}
		}
	}
	return out
}

// lastBefore is the newest run that is due at or before a time, zero without one.
func (p *player) lastBefore(at time.Time) time.Time {
	n, same := slices.BinarySearchFunc(p.runs, at, time.Time.Compare)
	switch {
	case same:
		return p.runs[n]
	case n == 0:
		return time.Time{}
	}
	return p.runs[n-1]
}
