package drift

import (
	"time"

	"leadline/sampler"
)

// takes is the part of what is left for releases that each new one may spend.
const takes = 0.2

// The scans over all series and the trials of releases have one budget of false alarms. A
// part of it is kept for the trials; each new release takes a fifth of what those of the
// period before have left of it (alpha-spending). However many there are, all that can page
// falsely adds up to no more than was promised.

// scansSpend is what the scans may spend in a period: everything while no release is known
// of, for which they would leave some.
func (e *evaluation) scansSpend() float64 {
	if e.releasesSince.IsZero() {
		return float64(e.FalseAlarms)
	}
	return float64(e.FalseAlarms) - e.forReleases
}

// releasesSpend is what all trials of the period that ends at a time may spend: what is kept for
// them, but for the part of the period in which the scans had it.
func (e *evaluation) releasesSpend(at time.Time) float64 {
	if e.releasesSince.IsZero() {
		return 0
	}
	begun := at.Add(-e.Period)
	if first := e.channels.runs[0].Due; first.After(begun) {
		begun = first
	}
	had := max(0, float64(e.releasesSince.Sub(begun))/float64(e.Period))
	return e.forReleases * max(0, 1-had)
}

// spending is what the trials of releases may spend.
type spending struct {
	each   []float64 // each change of the release, in order; 0 for one that has no trial
	newest int       // new releases of the period that ends now
	spent  float64   // what they were given together
	next   float64   // what one that came now would be
}

func (e *evaluation) spending() spending {
	changes := e.channels.changes[sampler.ChannelRelease]
	s := spending{each: make([]float64, len(changes))}
	oldest := 0
	left := func(at time.Time) float64 {
		for ; oldest < len(changes) && !changes[oldest].due.After(at.Add(-e.Period)); oldest++ {
			s.spent -= s.each[oldest]
			if changes[oldest].fresh {
				s.newest--
			}
		}
		return max(0, e.releasesSpend(at)-s.spent)
	}
	for i, c := range changes {
		if c.fresh {
			s.each[i] = takes * left(c.due)
			s.spent += s.each[i]
			s.newest++
		}
	}
	s.next = takes * left(e.now)
	return s
}

// releasesKnownSince is when the log first carried a release, or somebody first told of
// one; zero while neither is so.
func (c *channels) releasesKnownSince() (since time.Time) {
	if c.inLog[sampler.ChannelRelease] {
		i := 0
		for len(c.runs[i].Channels[sampler.ChannelRelease]) == 0 {
			i++
		}
		since = c.runs[i].Due
	}
	for _, m := range c.marks {
		if m.Channel == sampler.ChannelRelease && (since.IsZero() || m.At.Before(since)) {
			since = m.At
		}
	}
	return since
}
