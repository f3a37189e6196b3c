package drift

import "math"

// LengthEvidence says whether answers became shorter or longer, and what that accounts
// for. It is the zero value where the lengths of answers are not known on both sides.
type LengthEvidence struct {
	Before float64 `json:"before"` // statements per answer
	After  float64 `json:"after"`
	// SupportBefore and SupportAfter are the shares of all statements that the contexts
	// support, 0–1; SupportSE is the standard error of their difference.
	SupportBefore float64 `json:"support_before"`
	SupportAfter  float64 `json:"support_after"`
	SupportSE     float64 `json:"support_se"`
	// Explains is the part of the drop that other lengths account for, by what answers of
	// each length scored before; Within is the rest: the drop at the same length. SE is the
	// standard error of either.
	Explains float64 `json:"explains"`
	Within   float64 `json:"within"`
	SE       float64 `json:"se"`
	// Verdict is "same" (lengths did not move), "explains", "not" (answers of the same
	// length fell) or "open".
	Verdict string `json:"verdict"`
}

// The verdicts on length.
const (
	LengthSame     = "same"
	LengthExplains = "explains"
	LengthNot      = "not"
	LengthOpen     = "open"
)

const (
	// lengthLeast is how many answers of known length each side needs.
	lengthLeast = 20
	// lengthMoved is how far statements per answer have to move, as a share of what they
	// were, and lengthLuck how far in standard errors (99 %).
	lengthMoved = 0.05
	lengthLuck  = 2.58
)

// lengthEvidence holds the lengths of both sides against each other. A class without a
// baseline takes its cell's: the mean of ratios does not depend on length where the
// support in each statement does not.
func lengthEvidence(s sides, f Finding, minDrop float64) LengthEvidence {
	if s.length.pre == nil {
		return LengthEvidence{}
	}
	var before, after statementSums
	for g := range s.pre {
		before.merge(&s.length.pre[g].sums)
		after.merge(&s.length.post[g].sums)
	}
	if before.answers < lengthLeast || after.answers < lengthLeast {
		return LengthEvidence{}
	}
	ev := s.splitByLength()
	ev.Before, ev.After = before.n/before.answers, after.n/after.answers
	ev.SupportBefore, ev.SupportAfter = before.s/before.n, after.s/after.n
	ev.SE *= math.Sqrt(s.design)
	ev.SupportSE = math.Sqrt(s.design * (before.supportVariance() + after.supportVariance()))
	moved := math.Abs(ev.After - ev.Before)
	luck := lengthLuck * math.Sqrt(s.design*(before.lengthVariance()+after.lengthVariance()))
	if moved <= luck || moved < lengthMoved*ev.Before {
		ev.Verdict = LengthSame
		return ev
	}
	left, se, of := ev.Within, ev.SE, f.Drop
	if f.Drop < minDrop { // only zeros rose
		left, se, of = ev.SupportBefore-ev.SupportAfter, ev.SupportSE, f.After.Zeros-f.Before.Zeros
	}
	ev.Verdict = lengthVerdict(left, se, of)
	return ev
}

// lengthVerdict: other lengths explain a change when half of it or more at the same length
// is ruled out with 95 %; they do not when as much is sure to be there.
func lengthVerdict(left, se, of float64) string {
	switch {
	case left+1.645*se < of/2:
		return LengthExplains
	case left-1.645*se > 0:
		return LengthNot
	}
	return LengthOpen
}

// splitByLength splits the drop, cells weighted as after, into what other lengths account
// for and what happened at the same length.
func (s sides) splitByLength() LengthEvidence {
	var ev LengthEvidence
	var total, variance float64
	for g := range s.pre {
		pre, post := &s.length.pre[g], &s.length.post[g]
		var cell Moments
		for _, m := range pre.class {
			cell = cell.Merge(m)
		}
		if cell.N < minCell {
			continue
		}
		all := cell.all()
		for c := range post.class {
			b := post.class[c].all()
			if b.n == 0 {
				continue
			}
			a := pre.class[c].all()
			if a.n < minCell {
				a = all
			}
			total += b.n
			ev.Explains += b.n * (all.mean - a.mean)
			ev.Within += b.n * (a.mean - b.mean)
			variance += b.n * b.n * (a.m2/a.n/a.n + b.m2/b.n/b.n)
		}
	}
	if total == 0 {
		return ev
	}
	ev.Explains, ev.Within, ev.SE = ev.Explains/total, ev.Within/total, math.Sqrt(variance)/total
	return ev
}

// lengthVariance is the variance of the mean number of statements.
func (a *statementSums) lengthVariance() float64 {
	mean := a.n / a.answers
	return max(a.nn/a.answers-mean*mean, 0) / a.answers
}

// supportVariance is the variance of the share of statements that are supported, answers
// taken as a whole: statements of one answer are not independent (Cochran, 1977, 2.11).
func (a *statementSums) supportVariance() float64 {
	r := a.s / a.n
	return max(a.ss-2*r*a.ns+r*r*a.nn, 0) / (a.n * a.n)
}
