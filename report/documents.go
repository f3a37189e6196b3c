package report

import (
	"cmp"
	"slices"
	"time"

	"leadline/drift"
	"leadline/sampler"
)

const (
	maxDocuments = 10
	// minVanished is how often a document must have been retrieved in the weeks before,
	// so that its absence for a week means something.
	minVanished = 20
)

// edition is one edition of one document in the charts' time.
type edition struct {
	week, before int
}

// documents tells what the retrieved documents did, which needs no judge.
func (in *maker) documents() Documents {
	out := Documents{Notes: []drift.Note{}, Vanished: []Document{}, Newest: []Document{}}
	for _, n := range in.Result.Notes {
		if during(n.At, n.Until, in.From, in.To) {
			out.Notes = append(out.Notes, n)
		}
	}
	all, dates := in.editions()
	out.Observed = len(all) > 0
	before := in.weeksBefore()
	if out.Known = before >= 1; !out.Known {
		return out
	}
	for id, editions := range all {
		var seen edition
		for version, e := range editions {
			seen.week, seen.before = seen.week+e.week, seen.before+e.before
			if version != "" && e.before == 0 && e.week > 0 {
				out.Newest = append(out.Newest, Document{id, version, dates[id+"\x00"+version], e.week})
			}
		}
		if seen.week == 0 && seen.before >= minVanished {
			out.Vanished = append(out.Vanished, Document{ID: id, Count: int(float64(seen.before)/before + 0.5)})
		}
	}
	out.NewestCount, out.VanishedCount = len(out.Newest), len(out.Vanished)
	out.Newest, out.Vanished = top(out.Newest), top(out.Vanished)
	return out
}

func top(docs []Document) []Document {
	slices.SortFunc(docs, func(a, b Document) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.ID, b.ID), cmp.Compare(a.Edition, b.Edition))
	})
	return docs[:min(len(docs), maxDocuments)]
}

// editions counts retrievals by document and edition; the empty ID, of those beyond the
// limit, is left out.
func (in *maker) editions() (map[string]map[string]edition, map[string]time.Time) {
	all, dates := map[string]map[string]edition{}, map[string]time.Time{}
	for _, t := range in.History.Tallies {
		week, before := in.inWeek(t.Due), in.before(t.Due)
		if !week && !before {
			continue
		}
		for id, versions := range t.Docs {
			if id == "" {
				continue
			}
			if all[id] == nil {
				all[id] = map[string]edition{}
			}
			for v, n := range versions {
				e := all[id][v]
				e.week, e.before = e.week+n*btoi(week), e.before+n*btoi(before)
				all[id][v] = e
				if at := t.DocDates[id+"\x00"+v]; !at.IsZero() {
					dates[id+"\x00"+v] = at
				}
			}
		}
	}
	return all, dates
}

// weeksBefore is how many weeks of tallies there are before the week.
func (in *maker) weeksBefore() float64 {
	var first time.Time
	for _, t := range in.History.Tallies {
		if in.before(t.Due) && (first.IsZero() || t.Due.Before(first)) {
			first = t.Due
		}
	}
	if first.IsZero() {
		return 0
	}
	return in.From.Sub(first).Hours() / (24 * 7)
}

// tallies adds up the week's, without their maps.
func (in *maker) tallies() (t sampler.Tally) {
	for _, x := range in.History.Tallies {
		if in.inWeek(x.Due) {
			t.Decoded += x.Decoded
			t.NoContexts += x.NoContexts
			t.Errors += x.Errors
		}
	}
	return t
}
