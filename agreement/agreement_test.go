package agreement_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"leadline/agreement"
)

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s is %v, want %.10f", what, shown(got), want)
	}
}

func shown(v *float64) string {
	if v == nil {
		return "not known"
	}
	return fmt.Sprintf("%.10f", *v)
}

// The bounds of statsmodels 0.15.0, proportion_confint(method="wilson"). 27 of 30 is 74–97 %.
func TestWilsonIsThatOfStatsmodels(t *testing.T) {
	for _, c := range []struct{ k, n, low, high float64 }{
		{27, 30, 0.7437891742081592, 0.9654001112526659},
		{0, 10, 0, 0.27753279986288926},
		{10, 10, 0.7224672001371106, 1},
		{73, 80, 0.8302320449152499, 0.9569679982179401},
		{9, 13, 0.42369343180549024, 0.8731929634428949},
	} {
		got := agreement.Wilson(c.k, c.n)
		near(t, "low end", &got.Low, c.low)
		near(t, "high end", &got.High, c.high)
	}
	if agreement.Wilson(0, 0) != nil {
		t.Error("nothing counted has an interval")
	}
}

// κ: scikit-learn 1.9.1, cohen_kappa_score. AC1: by hand from Gwet (2008); the last table is
// of that kind of paradox: 118, 5, 2 and 0 of 125, where π = 243/250 = .972, pe = .054432
// and AC1 = (.944 − .054432)/.945568.
func TestKappaFallsWherePrevalenceIsFarFromHalfAndAC1DoesNot(t *testing.T) {
	for _, c := range []struct {
		table      agreement.Table
		kappa, ac1 float64
	}{
		{agreement.Table{BothUnsupported: 45, OnlyJudge: 5, OnlyPerson: 5, BothSupported: 45}, 0.8, 0.8},
		{agreement.Table{BothUnsupported: 5, OnlyJudge: 5, OnlyPerson: 5, BothSupported: 85}, 0.4444444444444444, (0.9 - 0.18) / 0.82},
		{agreement.Table{BothUnsupported: 9, OnlyJudge: 3, OnlyPerson: 4, BothSupported: 64}, 0.6682464454976303, (73.0/80 - 2*25.0/160*135/160) / (1 - 2*25.0/160*135/160)},
		{agreement.Table{BothUnsupported: 118, OnlyJudge: 5, OnlyPerson: 2}, -0.023391812865497075, (0.944 - 0.054432) / 0.945568},
	} {
		near(t, "kappa", c.table.Kappa(), c.kappa)
		near(t, "AC1", c.table.AC1(), c.ac1)
	}
}

func TestWhatCannotBeToldIsNil(t *testing.T) {
	allGood := agreement.Table{BothSupported: 20}
	if allGood.Kappa() != nil || allGood.Sensitivity() != nil || (agreement.Table{}).Raw() != nil || (agreement.Table{}).AC1() != nil {
		t.Error("a figure of nothing is a number")
	}
	near(t, "AC1 where all is supported", allGood.AC1(), 1)
	near(t, "specificity", allGood.Specificity(), 1)
	if s := agreement.Summarize(nil); s.Raw != nil || s.Population.Kappa != nil || s.Statements != 0 {
		t.Errorf("nothing compared gives %+v", s)
	}
	if agreement.AUROC([]agreement.Case{{1, true}, {0, true}}) != nil {
		t.Error("one kind of case has an AUROC")
	}
	if agreement.Alpha([][]string{{"a"}, {"b"}, {}}) != nil || agreement.Alpha([][]string{{"a", "a"}}) != nil {
		t.Error("alpha of what cannot be paired, or does not vary, is a number")
	}
}

// scikit-learn 1.9.1, roc_auc_score; the interval by the ranks of Sun and Xu (2014) in numpy.
func TestAUROCCountsTiesHalf(t *testing.T) {
	scores := []float64{.1, .4, .35, .8, .8, .5, .5, .5, .9, .2}
	labels := []int{0, 0, 1, 1, 0, 1, 0, 1, 1, 0}
	var cases []agreement.Case
	for i, s := range scores {
		cases = append(cases, agreement.Case{Score: s, Positive: labels[i] == 1})
	}
	got := agreement.AUROC(cases)
	near(t, "AUROC", &got.Value, 0.74)
	near(t, "low end", &got.Low, 0.41086607779875645)
	near(t, "high end", &got.High, 1)
}

// Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four
// observers, twelve units, gaps; nominal α = .743. The digits are of the package krippendorff.
func TestAlphaIsKrippendorffsExample(t *testing.T) {
	near(t, "alpha", agreement.Alpha([][]int{
		{1, 1, 1}, {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3}, {2, 2, 2, 2}, {1, 2, 3, 4},
		{4, 4, 4, 4}, {1, 1, 2, 1}, {2, 2, 2, 2}, {5, 5, 5}, {1, 1}, {3},
	}), 0.743421052631579)
}

