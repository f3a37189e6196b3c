package main

import (
	"time"

	"leadline/bench/goal"
	"leadline/drift"
	"leadline/sampler"
)

// toldLater is what becomes of a drop, the release being in no record, when somebody tells
// of releases a day after the page.
type toldLater struct {
	ID    string               `json:"id"`
	Drops share                `json:"drops"` // first told as a drop, of all found
	Kinds map[drift.Kind]share `json:"kinds"` // a day later, of the drops
}

// hearsay is what somebody may tell after a page.
type hearsay struct {
	id, goal string
	kind     drift.Kind // that the drop should become
	mark     func(m *monitor, f drift.Finding) drift.Mark
}

func hearsays() []hearsay {
	release := func(at time.Time) drift.Mark {
		return drift.Mark{Channel: sampler.ChannelRelease, Value: "v2", Source: "api", At: at}
	}
	return []hearsay{
		{"a release at the run of the change as it was told", "told-since", drift.KindRegression,
			func(_ *monitor, f drift.Finding) drift.Mark { return release(f.Since) }},
		{"the bad release at its true time", "told-true", drift.KindRegression,
			func(m *monitor, _ drift.Finding) drift.Mark { return release(m.due(oldReference + releaseAt)) }},
		{"no release until now", "told-none", drift.KindSilent, func(m *monitor, _ drift.Finding) drift.Mark {
			return drift.Mark{Channel: sampler.ChannelRelease, Source: "api", Through: m.due(m.runs)}
		}},
	}
}

func (b *bench) toldLater(r *releaseFigures) {
	kinds := replicate(b.n.Release, reporting)
	for k, say := range hearsays() {
		drops, found := 0, 0
		count := map[drift.Kind]int{}
		for _, got := range kinds {
			if len(got) == 0 {
				continue
			}
			found++
			if got[0] != drift.KindDrop {
				continue
			}
			drops++
			count[got[1+k]]++
		}
		t := toldLater{ID: say.id, Drops: goal.ShareOf(drops, found), Kinds: map[drift.Kind]share{}}
		for _, kind := range kindsShown() {
			t.Kinds[kind] = goal.ShareOf(count[kind], drops)
		}
		r.Told = append(r.Told, t)
		b.say("told later, %s: %s %.3f", t.ID, say.kind, t.Kinds[say.kind].Share)
		b.goal(goal.AtLeast(say.goal, "drops that become "+string(say.kind)+" a day after somebody told of "+say.id, 0.90, t.Kinds[say.kind].Share, t.Kinds[say.kind].SE))
	}
}

// reporting returns the kind of the page of an unlogged bad release, F −.10, and its kind in
// the run after, for each thing that somebody may have told until then.
func reporting(rep int) []drift.Kind {
	w := badRelease{faultF(-0.10), oldReference, false}.world(rep)
	w.unlogged = true
	told, m := follow(w, shipped(), oldReference, releaseAt+releaseFollow, false)
	if len(told) == 0 || told[0].run < releaseAt {
		return nil
	}
	page := told[0]
	kinds := []drift.Kind{page.Kind}
	after := w.run(page.run + 1)
	for _, say := range hearsays() {
		other := m.told(say.mark(m, page.Finding))
		other.next(after)
		for _, e := range other.result.Episodes {
			if e.Series == page.Series && e.Opened.Equal(page.Opened) {
				kinds = append(kinds, e.Kind)
			}
		}
	}
	return kinds
}
