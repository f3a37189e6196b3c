package drift

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"leadline/sampler"
)

// closeUp is how many boundaries before the alarm an open episode is looked at one by one.
const closeUp = 48

// view is an open episode looked at with all that came since: where the change was, and
// how far scores fell.
type view struct {
	*strip
	track      track
	candidates []candidate
	best       int       // the one with the largest evidence
	weight     []float64 // of each candidate being the change point, sums to 1
	// code is the part of the weight with which the change came with the change of code in
	// a run, by run, and not at the same time by chance.
	code     map[int]float64
	lnM      float64
	channels []ChannelEvidence // in the order of Channels
	// blame is the change of a code channel that a regression came with.
	blame *change
}

// look takes a view of an open episode and writes what it shows into it. A series of an
// older judge, or without a baseline, keeps what was known.
func (e *evaluation) look(i int) {
	p := &e.episodes[i]
	k := e.track(p.Series)
	if k < 0 {
		return
	}
	v := e.newView(e.tracks[k], *p)
	if v == nil {
		return
	}
	e.views[i] = v
	kind, blame := e.classify(v)
	// A view that shows next to nothing any more only has its prior to blame a change by.
	if p.Kind == "" || blame == nil || v.lnM >= -math.Log(e.forReleases) {
		p.sharpen(kind, blame)
	}
	p.From = v.due[v.candidates[v.best].at]
	if p.Kind == KindRegression {
		e.blame(p, v)
	}
}

// blame points a regression's view at the change that it came with.
func (e *evaluation) blame(p *Episode, v *view) {
	if c := e.channels.find(p.Channel, p.Value, p.Opened); c != nil {
		v.blame = c
		p.From = c.due
	}
}

func (e *evaluation) newView(t track, p Episode) *view {
	v := &view{strip: t.strip(e.cut(t, false), e.settings), track: t}
	last := v.after(p.Opened.Add(1)) - 1
	at := boundaries(v.first(), last, closeUp)
	if len(at) == 0 {
		return nil
	}
	v.candidates = v.scan(at, v.tolerance)
	v.best = likeliest(v.candidates)
	v.weigh(e.codeChanges(v.strip), e.lnBonus())
	return v
}

// codeChange is a run in which code changed, and the share of it that was before, 0–1.
type codeChange struct {
	run    int
	before float64
}

// codeChanges returns the runs of a strip in which a code channel changed, oldest first: changes
// of several channels in one run are one.
func (e *evaluation) codeChanges(s *strip) []codeChange {
	var out []codeChange
	for _, ch := range e.codeChannels() {
		for _, c := range e.channels.changes[ch] {
			i := s.after(c.due)
			if i == len(s.due) {
				continue
			}
			if !slices.ContainsFunc(out, func(o codeChange) bool { return o.run == i }) {
				out = append(out, codeChange{i, e.channels.before(c)})
			}
		}
	}
	slices.SortFunc(out, func(a, b codeChange) int { return cmp.Compare(a.run, b.run) })
	return out
}

// codeChannels returns the release and the configured channels of which anything is known.
func (e *evaluation) codeChannels() []sampler.Channel {
	out := []sampler.Channel{sampler.ChannelRelease}
	for _, ch := range Channels {
		if slices.Contains(e.CodeChannels, string(ch)) && ch != sampler.ChannelRelease && e.channels.known(ch) {
			out = append(out, ch)
		}
	}
	return out
}

// weigh computes the weights of the change points. A change of code has a prior mass of
// its own beside that of its time. All of them together have at most as much as all of
// the time, or as one alone: with a release a week the newest would else explain every fall.
func (v *view) weigh(changes []codeChange, lnBonus float64) {
	ln := make([]float64, len(v.candidates))
	time := 0.0
	for i, c := range v.candidates {
		ln[i] = c.lnMass + c.ln
		time += math.Exp(c.lnMass)
	}
	changes = slices.DeleteFunc(changes, func(c codeChange) bool { return v.places(c) == nil })
	lnEach := min(lnBonus, max(math.Log(time), lnBonus)-math.Log(float64(len(changes))))
	lnCode := make([]float64, len(changes))
	for k, c := range changes {
		var parts []float64
		for i, share := range v.places(c) {
			if share > 0 {
				parts = append(parts, lnEach+math.Log(share)+v.candidates[i].ln)
				ln[i] = lnSum(ln[i], parts[len(parts)-1])
			}
		}
		lnCode[k] = lnSum(parts...)
	}
	v.lnM = lnSum(ln...)
	v.weight = make([]float64, len(ln))
	for i := range ln {
		v.weight[i] = math.Exp(ln[i] - v.lnM)
	}
	v.code = map[int]float64{}
	for k, c := range changes {
		v.code[c.run] = math.Exp(lnCode[k] - v.lnM)
	}
}

// places says at which candidates scores fell if they fell with a change of code, and how
// much of its mass each has: the boundary before its run, and the one after it by the
// share of the run that was before the change. It is nil where none of them is looked at.
func (v *view) places(c codeChange) []float64 {
	var at []float64
	for i, b := range v.candidates {
		share := 0.0
		if b.oldest <= c.run && c.run <= b.at {
			share += 1 - c.before
		}
		if b.oldest <= c.run+1 && c.run+1 <= b.at {
			share += c.before
		}
		if share > 0 && at == nil {
			at = make([]float64, len(v.candidates))
		}
		if share > 0 {
			at[i] = share
		}
	}
	return at
}

// changeSet returns the first and the last run before which the change lies with 90 % of
// the weight.
func (v *view) changeSet() (from, to int) {
	order := make([]int, len(v.weight))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(v.weight[b], v.weight[a])
	})
	from, to = len(v.due), 0
	held := 0.0
	for _, i := range order {
		from, to = min(from, v.candidates[i].oldest), max(to, v.candidates[i].at)
		if held += v.weight[i]; held >= 0.9 {
			break
		}
	}
	return from, to
}

// codeWeight is the weight of all changes of code together.
func (v *view) codeWeight() float64 {
	sum := 0.0
	for _, run := range slices.Sorted(maps.Keys(v.code)) {
		sum += v.code[run]
	}
	return sum
}

// weightAt is the weight of a change within a run of the given one.
func (v *view) weightAt(run int) float64 {
	sum := 0.0
	for i, c := range v.candidates {
		if c.oldest <= run+1 && c.at >= run-1 {
			sum += v.weight[i]
		}
	}
	return min(sum, 1)
}
