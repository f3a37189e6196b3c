package drift

import (
	"maps"
	"slices"
	"time"

	"leadline/sampler"
)

// bridgeSamples is how many samples of a new release are compared with what was before.
const bridgeSamples = 1000

// onTrial is a release that is on trial, and what its trial may spend.
type onTrial struct {
	change
	spends float64
}

// bridges returns the releases that are on trial: never seen before, and still here.
func (e *evaluation) bridges() []onTrial {
	var out []onTrial
	each := e.spending().each
	for i, c := range e.channels.changes[sampler.ChannelRelease] {
		if each[i] > 0 && !e.channels.gone(sampler.ChannelRelease, c.new) {
			out = append(out, onTrial{c, each[i]})
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
	tr := e.trial(t, c, scan)
	if tr.tried(e.now) {
		return verdict{}, false
	}
	s := tr.sides()
	s.design = scan.design(at)
	mergeCells(s.pre, scan.sum(0, at))
	s.length.addBefore(scan.strip, at)
	return compare(s, scan.tolerance), true
}

// trial returns the trial of a release on a track, up to the newest run, or to where it
// was over.
func (e *evaluation) trial(t track, c change, scan *scanned) *trial {
	i := slices.IndexFunc(scan.trials, func(tr *trial) bool {
		return tr.change == c && tr.renamed == e.channels.renamed
	})
	if i < 0 {
		i = len(scan.trials)
		scan.trials = append(scan.trials, newTrial(t, c, e.channels.renamed, e.LengthStrata))
	}
	tr := scan.trials[i]
	if !tr.tried(e.now) {
		tr.run(t, e.channels, scan.cut)
	}
	return tr
}

// trial adds up the scores of a track without and with a release, from its first run on.
type trial struct {
	change
	renamed       int // what the channels' was
	without, with []Moments
	length        lengthSides
	mixed         bool      // only of runs in which several releases were scored
	next          int       // run of the table
	newest        time.Time // run that was taken in
	earlier       int       // scores with the release before that
}

func newTrial(t track, c change, renamed int, strata bool) *trial {
	cells := len(t.in)
	tr := &trial{change: c, renamed: renamed, without: make([]Moments, cells), with: make([]Moments, cells), next: t.after(c.due)}
	if t.lengths != nil {
		tr.length = lengthSides{make([]lengths, cells), make([]lengths, cells), strata}
	}
	return tr
}

// run takes in all runs that are new.
func (tr *trial) run(t track, all *channels, cuts []cut) {
	for ; tr.next < len(t.due); tr.next++ {
		tr.newest, tr.earlier = t.due[tr.next], count(tr.with)
		carries := all.releaseOf(tr.newest) == tr.new
		for g, k := range t.in {
			r := t.rows[tr.next][k]
			if r == nil || t.cut(cuts, tr.next, k) || tr.mixed && r.Releases == nil {
				continue
			}
			with, without := r.split(tr.new, carries)
			tr.with[g] = tr.with[g].Merge(with)
			tr.without[g] = tr.without[g].Merge(without)
			tr.length.addRow(g, r, tr.new, carries)
		}
	}
}

// tried says whether enough of the release was seen before a run, which may be the newest.
func (tr *trial) tried(now time.Time) bool {
	if tr.newest.Equal(now) {
		return tr.earlier >= bridgeSamples
	}
	return count(tr.with) >= bridgeSamples
}

func (tr *trial) sides() sides {
	length := tr.length
	length.pre = slices.Clone(length.pre) // the runs before are added to it
	return sides{pre: slices.Clone(tr.without), post: tr.with, design: 1, length: length}
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
func (e *evaluation) releaseSides(t track, c change, cuts []cut, mixed bool) sides {
	tr := newTrial(t, c, e.channels.renamed, e.LengthStrata)
	tr.mixed = mixed
	tr.run(t, e.channels, cuts)
	return tr.sides()
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
