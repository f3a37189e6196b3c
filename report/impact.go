package report

import (
	"math"

	"leadline/drift"
	"leadline/scorer"
)

// impact estimates how many answers of the week have an unsupported statement. Each
// scored answer stands for as many as its chance of having been picked says.
func (in *maker) impact() Impact {
	out := Impact{Rate: in.SampleRate, Usually: -1}
	t := in.tallies()
	if in.SampleRate <= 0 {
		return out
	}
	// Without passages there is no faithfulness; an error is no answer.
	answers := float64(max(t.Decoded-t.NoContexts-t.Errors, 0)) / in.SampleRate
	judge := in.judge(scorer.Faithfulness)
	thisWeek, earlier := in.scores(drift.Series{Metric: scorer.Faithfulness, Judge: judge})
	week, before := in.weigh(thisWeek, judge), in.weigh(earlier, judge)
	if week.n == 0 || answers == 0 {
		return out
	}
	low, high := wilson(week.share(), week.effective())
	out.Known = true
	out.Answers, out.Unsupported = twoDigits(answers), twoDigits(answers*week.share())
	out.Low, out.High = twoDigits(answers*max(low, 0)), twoDigits(answers*min(high, 1))
	if before.n >= enough {
		out.Usually = twoDigits(answers * before.share())
	}
	return out
}

// weigh counts the answers with an unsupported statement among scored ones.
func (in *maker) weigh(scores []scorer.Score, judge string) (w weighted) {
	for _, s := range scores {
		if o := s.Outcomes[scorer.Faithfulness]; o.Scored && s.Judges[scorer.Faithfulness] == judge {
			w.add(o.Value < 1, positive(s.Inclusion, positive(in.SampleRate, 1)))
		}
	}
	return w
}

// weighted is a share of answers, each weighing one by its chance of having been picked.
type weighted struct {
	n                   int
	bad, total, squares float64
}

func (w *weighted) add(bad bool, chance float64) {
	weight := 1 / chance
	w.n++
	w.bad += weight * float64(btoi(bad))
	w.total += weight
	w.squares += weight * weight
}

func (w *weighted) share() float64 { return w.bad / w.total }

// effective is Kish's effective number of answers.
func (w *weighted) effective() float64 { return w.total * w.total / w.squares }

func positive(x, or float64) float64 {
	if x > 0 {
		return x
	}
	return or
}

// twoDigits rounds to two digits that count: more would pretend to know.
func twoDigits(x float64) int {
	if x < 100 {
		return int(math.Round(x))
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return int(math.Round(x/unit) * unit)
}

// Impact puts the estimate in words.
func (w Words) Impact(i Impact) string {
	if !i.Known {
		return w.T("impact.none")
	}
	n := func(k int) string { return w.Int(int64(k)) }
	s := w.T("impact.says", n(i.Unsupported), n(i.Answers), n(i.Low), n(i.High))
	if i.Usually >= 0 {
		s += w.T("impact.usual", n(i.Usually))
	}
	return s + w.T("impact.rate", w.Percent(i.Rate))
}
