package drift

import (
	"maps"
	"slices"

	"leadline/sampler"
)

// arrivals finds the runs in which a value of a channel reaches its share of the observed
// traffic. What the first run of a channel shows is no change.
type arrivals struct {
	channel     sampler.Channel
	changes     []change
	here, known map[string]bool
	share       map[string]float64 // of the values that are here, when they had come or last stepped up
	coming      map[string]bool    // came in the run before: the deployment may have been under way
	main        string             // of the run before
	begun       bool
}

func newArrivals(ch sampler.Channel) *arrivals {
	return &arrivals{channel: ch, here: map[string]bool{}, known: map[string]bool{}, share: map[string]float64{}, coming: map[string]bool{}}
}

// run takes in a run and says whether it brought a change.
func (a *arrivals) run(t sampler.Tally) bool {
	counts := t.Channels[a.channel]
	total := sum(counts)
	if total == 0 {
		return false
	}
	before := len(a.changes)
	for _, v := range a.arriving(counts, total) {
		a.here[v] = true
		if a.begun {
			a.changes = append(a.changes, change{channel: a.channel, old: a.main, new: v, due: t.Due, at: t.Start, fresh: !a.known[v]})
		}
		a.known[v] = true
		a.share[v], a.coming[v] = 0, true
	}
	a.stepped(t, total)
	for v := range a.here {
		if float64(counts[v]) < leaves*float64(total) {
			delete(a.here, v)
		}
	}
	a.main, a.begun = dominant(counts), true
	return len(a.changes) > before
}

// stepped notes the values that took over much more of the traffic than they came with.
func (a *arrivals) stepped(t sampler.Tally, total int) {
	for _, v := range slices.Sorted(maps.Keys(a.here)) {
		share := float64(t.Channels[a.channel][v]) / float64(total)
		if a.coming[v] {
			a.coming[v], a.share[v] = a.share[v] == 0, share
			continue
		}
		if share < a.share[v]+stepsUp || total < enoughRecords {
			continue
		}
		a.share[v] = share
		if v != a.main {
			a.changes = append(a.changes, change{channel: a.channel, old: a.main, new: v, due: t.Due, at: t.Start, step: true})
		}
	}
}

// arriving returns the values that are here and were not, by name.
func (a *arrivals) arriving(counts map[string]int, total int) []string {
	var out []string
	for v, n := range counts {
		if float64(n)/float64(total) >= arrives && !a.here[v] {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

func sum(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

// dominant returns the most frequent value, the first by name of several.
func dominant(counts map[string]int) string {
	best, most := "", 0
	for v, n := range counts {
		if n > most || n == most && v < best {
			best, most = v, n
		}
	}
	return best
}
