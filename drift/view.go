package drift

import (
	"cmp"
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
	lnM        float64
	channels   []ChannelEvidence // in the order of Channels
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
	p.sharpen(e.classify(v))
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
	v.weigh(e.releases(v.strip), e.lnBonus())
	return v
}

// releases returns the runs of a strip in which a code channel changed.
func (e *evaluation) releases(s *strip) []int {
	var runs []int
	for _, ch := range e.codeChannels() {
		for _, c := range e.channels.changes[ch] {
			if i := s.after(c.due); i < len(s.due) {
				runs = append(runs, i)
			}
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs)
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

// weigh computes the weights of the change points. A boundary at a release has its own
// prior mass beside that of its time.
func (v *view) weigh(releases []int, lnBonus float64) {
	ln := make([]float64, len(v.candidates))
	for i, c := range v.candidates {
		ln[i] = c.lnMass
		if slices.ContainsFunc(releases, func(r int) bool { return c.oldest <= r && r <= c.at }) {
			ln[i] = lnSum(c.lnMass, lnBonus)
		}
		ln[i] += c.ln
	}
	v.lnM = lnSum(ln...)
	v.weight = make([]float64, len(ln))
	for i := range ln {
		v.weight[i] = math.Exp(ln[i] - v.lnM)
	}
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