// The formulas of arXiv 2511.21140 in numpy.
func TestCorrectedShareIsThatOfThePaper(t *testing.T) {
	for _, c := range []struct {
		p, se, sp       agreement.Rate
		value, low, top float64
	}{
		{agreement.Rate{.3, 1000}, agreement.Rate{.8, 50}, agreement.Rate{.9, 150}, 0.2857142857142856, 0.20928503383718985, 0.3703365319247791},
		{agreement.Rate{.05, 500}, agreement.Rate{.7, 20}, agreement.Rate{.97, 100}, 0.029850746268656747, 0, 0.08632683283785508},
		{agreement.Rate{.9, 200}, agreement.Rate{.95, 100}, agreement.Rate{.8, 50}, 0.9333333333333336, 0.8523452338232548, 1},
	} {
		got := agreement.Correct(c.p, c.se, c.sp)
		near(t, "value", &got.Value, c.value)
		near(t, "low end", &got.Low, c.low)
		near(t, "high end", &got.High, c.top)
	}
	for name, got := range map[string]*agreement.Estimate{
		"a judge no better than chance": agreement.Correct(agreement.Rate{.3, 100}, agreement.Rate{.4, 50}, agreement.Rate{.6, 50}),
		"no unsupported statement seen": agreement.Correct(agreement.Rate{.3, 100}, agreement.Rate{}, agreement.Rate{.6, 50}),
	} {
		if got != nil {
			t.Errorf("%s: %+v", name, *got)
		}
	}
}

// Statements that go together in a sample are fewer than they look: with all five of a
// sample alike, the interval must be that of the samples, about √5 times as wide.
func TestBootstrapKeepsSamplesWhole(t *testing.T) {
	together, apart := [][]float64{nil}, [][]float64{nil}
	for i := range 200 {
		together[0] = append(together[0], float64(i%5/4))
		for range 5 {
			apart[0] = append(apart[0], float64(i%5/4))
		}
	}
	mean := func(values []float64) *float64 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		sum /= float64(len(values))
		return &sum
	}
	wide, narrow := agreement.Bootstrap(together, mean), agreement.Bootstrap(apart, mean)
	if f := (wide.High - wide.Low) / (narrow.High - narrow.Low); math.Abs(f-math.Sqrt(5)) > 0.25 {
		t.Errorf("the interval of samples is %.2f times that of their parts, want about %.2f", f, math.Sqrt(5))
	}
	if se := math.Sqrt(.2 * .8 / 200); math.Abs((wide.High-wide.Low)/(2*1.96*se)-1) > 0.1 {
		t.Errorf("interval %.3f to %.3f, want about 0.2 ± %.3f", wide.Low, wide.High, 1.96*se)
	}
}

// A population of 4,000 answers, a quarter of them low: drawn half from the low end, the plain
// sensitivity is far off, and the weighted figures hit the population's on average.
func TestWeightsUndoTheDrawing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(stratum string, person, flagBad, flagGood float64) agreement.Sample {
		s := agreement.Sample{Stratum: stratum, Weight: map[string]float64{"low": 1000.0 / 12, "rest": 3000.0 / 12}[stratum]}
		for range 3 {
			bad := random.Float64() < person
			s.Verdicts = append(s.Verdicts, agreement.Verdict{Person: bad, Judge: random.Float64() < map[bool]float64{true: flagBad, false: flagGood}[bad]})
		}
		return s
	}
	// Of low answers 60 % are unsupported, of which the judge finds 95 %; of the rest 10 %, of which 40 %.
	const unsupported, sensitivity = 0.25*0.6 + 0.75*0.1, (0.25*0.6*0.95 + 0.75*0.1*0.4) / (0.25*0.6 + 0.75*0.1)
	plain, shares, found := 0.0, 0.0, 0.0
	const rounds = 60
	for range rounds {
		var samples []agreement.Sample
		for range 12 {
			samples = append(samples, draw("low", 0.6, 0.95, 0.1), draw("rest", 0.1, 0.4, 0.02))
		}
		s := agreement.Summarize(samples)
		plain += s.Sensitivity.Value / rounds
		shares += s.Population.Unsupported.Value / rounds
		found += s.Population.Sensitivity.Value / rounds
	}
	if math.Abs(shares-unsupported) > 0.02 || math.Abs(found-sensitivity) > 0.04 {
		t.Errorf("weighted: %.3f unsupported, sensitivity %.3f, want %.3f and %.3f", shares, found, unsupported, sensitivity)
	}
	if plain-sensitivity < 0.06 {
		t.Errorf("the plain sensitivity %.3f is as good as the weighted one: the test shows nothing", plain)
	}
}

func TestEffectiveNumberIsKishs(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		want    float64
	}{{[]float64{2, 2, 2, 2}, 4}, {[]float64{3, 1, 0}, 1.6}, {nil, 0}} {
		got := agreement.Effective(c.weights)
		near(t, "effective number", &got, c.want)
	}
}
