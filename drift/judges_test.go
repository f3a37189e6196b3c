package drift_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"leadline/config"
	"leadline/drift"
	"leadline/scorer"
)

// law draws pairs of scores with a known mean difference.
type law struct {
	name  string
	shift float64
	draw  func(r *rand.Rand) drift.Pair
}

// flips makes ones of the old judge zeros of the new one with probability down, and zeros
// ones with probability up.
func flips(name string, zeros, down, up float64) law {
	return law{name, zeros*up - (1-zeros)*down, func(r *rand.Rand) drift.Pair {
		if r.Float64() < zeros {
			if r.Float64() < up {
				return drift.Pair{From: 0, To: 1}
			}
			return drift.Pair{}
		}
		if r.Float64() < down {
			return drift.Pair{From: 1, To: 0}
		}
		return drift.Pair{From: 1, To: 1}
	}}
}

func laws() []law {
	return []law{
		flips("nobody differs", 0.1, 0, 0),
		flips("one in a hundred falls", 0.1, 0.011, 0),
		flips("both ways alike", 0.2, 0.05, 0.2),
		flips("clearly stricter", 0.1, 0.2, 0),
		{"halves and noise", -0.05, func(r *rand.Rand) drift.Pair {
			x := 0.3 + 0.4*r.Float64()
			return drift.Pair{From: x, To: x - 0.05 + 0.2*(r.Float64()-0.5)}
		}},
	}
}

func TestTheIntervalOfABridgeHoldsTheShift(t *testing.T) {
	t.Parallel()
	const streams = 2000
	for _, l := range laws() {
		for _, n := range []int{20, 100, 400} {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			held := 0
			for range streams {
				b := compared(r, l, n)
				if b.Low <= l.shift+1e-12 && l.shift <= b.High+1e-12 {
					held++
				}
			}
			// 95 % less three standard errors of 2,000 streams.
			if held < int(streams*(0.95-3*math.Sqrt(0.95*0.05/streams))) {
				t.Errorf("%s, %d pairs: %d of %d intervals hold the shift of %.3f", l.name, n, held, streams, l.shift)
			}
		}
	}
}

func compared(r *rand.Rand, l law, n int) drift.Bridge {
	pairs := make([]drift.Pair, n)
	for i := range pairs {
		pairs[i] = l.draw(r)
	}
	var b drift.Bridge
	b.Compare(pairs)
	return b
}

func TestAJudgeThatIsOffIsSeldomCalledTheSame(t *testing.T) {
	t.Parallel()
	const streams = 2000
	// At 0.025 the two are a quarter further apart than is called the same.
	l := flips("off by 0.025", 0, 0.025, 0)
	for _, n := range []int{20, 100, 150, 200, 400} {
		r, same := rand.New(rand.NewPCG(uint64(n), 8)), 0
		for range streams {
			if compared(r, l, n).Verdict == drift.RulerSame {
				same++
			}
		}
		if same > streams/20 {
			t.Errorf("%d pairs: %d of %d are called the same", n, same, streams)
		}
	}
	alike := compared(rand.New(rand.NewPCG(1, 9)), flips("alike", 0.1, 0, 0), 100)
	if alike.Verdict != drift.RulerUndetermined {
		t.Errorf("100 equal scores are %s: one answer in 34 may still differ (rule of three)", alike.Verdict)
	}
	// One in n differs with a probability of 5 % when n are alike for n = 3/0.02 = 150.
	if n := alike.Enough(); n < 130 || n > 160 {
		t.Errorf("%d equal scores are to be enough, want about 150", n)
	}
	if enough := compared(rand.New(rand.NewPCG(1, 9)), flips("alike", 0.1, 0, 0), alike.Enough()); enough.Verdict != drift.RulerSame {
		t.Errorf("%d equal scores were to be enough, and are %s: %+.4f to %+.4f", alike.Enough(), enough.Verdict, enough.Low, enough.High)
	}
}

func TestABridgeDescribesItsPairs(t *testing.T) {
	t.Parallel()
	var b drift.Bridge
	var pairs []drift.Pair
	for range 5 { // the new judge gives half of what the old one gives, and 0.1 more
		pairs = append(pairs, drift.Pair{From: 0, To: 0.1}, drift.Pair{From: 0.5, To: 0.35}, drift.Pair{From: 1, To: 0.6})
	}
	b.Compare(pairs)
	if b.N != 15 || math.Abs(b.Shift-(-0.15)) > 1e-12 {
		t.Errorf("%d pairs, shift %.4f, want 15 and −0.15", b.N, b.Shift)
	}
	if b.Slope == nil || math.Abs(*b.Slope-0.5) > 1e-12 || math.Abs(*b.Correlation-1) > 1e-12 {
		t.Errorf("slope %v, correlation %v, want 0.5 and 1", b.Slope, b.Correlation)
	}
	for i, want := range []drift.Band{{Name: "zeros", N: 5, To: 0.1}, {Name: "partial", N: 5, From: 0.5, To: 0.35, Agree: 5}, {Name: "ones", N: 5, From: 1, To: 0.6}} {
		if got := b.Bands[i]; got.Name != want.Name || got.N != want.N || got.Agree != want.Agree || math.Abs(got.To-want.To) > 1e-12 || got.From != want.From {
			t.Errorf("band %+v, want %+v", got, want)
		}
	}
	b.Compare(nil)
	if b.N != 0 || b.Verdict != drift.RulerUndetermined || b.Slope != nil || math.IsNaN(b.Shift) {
		t.Errorf("no pairs: %+v", b)
	}
}

