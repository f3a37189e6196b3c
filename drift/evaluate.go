package drift

import (
	"slices"
	"time"

	"leadline/config"
)

// Evaluate decides what stands after the newest run of a history. It is pure: the same
// history gives the same result to the last bit, in any order and with rows given twice,
// and evaluating again with the episodes of the result changes nothing. Episodes carry
// what was decided before from run to run; without them old falls are found anew. Zero
// fields of cfg take their defaults, except MinDrop, MinTail and Tolerance.
func Evaluate(h History, cfg config.Drift) Result {
	ev := NewEvaluator(cfg)
	ev.Add(h)
	return ev.Decide()
}

// decide ends the episodes that are over and opens new ones.
func (e *evaluation) decide() {
	e.rule()
	e.endAccepted()
	e.settle()
	e.open()
}

// evaluation is one decision in the making.
type evaluation struct {
	settings
	History
	channels *channels
	tracks   []track
	episodes []Episode
	now      time.Time // the newest run
	// releasesSince is since when releases are known of; zero while they are not.
	releasesSince time.Time
	// views are the open episodes' own comparisons, by index of episodes.
	views map[int]*view
	// scans are the series without an open episode, by index of tracks.
	scans  map[int]*scanned
	judges *ruling
}

func newEvaluation(h History, l *layout, s settings, judges *ruling) *evaluation {
	e := &evaluation{settings: s, History: h, channels: l.channels, judges: judges, views: map[int]*view{}, scans: map[int]*scanned{}}
	if n := len(e.channels.runs); n > 0 {
		e.now = e.channels.runs[n-1].Due
	}
	e.releasesSince = e.channels.releasesKnownSince()
	e.scanning = e.scansSpend()
	for _, t := range l.tables() {
		e.tracks = append(e.tracks, t.tracks...)
	}
	e.episodes = slices.Clone(h.Episodes)
	slices.SortFunc(e.episodes, compareEpisodes)
	e.episodes = slices.CompactFunc(e.episodes, func(a, b Episode) bool {
		return a.Series == b.Series && a.Opened.Equal(b.Opened)
	})
	return e
}

// track returns the index of a live series, -1 for one of an older judge.
func (e *evaluation) track(s Series) int {
	return slices.IndexFunc(e.tracks, func(t track) bool { return t.Series == s })
}

// openOn returns the index of the open episode of a series, -1 without one.
func (e *evaluation) openOn(s Series) int {
	return slices.IndexFunc(e.episodes, func(p Episode) bool { return p.Series == s && p.Resolved.IsZero() })
}
