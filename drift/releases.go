package drift

import (
	"maps"
	"slices"

	"leadline/sampler"
)

// bridgeSamples is how many samples of a new release are compared with what was before.
const bridgeSamples = 1000

// bridges returns the releases that are on trial: never seen before, and still here.
func (e *evaluation) bridges() []change {
	var out []change
	for _, c := range e.channels.changes[sampler.ChannelRelease] {
		if c.fresh && !e.channels.gone(sampler.ChannelRelease, c.new) {
			out = append(out, c)
		}
	}
	return out
}

// bridge compares a new release with everything in control that is not of it. It is
// silent without a baseline, and once enough of the release was seen.
func (e *evaluation) bridge(t track, c change, scan *scanned) (verdict, bool) {
	at := scan.after(c.due)
	if at < scan.ready || at >= len(scan.due) {
		return verdict{}, false
	}
	if e.tried(t, c, scan.cut) {
		return verdict{}, false
	}
	s := e.releaseSides(t, c, scan.cut, false)
	before := scan.sum(0, at)
	s.design = scan.designEffect(at, before)
	mergeCells(s.pre, before)
	s.length.addBefore(scan.strip, at)
	return compare(s, scan.tolerance), true
}

// tried says whether enough of a release was seen before the newest run.
func (e *evaluation) tried(t track, c change, cut func(run, cell int) bool) bool {
	n := 0
	for run := t.after(c.due); run < len(t.due) && t.due[run].Before(e.now); run++ {
		carries := e.channels.releaseOf(t.due[run]) == c.new
		for _, k := range t.in {
			switch r := t.rows[run][k]; {
			case r == nil || cut != nil && cut(run, k):
			case r.Releases != nil:
				n += r.Releases[c.new].N
			case carries:
				n += r.N
			}
		}
		if n >= bridgeSamples {
			return true
		}
	}
	return false
}

func count(cells []Moments) int {
	n := 0
	for _, m := range cells {
		n += m.N
	}
	return n
}

// releaseSides returns the scores without and with a release, from its first run on; with
// mixed only of runs in which several releases were scored.
func (e *evaluation) releaseSides(t track, c change, cut func(run, cell int) bool, mixed bool) sides {
	s := sides{pre: make([]Moments, len(t.in)), post: make([]Moments, len(t.in)), design: 1}
	if t.lengths != nil {
		s.length = lengthSides{make([]lengths, len(t.in)), make([]lengths, len(t.in)), e.LengthStrata}
	}
	for run := t.after(c.due); run < len(t.due); run++ {
		carries := e.channels.releaseOf(t.due[run]) == c.new
		for g, k := range t.in {
			r := t.rows[run][k]
			if r == nil || cut != nil && cut(run, k) || mixed && r.Releases == nil {
				continue
			}
			with, without := r.split(c.new, carries)
			s.post[g] = s.post[g].Merge(with)
			s.pre[g] = s.pre[g].Merge(without)
			s.length.addRow(g, r, c.new, carries)
		}
	}
	return s
}

// split returns a row's scores with a release and without it; carries says of which
// kind the row is when only one release was scored in its run.
func (r *Row) split(release string, carries bool) (with, without Moments) {
	if r.Releases == nil {
		if carries {
			return r.Moments, Moments{}
		}
		return Moments{}, r.Moments
	}
	for _, name := range slices.Sorted(maps.Keys(r.Releases)) {
		if name == release {
			with = r.Releases[name]
		} else {
			without = without.Merge(r.Releases[name])
		}
	}
	return with, without
}