func TestControlsAreWeightedAsTheTraffic(t *testing.T) {
	t.Parallel()
	var pairs []drift.Pair
	for range 10 {
		pairs = append(pairs, drift.Pair{From: 0, To: 0.4}, drift.Pair{From: 1, To: 1})
	}
	var b drift.Bridge
	b.CompareControls(pairs, 0.1) // a tenth of the traffic are zeros: 0.1 · 0.4 + 0.9 · 0
	if math.Abs(b.Shift-0.04) > 1e-12 {
		t.Errorf("shift %.4f, want 0.04", b.Shift)
	}
	b.CompareControls(pairs, -1) // not known: half of the items moved by 0.4
	if math.Abs(b.Shift-0.2) > 1e-12 {
		t.Errorf("without the traffic's share: shift %.4f, want 0.2", b.Shift)
	}
}

// rowOf is a row of one run with n scores of 1.
func rowOf(run, n int, judge, bridged string) drift.Row {
	due := time.Date(2026, 3, 1+run, 0, 0, 0, 0, time.UTC)
	return drift.Row{Start: due.AddDate(0, 0, -1), Due: due, Metric: scorer.Faithfulness, Judge: judge, Bridged: bridged,
		Moments: drift.Moments{N: n, Mean: 1}}
}

func TestWhatIsScoredAgainDoesNotSayWhoScores(t *testing.T) {
	t.Parallel()
	var h drift.History
	for run := range 5 {
		// All answers of the newest run were scored again, and the new judge's name comes first.
		h.Rows = append(h.Rows, rowOf(run, 40, "old", ""), rowOf(run, 40, "new", "old"))
	}
	if got := drift.Evaluate(h, config.Drift{}).States[0]; got.Series.Judge != "old" || got.Baseline.N != 200 {
		t.Errorf("the present judge is %q on %d samples, want the old one on its 200", got.Series.Judge, got.Baseline.N)
	}
	h.Rows = append(h.Rows, rowOf(5, 5, "new", ""))
	if got := drift.Evaluate(h, config.Drift{}).States[0]; got.Series.Judge != "new" || got.Status != "ok" || got.Baseline.N != 205 {
		t.Errorf("after its first run the judge is %q, %s on %d samples; want the new one, ok on 205", got.Series.Judge, got.Status, got.Baseline.N)
	}
	if got := drift.StateOf(h, drift.Series{Metric: scorer.Faithfulness, Judge: "old"}, config.Drift{}); got.Status != "ok" || got.Baseline.N != 200 {
		t.Errorf("the old judge alone is %s on %d samples", got.Status, got.Baseline.N)
	}
}

func TestInControlIsWhatABaselineIsMadeOf(t *testing.T) {
	t.Parallel()
	at := func(run int) time.Time { return time.Date(2026, 3, 1+run, 0, 0, 0, 0, time.UTC) }
	of := func(judge, dim, value string) drift.Series {
		return drift.Series{Metric: scorer.Faithfulness, Judge: judge, Dim: dim, Value: value}
	}
	relevancy := of("old", "", "")
	relevancy.Metric = scorer.AnswerRelevancy
	for name, c := range map[string]struct {
		h    drift.History
		want [4]bool // hr in runs 1, 5, 9; it in run 5
	}{
		"nothing":               {drift.History{}, [4]bool{true, true, true, true}},
		"open":                  {drift.History{Episodes: []drift.Episode{{Series: of("old", "", ""), From: at(4), Opened: at(5)}}}, [4]bool{true, false, false, false}},
		"ended":                 {drift.History{Episodes: []drift.Episode{{Series: of("old", "", ""), From: at(4), Opened: at(5), Resolved: at(8)}}}, [4]bool{true, false, true, false}},
		"of one segment":        {drift.History{Episodes: []drift.Episode{{Series: of("old", "d", "hr"), From: at(4), Opened: at(5)}}}, [4]bool{true, false, false, true}},
		"of another judge":      {drift.History{Episodes: []drift.Episode{{Series: of("else", "", ""), From: at(4), Opened: at(5)}}}, [4]bool{true, true, true, true}},
		"of another metric":     {drift.History{Episodes: []drift.Episode{{Series: relevancy, From: at(4), Opened: at(5)}}}, [4]bool{true, true, true, true}},
		"a release taken back":  {drift.History{Episodes: []drift.Episode{{Series: relevancy, Kind: drift.KindRegression, From: at(4), Opened: at(5), Resolved: at(8)}}}, [4]bool{true, false, true, false}},
		"accepted":              {drift.History{Acceptances: []drift.Acceptance{{Series: of("old", "", ""), From: at(6), At: at(7)}}}, [4]bool{false, false, true, false}},
		"accepted, its episode": {drift.History{Episodes: []drift.Episode{{Series: of("old", "", ""), From: at(4), Opened: at(5), Resolved: at(8)}}, Acceptances: []drift.Acceptance{{Series: of("old", "", ""), From: at(3), At: at(7)}}}, [4]bool{false, true, true, true}},
	} {
		in := drift.InControl(c.h, scorer.Faithfulness, "old")
		got := [4]bool{in(at(1), "d=hr"), in(at(5), "d=hr"), in(at(9), "d=hr"), in(at(5), "d=it")}
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
