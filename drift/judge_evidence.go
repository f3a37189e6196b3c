package drift

import (
	"cmp"
	"math"
	"slices"

	"leadline/scorer"
)

// The verdicts on the judge.
const (
	JudgeMoved       = "moved"
	JudgeCleared     = "cleared"
	JudgeNotExcluded = "cannot_be_excluded"
)

// minControls is how few control items can clear a judge.
const minControls = 8

// judgeEvidence holds the controls against a fall.
func (e *evaluation) judgeEvidence(f Finding) JudgeEvidence {
	if IsShare(f.Series.Metric) {
		return JudgeEvidence{Verdict: JudgeCleared} // no judge counted these
	}
	g := e.gauges(f.Series.Metric, f.Series.Judge)
	s := g.shift(f.Since, f.Before.Zeros)
	j := JudgeEvidence{Items: s.Items, Shift: s.Mean, SE: s.SE, Low: s.Low, High: s.High, Only: s.Only, Verdict: JudgeNotExcluded}
	if language := f.Series.Value; isLanguage(f.Series.Dim, language) {
		j.takeLanguage(s, language)
	}
	if s.Items < minControls {
		return j
	}
	j.CanSee = 2.5 * j.SE
	j.Excludes = max(0, -j.Shift+1.645*j.SE)
	switch {
	case e.judgeMoved(f, g) && (math.Abs(j.Shift) >= max(f.Drop/4, minShift)):
		j.Verdict = JudgeMoved
		j.correct(f)
	case j.Excludes < f.Drop/2:
		j.Verdict = JudgeCleared
	}
	return j
}

// isLanguage says whether a segment is a language that control items are in.
func isLanguage(dim, value string) bool {
	return dim != "" && dim != ControlsDim && (value == "en" || value == "ja")
}

// takeLanguage narrows the comparison to the items in the language of a segment.
func (j *JudgeEvidence) takeLanguage(s Shift, language string) {
	for _, l := range s.Languages {
		if l.Language == language {
			half := quantile975(float64(l.Items-1)) * l.SE
			j.Items, j.Shift, j.SE, j.Low, j.High = l.Items, l.Mean, l.SE, l.Mean-half, l.Mean+half
		}
	}
}

// judgeMoved says whether the judge of a finding moved around its change, by the controls'
// own alarm or, where the fall tells when to look, by less evidence. The latter opens a move.
func (e *evaluation) judgeMoved(f Finding, g *gauges) bool {
	from, to := e.channels.widen(f.From, f.To)
	for _, m := range e.judges.moves {
		over := !m.Resolved.IsZero() && !m.Resolved.After(f.Since)
		if m.Metric == f.Series.Metric && m.Judge == f.Series.Judge && !over && m.End != EndAccepted {
			return true
		}
	}
	at, ln := g.around(from, to)
	if ln < lnKnown || math.Abs(g.shift(at, -1).Mean) < minShift {
		return false
	}
	e.addMove(Move{Metric: f.Series.Metric, Judge: f.Series.Judge, From: at, LnNeeded: lnKnown, Found: true}, g)
	return true
}

// correct takes the judge's part out of the fall. It assumes that the texts of the traffic
// are hit as the control items of the same level are, zeros as zeros and others as others.
func (j *JudgeEvidence) correct(f Finding) {
	mean := f.Drop + j.Shift
	half := func(own, judge float64) float64 { return math.Sqrt(own*own + judge*judge) }
	c := Corrected{
		Drop: mean,
		Low:  mean - half(f.Drop-f.Low, j.Shift-j.Low),
		High: mean + half(f.High-f.Drop, j.High-j.Shift),
	}
	c.Stands = c.Low > 0
	j.Corrected = &c
}

// sortControls returns each item's scores in the order of time, one per run and pass.
func sortControls(controls []scorer.ControlScore) []scorer.ControlScore {
	if slices.IsSortedFunc(controls, compareControls) {
		return slices.CompactFunc(slices.Clone(controls), sameControl)
	}
	return slices.CompactFunc(slices.SortedFunc(slices.Values(controls), compareControls), sameControl)
}

func compareControls(a, b scorer.ControlScore) int {
	return cmp.Or(cmp.Compare(a.Item, b.Item), a.Window.Compare(b.Window), cmp.Compare(a.Pass, b.Pass))
}

func sameControl(a, b scorer.ControlScore) bool {
	return compareControls(a, b) == 0
}
