package report

import "leadline/drift"

// ruler says in one line that a judge moved.
func (w Words) ruler(m drift.Move) string {
	s := m.Shift
	key := "ruler.stricter"
	switch {
	case s.Embedding():
		return w.T("ruler.embedding", w.Metric(m.Metric), s.PairsMoved, s.Pairs, w.Minute(m.From))
	case s.After > s.Before:
		key = "ruler.lenient"
	}
	return w.T(key, w.Metric(m.Metric), s.Items, w.Num(s.Before), w.Num(s.After), w.Minute(m.From))
}

// rulerLines are the parts of a judge's move.
func (w Words) rulerLines(s drift.Shift) []EvidenceLine {
	lines := []EvidenceLine{{w.T("ruler.shift"), "changed", w.T("ruler.shift_is", w.Signed(s.Mean), w.Interval(s.Low, s.High, true), s.Items)}}
	for _, l := range s.Languages {
		state := "changed"
		if s.Only != "" && s.Only != l.Language {
			state = "same"
		}
		lines = append(lines, EvidenceLine{w.T("language." + l.Language), state, w.T("ruler.language", w.Signed(l.Mean), w.Num(l.SE), l.Items)})
	}
	if s.Pairs > 0 {
		state := "same"
		if s.Embedding() {
			state = "changed"
		}
		lines = append(lines, EvidenceLine{w.T("ruler.pairs"), state, w.T("ruler.pairs_are", s.PairsMoved, s.Pairs)})
	}
	return lines
}

func (w Words) judgeLine(j drift.JudgeEvidence) EvidenceLine {
	l := EvidenceLine{Name: w.T("line.judge"), State: "unknown"}
	switch {
	case j.Items == 0:
		l.Text = w.T("judge.none")
	case j.Verdict == drift.JudgeMoved:
		l.State, l.Text = "changed", w.T("judge.moved", w.Signed(j.Shift), j.Items)
		if c := j.Corrected; c != nil {
			key := "judge.may_be_all"
			if c.Stands {
				key = "judge.stands"
			}
			l.Text += " · " + w.T(key, w.Signed(-c.Drop), w.Interval(-c.High, -c.Low, true))
		}
	case j.Verdict == drift.JudgeCleared:
		l.State, l.Text = "same", w.T("judge.cleared", w.Signed(j.Shift), j.Items)
		if j.Excludes > 0 {
			l.Text += " · " + w.T("judge.excludes", w.Num(j.Excludes))
		}
	case j.Verdict == "":
		l.Text = w.T("judge.pending", w.Signed(j.Shift), j.Items)
	default:
		l.Text = w.T("judge.cannot_be_excluded", w.Signed(j.Shift), w.Num(j.CanSee))
	}
	return l
}
